/** Reads author and dates that structured data states about the page itself, not about things on it. */
import { type Entity, isEntity, type EntityValue } from '../../extract/facts/entities.ts';
import { resolveLink } from '../../core/url/normalize-url.ts';
import { namesInValue } from './author-values.ts';
import { namesInElement } from './author-names.ts';
import { isDateValue } from './date-values.ts';
import { firstDefined } from '../../core/runtime/first-defined.ts';

/** Each fact comes from the first entity that has it. */
export interface StatedFacts {
  /** The page is about a product. */
  readonly isProduct: boolean;
  readonly authors: readonly string[];
  readonly published: string | undefined;
  readonly modified: string | undefined;
  readonly headline: string | undefined;
}

/** Facts that identify the entity of the page. */
export interface PageIdentity {
  /** Its titles. */
  readonly titles: readonly string[];
  /** Its addresses, absolute. */
  readonly urls: readonly string[];
}

const maxEntities = 500; // a page with more entities is about one of the first

export function statedFacts(entities: readonly Entity[], page: PageIdentity): StatedFacts {
  const about = entitiesOfPage(entities.slice(0, maxEntities), page);
  return {
    isProduct: entities.some(({ types }) => types.some((type) => /^product(?:group)?$/.test(type))),
    authors: firstDefined(about, authorsOf) ?? [],
    published: firstDefined(about, (entity) =>
      dateOf(entity, 'datepublished', 'issued', 'created', 'date'),
    ),
    modified: firstDefined(about, (entity) => dateOf(entity, 'datemodified', 'modified')),
    headline: firstDefined(about, (entity) => textOf(entity.get('headline'))),
  };
}

// The entities that are the page, the most certain first.

const articleType = /(?:article|posting|report|recipe|howto|question)$/;
const pageType = /page$/;

/** Types of things on a page, of its containers and of its makers. */
const otherType =
  /(?<!claim)review$|rating$|comments?$|^answer$|(?:object|clip|photograph|^image)$|^(?:product|offer|service|brand|jobposting|website|webapplication|softwareapplication|mobileapplication)|list$|^listitem$|action$|person$|organi[sz]ation$/;

function entitiesOfPage(entities: readonly Entity[], page: PageIdentity): Entity[] {
  const paths = new Set(page.urls.flatMap((url) => pathOf(url) ?? []));
  // The query of a path other than the root may be a campaign's.
  for (const path of paths)
    if (!/^[^/]*\/(?:\?|$)/.test(path)) paths.add(path.replace(/\?.*$/, ''));
  const titles = page.titles.map(letters).filter((title) => title !== '');
  const ranked: { entity: Entity; rank: number }[] = [];
  const seen = new Set<Entity>();
  const consider = (entity: Entity, isSubject: boolean): void => {
    if (seen.has(entity) || seen.size >= maxEntities) return;
    seen.add(entity);
    const rank = rankOf(entity, isSubject, page.urls[0] ?? '', paths, titles);
    if (rank !== undefined) ranked.push({ entity, rank });
    if (!entity.types.some((type) => pageType.test(type))) return;
    for (const subject of entity.get('mainentity').slice(0, 2)) {
      if (isEntity(subject)) consider(subject, rank === 1);
    }
  };
  for (const entity of entities) consider(entity, false);
  // Articles that nothing ties to the page: a single one is the page, several are a list.
  const loose = ranked.filter(({ rank }) => rank === 3);
  const heads = new Set(loose.map(({ entity }) => textOf(entity.get('headline'))));
  const isTied = ranked.some(
    ({ entity, rank }) => rank < 3 && entity.types.some((type) => articleType.test(type)),
  );
  return ranked
    .filter(({ rank }) => rank !== 3 || (!isTied && heads.size < 2))
    .sort((a, b) => a.rank - b.rank)
    .map(({ entity }) => entity);
}

