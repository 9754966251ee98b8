/** Grounds an extraction in its page's markdown: looks up each leaf; retains, refuses or removes unsupported ones. */
import { ExtractError } from '../../core/runtime/errors.ts';
import { pauses } from '../../core/runtime/yield-to-event-loop.ts';
import type { ExtractionSource } from '../heuristics/schema-part.ts';
import {
  isSchemaObject,
  itemsOf,
  type JsonSchema,
  type Shape,
  shapesOf,
} from '../schema/json-schema.ts';
import { groupLeaves } from './leaves.ts';
import { type LocatedLeaf, locateLeaves } from './locate-leaves.ts';
import { PageIndex } from './page-index.ts';
import type { LeafProvenance, Provenance, QuotedPage, UnverifiedChoice } from './provenance.ts';

/** The members of an extraction that grounding needs. */
export interface GroundableExtraction extends Grounds {
  readonly notFound: readonly string[];
}

/** An extraction with its provenance. */
export interface GroundedExtraction<E extends GroundableExtraction> {
  readonly extraction: E;
  readonly provenance: Provenance;
  /** Paths of removed values. */
  readonly removed: readonly string[];
}

/**
 * Looks up each leaf. `grounds` is the page's extraction without a model, where a model made `extraction`.
 * Throws `ExtractError` for values that are not supported, with `refuse`.
 */
export async function groundExtraction<E extends GroundableExtraction>(
  extraction: E,
  schema: JsonSchema,
  page: QuotedPage,
  unverified: UnverifiedChoice,
  grounds: Grounds = extraction,
): Promise<GroundedExtraction<E>> {
  const provenance = await provenanceOf(extraction.value, schema, page, grounds);
  const settled = settleUnverified(extraction.value, provenance, schema, unverified, page.url);
  const { removed } = settled;
  if (removed.length === 0) return { extraction, provenance, removed };
  const notFound = [...extraction.notFound, ...removed];
  return {
    extraction: { ...extraction, value: settled.value, notFound },
    provenance: settled.provenance,
    removed,
  };
}

// The provenance of each leaf of a value, however it was found.

/** The page's extraction without a model: a value that is the same there was read from its source. */
export interface Grounds {
  readonly value: unknown;
  readonly sources: Readonly<Record<string, ExtractionSource>>;
  readonly selectors?: Readonly<Record<string, string>>;
}

/**
 * Searches each leaf of `value`, which is data before the schema's own transforms, in the page's markdown.
 * The time is bounded: leaves beyond the budget are `unverified`.
 */
export async function provenanceOf(
  value: unknown,
  schema: JsonSchema,
  page: QuotedPage,
  grounds: Grounds | undefined,
): Promise<Provenance> {
  const groups = groupLeaves(value, schema, grounds?.value);
  const located = await locateLeaves(groups, new PageIndex(page), pauses());
  const entries = located.map((one): [string, LeafProvenance] => [
    one.leaf.path,
    { url: page.url, ...described(one, page.markdown, grounds) },
  ]);
  return Object.fromEntries(entries);
}

function described(
  { leaf, span, otherwise }: LocatedLeaf,
  markdown: string,
  grounds: Grounds | undefined,
): Omit<LeafProvenance, 'url'> {
  const source = leaf.isGrounded ? own(grounds?.sources, leaf.path) : undefined;
  const selector = leaf.isGrounded ? own(grounds?.selectors, leaf.path) : undefined;
  const found = span !== undefined && span.isCertain !== false ? 'supported' : otherwise;
  const partly = span === undefined ? otherwise : 'unverified';
  const status = source !== undefined || found === 'supported' ? 'supported' : partly;
  const readFrom = source ?? (span === undefined && status === 'supported' ? 'url' : undefined);
  return {
    status,
    quote: span === undefined ? null : markdown.slice(span.start, span.end),
    start: span?.start ?? null,
    end: span?.end ?? null,
    ...(readFrom === undefined ? {} : { source: readFrom }),
    ...(selector === undefined ? {} : { selector }),
  };
}

function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

// Values that the page does not support are retained, refused, or removed.

/** The data after that, with its provenance. */
export interface SettledData {
  readonly value: unknown;
  readonly provenance: Provenance;
  /** Paths of removed values, as they were before the removal. */
  readonly removed: readonly string[];
}

