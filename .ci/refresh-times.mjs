// `npm run test:times` writes `test/times.json` from what `npm test` measured on this machine, and prints how the
// slow tests divide into rings. `npm test -- --all` before it measures all of them. `npm run test:times -- --table`
// prints each mechanism with its cases of ring 1 and of ring 2 instead.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './checks.mjs';
import { slowTests } from './rings.mjs';
import { isSlow, preparationSeconds, readMeasured, readTimes, writeTimes } from './test-times.mjs';

if (process.argv.includes('--table')) printTable();
else refresh();

function refresh() {
  const old = readTimes();
  const measured = readMeasured();
  const times = { files: {}, preparation: {}, slow: {} };
  const names = Object.keys({ ...old.files, ...old.slow, ...measured }).sort();
  for (const file of names.filter((name) => existsSync(join(root, name)))) {
    const seconds = measured[file]?.seconds ?? old.files[file] ?? 0;
    if (isSlow({ seconds })) times.files[file] = Math.round(seconds);
    const preparation = Math.round(measured[file]?.preparation ?? old.preparation[file] ?? 0);
    if (preparation > preparationSeconds) times.preparation[file] = preparation;
    const slow = slowOf(measured[file]?.tests, old.slow[file] ?? []);
    if (slow.length > 0) times.slow[file] = slow;
  }
  writeTimes(times);
  const tests = slowTests(times);
  for (const ring of [1, 2]) {
    const ofRing = tests.filter((test) => test.ring === ring);
    const sum = ofRing.reduce((total, test) => total + test.seconds, 0);
    console.log(`ring ${ring}: ${ofRing.length} slow tests, ${Math.round(sum)} s`);
  }
}

/** The slow tests of a file by mechanism: as measured, or as they were where no run here had them. */
function slowOf(tests, old) {
  if (tests === undefined) return old;
  const oldSeconds = new Map(old.flatMap((cases) => Object.entries(cases)));
  const byLine = new Map();
  for (const { name, line, seconds = oldSeconds.get(name) } of tests) {
    if (!isSlow({ seconds })) continue;
    byLine.set(line, { ...byLine.get(line), [name]: Number(seconds.toFixed(1)) });
  }
  return [...byLine.values()];
}

/** A mechanism goes by the name of its first case. */
function printTable() {
  const cell = (tests) =>
    tests.map(({ name, seconds }) => `${name.replaceAll('|', '\\|')} (${seconds} s)`).join('<br>');
  console.log('| file | mechanism | ring 1 | ring 2 |');
  console.log('| --- | --- | --- | --- |');
  const tests = slowTests(readTimes());
  for (const { file, seconds } of tests.filter(({ name }) => name === undefined)) {
    console.log(`| ${file} | all | | all (${seconds} s) |`);
  }
  const named = tests.filter(({ name }) => name !== undefined);
  for (const mechanism of new Set(named.map((test) => test.mechanism))) {
    const cases = named.filter((test) => test.mechanism === mechanism);
    const [first = ''] = Object.keys(mechanism);
    const inRing = (ring) => cell(cases.filter((test) => test.ring === ring));
    console.log(
      `| ${cases[0]?.file} | ${first.replaceAll('|', '\\|')} | ${inRing(1)} | ${inRing(2)} |`,
    );
  }
}
