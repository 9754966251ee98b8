// How long tests take: `test/times.json` has what all share, and a file in node_modules/.cache what `npm test`
// measured on this machine. `refresh-times.mjs` makes the first from the second.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './checks.mjs';

/** A test that takes longer is slow. */
export const slowSeconds = 0.5;
/** The preparation of a file that takes longer is kept. */
export const preparationSeconds = 5;

const timesFile = join(root, 'test/times.json');
const measuredFile = join(root, 'node_modules/.cache/pagewright/test-times.json');

/**
 * `files` has the seconds of each longer test file without its slow tests, `preparation` those of them that are no
 * test; `slow` has the slow tests: file, mechanism, name, seconds.
 */
export function readTimes() {
  return JSON.parse(readFileSync(timesFile, 'utf8'));
}

export function writeTimes(times) {
  writeFileSync(timesFile, `${JSON.stringify(times, undefined, 2)}\n`);
}

/** The test files that ran on this machine: `seconds` without slow tests, `preparation`, each test with its line. */
export function readMeasured() {
  return existsSync(measuredFile) ? JSON.parse(readFileSync(measuredFile, 'utf8')) : {};
}

/** Adds what a run measured. A test that it left out has the seconds of the run before. */
export function addMeasured(files) {
  const measured = readMeasured();
  for (const { file, seconds, tests } of files) {
    const before = new Map(measured[file]?.tests.map((test) => [test.name, test.seconds]));
    const sumOf = (some) => some.reduce((sum, test) => sum + (test.seconds ?? 0), 0);
    measured[file] = {
      // Tests that run side by side are longer than the file.
      seconds: Math.max(0, seconds - sumOf(tests.filter(isSlow))),
      preparation: Math.max(0, seconds - sumOf(tests)),
      tests: tests.map((test) => ({ ...test, seconds: test.seconds ?? before.get(test.name) })),
    };
  }
  mkdirSync(dirname(measuredFile), { recursive: true });
  writeFileSync(measuredFile, JSON.stringify(measured));
}

export function isSlow({ seconds = 0 }) {
  return seconds > slowSeconds;
}
