/** JSON-LD nodes, microdata items and RDFa items as one kind of thing. */
import type { StructuredData } from '../structured-data/read-structured-data.ts';
import type { JsonLdNode, JsonLdValue } from '../structured-data/json-ld.ts';
import type { MicrodataItem } from '../structured-data/microdata.ts';
import type { RdfaItem } from '../structured-data/rdfa.ts';
import { fold } from './names.ts';

/** Something a page describes. */
export interface Entity {
  readonly source: 'json-ld' | 'microdata' | 'rdfa';
  /** Lower-case, without the vocabulary: `product`. */
  readonly types: readonly string[];
  /** The values of a property by its folded name, lists flattened; none when it is absent. */
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

/** True for entities, false for plain values. */
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
      if (isEntity(value)) next.push(...value.get(name).slice(0, maxValues - next.length));
      if (next.length >= maxValues) break;
    }
    current = next;
  }
  return current;
}

/** Entities that refer to each other would multiply at each step of a path. */
const maxValues = 10_000;

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

/** Properties by folded name, made on first use: most entities are never asked. */
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

/** Nodes with content by their `@id`, nested ones included. */
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
