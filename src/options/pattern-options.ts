/** Patterns of URLs that a caller gives: `includePaths`, `excludePaths`. */
import { z } from 'zod';
import { ValidationError } from '../errors.ts';
import { compileUrlPattern, type UrlMatcher, type UrlPattern } from '../frontier/url-pattern.ts';

/** Compiles the patterns of one option; throws `ValidationError` naming the bad one. */
export function compilePatterns(
  subject: string,
  option: string,
  patterns: readonly unknown[] | undefined,
  onFullUrl: boolean,
): UrlMatcher[] {
  return (patterns ?? []).map((pattern, index) => {
    try {
      // A URL that cannot be decided in time is left out.
      return compileUrlPattern(pattern as UrlPattern, onFullUrl, option === 'excludePaths');
    } catch (error) {
      const message = `${option}[${index}]: ${(error as Error).message}`;
      throw new ValidationError(subject, [{ path: [option, index], message }]);
    }
  });
}

/** Any function; what it takes and gives is seen when it is called. */
export const aFunction: z.ZodType<(...parameters: never[]) => unknown> = z.custom<
  (...parameters: never[]) => unknown
>((value) => typeof value === 'function', 'expected a function');

/** A list of patterns. */
export const patternsSchema: z.ZodType<unknown[] | undefined> = z
  .array(z.union([z.string(), z.instanceof(RegExp), aFunction]))
  .max(1000)
  .optional();
