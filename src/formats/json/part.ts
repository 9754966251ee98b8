/** A part of a schema and its place in the data. */
import type { JsonSchema, Shape } from './json-schema.ts';
import { type ExtractionSource, foundAt, type Outcome } from './outcome.ts';
import type { Reading } from './reading.ts';
import type { Scope } from './scope.ts';

/** What is filled. */
export interface Part {
  readonly schema: JsonSchema;
  /** The property's name; `` at the root and for the items of a root array. */
  readonly name: string;
  readonly path: string;
  readonly depth: number;
  /** The selector that matched the element whose parts are filled. */
  readonly selector?: string | undefined;
}

/** What fills the parts inside of a part: they may be of any kind again. */
export interface InnerParts {
  /** The scope is the object. */
  readonly members: (part: Part, shape: Shape, scope: Scope, reading: Reading) => Outcome;
  /** Each scope is an entry of the list that `part` is. */
  readonly items: (
    scopes: readonly Scope[],
    schema: JsonSchema,
    part: Part,
    reading: Reading,
  ) => Outcome;
}

/** A value with its place; its text is counted. */
export function take(
  path: string,
  value: unknown,
  source: ExtractionSource,
  reading: Reading,
  selector?: string,
): Outcome {
  if (typeof value === 'string') reading.budget.characters -= value.length;
  return foundAt(path, value, source, selector);
}
