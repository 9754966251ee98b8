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

/** What a part of a page gave. */
export interface PartAnswer {
  readonly value: unknown;
  /** Its first record may go on with the last one of the part before. */
  readonly mayContinue: boolean;
}

/**
 * Merges the parts of one page in their order. Of plain values the first one counts. Lists are joined:
 * what stands in two parts is there twice. Only the record at a border may be one in two halves: the
 * last of a part and the first of the next are one when they have the same key and do not contradict
 * each other.
 */
export function mergeParts(
  parts: readonly PartAnswer[],
  jsonSchema: JsonSchema,
): Pick<MergedExtraction, 'value' | 'conflicts'> {
  const [first, ...others] = parts;
  if (others.length === 0) return { value: first?.value, conflicts: [] };
  const borders = new Set<string>();
  const versions = parts.map(({ value, mayContinue }, index) => {
    const url = String(index);
    if (mayContinue) borders.add(url);
    return { url, path: '', value };
  });
  const merge: Merge = {
    ...{ shapeOf: shapesOf(jsonSchema), sources: new Map(), conflicts: [], origins: new Map() },
    borders,
  };
  const value = mergeValues(versions, jsonSchema, '', merge);
  return { value, conflicts: merge.conflicts };
}

/** What one page says. */
interface Version {
  readonly url: string;
  /** Where, in the data of that page. */
  readonly path: string;
  readonly value: unknown;
}

interface Merge {
  /** Of the parts of a page, those whose first record may go on with one before; undefined for pages. */
  readonly borders?: ReadonlySet<string>;
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
  const keys = keysFor(merge.shapeOf(item).schema, versions);
  const groups =
    merge.borders === undefined
      ? groupItems(versions, keys)
      : groupAtBorders(versions, keys, merge.borders);
  return groups.map((group, index) => mergeValues(group, item, `${path}[${index}]`, merge));
}

/** Where the schema names no properties, the items do. */
function keysFor(item: JsonSchema, versions: readonly Version[]): string[] {
  if (item.properties !== undefined) return keyNames(item);
  const names = new Set<string>();
  for (const { value } of versions) {
    const [first] = value as unknown[];
    if (isRecord(first)) for (const name of Object.keys(first).slice(0, 200)) names.add(name);
  }
  return keyNames({ properties: Object.fromEntries([...names].map((name) => [name, {}])) });
}

/** The items of all parts in their order, but for a record that a border parts. */
function groupAtBorders(
  versions: readonly Version[],
  keys: readonly string[],
  borders: ReadonlySet<string>,
): Version[][] {
  const groups: Version[][] = [];
  for (const { url, path, value } of versions) {
    for (const [index, item] of (value as unknown[]).entries()) {
      const last = groups.at(-1);
      const version: Version = { url, path: `${path}[${index}]`, value: item };
      const before = last?.at(-1);
      const isBorder = index === 0 && borders.has(url) && before !== undefined;
      if (isBorder && isSameRecord(before.value, item, keys)) last?.push(version);
      else groups.push([version]);
    }
  }
  return groups;
}

/** Two records with a key in common, of which no plain value contradicts the other's. */
function isSameRecord(one: unknown, other: unknown, keys: readonly string[]): boolean {
  if (!isRecord(one) || !isRecord(other)) return false;
  const known = keysOf(one, keys);
  if (!keys.some((key) => isKey(one[key]) && isKey(other[key]))) return false;
  if (!keysOf(other, keys).some((key) => known.includes(key))) return false;
  return Object.entries(one).every(([name, value]) => {
    const opposite = memberOf(other, name);
    const isPlain = [value, opposite].every(
      (side) => typeof side !== 'object' && side !== undefined,
    );
    return !isPlain || isDeepStrictEqual(value, opposite);
  });
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
