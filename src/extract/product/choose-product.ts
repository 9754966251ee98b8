/** Chooses the subject among the products of a page. */
import { urlOf } from '../../core/url/normalize-url.ts';
import { type Entity, isEntity } from '../facts/entities.ts';
import { fold } from '../facts/property-names.ts';
import { entitiesIn, lineOf, rawText, valuesOf } from './entity-text.ts';
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';

/** Other facts of the page about its subject. */
export interface ProductHints {
  /** The texts of the level-1 headings, folded. */
  readonly headings: readonly string[];
  /** The titles of the page, folded. */
  readonly titles: readonly string[];
  /** The page's URL and its canonical URL, without fragments. */
  readonly urls: readonly string[];
}

/** The main product in all its descriptions, best first; or the number of similar products. */
export type ChosenProduct =
  | { readonly kind: 'one'; readonly candidates: readonly ProductCandidate[] }
  | { readonly kind: 'none'; readonly listed: number };

/**
 * Chooses by URL, by name in heading and title, by the page's main entity; of two products without
 * these the one that has an offer. Several similar products are a list, and the page has no product.
 */
export function chooseProduct(entities: readonly Entity[], hints: ProductHints): ChosenProduct {
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

const maxDescriptions = 5; // beside the first; more descriptions repeat the same facts

function scoreOf(candidate: ProductCandidate, hints: ProductHints): number {
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

/** True for a long name in a title ("Buy the Blue Lamp now"): a short one may be in every title. */
function isLongPart(name: string, title: string): boolean {
  return name.length > 8 && title.includes(name);
}

function isAddressed({ entities, forms }: ProductCandidate, urls: readonly string[]): boolean {
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
  return urlOf(url, base)?.href.replace(/#.*$/, '') ?? url;
}

function hasOffer({ entities, forms, wrappers }: ProductCandidate): boolean {
  if (wrappers.length > 0) return true;
  return [...entities, ...forms].some((entity) => entity.get('offers').length > 0);
}

/** True for a second description of the same thing: in another vocabulary or another script. */
function isSame(
  main: ProductCandidate,
  other: ProductCandidate,
  all: readonly ProductCandidate[],
): boolean {
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

/** The number of entries in the page's product lists: an ItemList, not a breadcrumb. */
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

// The products among the entities of a page, with the variants of one product grouped.

/** A product that the page may be about. */
interface ProductCandidate {
  /** Folded; `` without a name. */
  readonly name: string;
  /** Its descriptions, best first; for a variant with its own page, the variant, then the group. */
  readonly entities: readonly Entity[];
  /** Its variants, where they are described separately. */
  readonly forms: readonly Entity[];
  /** Offers whose item is this product. */
  readonly wrappers: readonly Entity[];
  /** True if the page declares it as its main entity. */
  readonly isMainEntity: boolean;
}

const productTypes = new Set(
  (
    'product productgroup productmodel individualproduct someproducts vehicle car motorcycle ' +
    'motorizedbicycle busorcoach'
  ).split(' '),
);

/** Other kinds of entities that are products if they are for sale. */
const soldTypes = new Set(
  'book softwareapplication mobileapplication webapplication videogame musicalbum dietarysupplement drug'.split(
    ' ',
  ),
);

const maxCandidates = 1_000; // a page with more products, or more offers of one, is a list

/** Candidates in document order. */
function productCandidates(entities: readonly Entity[]): ProductCandidate[] {
  const found = new Map<Entity, CandidateGroup>();
  const add = (entity: Entity, facts: Partial<CandidateGroup>): void => {
    if (!isProduct(entity) || found.size >= maxCandidates) return;
    const known = found.get(entity);
    if ((known?.wrappers.length ?? 0) >= maxCandidates) return;
    const wrappers = [...(known?.wrappers ?? []), ...(facts.wrappers ?? [])];
    const isMainEntity = known?.isMainEntity === true || facts.isMainEntity === true;
    found.set(entity, { wrappers, isMainEntity });
  };
  for (const entity of entities) {
    add(entity, {});
    for (const subject of entitiesIn(entity, 'mainentity')) add(subject, { isMainEntity: true });
    if (entity.types.includes('offer')) {
      for (const item of entitiesIn(entity, 'itemoffered')) {
        if (entitiesIn(item, 'offers').length === 0) add(item, { wrappers: [entity] });
      }
    }
  }
  return grouped(found);
}

interface CandidateGroup {
  readonly wrappers: readonly Entity[];
  readonly isMainEntity: boolean;
}

/** Groups variants under the product that lists them, or that they name. */
function grouped(found: ReadonlyMap<Entity, CandidateGroup>): ProductCandidate[] {
  const products = [...found.keys()];
  const groups = new Map<Entity | string, Entity>();
  const listed = new Map<Entity, Entity>();
  for (const product of products) {
    const forms = entitiesIn(product, 'hasvariant');
    if (forms.length === 0 && !product.types.includes('productgroup')) continue;
    groups.set(keyOf(product), product);
    for (const form of forms) if (form !== product) listed.set(form, product);
  }
  const siblings = new Map<Entity | string, Entity[]>();
  const isGroup = new Set(groups.values());
  const groupOf = (product: Entity): Entity | string | undefined => {
    // A group within a group is a loop.
    if (isGroup.has(product)) return undefined;
    const owner = listed.get(product);
    if (owner !== undefined) return keyOf(owner);
    const [named] = entitiesIn(product, 'isvariantof');
    if (named !== undefined && named !== product) return keyOf(named);
    return lineOf(product, 'inproductgroupwithid');
  };
  for (const product of products) {
    const key = groupOf(product);
    if (key === undefined) continue;
    getOrInsert(siblings, key, () => []).push(product);
  }
  return products.flatMap((product): ProductCandidate[] => {
    const own = found.get(product) ?? { wrappers: [], isMainEntity: false };
    const alone = { forms: siblings.get(keyOf(product)) ?? [], ...own };
    const key = groupOf(product);
    if (key === undefined) return [{ ...alone, name: foldedName(product), entities: [product] }];
    // The group itself is a candidate: it has this product among its variants.
    if (groups.has(key) && groups.get(key) !== product) return [];
    const [group] = entitiesIn(product, 'isvariantof');
    const [first, ...others] = siblings.get(key) ?? [];
    if (others.length === 0) {
      const entities = group === undefined ? [product] : [product, group];
      return [{ ...own, forms: [], name: foldedName(product), entities }];
    }
    if (first !== product) return [];
    const entities = [group ?? product];
    return [{ ...own, name: foldedName(group ?? product), entities, forms: [first, ...others] }];
  });
}

/** The key that identifies a group mentioned again. */
function keyOf(group: Entity): Entity | string {
  return lineOf(group, 'productgroupid', '@id') ?? group;
}

function isProduct(entity: Entity): boolean {
  if (entity.types.some((type) => productTypes.has(type))) return true;
  return entity.types.some((type) => soldTypes.has(type)) && entity.get('offers').length > 0;
}

/** The folded name of an entity, for comparison. */
function foldedName(entity: Entity): string {
  return fold(lineOf(entity, 'name', 'title')?.slice(0, 300) ?? '');
}
