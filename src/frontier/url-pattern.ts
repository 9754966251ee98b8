/** One include or exclude pattern: text, RegExp or function, tested without catastrophic backtracking. */
import vm from 'node:vm';
import { hookFailed } from '../errors.ts';
import { compileLinear } from '../text/linear-pattern.ts';

/** What a caller may write as a pattern. A string is a regular expression, not anchored. */
export type UrlPattern = string | RegExp | ((url: URL) => boolean);

/** A pattern that is ready to be asked. */
export interface UrlMatcher {
  /** The pattern as the caller wrote it; told as the rule that decided. */
  readonly source: string;
  matches(url: URL): boolean;
}

/**
 * Compiles a pattern. It is tested on the path, or on the whole URL with `onFullUrl`.
 *
 * RE2 matches in linear time. What it cannot compile (look-around, back references) runs as a
 * RegExp with a time limit, if a probe shows that it does not backtrack without end.
 * A test that takes too long all the same gives `whenUndecided`.
 * Throws an `Error` whose message says what is wrong with the pattern.
 */
export function compileUrlPattern(
  pattern: UrlPattern,
  onFullUrl: boolean,
  whenUndecided = false,
): UrlMatcher {
  if (typeof pattern === 'function') {
    const source = pattern.name || 'function';
    return { source, matches: (url) => callPattern(pattern, source, url) };
  }
  const { source, flags } = regExpOf(pattern);
  const test = linearTest(source, flags) ?? limitedTest(source, flags, whenUndecided);
  return {
    source: pattern instanceof RegExp ? String(pattern) : pattern,
    matches: (url) => test(onFullUrl ? url.href : url.pathname),
  };
}

/**
 * The regular expression that does what a glob does, where a pattern looks like one: with an asterisk and
 * nothing that only a regular expression has. Undefined for other patterns.
 */
export function regExpOfGlob(pattern: UrlPattern, onFullUrl: boolean): string | undefined {
  if (typeof pattern !== 'string' || !pattern.includes('*')) return undefined;
  if (/[\\^$()[\]|+]|\.[*?]/.test(pattern)) return undefined;
  if (/^\*+$/.test(pattern)) return '.*';
  // What may come before a path, a name or an end need not be said.
  const glob = pattern.replace(/^\*+/, '').replace(/\*\*$/, '');
  const isWhole = glob.startsWith(onFullUrl ? 'http' : '/') && !pattern.startsWith('*');
  return `${isWhole ? '^' : ''}${translated(glob)}${pattern.endsWith('**') ? '' : '$'}`;
}

const inRegExp: Readonly<Record<string, string>> = { '*': '[^/]*', '**': '.*', '?': '[^/]' };

function translated(glob: string): string {
  return glob.replace(
    /(\/)\*\*\/|\{([^{}]*)\}|\*\*|[*?.{}]/g,
    (token: string, slash?: string, list?: string) => {
      if (slash !== undefined) return '/(?:.*/)?';
      if (list !== undefined) return `(?:${list.split(',').map(translated).join('|')})`;
      return inRegExp[token] ?? `\\${token}`;
    },
  );
}

function callPattern(pattern: (url: URL) => boolean, name: string, url: URL): boolean {
  try {
    return pattern(new URL(url));
  } catch (error) {
    throw hookFailed(`The path pattern ${name}`, url.href, error);
  }
}

function regExpOf(pattern: string | RegExp): { source: string; flags: string } {
  if (pattern instanceof RegExp) {
    return { source: pattern.source, flags: pattern.flags.replace(/[gyd]/g, '') };
  }
  // Compiled once here for its message: "Unterminated group".
  return { source: new RegExp(pattern).source, flags: '' };
}

function linearTest(source: string, flags: string): ((text: string) => boolean) | undefined {
  const expression = compileLinear(source, flags);
  return expression && ((text) => expression.matcher(text).find());
}

/** Milliseconds one test of a RegExp may take, and how often it may take longer before it is given up. */
const timeLimit = 50;
const patience = 3;

function limitedTest(
  source: string,
  flags: string,
  whenUndecided: boolean,
): (text: string) => boolean {
  const context = vm.createContext({ text: '' });
  const script = new vm.Script(`new RegExp(${JSON.stringify(source)}, '${flags}').test(text)`);
  const test = (text: string, timeout: number): boolean => {
    context['text'] = text;
    return script.runInContext(context, { timeout }) as boolean;
  };
  const takesTooLong = (probe: string, timeout: number): boolean => {
    try {
      test(probe, timeout);
      return false;
    } catch {
      return true;
    }
  };
  for (const probe of probes(source)) {
    // Twice, with more time: a busy machine is slow, too, but not for ever.
    if (takesTooLong(probe, timeLimit) && takesTooLong(probe, 10 * timeLimit)) {
      throw new Error(
        `the pattern ${source} takes too long on some inputs (catastrophic backtracking); write it without nested repeats`,
      );
    }
  }
  let late = 0;
  return (text) => {
    if (late >= patience) return whenUndecided;
    try {
      return test(text, timeLimit);
    } catch {
      late += 1;
      return whenUndecided;
    }
  };
}

/** Long runs of the characters a pattern names, with an end that it does not: what makes it backtrack. */
function probes(source: string): string[] {
  const characters = new Set(source.replace(/\\./g, '').match(/[A-Za-z0-9/_-]/g) ?? []);
  return [...characters, 'a', '0', '/']
    .slice(0, 40)
    .flatMap((character) => [
      `/${character.repeat(40)}!`,
      `${source.replace(/[^A-Za-z0-9/_-].*$/, '')}${character.repeat(40)}!`,
    ]);
}
