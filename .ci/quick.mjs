// `npm run test:quick`: within a minute, what the change at hand touches. The change is what differs from
// the commit that the first argument names (default: HEAD, so uncommitted files). Changed files are
// formatted and linted, types are checked, and tests run in this order until the time is used up: changed
// test files, those that import a changed file, those of its room. The output names what was left out.
// Without a change, one quick test file of each room runs, to see that the clone works.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, run, tool } from './checks.mjs';
import { roomOf, roomsOf } from './rings.mjs';
import { readMeasured, readTimes } from './test-times.mjs';

/** Seconds of tests; the rest of the minute is start-up and types. */
const testSeconds = 60;
/** Seconds of a test file that no run on this machine measured, where it is not one of the longer ones. */
const unknownSeconds = 2;

const base = process.argv[2] ?? 'HEAD';
const changed = [
  ...git('diff', '--name-only', '--diff-filter=d', base),
  ...git('ls-files', '--others', '--exclude-standard'),
].filter((file) => existsSync(join(root, file)));
const code = changed.filter((file) => /\.(ts|mjs|js)$/.test(file));
const tests = testFiles();
const { chosen, left } = changed.length > 0 ? chooseTests() : { chosen: oneOfEachRoom(), left: [] };
console.log(
  changed.length > 0
    ? `${changed.length} changed files: their checks, and the tests near them.`
    : `Nothing differs from ${base}: a quick test file of each room. With a change: what it touches. All: npm test.`,
);

const checks = [
  { name: 'vitest', files: chosen, command: tool('vitest', 'vitest', 'run', ...chosen) },
  {
    name: 'types',
    files: code,
    command: tool('typescript', 'tsc', '-p', 'tsconfig.json', '--incremental', ...buildInfo()),
  },
  {
    name: 'prettier',
    files: changed,
    command: tool('prettier', 'prettier', '--check', '--ignore-unknown', ...changed),
  },
  { name: 'eslint', files: code, command: tool('eslint', 'eslint', ...code) },
].filter(({ files }) => files.length > 0);

const results = await Promise.all(
  checks.map(async (check) => {
    const { problem, seconds, output } = await run({ ...check, limit: 1200 }, 'pipe');
    console.log(`\n── ${check.name}`);
    process.stdout.write(output);
    console.log(`── ${check.name}: ${problem ?? 'passed'} (${seconds.toFixed(1)} s)`);
    return problem;
  }),
);
if (left.length > 0) console.log(`\nleft to npm test: ${left.length} test files of these rooms`);
const failures = results.filter((problem) => problem !== undefined).length;
console.log(`\n${results.length - failures} checks passed, ${failures} failed`);
process.exitCode = failures > 0 ? 1 : 0;

function testFiles() {
  const { files, slow } = readTimes();
  const measured = readMeasured();
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((path) => `test/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.test.ts'))
    .map((test) => {
      const ofSlow = (slow[test] ?? []).flatMap((cases) => Object.values(cases));
      const others = measured[test]?.seconds ?? files[test] ?? unknownSeconds;
      return { test, cost: ofSlow.reduce((sum, seconds) => sum + seconds, others) };
    });
}

/** The test files to run, nearest to the change first, and those that are left. */
function chooseTests() {
  const sources = code.filter((file) => file.startsWith('src/'));
  const rooms = roomsOf(sources);
  const names = sources.map((file) => file.replace(/^src\//, '/src/'));
  const distance = (test) => {
    if (changed.includes(test)) return 0;
    const text = readFileSync(join(root, test), 'utf8');
    if (names.some((name) => text.includes(name))) return 1;
    if (changed.some((file) => dirname(file) === dirname(test))) return 2;
    if (rooms.has(roomOf(test))) return 2;
    return test === 'test/architecture.test.ts' && sources.length > 0 ? 1 : Infinity;
  };
  const near = tests
    .map(({ test, cost }) => ({ test, distance: distance(test), cost }))
    .filter((item) => item.distance < Infinity)
    .sort((a, b) => a.distance - b.distance || a.cost - b.cost);
  let sum = 0;
  const chosen = [];
  const left = [];
  for (const { test, distance: far, cost } of near) {
    if (far > 0 && sum + cost > testSeconds) left.push(test);
    else {
      sum += cost;
      chosen.push(test);
    }
  }
  return { chosen, left };
}

/** Of each room the file with the most text of those that are quick, as many as the time allows. */
function oneOfEachRoom() {
  const size = ({ test }) => statSync(join(root, test)).size;
  const largestFirst = tests
    .filter(({ cost }) => cost <= unknownSeconds)
    .sort((a, b) => size(b) - size(a));
  const byRoom = new Map();
  for (const { test } of largestFirst) {
    if (!byRoom.has(roomOf(test))) byRoom.set(roomOf(test), test);
  }
  return [...byRoom.values()].slice(0, testSeconds / unknownSeconds);
}

function buildInfo() {
  return ['--tsBuildInfoFile', join(root, 'node_modules/.cache/pagewright/types.tsbuildinfo')];
}

function git(...args) {
  const output = execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  return output.split('\n').filter((line) => line !== '');
}
