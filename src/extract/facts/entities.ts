/** JSON-LD nodes, microdata items and RDFa items as entities of one form; their kinds and list entries. */
import type { JsonLdNode, JsonLdValue } from './json-ld.ts';
import type { MicrodataItem } from './microdata.ts';
import { fold, singular } from './property-names.ts';
import type { RdfaItem } from './rdfa.ts';
import type { StructuredData } from './structured-data.ts';

const limits = {
  values: 10_000, // cyclic references would multiply the values at each step of a path
  depth: 3, // lists inside lists: the steps of a HowToSection, the entries of an ItemList
  entries: 20_000, // a list may refer to itself in each of its entries
};

/** A thing that a page describes. */
export interface Entity {
  readonly source: 'json-ld' | 'microdata' | 'rdfa';
  /** Lower-case, without the vocabulary: `product`. */
  readonly types: readonly string[];
  /** The values of a property by its folded name, lists flattened; empty when it is absent. */
  get(foldedName: string): readonly EntityValue[];
}

/** One value of a property. */
export type EntityValue = string | number | boolean | Entity;

/** The top-level entities in document order: JSON-LD, then microdata, then RDFa. */
export function entitiesOf(data: Omit<StructuredData, 'openGraph' | 'twitter'>): Entity[] {
  return [
    ...jsonLdEntities(data.jsonLd),
    ...data.microdata.map((item) => itemEntity(item, 'microdata', item.id)),
    ...data.rdfa.map((item) => itemEntity(item, 'rdfa', item.resource)),
  ];
}

/** True for an entity, false for a plain value. */
export function isEntity(value: EntityValue): value is Entity {
  return typeof value === 'object';
}

/** The values at a path such as `offers.price`, through every value on the way. */
export function valuesAt(entity: Entity, path: string): EntityValue[] {
  let current: EntityValue[] = [entity];
  for (const part of path.split('.')) {
    const name = part.startsWith('@') ? part : fold(part);
    const next: EntityValue[] = [];
    for (const value of current) {
      if (isEntity(value)) next.push(...value.get(name).slice(0, limits.values - next.length));
      if (next.length >= limits.values) break;
    }
    current = next;
  }
  return current;
}

function jsonLdEntities(nodes: readonly JsonLdNode[]): Entity[] {
  const byId = indexById(nodes);
  const known = new Map<JsonLdNode, Entity>();
  const entityOf = (node: JsonLdNode): Entity => {
    const target = resolve(node, byId);
    const existing = known.get(target);
    if (existing !== undefined) return existing;
    const entity: Entity = {
      source: 'json-ld',
      types: shortTypes([target['@type']].flat()),
      get: lazyIndex(() =>
        Object.entries(target).map(([key, value]) => [key, plainValues(value, entityOf)]),
      ),
    };
    known.set(target, entity);
    return entity;
  };
  return nodes.filter((node) => !isReference(node)).map(entityOf);
}

function itemEntity(
  item: MicrodataItem | RdfaItem,
  source: 'microdata' | 'rdfa',
  id: string | undefined,
): Entity {
  return {
    source,
    types: shortTypes(item.type),
    get: lazyIndex(() => [
      ...(id === undefined ? [] : [['@id', [id]] as const]),
      ...itemProperties(item).map(([key, values]) => [key, itemValues(values, source)] as const),
    ]),
  };
}

function itemProperties(
  item: MicrodataItem | RdfaItem,
): [string, readonly (string | MicrodataItem | RdfaItem)[]][] {
  return Object.entries<readonly (string | MicrodataItem | RdfaItem)[]>(item.properties);
}

function itemValues(
  values: readonly (string | MicrodataItem | RdfaItem)[],
  source: 'microdata' | 'rdfa',
): EntityValue[] {
  return values
    .filter((value) => value !== '')
    .map((value) =>
      typeof value === 'string'
        ? value
        : itemEntity(value, source, 'id' in value ? value.id : (value as RdfaItem).resource),
    );
}

/** Properties by folded name, indexed on first use: most entities are never read. */
function lazyIndex(
  read: () => readonly (readonly [string, readonly EntityValue[]])[],
): (name: string) => readonly EntityValue[] {
  let index: Map<string, readonly EntityValue[]> | undefined;
  return (name) => {
    if (index === undefined) {
      index = new Map();
      for (const [key, values] of read()) {
        const folded = key.startsWith('@') ? key : fold(key.replace(/^.*[#/:]/, ''));
        if (values.length > 0) index.set(folded, [...(index.get(folded) ?? []), ...values]);
      }
    }
    return index.get(name) ?? [];
  };
}

function plainValues(value: JsonLdValue, entityOf: (node: JsonLdNode) => Entity): EntityValue[] {
  const values: EntityValue[] = [];
  const pending: (JsonLdValue | undefined)[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) {
      for (let index = next.length - 1; index >= 0; index -= 1) pending.push(next[index] ?? null);
    } else if (typeof next === 'object' && next !== null) {
      const wrapped = next['@value'] ?? next['@list'] ?? next['@set'];
      if (wrapped === undefined) values.push(entityOf(next));
      else pending.push(wrapped);
    } else if (next !== null && next !== '') {
      values.push(next);
    }
  }
  return values;
}

/** Nodes with content by their `@id`, nested nodes included. */
function indexById(nodes: readonly JsonLdNode[]): Map<string, JsonLdNode> {
  const byId = new Map<string, JsonLdNode>();
  const pending: JsonLdValue[] = [...nodes];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next) && typeof next['@id'] === 'string' && !isReference(next)) {
      byId.set(next['@id'], next);
    }
    for (const value of Object.values<JsonLdValue>(next)) pending.push(value);
  }
  return byId;
}

