/** Merges the extractions of several pages into one result: lists joined by key, contradictions listed. */
import { isDeepStrictEqual } from 'node:util';
import type { LeafOrigin } from './provenance/provenance.ts';
import type { PageExtraction } from './heuristics/extract-without-model.ts';
import { fold } from './facts/property-names.ts';
import {
  isSchemaObject,
  itemsOf,
  type JsonSchema,
  type Shape,
  shapesOf,
} from './schema/json-schema.ts';
import { isRecord, memberOf } from '../core/runtime/json.ts';

/** One page with its extraction. */
export interface ExtractedPage {
  readonly url: string;
  readonly extraction: PageExtraction;
}

/** Different values from several pages. The first one is in the data. */
export interface ExtractionConflict {
  /** `offers[0].price` */
  readonly path: string;
  /** Each value once, with the first page that has it, in page order. */
  readonly values: { readonly value: unknown; readonly url: string }[];
}

/** The merged data of pages, not validated. */
export interface MergedExtraction {
  readonly value: unknown;
  /** The pages that gave each leaf, by path. */
  readonly sources: Record<string, string[]>;
  readonly conflicts: ExtractionConflict[];
}

/**
 * Groups the pages by their subject: the group with the most values first, then by page order. Pages that
 * do not contradict each other are one group. If some contradict, pages with the same id, number or URL are
 * one group; pages with only the same name are one if they do not contradict.
 */
export function candidatesOf(
  pages: readonly ExtractedPage[],
  jsonSchema: JsonSchema,
): ExtractedPage[][] {
  const versions = versionsOf(pages).filter(({ value }) => value !== null && value !== undefined);
  const isOneThing = !versions.every(({ value }) => isRecord(value)) || !contradict(versions);
  if (isOneThing) return [[...pages]];
  const telling = asLists(versions.filter(({ value }) => leavesOf(value).size > 0));
  const keys = keysFor(shapesOf(jsonSchema)(jsonSchema).schema, telling);
  const groups = groupItems(telling, keys).flatMap((group) => thingsIn(group, keys));
  return ranked(groups).map((group) => group.flatMap(({ order }) => pages[order] ?? []));
}

/**
 * Merges in the order of `pages`. The first of several plain values counts. List objects with the same key
 * (an id, a number, a URL, a name) on different pages are one; rows of one page stay separate. Plain values
 * in lists on several pages occur once.
 *
 * An object never mixes pages about different things: it has the values of the `taken` pages, by default the
 * first group of `candidatesOf`, and other values of the remaining pages become conflicts. Lists of objects
 * are joined over all pages, except pages with another key. `origins` is filled with the origin of each leaf.
 */
export function mergeExtractions(
  pages: readonly ExtractedPage[],
  jsonSchema: JsonSchema,
  origins: Map<string, readonly LeafOrigin[]> = new Map(),
  taken: readonly ExtractedPage[] = candidatesOf(pages, jsonSchema)[0] ?? [],
): MergedExtraction {
  const shapeOf = shapesOf(jsonSchema);
  const merge: Merge = { shapeOf, sources: new Map(), conflicts: [], origins };
  const takenPages = new Set(taken);
  const isTaken = pages.map((page) => takenPages.has(page));
  const versions = versionsOf(pages);
  const own = versions.filter(({ order }) => isTaken[order]);
  const rivals = versions.filter(({ order }) => !isTaken[order]);
  const value = mergeValues(own, jsonSchema, '', merge, rivals);
  return { value, sources: Object.fromEntries(merge.sources), conflicts: merge.conflicts };
}

/** The answer about a part of a page. */
export interface PartAnswer {
  readonly value: unknown;
  /** True when its first record may continue the last one of the previous part. */
  readonly mayContinue: boolean;
}

/**
 * Merges the parts of one page in their order. Of plain values the first one counts. Lists are joined:
 * an item in two parts is there twice. Only the record at a border may be one in two halves: the
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
  const versions = parts.map(({ value, mayContinue }, order) => {
    const url = String(order);
    if (mayContinue) borders.add(url);
    return { url, path: '', order, value };
  });
  const merge: Merge = {
    shapeOf: shapesOf(jsonSchema),
    sources: new Map(),
    conflicts: [],
    origins: new Map(),
    borders,
  };
  const value = mergeValues(versions, jsonSchema, '', merge);
  return { value, conflicts: merge.conflicts };
}

/** The value of one page. */
interface MergedVersion {
  readonly url: string;
  /** The path in the data of that page. */
  readonly path: string;
  /** The position of the page among all pages. */
  readonly order: number;
  readonly value: unknown;
  /** True for a rival with another key, whose lists of records are not joined. */
  readonly isOther?: boolean;
}

