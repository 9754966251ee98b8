/** Compiles the patterns of a schema, which may come from an untrusted source. */
import { boundedTest } from '../../text/bounded-pattern.ts';
import { compileLinear } from '../../text/linear-pattern.ts';

/** A pattern, and its source as text. */
interface SchemaPattern {
  readonly test: (text: string) => boolean;
  readonly toString: () => string;
}

/**
 * Compiles a pattern of JSON Schema, which reads code points; passes on errors of `RegExp`. A text that
 * cannot be decided in time does not match.
 */
export function schemaPattern(source: string): SchemaPattern {
  // Built for its error message. RE2 reads code points by itself, and does not know the flag.
  const { flags } = new RegExp(source, 'u');
  const isLinear = compileLinear(source, '') !== undefined;
  const test = boundedTest(source, isLinear ? '' : flags, false);
  return { test, toString: () => `/${source}/${flags}` };
}