function rankOf(
  entity: Entity,
  isSubject: boolean,
  base: string,
  paths: ReadonlySet<string>,
  titles: readonly string[],
): number | undefined {
  const is = (pattern: RegExp): boolean => entity.types.some((type) => pattern.test(type));
  const isArticle = is(articleType) && !entity.types.includes('jobposting');
  if (!isArticle && is(otherType)) return undefined;
  const own = ownness(entity, base, paths);
  if (own === 'page' || isSubject) return isArticle ? 0 : 1;
  const headline = letters(textOf([...entity.get('headline'), ...entity.get('name')]) ?? '');
  const isTitled = titles.some((title) => isPartOf(headline, title) || isPartOf(title, headline));
  if (isArticle && isTitled) return 2;
  if (own === 'other') return undefined;
  if (isArticle) return 3;
  return is(pageType) ? 4 : entity.types.length === 0 ? 5 : undefined;
}

function isPartOf(part: string, whole: string): boolean {
  return part === whole ? part !== '' : part.length > 5 && whole.includes(part);
}

/** Whether the addresses of an entity are the page's, or another's of the same site. */
function ownness(
  entity: Entity,
  base: string,
  paths: ReadonlySet<string>,
): 'page' | 'other' | undefined {
  let isOther = false;
  for (const name of ['mainentityofpage', 'url', '@id']) {
    for (const value of entity.get(name).slice(0, 5)) {
      if (value === true || value === 'true' || value === 'True') return 'page';
      const address = isEntity(value) ? textOf([...value.get('@id'), ...value.get('url')]) : value;
      const path = typeof address === 'string' ? pathOf(address, base) : undefined;
      if (path === undefined) continue;
      if (paths.has(path)) return 'page';
      // Some systems give the front page of the site for each article.
      if (name !== '@id' && !path.endsWith('/')) {
        const host = path.slice(0, path.indexOf('/') + 1);
        isOther ||= [...paths].some((own) => own.startsWith(host));
      }
    }
  }
  return isOther ? 'other' : undefined;
}

/** `https://www.example.com/a/?b#c` → `example.com/a?b`: the common part of one page's addresses. */
function pathOf(address: string, base = ''): string | undefined {
  const url = address === '' ? undefined : resolveLink(address, base === '' ? address : base);
  if (url === undefined) return undefined;
  const path = url.pathname.replace(/\/(?:index\.\w+|amp\/?)?$/, '');
  return `${url.host.replace(/^(?:www|m|amp)\./, '')}${path === '' ? '/' : path}${url.search}`;
}

/** Letters and figures of a text, to compare titles. */
function letters(text: string): string {
  return text
    .slice(0, 500)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

// The facts of one entity.

function textOf(values: readonly EntityValue[]): string | undefined {
  const text = values.find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof text === 'string' ? text : undefined;
}

function dateOf(entity: Entity, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = entity.get(name).find((one) => typeof one === 'string' && isDateValue(one));
    if (typeof value === 'string') return value.trim();
  }
  return undefined;
}

const maxPeople = 50;

function authorsOf(entity: Entity): string[] | undefined {
  for (const property of ['author', 'creator']) {
    const names = entity
      .get(property)
      .slice(0, maxPeople)
      .flatMap((person) =>
        isEntity(person) ? namesOfPerson(person) : namesOfText(person, entity),
      );
    if (names.length > 0) return [...new Set(names)].slice(0, maxPeople);
  }
  return undefined;
}

/** The text of an element may have more than the name in it. */
function namesOfText(value: EntityValue, { source }: Entity): string[] {
  if (typeof value !== 'string') return [];
  return source === 'json-ld' ? namesInValue(value) : namesInElement(value);
}

function namesOfPerson(person: Entity): string[] {
  const names = person
    .get('name')
    .slice(0, maxPeople)
    .flatMap((name) => (typeof name === 'string' ? namesInValue(name) : []));
  if (names.length > 0) return names;
  const parts = ['givenname', 'additionalname', 'familyname'].map((part) => {
    const text = textOf(person.get(part));
    return text === undefined ? '' : (namesInValue(text)[0] ?? '');
  });
  const whole = parts.filter((part) => part !== '').join(' ');
  return whole === '' ? [] : [whole];
}
