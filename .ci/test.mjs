// `npm test`: every check of the project. Those that only read run beside the tests; the tests that compare
// times run last, alone. A failing check does not stop the others. The last line of the output is `N passed,
// N failed, N skipped`: each test counts, and each check.
//
// `.ci/rings.mjs` says which slow tests are left to `npm run test:deep`, which leaves out none and also runs the
// rare cases (`test/support/deep.ts`). In CI a tenth of either runs, a different one each time: PAGEWRIGHT_DEEP=3/10
// names it, and is printed. `npm test -- --all` runs all but the rare cases, to measure them.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run, tool } from './checks.mjs';
import { extraTests, slowTests } from './rings.mjs';
import { addMeasured, isSlow, readTimes, slowSeconds } from './test-times.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const testReport = join(scratch, 'vitest.json');
const leftOutFile = join(scratch, 'left-out.json');
const deep = deepPart();
const isWhole = deep === 'all' || process.argv.includes('--all');

/** Ends a hang: on a machine with much else to do, a check takes many times what it takes alone. */
const limit = 1200;

/** First, one after the other: what others need. */
const preparations = [
  { name: 'build', command: ['.ci/build.mjs'], limit },
  { name: 'chromium', command: ['.ci/chromium.mjs'], limit },
  { name: 'redis', command: ['.ci/redis.mjs'], limit },
];

/**
 * Where a check finds what it found the last time, so that it reads only files that changed. The linter asks for
 * types of other files: what it found holds while no declaration changes.
 */
const cached = (name) => [
  '--cache',
  '--cache-strategy=content',
  `--cache-location=${join(root, 'node_modules/.cache/pagewright', name)}`,
];

/** The docs as a site. CI builds it, and `npm run test:deep`: it takes a minute and a half of a processor. */
const siteChecks = [
  { name: 'API pages', command: ['docs/api.mjs'], limit },
  { name: 'docs site', command: tool('vitepress', 'vitepress', 'build', 'docs'), limit },
];

/** The linter with types takes as long as all others that only read: it has a lane of its own. */
const lanes = () => [
  [
    {
      name: 'eslint',
      command: tool('eslint', 'eslint', '.', ...cached(`eslint-${declarationsDigest()}`)),
      limit,
    },
  ],
  [
    { name: 'types', command: tool('typescript', 'tsc', '-p', 'tsconfig.json'), limit },
    {
      name: 'types of scripts',
      command: tool('typescript', 'tsc', '-p', 'tsconfig.scripts.json'),
      limit,
    },
    {
      name: 'prettier',
      command: tool('prettier', 'prettier', '--check', '.', ...cached('prettier')),
      limit,
    },
    { name: 'knip', command: tool('knip', 'knip'), limit },
    { name: 'publint', command: tool('publint', 'publint', '--strict'), limit },
    {
      name: 'are the types wrong',
      command: tool('@arethetypeswrong/cli', 'attw', '--pack', '.', '--profile', 'node16'),
      limit,
    },
    { name: 'API report', command: ['docs/api-report.mjs', '--check'], limit },
    { name: 'reference', command: ['docs/reference.mjs', '--check'], limit },
    { name: 'code of the docs', command: ['docs/check-code.mjs'], limit },
    ...(isWhole || deep !== '' ? siteChecks : []),
  ],
];

let passed = 0;
let failed = 0;
let skipped = 0;
const problems = [];
const measured = [];

const slow = slowTests(readTimes());
const left = leftTests();
writeFileSync(leftOutFile, JSON.stringify(leftOutOf(left)));

for (const check of preparations) await perform(check);
await Promise.all([perform(testsOf('alone', 'shared')), ...lanes().map(performLater)]);
await perform(testsOf('timed'));

console.log('');
showTimes();
if (deep !== '') console.log(`rare cases: PAGEWRIGHT_DEEP=${deep}`);
if (left.length > 0) {
  console.log(
    `left to npm run test:deep: ${left.length} of ${slow.length} slow tests and files, ${secondsOf(left)} of ${secondsOf(slow)} s`,
  );
}
for (const problem of problems) console.log(`failed: ${problem}`);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 ? 1 : 0;

/** The tests of some projects of `vitest.config.ts`. */
function testsOf(...projects) {
  return {
    name: `tests: ${projects.join(', ')}`,
    command: tool(
      'vitest',
      'vitest',
      'run',
      '--reporter=default',
      `--reporter=${join(root, '.ci/vitest-report.mjs')}`,
      '--includeTaskLocation',
      ...projects.map((project) => `--project=${project}`),
    ),
    limit: isWhole ? 7200 : 3600,
    env: {
      PAGEWRIGHT_TEST_REPORT: testReport,
      PAGEWRIGHT_LEFT_OUT: leftOutFile,
      PAGEWRIGHT_DEEP: deep,
      PAGEWRIGHT_TEST_BUILT: 'yes',
    },
    conclude: countTests,
  };
}