/**
 * With `refuse` throws `ExtractError` with the paths of unsupported values. With `null` they become null; if
 * the schema does not allow null they are absent, and list entries are left out, as are objects left empty.
 */
function settleUnverified(
  value: unknown,
  provenance: Provenance,
  schema: JsonSchema,
  choice: UnverifiedChoice,
  url: string,
): SettledData {
  const unverified = new Map(
    Object.entries(provenance).filter(([, { status }]) => status !== 'supported'),
  );
  if (choice === 'keep' || unverified.size === 0) return { value, provenance, removed: [] };
  if (choice === 'refuse') throw refusal(unverified, url);
  const shapeOf = shapesOf(schema);
  /** Provenance by the paths after the removal. */
  const remaining: [string, LeafProvenance][] = [];
  const left = take(value, schema, '', '');
  return {
    value: left,
    provenance: Object.fromEntries(remaining),
    removed: [...unverified.keys()],
  };

  /** The value without unverified leaves; undefined when nothing is left. */
  function take(
    value: unknown,
    schema: JsonSchema,
    path: string,
    newPath: string,
    depth = 0,
  ): unknown {
    if (depth > maxDepth) return value;
    const shape = shapeOf(schema);
    if (Array.isArray(value)) return items(value, shape, path, newPath, depth);
    if (typeof value === 'object' && value !== null) {
      return members(value as Record<string, unknown>, shape, path, newPath, depth);
    }
    const leaf = Object.hasOwn(provenance, path) ? provenance[path] : undefined;
    if (leaf === undefined) return value;
    // Removed entries have no path any more; all other leaves are reported with their status.
    const isRemoved = unverified.has(path);
    if (!isRemoved || shape.nullable || !newPath.endsWith(']')) remaining.push([newPath, leaf]);
    if (!isRemoved) return value;
    return shape.nullable ? null : undefined;
  }

  function items(
    items: readonly unknown[],
    { schema }: Shape,
    path: string,
    newPath: string,
    depth: number,
  ): unknown[] {
    const left: unknown[] = [];
    for (const [index, item] of items.entries()) {
      const before = remaining.length;
      const at = `${newPath}[${left.length}]`;
      const remains = take(item, itemsOf(schema), `${path}[${index}]`, at, depth + 1);
      if (remains === undefined) remaining.length = before;
      else left.push(remains);
    }
    return left;
  }

  function members(
    record: Readonly<Record<string, unknown>>,
    { schema, nullable }: Shape,
    path: string,
    newPath: string,
    depth: number,
  ): unknown {
    const open = schema['additionalProperties'];
    const entries: [string, unknown][] = [];
    let removed = 0;
    let remaining = 0;
    for (const [key, value] of Object.entries(record)) {
      const member = schema.properties?.[key] ?? open;
      const join = (base: string): string => (base === '' ? key : `${base}.${key}`);
      const remains = take(
        value,
        isSchemaObject(member) ? member : {},
        join(path),
        join(newPath),
        depth + 1,
      );
      const isGone = remains === undefined || (remains === null && value !== null);
      if (isGone) removed += 1;
      else if (!isEmpty(remains)) remaining += 1;
      if (remains !== undefined) entries.push([key, remains]);
    }
    if (removed > 0 && remaining === 0 && path !== '') return nullable ? null : undefined;
    return Object.fromEntries(entries);
  }
}

function refusal(unverified: ReadonlyMap<string, LeafProvenance>, url: string): ExtractError {
  const issues = [...unverified].map(([path, { status }]) => {
    const what = status === 'notFound' ? 'not on the page' : 'cannot be verified on the page';
    return { path: partsOf(path), message: path === '' ? what : `${path}: ${what}` };
  });
  const reported = issues.slice(0, 20).map(({ message }) => message);
  const more =
    issues.length > reported.length ? `; and ${issues.length - reported.length} more` : '';
  return new ExtractError(
    `${url} does not say what was extracted: ${reported.join('; ')}${more}. ` +
      "Say where the values are with selectors (x-selector) in the schema, or take unverified: 'null' or 'keep'.",
    issues,
    { url },
  );
}

/** `offers[0].price` → `['offers', 0, 'price']` */
function partsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([text, index]) =>
    index === undefined ? text : Number(index),
  );
}

const maxDepth = 64; // deeper data has no provenance and stays

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}