interface Merge {
  /** Parts of a page whose first record may continue the previous part; undefined for pages. */
  readonly borders?: ReadonlySet<string>;
  readonly shapeOf: (schema: JsonSchema) => Shape;
  readonly sources: Map<string, string[]>;
  readonly conflicts: ExtractionConflict[];
  readonly origins: Map<string, readonly LeafOrigin[]>;
}

function versionsOf(pages: readonly ExtractedPage[]): MergedVersion[] {
  return pages.map(({ url, extraction: { value } }, order) => ({ url, path: '', order, value }));
}

/** Merges `versions`. The contradicting `rivals` add conflicts, and their lists of records. */
function mergeValues(
  versions: readonly MergedVersion[],
  schema: JsonSchema,
  path: string,
  merge: Merge,
  rivals: readonly MergedVersion[] = [],
): unknown {
  const present = versions.filter(({ value }) => value !== null && value !== undefined);
  const [first] = present;
  const joined = rivals.filter(({ value, isOther }) => isOther !== true && isRecordList(value));
  if (first === undefined && joined.length === 0) {
    return versions.find(({ value }) => value === null)?.value;
  }
  if (first === undefined || Array.isArray(first.value)) {
    const lists = present.filter(({ value }) => Array.isArray(value));
    const areRecords = lists.every(({ value }) => (value as unknown[]).every(isRecord));
    const all = [...lists, ...(areRecords ? joined : [])];
    all.sort((one, other) => one.order - other.order);
    return mergeLists(all, schema, path, merge);
  }
  if (!isRecord(first.value)) return mergePlain(present, path, merge, rivals);
  const records = present.filter(({ value }) => isRecord(value));
  const others = rivals.filter(({ value }) => isRecord(value));
  return mergeRecords(records, schema, path, merge, others);
}