/**
 * The rare cases of this run: 'all', one part such as '3/10', or '' for none. CI takes the part of its
 * run number, or else of the number of commits.
 */
function deepPart() {
  if (process.argv.includes('--deep')) return 'all';
  const { CI, PAGEWRIGHT_DEEP, GITHUB_RUN_NUMBER, CI_PIPELINE_IID, BUILD_NUMBER } = process.env;
  if (PAGEWRIGHT_DEEP !== undefined) return PAGEWRIGHT_DEEP;
  if (CI === undefined || process.argv.includes('--all')) return '';
  const number = GITHUB_RUN_NUMBER ?? CI_PIPELINE_IID ?? BUILD_NUMBER ?? commitCount();
  return `${(Number(number) % 10) + 1}/10`;
}

function commitCount() {
  try {
    return execFileSync('git', ['rev-list', '--count', 'HEAD'], { cwd: root, encoding: 'utf8' });
  } catch {
    return '0';
  }
}

/** The slow tests that this run leaves out. */
function leftTests() {
  if (isWhole) return [];
  const second = slow.filter(({ ring }) => ring === 2);
  const extra = new Set(deep === '' ? [] : extraTests(second, deep));
  return second.filter((test) => !extra.has(test));
}

/** As `test/support/left-out.ts` reads it. */
function leftOutOf(left) {
  /** @type {{ files: string[], tests: Record<string, string[]> }} */
  const leftOut = { files: [], tests: {} };
  for (const { file, name } of left) {
    if (name === undefined) leftOut.files.push(file);
    else (leftOut.tests[file] ??= []).push(name);
  }
  return leftOut;
}

/**
 * The linter's findings hold for these declarations. A file that none of them mentions, such as one of the tests,
 * is read again when it changes itself.
 */
function declarationsDigest() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  const names = readdirSync(join(root, 'build'), { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((file) => file.endsWith('.d.ts')).sort()) {
    hash.update(name).update(readFileSync(join(root, 'build', name)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Runs a check, shows its output as it comes, and counts it. */
async function perform(check) {
  console.log(`\n── ${check.name}`);
  conclude(check, await run(check, 'inherit'));
}

/**
 * Runs the checks of a lane one after the other beside the tests, whose deadlines come first. Shows each check when
 * it is done: lanes do not mix.
 */
async function performLater(lane) {
  for (const check of lane) {
    const result = await run({ ...check, yields: true }, 'pipe');
    console.log(`\n── ${check.name}`);
    process.stdout.write(result.output);
    conclude(check, result);
  }
}

function conclude(check, { problem, seconds }) {
  console.log(`── ${check.name}: ${problem ?? 'passed'} (${seconds.toFixed(1)} s)`);
  if (check.conclude !== undefined) check.conclude(check.name, problem);
  else if (problem === undefined) count(1, []);
  else count(0, [`${check.name}: ${problem}`]);
}

/** Counts what vitest reports; a run that went wrong in any other way is one failure more. */
function countTests(name, problem) {
  let report;
  try {
    report = JSON.parse(readFileSync(testReport, 'utf8'));
  } catch {
    count(0, [`${name}: ${problem ?? 'no report'}`]);
    return;
  }
  // The next run of vitest writes its own, or none.
  rmSync(testReport);
  const testProblems = [...report.problems];
  if (report.passed + testProblems.length === 0) testProblems.push(`${name}: no test ran`);
  else if (testProblems.length === 0 && problem !== undefined) {
    testProblems.push(`${name}: ${problem}`);
  }
  count(report.passed, testProblems);
  skipped += report.skipped;
  measured.push(...report.files);
}

/** Prints the slowest test files, and tests that are slow and not known as such; keeps all for `npm run test:times`. */
function showTimes() {
  console.log('slowest test files:');
  const bySeconds = (a, b) => b.seconds - a.seconds;
  for (const { file, seconds } of measured.toSorted(bySeconds).slice(0, 10)) {
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
  }
  const known = new Set(
    slow.map(({ file, name }) => (name === undefined ? file : `${file} > ${name}`)),
  );
  const unknown = measured
    .flatMap(({ file, tests }) =>
      tests.map((test) => ({ ...test, file, id: `${file} > ${test.name}` })),
    )
    .filter((test) => isSlow(test) && !known.has(test.id) && !known.has(test.file));
  // Rare cases are slow, and no run of them is ring 1.
  if (deep !== '') return;
  addMeasured(measured);
  if (unknown.length === 0) return;
  console.log(
    `over ${slowSeconds} s, refresh the times (npm run test:times): ${unknown.length} tests`,
  );
  for (const { id, seconds } of unknown.sort(bySeconds).slice(0, 20)) {
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${id}`);
  }
}

function secondsOf(tests) {
  return Math.round(tests.reduce((sum, { seconds }) => sum + seconds, 0));
}

function count(passes, failures) {
  passed += passes;
  failed += failures.length;
  problems.push(...failures);
}
