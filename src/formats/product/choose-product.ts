/** Which of the things that a page describes is the product that it is about. */
import { type Entity, isEntity } from '../json/entities.ts';
import { type Candidate, productCandidates } from './candidates.ts';
import { entitiesIn, lineOf, rawText, valuesOf } from './entity-text.ts';
import { canParseUrl } from '../../url/can-parse-url.ts';

/** What the page says of its subject elsewhere. */
export interface PageHints {
  /** The texts of the headings of first rank, folded. */
  readonly headings: readonly string[];
  /** The titles of the page, folded. */
  readonly titles: readonly string[];
  /** The page's URL and its canonical one, without fragments. */
  readonly urls: readonly string[];
}

/** The main product in all its descriptions, best first; or how many there are alike. */
export type ChosenProduct =
  | { readonly kind: 'one'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'none'; readonly listed: number };

/**
 * By URL, by name in heading and title, by what the page calls its main entity; of two without any of
 * these the one that has an offer. Several alike are a list, and no product of the page.
 */
export function chooseProduct(entities: readonly Entity[], hints: PageHints): ChosenProduct {
  const candidates = productCandidates(entities);
  const listed = countListed(entities);
  const scored = candidates.map((candidate) => ({
    candidate,
    score: scoreOf(candidate, hints),
    hasOffer: hasOffer(candidate),
  }));
  const names = new Set(candidates.map(({ name }) => name));
  const isList = names.size > 2 || (listed > 1 && names.size > 0);
  const sorted = scored.sort((a, b) => b.score - a.score || +b.hasOffer - +a.hasOffer);
  const [best, next] = sorted;
  if (best === undefined) return { kind: 'none', listed };
  const rivals = scored.filter(({ score }) => score === best.score);
  const isKnown = best.score > 0 && new Set(rivals.map(({ candidate }) => candidate.name)).size < 3;
  if (!isKnown && isList) return { kind: 'none', listed: Math.max(listed, names.size) };
  const isOpen = next !== undefined && names.size > 1 && best.hasOffer === next.hasOffer;
  if (!isKnown && isOpen) return { kind: 'none', listed: names.size };
  const same = sorted
    .slice(1)
    .map(({ candidate }) => candidate)
    .filter((other) => isSame(best.candidate, other, candidates))
    .slice(0, maxDescriptions);
  return { kind: 'one', candidates: [best.candidate, ...same] };
}

/** Beside the first; more say the same again. */
const maxDescriptions = 5;

function scoreOf(candidate: Candidate, hints: PageHints): number {
  const { name } = candidate;
  let score = candidate.isMainEntity ? 4 : 0;
  if (isAddressed(candidate, hints.urls)) score += 4;
  if (name.length < 2) return score;
  const startsAlike = (title: string): boolean =>
    title !== '' && (title.startsWith(name) || (title.length > 5 && name.startsWith(title)));
  if (hints.headings.includes(name)) score += 4;
  else if (hints.headings.some(startsAlike)) score += 3;
  else if (hints.titles.some((title) => startsAlike(title) || isLongPart(name, title))) score += 2;
  return score;
}

/** "Buy the Blue Lamp now": long enough to be no word of every title. */
function isLongPart(name: string, title: string): boolean {
  return name.length > 8 && title.includes(name);
}

function isAddressed({ entities, forms }: Candidate, urls: readonly string[]): boolean {
  const listed = entities.flatMap((entity) => entitiesIn(entity, 'hasvariant').slice(0, 100));
  return [...entities, ...forms, ...listed].some((entity) =>
    ['url', '@id', 'mainentityofpage'].some((key) =>
      valuesOf(entity, key)
        .slice(0, 5)
        .some((value) => {
          const url = isEntity(value) ? rawText(value, '@id', 'url') : String(value);
          return url !== undefined && urls.includes(absolute(url, urls[0]));
        }),
    ),
  );
}

function absolute(url: string, base: string | undefined): string {
  return canParseUrl(url, base) ? new URL(url, base).href.replace(/#.*$/, '') : url;
}

function hasOffer({ entities, forms, wrappers }: Candidate): boolean {
  if (wrappers.length > 0) return true;
  return [...entities, ...forms].some((entity) => entity.get('offers').length > 0);
}

/** The same thing described again: in another vocabulary, or by another script of the page. */
function isSame(main: Candidate, other: Candidate, all: readonly Candidate[]): boolean {
  if (main.name !== '' && main.name === other.name) return true;
  const keys = ['sku', 'gtin', 'gtin13', 'mpn', '@id'];
  const isShared = keys.some((key) => {
    const values = new Set(main.entities.flatMap((entity) => lineOf(entity, key) ?? []));
    return other.entities.some((entity) => values.has(lineOf(entity, key) ?? ''));
  });
  if (isShared) return true;
  const [source] = main.entities.map((entity) => entity.source);
  const otherSource = other.entities[0]?.source;
  if (source === otherSource) return false;
  const isAlone = all.filter(({ entities }) => entities[0]?.source === otherSource).length === 1;
  return isAlone && (main.name.includes(other.name) || other.name.includes(main.name));
}

/** Entries of the lists of products on the page: an ItemList, not a breadcrumb. */
function countListed(entities: readonly Entity[]): number {
  let count = 0;
  const lists = new Set<Entity>();
  for (const entity of entities) {
    for (const list of [entity, ...entitiesIn(entity, 'mainentity').slice(0, 10)]) {
      const isList = list.types.some((type) => type === 'itemlist' || type === 'offercatalog');
      if (isList && lists.size < 100) lists.add(list);
    }
  }
  for (const list of lists) {
    const items = entitiesIn(list, 'itemlistelement').flatMap((entry) => {
      const inner = entitiesIn(entry, 'item').slice(0, 1);
      return inner.length > 0 ? inner : [entry];
    });
    count = Math.max(count, items.filter(isListedProduct).length);
  }
  return count;
}

function isListedProduct({ types, get }: Entity): boolean {
  return types.includes('product') || types.includes('productgroup') || get('offers').length > 0;
}
