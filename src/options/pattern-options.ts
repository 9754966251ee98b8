/** Patterns of URLs that a caller gives: `includePaths`, `excludePaths`. */
import { z } from 'zod';
import { messageOf, ValidationError } from '../errors.ts';
import {
  compileUrlPattern,
  regExpOfGlob,
  type UrlMatcher,
  type UrlPattern,
} from '../frontier/url-pattern.ts';

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
      const source = regExpOfGlob(pattern as UrlPattern, onFullUrl);
      const reason =
        source === undefined
          ? messageOf(error)
          : `${JSON.stringify(pattern)} is a glob; patterns are regular expressions: write ${JSON.stringify(source)}`;
      const message = `${option}[${index}]: ${reason}`;
      throw new ValidationError(subject, [{ path: [option, index], message }]);
    }
  });
}

/** The two options of patterns, and how they are tested. */
interface PatternOptions {
  readonly includePaths?: readonly unknown[] | undefined;
  readonly excludePaths?: readonly unknown[] | undefined;
  readonly regexOnFullURL?: boolean | undefined;
}

/** A sentence on each pattern that is a regular expression, and looks like a glob. */
export function globWarnings({
  includePaths = [],
  excludePaths = [],
  regexOnFullURL = false,
}: PatternOptions): string[] {
  return Object.entries({ includePaths, excludePaths }).flatMap(([option, patterns]) =>
    patterns.flatMap((pattern) => {
      const source = regExpOfGlob(pattern as UrlPattern, regexOnFullURL);
      if (source === undefined) return [];
      return `${option}: ${JSON.stringify(pattern)} is read as a regular expression, where * repeats what is before it. If it is meant as a glob, write ${JSON.stringify(source)}.`;
    }),
  );
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
