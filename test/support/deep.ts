/**
 * Rare cases: what `npm test` leaves to `npm run test:deep`, because they take long and seldom fail. CI
 * runs a tenth of them in each run, another one each time. Each defence has a case that is not rare.
 */
import { test, type TestFunction, type TestOptions } from 'vitest';

/** 'all', one part such as '3/10', or nothing. */
const { PAGEWRIGHT_DEEP: chosen = '' } = process.env;

/** True where a rare case of this name runs. */
export function isDeep(name: string): boolean {
  if (chosen === '' || chosen === 'all') return chosen === 'all';
  const [part = 0, parts = 0] = chosen.split('/').map(Number);
  if (!(part >= 1 && part <= parts)) throw new Error(`PAGEWRIGHT_DEEP is no part: ${chosen}`);
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash % parts === part - 1;
}

/** A test of a rare case: otherwise like `test`. */
export function rareTest(name: string, body: TestFunction, timeout?: number): void;
export function rareTest(name: string, options: TestOptions, body: TestFunction): void;
export function rareTest(
  name: string,
  first: TestFunction | TestOptions,
  second?: TestFunction | number,
): void {
  const run = test.runIf(isDeep(name));
  if (typeof first !== 'function') run(name, first, second as TestFunction);
  else run(name, first, second as number | undefined);
}

/**
 * The first cases of a list, as many as there are different defences; those after them are rare. A case
 * is known by its text, by the first field of an array, or by its JSON.
 */
export function usualAnd<const Case>(count: number, cases: readonly Case[]): Case[] {
  const nameOf = (one: unknown): string =>
    typeof one === 'string' ? one : Array.isArray(one) ? nameOf(one[0]) : JSON.stringify(one);
  return cases.filter((one, at) => at < count || isDeep(nameOf(one)));
}
