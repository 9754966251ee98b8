/** What came of filling a schema or a part of it. */
import type { Shape } from './json-schema.ts';

/**
 * Where a value was found. `opengraph` stands for all meta tags, `heading` for the page's only h1, `data`
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

/** A value, or its absence, with an account of its leaves. */
export interface Outcome {
  /** Undefined when it was not found and null is not allowed. */
  readonly value: unknown;
  /** Leaves that were found. */
  readonly found: number;
  /** Paths that were not: `offers[0].price`. */
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
): Outcome {
  return { value, found: 1, notFound: [], sources: [[path, source, selector]] };
}

/** Nothing was found: null where the schema allows it. */
export function missing(path: string, shape: Shape): Outcome {
  return { value: shape.nullable ? null : undefined, found: 0, notFound: [path], sources: [] };
}

/** One outcome for a whole of several parts. */
export function combined(value: unknown, parts: readonly Outcome[]): Outcome {
  return {
    value,
    found: parts.reduce((sum, part) => sum + part.found, 0),
    notFound: parts.flatMap((part) => part.notFound),
    sources: parts.flatMap((part) => part.sources),
  };
}

/** The outcome with the most found; the first of equals. */
export function bestOf(outcomes: readonly Outcome[]): Outcome | undefined {
  return outcomes.reduce<Outcome | undefined>(
    (best, next) => (best === undefined || next.found > best.found ? next : best),
    undefined,
  );
}

/** Sources and selectors by path. */
export function accountOf({ sources }: Outcome): {
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
