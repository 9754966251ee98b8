/** A schema part being filled: its path in the data, the page's context, the outcome with its sources. */
import type { JsonSchema, Shape } from '../schema/json-schema.ts';
import type { Transform } from '../schema/selector-keywords.ts';
import type { TextLocale } from '../values/dates.ts';
import type { CoercionTarget } from './coerce.ts';
import type { Scope } from './scope.ts';

/** The part being filled. */
export interface SchemaPart {
  readonly schema: JsonSchema;
  /** The property's name; `` at the root and for items of a root array. */
  readonly name: string;
  readonly path: string;
  readonly depth: number;
  /** The selector that matched the element whose parts are filled. */
  readonly selector?: string | undefined;
}

/** Callbacks that fill the parts inside a part, which may be of any kind. */
export interface InnerParts {
  /** Fills the members of an object from its scope. */
  readonly members: (
    part: SchemaPart,
    shape: Shape,
    scope: Scope,
    reading: FillContext,
  ) => FillOutcome;
  /** Fills the list `part`: each scope is an entry. */
  readonly items: (
    scopes: readonly Scope[],
    schema: JsonSchema,
    part: SchemaPart,
    reading: FillContext,
  ) => FillOutcome;
}

/** A value with its source; its text counts towards the budget. */
export function takeValue(
  path: string,
  value: unknown,
  source: ExtractionSource,
  reading: FillContext,
  selector?: string,
): FillOutcome {
  if (typeof value === 'string') reading.budget.characters -= value.length;
  return foundAt(path, value, source, selector);
}

// The fixed context of reading one page.

/** The schema and the page's language and base. */
export interface FillContext {
  readonly shapeOf: (schema: JsonSchema) => Shape;
  readonly baseUrl: string;
  /** The locale of texts for readers. */
  readonly locale: TextLocale;
  /** The locale of JSON-LD and meta tags. */
  readonly machine: TextLocale;
  /** The transform of a schema's `x-transform`. */
  readonly transformOf: (schema: JsonSchema) => Transform | undefined;
  /** The remaining number of parts of the schema, and of characters of text. */
  readonly budget: { parts: number; characters: number };
}

/** The coercion target of a text of the page. */
export function targetOf(name: string, shape: Shape, reading: FillContext): CoercionTarget {
  const { shapeOf, baseUrl, locale } = reading;
  return { name, shape, shapeOf, baseUrl, locale };
}

/** The same for a text made for machines. */
export function machineTargetOf(name: string, shape: Shape, reading: FillContext): CoercionTarget {
  return { ...targetOf(name, shape, reading), locale: reading.machine };
}

// The outcome of filling a schema or a part of it.

/**
 * The source of a value. `opengraph` stands for all meta tags, `heading` for the page's only h1, `data`
 * for a file that is JSON or XML itself.
 */
export type ExtractionSource =
  | 'selector'
  | 'json-ld'
  | 'microdata'
  | 'rdfa'
  | 'opengraph'
  | 'table'
  | 'definition-list'
  | 'label'
  | 'heading'
  | 'data';

/** A value, or its absence, with the sources of its leaves. */
export interface FillOutcome {
  /** Undefined when the value was not found and null is not allowed. */
  readonly value: unknown;
  /** Number of leaves that were found. */
  readonly found: number;
  /** Paths that were not found: `offers[0].price`. */
  readonly notFound: readonly string[];
  readonly sources: readonly (readonly [
    path: string,
    source: ExtractionSource,
    selector?: string | undefined,
  ])[];
}

/** A leaf that was found. */
export function foundAt(
  path: string,
  value: unknown,
  source: ExtractionSource,
  selector?: string,
): FillOutcome {
  return { value, found: 1, notFound: [], sources: [[path, source, selector]] };
}

/** The outcome without a value: null where the schema allows it. */
export function missing(path: string, shape: Shape): FillOutcome {
  return { value: shape.nullable ? null : undefined, found: 0, notFound: [path], sources: [] };
}

/** Combines the outcomes of several parts. */
export function combined(value: unknown, parts: readonly FillOutcome[]): FillOutcome {
  return {
    value,
    found: parts.reduce((sum, part) => sum + part.found, 0),
    notFound: parts.flatMap((part) => part.notFound),
    sources: parts.flatMap((part) => part.sources),
  };
}

/** The outcome with the most leaves found; among equals the first. */
export function bestOf(outcomes: readonly FillOutcome[]): FillOutcome | undefined {
  return outcomes.reduce<FillOutcome | undefined>(
    (best, next) => (best === undefined || next.found > best.found ? next : best),
    undefined,
  );
}

/** Sources and selectors by path. */
export function accountOf({ sources }: FillOutcome): {
  readonly sources: Readonly<Record<string, ExtractionSource>>;
  readonly selectors: Readonly<Record<string, string>>;
} {
  const selected = sources.flatMap(([path, , selector]) =>
    selector === undefined ? [] : [[path, selector] as const],
  );
  return {
    sources: Object.fromEntries(sources.map(([path, source]) => [path, source])),
    selectors: Object.fromEntries(selected),
  };
}