function resolve(node: JsonLdNode, byId: ReadonlyMap<string, JsonLdNode>): JsonLdNode {
  const id = node['@id'];
  return isReference(node) && typeof id === 'string' ? (byId.get(id) ?? node) : node;
}

/** `{ "@id": … }`: another node has the content. */
function isReference(node: JsonLdNode): boolean {
  return '@id' in node && Object.keys(node).every((key) => key === '@id' || key === '@type');
}

function shortTypes(types: readonly unknown[]): string[] {
  return types
    .filter((type) => typeof type === 'string')
    .map((type) => type.replace(/^.*[#/:]/, '').toLowerCase());
}

// Kinds of entities: whether they can be a page's subject, and their names in schemas.

/** Words that name a family of types: a property `jobs` requests JobPosting entities. */
const familyNames: ReadonlyMap<string, string> = new Map(
  (
    'product:product article:article post:article story:article newsarticle:article ' +
    'blogpost:article paper:article recipe:recipe event:event concert:event job:jobposting ' +
    'jobposting:jobposting vacancy:jobposting opening:jobposting person:person member:person ' +
    'employee:person staff:person team:person organization:organization company:organization ' +
    'book:book movie:movie film:movie course:course video:videoobject faq:question ' +
    'question:question review:review offer:offer breadcrumb:breadcrumblist restaurant:restaurant ' +
    'business:localbusiness place:place property:residence home:residence listing:residence'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);

const families: ReadonlyMap<string, string> = new Map(
  (
    'individualproduct:product productmodel:product productgroup:product vehicle:product ' +
    'car:product newsarticle:article blogposting:article techarticle:article report:article ' +
    'scholarlyarticle:article opinionnewsarticle:article analysisnewsarticle:article ' +
    'reviewnewsarticle:article liveblogposting:article socialmediaposting:article ' +
    'medicalscholarlyarticle:article festival:event aggregateoffer:offer corporation:organization ' +
    'newsmediaorganization:organization educationalorganization:organization ' +
    'realestatelisting:residence apartment:residence house:residence ' +
    'singlefamilyresidence:residence accommodation:residence webpage:webpage itempage:webpage ' +
    'collectionpage:webpage aboutpage:webpage contactpage:webpage profilepage:webpage ' +
    'searchresultspage:webpage faqpage:webpage qapage:webpage'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);

/** Parts of a page or a site: never a page's subject unless they are asked for by name. */
const parts = new Set(
  (
    'website breadcrumblist listitem itemlist offercatalog searchaction readaction entrypoint ' +
    'sitenavigationelement wpheader wpfooter wpsidebar imageobject imagegallery speakablespecification ' +
    'contactpoint postaladdress propertyvalue offer rating aggregaterating review comment'
  ).split(' '),
);

/** The site's operator, the page's author, and the page itself. */
const background = new Set(['organization', 'person', 'webpage']);

/** The type for the entity's kind: `newsarticle` → `article`. `` for none. */
export function familyOf(entity: Entity): string {
  const [first = ''] = entity.types;
  for (const type of entity.types) {
    const family = families.get(type);
    if (family !== undefined) return family;
    if (type.endsWith('event')) return 'event';
  }
  return first;
}

/** The entity's rank as a page's subject: 2 content, 1 background, 0 a part of a page. */
export function rankOf(entity: Entity): 0 | 1 | 2 {
  const family = familyOf(entity);
  if (family === '' || parts.has(family)) return 0;
  return background.has(family) ? 1 : 2;
}

/** The family that a property name requests: `jobPostings` → `jobposting`. */
export function familyNamed(name: string): string | undefined {
  const folded = fold(name);
  return familyNames.get(folded) ?? familyNames.get(singular(folded));
}

/** True if the name does not identify the kind: `items`, `results`. */
export function isGenericListName(name: string): boolean {
  return /^(item|result|entry|entrie|listing|element|row|record|data|list|hit)s?$/.test(fold(name));
}

// Lists inside lists: the steps of a HowToSection, the entries of an ItemList.

/** The entries of list entities in order, each resolved to its item. */
export function expandLists(values: readonly EntityValue[], depth = 0): EntityValue[] {
  const all: EntityValue[] = [];
  for (const value of values) {
    if (all.length >= limits.entries) break;
    const entries = isEntity(value) && depth < limits.depth ? value.get('itemlistelement') : [];
    if (entries.length === 0) all.push(isEntity(value) ? thingOf(value) : value);
    else for (const inner of expandLists(inOrder(entries), depth + 1)) all.push(inner);
  }
  return all;
}

/** For an item that is only a reference (`{ "@id": … }`), the name comes from the entry. */
function thingOf(entry: Entity): Entity {
  const [inner] = entry.types.includes('listitem') ? entry.get('item') : [];
  return inner !== undefined && isEntity(inner) && inner.types.length > 0 ? inner : entry;
}

function inOrder(entries: readonly EntityValue[]): EntityValue[] {
  const numbered = entries.map((entry) => ({
    entry,
    position: isEntity(entry) ? Number(entry.get('position')[0] ?? Number.NaN) : Number.NaN,
  }));
  if (numbered.some(({ position }) => !Number.isFinite(position))) return [...entries];
  return numbered.sort((a, b) => a.position - b.position).map(({ entry }) => entry);
}
