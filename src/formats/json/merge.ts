/** One result from what several pages gave: lists joined by key, contradictions listed. */
import { isDeepStrictEqual } from 'node:util';
import type { PageExtraction } from './extract-without-model.ts';
import { isSchemaObject, itemsOf, type JsonSchema, type Shape, shapesOf } from './json-schema.ts';
import type { LeafOrigin } from './provenance/merge-provenance.ts';
import { keyNames } from './record-keys.ts';

/** One page with what it gave. */
export interface ExtractedPage {
  readonly url: string;
  readonly extraction: PageExtraction;
}

/** Two pages say different things. The first one is in the data. */
export interface ExtractionConflict {
  /** `offers[0].price` */
  readonly path: string;
  /** Each value once, with the first page that has it; in the order of the pages. */
  readonly values: { readonly value: unknown; readonly url: string }[];
}

/** The data of all pages, not validated. */
export interface MergedExtraction {
  readonly value: unknown;
  /** The pages that gave each leaf, by path. */
  readonly sources: Record<string, string[]>;
  readonly conflicts: ExtractionConflict[];
}

/**
 * Merges in the order of `pages`. Of plain values the first one counts. Objects in lists that have
 * the same key (an id, a number, a URL, a name) on different pages are one; rows of one page stay
 * apart. Plain values in lists that several pages have come once. `origins` is filled with where the
 * pages have each leaf.
 */
export function mergeExtractions(
  pages: readonly ExtractedPage[],
  jsonSchema: JsonSchema,
  origins: Map<string, readonly LeafOrigin[]> = new Map(),
): MergedExtraction {
  const shapeOf = shapesOf(jsonSchema);
  const merge: Merge = { shapeOf, sources: new Map(), conflicts: [], origins };
  const versions = pages.map(({ url, extraction }) => ({ url, path: '', value: extraction.value }));
  const value = mergeValues(versions, jsonSchema, '', merge);
  return { value, sources: Object.fromEntries(merge.sources), conflicts: merge.conflicts };
}

/** What one page says. */
interface Version {
  readonly url: string;
  /** Where, in the data of that page. */
  readonly path: string;
  readonly value: unknown;
}

interface Merge {
  readonly shapeOf: (schema: JsonSchema) => Shape;
  readonly sources: Map<string, string[]>;
  readonly conflicts: ExtractionConflict[];
  readonly origins: Map<string, readonly LeafOrigin[]>;
}

function mergeValues(
  versions: readonly Version[],
  schema: JsonSchema,
  path: string,
  merge: Merge,
): unknown {
  const present = versions.filter(({ value }) => value !== null && value !== undefined);
  const [first] = present;
  if (first === undefined) return versions.find(({ value }) => value === null)?.value;
  if (Array.isArray(first.value)) {
    return mergeLists(
      present.filter(({ value }) => Array.isArray(value)),
      schema,
      path,
      merge,
    );
  }
  if (isRecord(first.value)) {
    return mergeRecords(
      present.filter(({ value }) => isRecord(value)),
      schema,
      path,
      merge,
    );
  }
  return mergePlain(present, path, merge);
}

function mergePlain(versions: readonly Version[], path: string, merge: Merge): unknown {
  const distinct: { value: unknown; url: string }[] = [];
  for (const { value, url } of versions) {
    if (!distinct.some((known) => isDeepStrictEqual(known.value, value))) {
      distinct.push({ value, url });
    }
  }
  const [first] = distinct;
  if (distinct.length > 1) merge.conflicts.push({ path, values: distinct });
  const agreeing = versions.filter(({ value }) => isDeepStrictEqual(value, first?.value));
  merge.sources.set(path, [...new Set(agreeing.map(({ url }) => url))]);
  merge.origins.set(
    path,
    agreeing.map((version) => ({ url: version.url, path: version.path })),
  );
  return first?.value;
}

function mergeRecords(
  versions: readonly Version[],
  schema: JsonSchema,
  path: string,
  merge: Merge,
): Record<string, unknown> {
  const { properties, additionalProperties: open } = merge.shapeOf(schema).schema;
  const keys = new Set(versions.flatMap(({ value }) => Object.keys(value as object)));
  const entries: [string, unknown][] = [];
  for (const key of keys) {
    const member = properties?.[key] ?? open;
    const value = mergeValues(
      versions.map((version) => ({
        url: version.url,
        path: version.path === '' ? key : `${version.path}.${key}`,
        value: memberOf(version.value, key),
      })),
      isSchemaObject(member) ? member : {},
      path === '' ? key : `${path}.${key}`,
      merge,
    );
    if (value !== undefined) entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}

function mergeLists(
  versions: readonly Version[],
  schema: JsonSchema,
  path: string,
  merge: Merge,
): unknown[] {
  const item = itemsOf(merge.shapeOf(schema).schema);
  const groups = groupItems(versions, keyNames(merge.shapeOf(item).schema));
  return groups.map((group, index) => mergeValues(group, item, `${path}[${index}]`, merge));
}

/** The items of all pages, those that are the same thing together, in the order of their first. */
function groupItems(versions: readonly Version[], keys: readonly string[]): Version[][] {
  const groups: Version[][] = [];
  const byKey = new Map<string, Version[]>();
  for (const { url, path, value } of versions) {
    // Groups that an item of this page is in: two rows of one page are two things.
    const taken = new Set<Version[]>();
    const added: [string, Version[]][] = [];
    for (const [index, item] of (value as unknown[]).entries()) {
      const own = keysOf(item, keys);
      let group = own
        .map((key) => byKey.get(key))
        .find((known) => known !== undefined && !taken.has(known) && agree(known, item, keys));
      if (group === undefined) {
        group = [];
        groups.push(group);
      }
      group.push({ url, path: `${path}[${index}]`, value: item });
      taken.add(group);
      for (const key of own) added.push([key, group]);
    }
    for (const [key, group] of added) if (!byKey.has(key)) byKey.set(key, group);
  }
  return groups;
}

/** The keys of an item in words; plain values, and objects without a key, are their own. */
function keysOf(item: unknown, keys: readonly string[]): string[] {
  if (!isRecord(item)) return [JSON.stringify(item)];
  const own = keys
    .filter((key) => isKey(item[key]))
    .map((key) => `${key}=${String(item[key]).trim().toLowerCase()}`);
  return own.length > 0 ? own : [JSON.stringify(item)];
}

/** The same name is not enough where the ids differ: the first key that both have decides. */
function agree(group: readonly Version[], item: unknown, keys: readonly string[]): boolean {
  const known = group[0]?.value;
  if (!isRecord(known) || !isRecord(item)) return true;
  const shared = keys.find((key) => isKey(known[key]) && isKey(item[key]));
  if (shared === undefined) return true;
  return String(known[shared]).trim().toLowerCase() === String(item[shared]).trim().toLowerCase();
}

function isKey(value: unknown): boolean {
  return (typeof value === 'string' && value.trim() !== '') || typeof value === 'number';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function memberOf(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
