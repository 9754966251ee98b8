/** One include or exclude pattern: text, RegExp or function, tested without catastrophic backtracking. */
import { hookFailed } from '../runtime/errors.ts';
import { atOnce } from '../runtime/at-once.ts';
import { backtracks, boundedTest } from '../checks/bounded-pattern.ts';
import { globSource } from '../checks/url-filter.ts';

/** A caller's pattern. A string is a regular expression, not anchored. */
export type UrlPattern = string | RegExp | ((url: URL) => boolean);

/** A compiled pattern. */
export interface UrlMatcher {
  /** The pattern as the caller wrote it; reported as the rule that decided. */
  readonly source: string;
  matches(url: URL): boolean;
}

/**
 * Compiles a pattern. It is tested on the path, or on the whole URL with `onFullUrl`.
 *
 * Tests take bounded time; a pattern that a probe shows to backtrack without end is refused, and a test that still
 * takes too long yields `whenUndecided`. Throws an `Error` whose message says what is wrong with the pattern; `name` is
 * for the errors of a function that throws.
 */
export function compileUrlPattern(
  pattern: UrlPattern,
  onFullUrl: boolean,
  whenUndecided = false,
  name = 'The path pattern',
): UrlMatcher {
  if (typeof pattern === 'function') {
    const source = pattern.name || 'function';
    return { source, matches: (url) => callPattern(pattern, name, url) };
  }
  const { source, flags } = regExpOf(pattern);
  if (backtracks(source, flags)) {
    throw new Error(
      `the pattern ${source} takes too long on some inputs (catastrophic backtracking); write it without nested repeats`,
    );
  }
  const test = boundedTest(source, flags, whenUndecided);
  return {
    source: pattern instanceof RegExp ? String(pattern) : pattern,
    matches: (url) => test(onFullUrl ? url.href : url.pathname),
  };
}

/**
 * The regular expression for a pattern that looks like a glob: with an asterisk and without syntax
 * of regular expressions. Undefined for other patterns.
 */
export function regExpOfGlob(pattern: UrlPattern, onFullUrl: boolean): string | undefined {
  if (typeof pattern !== 'string' || !pattern.includes('*')) return undefined;
  if (/[\\^$()[\]|+]|\.[*?]/.test(pattern)) return undefined;
  if (/^\*+$/.test(pattern)) return '.*';
  // A leading or trailing wildcard is redundant: patterns are not anchored.
  const glob = pattern.replace(/^\*+/, '').replace(/\*\*$/, '');
  const isWhole = glob.startsWith(onFullUrl ? 'http' : '/') && !pattern.startsWith('*');
  return `${isWhole ? '^' : ''}${globSource(glob)}${pattern.endsWith('**') ? '' : '$'}`;
}

function callPattern(pattern: (url: URL) => boolean, name: string, url: URL): boolean {
  try {
    return atOnce(pattern(new URL(url)));
  } catch (error) {
    throw hookFailed(name, url.href, error);
  }
}

function regExpOf(pattern: string | RegExp): { source: string; flags: string } {
  if (pattern instanceof RegExp) {
    return { source: pattern.source, flags: pattern.flags.replace(/[gyd]/g, '') };
  }
  // Compiled once here for its error message: "Unterminated group".
  return { source: new RegExp(pattern).source, flags: '' };
}