function mergePlain(
  versions: readonly MergedVersion[],
  path: string,
  merge: Merge,
  rivals: readonly MergedVersion[],
): unknown {
  const distinct: { value: unknown; url: string }[] = [];
  const plainRivals = rivals.filter(
    ({ value }) => value !== null && value !== undefined && typeof value !== 'object',
  );
  for (const { value, url } of [...versions, ...plainRivals]) {
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
  versions: readonly MergedVersion[],
  schema: JsonSchema,
  path: string,
  merge: Merge,
  rivals: readonly MergedVersion[],
): Record<string, unknown> {
  const shape = merge.shapeOf(schema).schema;
  const { properties, additionalProperties: open } = shape;
  const others = rivals.length === 0 ? [] : withOthers(rivals, versions, shape);
  const keys = new Set(
    [...versions, ...others.filter(({ isOther }) => isOther !== true)].flatMap(({ value }) =>
      Object.keys(value as object),
    ),
  );
  const entries: [string, unknown][] = [];
  for (const key of keys) {
    const member = properties?.[key] ?? open;
    const [own, theirs] = [versions, others].map((some) =>
      some.map((version) => ({
        ...version,
        path: version.path === '' ? key : `${version.path}.${key}`,
        value: memberOf(version.value, key),
      })),
    );
    const value = mergeValues(
      own ?? [],
      isSchemaObject(member) ? member : {},
      path === '' ? key : `${path}.${key}`,
      merge,
      theirs,
    );
    if (value !== undefined) entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}

/** Marks the rivals with another key. */
function withOthers(
  rivals: readonly MergedVersion[],
  versions: readonly MergedVersion[],
  shape: JsonSchema,
): MergedVersion[] {
  const keys = keysFor(shape, asLists([...versions, ...rivals]));
  return rivals.map((rival) =>
    rival.isOther === true || agree(versions, rival.value, keys)
      ? rival
      : { ...rival, isOther: true },
  );
}

function mergeLists(
  versions: readonly MergedVersion[],
  schema: JsonSchema,
  path: string,
  merge: Merge,
): unknown[] {
  const item = itemsOf(merge.shapeOf(schema).schema);
  const keys = keysFor(merge.shapeOf(item).schema, versions);
  if (merge.borders !== undefined) {
    const groups = groupAtBorders(versions, keys, merge.borders);
    return groups.map((group, index) => mergeValues(group, item, `${path}[${index}]`, merge));
  }
  return groupItems(versions, keys).map((group, index) => {
    const [taken = [], ...rivals] = ranked(thingsIn(group, keys));
    return mergeValues(taken, item, `${path}[${index}]`, merge, rivals.flat());
  });
}

/** Without properties in the schema, the names come from the items. */
function keysFor(item: JsonSchema, versions: readonly MergedVersion[]): string[] {
  if (item.properties !== undefined) return keyNames(item);
  const names = new Set<string>();
  for (const { value } of versions) {
    const [first] = value as unknown[];
    if (isRecord(first)) for (const name of Object.keys(first).slice(0, 200)) names.add(name);
  }
  return keyNames({ properties: Object.fromEntries([...names].map((name) => [name, {}])) });
}

/** Each version as a list of one item. */
function asLists(versions: readonly MergedVersion[]): MergedVersion[] {
  return versions.map((version) => ({ ...version, value: [version.value] }));
}

/** The items of all parts in order; a record split at a border is one item. */
function groupAtBorders(
  versions: readonly MergedVersion[],
  keys: readonly string[],
  borders: ReadonlySet<string>,
): MergedVersion[][] {
  const groups: MergedVersion[][] = [];
  for (const list of versions) {
    for (const [index, item] of (list.value as unknown[]).entries()) {
      const last = groups.at(-1);
      const version: MergedVersion = { ...list, path: `${list.path}[${index}]`, value: item };
      const before = last?.at(-1);
      const isBorder = index === 0 && borders.has(list.url) && before !== undefined;
      if (isBorder && isSameRecord(before.value, item, keys)) last?.push(version);
      else groups.push([version]);
    }
  }
  return groups;
}

/** True for two records with a common key and no contradicting plain values. */
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

/** Groups the items of all pages by their keys, in the order of the first item of each group. */
function groupItems(
  versions: readonly MergedVersion[],
  keys: readonly string[],
): MergedVersion[][] {
  const groups: MergedVersion[][] = [];
  const byKey = new Map<string, MergedVersion[]>();
  for (const version of versions) {
    // Groups that already have an item of this page: two rows of one page are two things.
    const taken = new Set<MergedVersion[]>();
    const added: [string, MergedVersion[]][] = [];
    for (const [index, item] of (version.value as unknown[]).entries()) {
      const own = keysOf(item, keys);
      let group = own
        .map((key) => byKey.get(key))
        .find((known) => known !== undefined && !taken.has(known) && agree(known, item, keys));
      if (group === undefined) {
        group = [];
        groups.push(group);
      }
      group.push({ ...version, path: `${version.path}[${index}]`, value: item });
      taken.add(group);
      for (const key of own) added.push([key, group]);
    }
    for (const [key, group] of added) if (!byKey.has(key)) byKey.set(key, group);
  }
  return groups;
}

/**
 * Splits items with the same key into different things. Items are one thing if they share an id, a number
 * or a URL, or if they do not contradict each other.
 */
function thingsIn(group: readonly MergedVersion[], keys: readonly string[]): MergedVersion[][] {
  const isSure = keys.filter(isSureKey).some((key) => {
    const words = group.map(({ value }) => wordOf(memberOf(value, key)));
    return words.every((word) => word !== undefined && word === words[0]);
  });
  if (isSure || group.length === 1 || !contradict(group)) return [[...group]];
  const things: { readonly versions: MergedVersion[]; readonly leaves: Map<string, unknown> }[] =
    [];
  for (const version of group) {
    const leaves = leavesOf(version.value);
    const known = things.find((thing) => !contradicts(thing.leaves, leaves));
    known?.versions.push(version);
    for (const [path, leaf] of leaves) known?.leaves.set(path, leaf);
    if (known === undefined) things.push({ versions: [version], leaves });
  }
  return things.map(({ versions }) => versions);
}

/** Sorts by the number of values, the most first, then by page order. */
function ranked(things: readonly MergedVersion[][]): MergedVersion[][] {
  if (things.length === 1) return [...things];
  return things
    .map((versions) => ({
      versions,
      values: new Set(versions.flatMap(({ value }) => [...leavesOf(value).keys()])).size,
      order: Math.min(...versions.map(({ order }) => order)),
    }))
    .sort((one, other) => other.values - one.values || one.order - other.order)
    .map(({ versions }) => versions);
}

/** True when two versions have different values at the same path. */
function contradict(versions: readonly MergedVersion[]): boolean {
  const known = new Map<string, unknown>();
  return versions.some(({ value }) => {
    const leaves = leavesOf(value);
    if (contradicts(known, leaves)) return true;
    for (const [path, leaf] of leaves) known.set(path, leaf);
    return false;
  });
}

function contradicts(
  known: ReadonlyMap<string, unknown>,
  leaves: ReadonlyMap<string, unknown>,
): boolean {
  for (const [path, leaf] of leaves) {
    if (known.has(path) && known.get(path) !== leaf) return true;
  }
  return false;
}

/** Represents any list: lists do not contradict each other. */
const listLeaf = Symbol('list');

/** The plain values of an object and its nested objects, by path; texts ignore case and white space. */
function leavesOf(
  value: unknown,
  path = '',
  leaves: Map<string, unknown> = new Map(),
): Map<string, unknown> {
  if (Array.isArray(value)) {
    if (value.length > 0) leaves.set(path, listLeaf);
  } else if (isRecord(value)) {
    for (const [key, member] of Object.entries(value)) leavesOf(member, `${path}.${key}`, leaves);
  } else if (value !== null && value !== undefined) {
    leaves.set(path, typeof value === 'string' ? folded(value) : value);
  }
  return leaves;
}

/** The keys of an item as strings; plain values, and objects without a key, are their own key. */
function keysOf(item: unknown, keys: readonly string[]): string[] {
  if (!isRecord(item)) return [JSON.stringify(item)];
  const own = keys.flatMap((key) => {
    const word = wordOf(item[key]);
    return word === undefined ? [] : [`${key}=${word}`];
  });
  return own.length > 0 ? own : [JSON.stringify(item)];
}

/** A common name is not enough if ids differ: the first key that both have decides. */
function agree(group: readonly MergedVersion[], item: unknown, keys: readonly string[]): boolean {
  return group.every(({ value: known }) => {
    if (!isRecord(known) || !isRecord(item)) return true;
    const shared = keys.find((key) => isKey(known[key]) && isKey(item[key]));
    return shared === undefined || wordOf(known[shared]) === wordOf(item[shared]);
  });
}

/** The comparable form of a key; undefined for values that cannot be a key. */
function wordOf(value: unknown): string | undefined {
  return isKey(value) ? folded(String(value)) : undefined;
}

function folded(text: string): string {
  return text.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase();
}

function isKey(value: unknown): boolean {
  return (typeof value === 'string' && value.trim() !== '') || typeof value === 'number';
}

function isRecordList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

// Properties that distinguish records.

/** Patterns of key names, the surest first; folded, at the end of a property's name or all of it. */
const kinds: readonly RegExp[] = [
  /(^id|^identifier|[a-z]id|^uuid|^key|^slug)$/,
  /(sku|gtin|gtin1?\d|ean|upc|isbn|issn|doi|mpn|itemnumber|articlenumber|partnumber)$/,
  /(url|link|href|permalink|uri)$/,
  /^(email|emailaddress)$/,
  /^(name|fullname|title|headline|question|label|term)$/,
  /^[a-z]*(name|title)$/,
];

/** Words that end like an id. */
const noIds = /(paid|valid|grid|said|void|avoid|hybrid|solid|liquid|covid|android|bid|raid|kid)$/;

/** URLs of something other than the record. */
const otherUrls = /(image|photo|thumbnail|logo|icon|avatar|picture|author|brand|company)/;

const firstOfNames = 4; // from this rank on a key is a name, which several things may have

/** The keys among an item schema's properties, the surest first. */
function keyNames(item: JsonSchema): string[] {
  const ranked = Object.keys(item.properties ?? {}).flatMap((name) => {
    const rank = rankOf(name);
    return rank === undefined ? [] : [{ name, rank }];
  });
  return ranked.sort((one, other) => one.rank - other.rank).map(({ name }) => name);
}

/** True for an id, a number or an address, which two things cannot share. */
function isSureKey(name: string): boolean {
  return (rankOf(name) ?? Infinity) < firstOfNames;
}

function rankOf(name: string): number | undefined {
  const folded = fold(name);
  const rank = kinds.findIndex((kind) => kind.test(folded));
  if (rank === -1 || (rank === 0 && noIds.test(folded))) return undefined;
  return otherUrls.test(folded) && rank !== firstOfNames ? undefined : rank;
}
