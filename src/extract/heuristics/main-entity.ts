/** Chooses the entities that a page is about. */
import { type Entity, familyNamed, familyOf, isEntity, rankOf } from '../facts/entities.ts';
import { lookUpProperty } from './entity-values.ts';
import { fold } from '../facts/property-names.ts';
import { canonical } from './synonyms.ts';

/** Other facts of the page about its subject. */
export interface PageHints {
  /** The level-1 headings and the titles, folded. */
  readonly titles: readonly string[];
  /** The page's URL and its canonical URL. */
  readonly urls: readonly string[];
}

/** Canonical names of properties that every entity has, and that therefore decide nothing. */
const generic = new Set(
  'name headline description url image thumbnailUrl identifier logo type'.split(' '),
);

/** True for a property that every thing has: a name, a picture, an address. */
function isGeneric(name: string): boolean {
  return generic.has(canonical(fold(name)));
}

/** The number of different properties in paths, except those on any card of any page. */
export function factsAmong(paths: readonly string[]): number {
  const names = new Set(paths.map((path) => path.replace(/^.*\./, '')));
  return [...names].filter((name) => !isGeneric(name)).length;
}

/**
 * The main entity for the wanted properties, followed by descriptions of the same thing in other
 * forms; empty when the page has no main entity, or several alike.
 *
 * `family` restricts the choice to one kind, as a property named `product` does.
 */
export function mainEntities(
  entities: readonly Entity[],
  names: readonly string[],
  hints: PageHints,
  family?: string,
): Entity[] {
  const candidates = withSubjects(entities).filter((entity) =>
    family === undefined ? true : familyOf(entity) === family,
  );
  const scored = candidates
    .map((entity) => ({ entity, score: scoreOf(entity, names, hints, family !== undefined) }))
    .filter(({ score }) => score > 0);
  const best = scored.reduce<(typeof scored)[number] | undefined>(
    (top, next) => (top === undefined || next.score > top.score ? next : top),
    undefined,
  );
  if (best === undefined || isOneOfMany(best.entity, candidates, hints)) return [];
  const main = best.entity;
  const same = candidates.filter(
    (entity) => entity !== main && describesSame(entity, main, candidates),
  );
  return [main, ...same];
}

/** An entity's name, folded; `` without one. */
function nameOf(entity: Entity): string {
  for (const key of ['name', 'headline', 'title']) {
    const [value] = entity.get(key);
    if (typeof value === 'string') return fold(value);
  }
  return '';
}

const maxCandidates = 500; // if a page has more entities, its subject is among the first

/** All entities, and the entities that pages name as their main one. */
function withSubjects(entities: readonly Entity[]): Entity[] {
  const all = new Set<Entity>();
  for (const entity of entities) {
    all.add(entity);
    for (const subject of entity.get('mainentity')) if (isEntity(subject)) all.add(subject);
  }
  return [...all].slice(0, maxCandidates);
}

/** 0 if the page is not about the entity. */
function scoreOf(
  entity: Entity,
  names: readonly string[],
  hints: PageHints,
  isWanted: boolean,
): number {
  const rank = rankOf(entity);
  let specific = 0;
  let common = 0;
  for (const name of names) {
    const isNamed = familyNamed(name) !== undefined && familyNamed(name) === familyOf(entity);
    if (!isNamed && lookUpProperty(entity, name).next().done === true) continue;
    if (isGeneric(name)) common += 1;
    else specific += 1;
  }
  if (!isWanted) {
    if (rank === 0) return 0;
    // Every page has the publisher: as a subject it needs more than its name.
    if (rank === 1 && specific === 0) return 0;
  }
  if (specific + common === 0) return 0;
  return specific * 3 + common + rank * 2 + (isOnPage(entity, hints) ? 1 : 0);
}

/** Three or more of a kind make a listing, unless the page's title or URL picks one out. */
function isOneOfMany(main: Entity, candidates: readonly Entity[], hints: PageHints): boolean {
  const family = familyOf(main);
  const alike = candidates.filter(
    (entity) => entity.source === main.source && familyOf(entity) === family,
  );
  const names = new Set(alike.map(nameOf));
  return names.size > 2 && !isOnPage(main, hints);
}

function isOnPage(entity: Entity, hints: PageHints): boolean {
  const name = nameOf(entity);
  if (name.length > 2 && hints.titles.some((title) => title.startsWith(name))) return true;
  return ['url', '@id', 'mainentityofpage'].some((key) =>
    entity.get(key).some((value) => {
      const url = isEntity(value) ? value.get('@id')[0] : value;
      return typeof url === 'string' && hints.urls.includes(url.replace(/#.*$/, ''));
    }),
  );
}

function describesSame(entity: Entity, main: Entity, candidates: readonly Entity[]): boolean {
  if (familyOf(entity) !== familyOf(main)) return false;
  const name = nameOf(entity);
  const mainName = nameOf(main);
  if (name === mainName) return true;
  if (entity.source === main.source) return false;
  const isAlone =
    candidates.filter((one) => one.source === entity.source && familyOf(one) === familyOf(main))
      .length === 1;
  return isAlone && (name === '' || mainName.includes(name) || name.includes(mainName));
}
