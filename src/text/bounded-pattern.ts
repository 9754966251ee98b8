/** Regular expressions of callers, tested in bounded time whatever the text. */
import vm from 'node:vm';
import { compileLinear } from './linear-pattern.ts';

/** Milliseconds one test of a RegExp may take, and how often it may take longer before it is given up. */
const timeLimit = 50;
const patience = 3;

/**
 * The test of a pattern. RE2 matches in linear time; what it cannot compile (look-around, back references)
 * runs as a RegExp with a time limit, beyond which the answer is `whenUndecided`.
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

/** True for a pattern that runs as a RegExp, and that a probe shows to backtrack without end. */
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
  // Twice, with more time: a busy machine is slow, too, but not for ever.
  return probes(source).some(
    (probe) => takesTooLong(probe, timeLimit) && takesTooLong(probe, 10 * timeLimit),
  );
}

function linearTest(source: string, flags: string): ((text: string) => boolean) | undefined {
  const expression = compileLinear(source, flags);
  return expression && ((text) => expression.matcher(text).find());
}

function limitedTest(source: string, flags: string): (text: string, timeout: number) => boolean {
  const context = vm.createContext({ text: '' });
  const script = new vm.Script(`new RegExp(${JSON.stringify(source)}, '${flags}').test(text)`);
  return (text, timeout) => {
    context['text'] = text;
    return script.runInContext(context, { timeout }) as boolean;
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
