/** Tests callers' regular expressions in bounded time for any text. */
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

/** Loaded at the first pattern: it is as large as all that an import loads otherwise. */
let re2: typeof import('re2js') | undefined;

const timeLimit = 50; // milliseconds per test of a RegExp
const patience = 3;

/**
 * The test of a pattern. RE2 matches in linear time; a pattern that it cannot compile (look-around, back
 * references) runs as a RegExp with a time limit, beyond which the answer is `whenUndecided`.
 */
export function boundedTest(
  source: string,
  flags: string,
  whenUndecided: boolean,
): (text: string) => boolean {
  const linear = linearTest(source, flags);
  if (linear !== undefined) return linear;
  const test = limitedTest(source, flags);
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

/** True for a pattern that runs as a RegExp and backtracks catastrophically on a probe. */
export function backtracks(source: string, flags: string): boolean {
  if (linearTest(source, flags) !== undefined) return false;
  const test = limitedTest(source, flags);
  const takesTooLong = (probe: string, timeout: number): boolean => {
    try {
      test(probe, timeout);
      return false;
    } catch {
      return true;
    }
  };
  // Probes twice, with more time: a busy machine is slow, too, but not for ever.
  return probes(source).some(
    (probe) => takesTooLong(probe, timeLimit) && takesTooLong(probe, 10 * timeLimit),
  );
}

function linearTest(source: string, flags: string): ((text: string) => boolean) | undefined {
  const expression = compileLinear(source, flags);
  return expression && ((text) => expression.matcher(text).find());
}

function limitedTest(source: string, flags: string): (text: string, timeout: number) => boolean {
  const vm = process.getBuiltinModule('node:vm');
  const context = vm.createContext({ text: '' });
  const script = new vm.Script(`new RegExp(${JSON.stringify(source)}, '${flags}').test(text)`);
  return (text, timeout) => {
    context['text'] = text;
    return script.runInContext(context, { timeout }) as boolean;
  };
}

/** Texts that provoke backtracking: long runs of the pattern's characters, with an end that does not match. */
function probes(source: string): string[] {
  const characters = new Set(source.replace(/\\./g, '').match(/[A-Za-z0-9/_-]/g) ?? []);
  return [...characters, 'a', '0', '/']
    .slice(0, 40)
    .flatMap((character) => [
      `/${character.repeat(40)}!`,
      `${source.replace(/[^A-Za-z0-9/_-].*$/, '')}${character.repeat(40)}!`,
    ]);
}

/**
 * Compiles a pattern for RE2; undefined for features that RE2 lacks: look-around, back references, the
 * flags u and v.
 */
export function compileLinear(source: string, flags: string): RE2JS | undefined {
  if (/[uv]/.test(flags)) return undefined;
  re2 ??= createRequire(import.meta.url)('re2js') as typeof import('re2js');
  const { RE2JS } = re2;
  try {
    const modes =
      (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) |
      (flags.includes('m') ? RE2JS.MULTILINE : 0) |
      (flags.includes('s') ? RE2JS.DOTALL : 0);
    return RE2JS.compile(source, modes);
  } catch {
    return undefined;
  }
}
