// `npm test`: every check of the project. Those that only read run in two lanes, side by side; the
// tests run alone, because some of them measure time. A failing check does not stop the others. The
// last line of the output is `N passed, N failed`: each test counts, and each check.
//
// `npm run test:deep` also runs the rare cases (`test/support/deep.ts`). In CI a tenth of them runs, a
// different one each time: PAGEWRIGHT_DEEP=3/10 names it, and is printed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root, run, tool } from './checks.mjs';
import { timesFile } from './test-times.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const testReport = join(scratch, 'vitest.json');
const deep = deepPart();

/** First, one after the other: what others need. Each check is ended after `limit` seconds. */
const preparations = [
  { name: 'build', command: ['.ci/build.mjs'], limit: 180 },
  { name: 'chromium', command: ['.ci/chromium.mjs'], limit: 600 },
  { name: 'redis', command: ['.ci/redis.mjs'], limit: 600 },
];

/** The linter with types takes as long as all others that only read: it has a lane of its own. */
const lanes = [
  [{ name: 'eslint', command: tool('eslint', 'eslint', '.'), limit: 600 }],
  [
    { name: 'types', command: tool('typescript', 'tsc', '-p', 'tsconfig.json'), limit: 300 },
    {
      name: 'types of scripts',
      command: tool('typescript', 'tsc', '-p', 'tsconfig.scripts.json'),
      limit: 120,
    },
    { name: 'prettier', command: tool('prettier', 'prettier', '--check', '.'), limit: 120 },
    { name: 'knip', command: tool('knip', 'knip'), limit: 120 },
    { name: 'publint', command: tool('publint', 'publint', '--strict'), limit: 60 },
    {
      name: 'are the types wrong',
      command: tool('@arethetypeswrong/cli', 'attw', '--pack', '.', '--profile', 'node16'),
      limit: 120,
    },
    { name: 'API report', command: ['docs/api-report.mjs', '--check'], limit: 60 },
    { name: 'reference', command: ['docs/reference.mjs', '--check'], limit: 60 },
    { name: 'code of the docs', command: ['docs/check-code.mjs'], limit: 120 },
    {
      name: 'API pages',
      command: tool('typedoc', 'typedoc', '--options', 'docs/typedoc.json'),
      limit: 120,
    },
    { name: 'docs site', command: tool('vitepress', 'vitepress', 'build', 'docs'), limit: 240 },
  ],
];

/** Then the tests, alone. */
const tests = {
  name: 'vitest',
  command: tool(
    'vitest',
    'vitest',
    'run',
    '--reporter=default',
    `--reporter=${join(root, '.ci/vitest-report.mjs')}`,
  ),
  limit: deep === 'all' ? 7200 : 3000,
  env: {
    PAGEWRIGHT_TEST_REPORT: testReport,
    PAGEWRIGHT_DEEP: deep,
    PAGEWRIGHT_TEST_BUILT: 'yes',
  },
};

let passed = 0;
let failed = 0;
const problems = [];

for (const check of preparations) await perform(check);
await Promise.all(lanes.map(performLater));
await perform(tests);

console.log('');
if (deep !== '') console.log(`rare cases: PAGEWRIGHT_DEEP=${deep}`);
for (const problem of problems) console.log(`failed: ${problem}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/**
 * The rare cases of this run: 'all', one part such as '3/10', or '' for none. CI takes the part of its
 * run number, or else of the number of commits.
 */
function deepPart() {
  if (process.argv.includes('--deep')) return 'all';
  const { CI, PAGEWRIGHT_DEEP, GITHUB_RUN_NUMBER, CI_PIPELINE_IID, BUILD_NUMBER } = process.env;
  if (PAGEWRIGHT_DEEP !== undefined) return PAGEWRIGHT_DEEP;
  if (CI === undefined) return '';
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

/** Runs a check, shows its output as it comes, and counts it. */
async function perform(check) {
  console.log(`\n── ${check.name}`);
  const { problem, seconds } = await run(check, 'inherit');
  conclude(check, problem, seconds);
}

/** Runs the checks of a lane one after the other, and shows each when it is done: lanes do not mix. */
async function performLater(lane) {
  for (const check of lane) {
    const { problem, seconds, output } = await run(check, 'pipe');
    console.log(`\n── ${check.name}`);
    process.stdout.write(output);
    conclude(check, problem, seconds);
  }
}

function conclude({ name }, problem, seconds) {
  console.log(`── ${name}: ${problem ?? 'passed'} (${seconds.toFixed(1)} s)`);
  if (name === 'vitest') countTests(problem);
  else count(problem === undefined ? 1 : 0, problem === undefined ? [] : [`${name}: ${problem}`]);
}

/** Counts what vitest reports; a run that went wrong in any other way is one failure more. */
function countTests(problem) {
  let report;
  try {
    report = JSON.parse(readFileSync(testReport, 'utf8'));
  } catch {
    count(0, [`vitest: ${problem ?? 'no report'}`]);
    return;
  }
  const testProblems = [...report.problems];
  if (report.passed + testProblems.length === 0) testProblems.push('vitest: no test ran');
  else if (testProblems.length === 0 && problem !== undefined) {
    testProblems.push(`vitest: ${problem}`);
  }
  count(report.passed, testProblems);
  showSlowest(report.seconds);
}

/** Prints the ten slowest test files, and keeps the times of all for `npm run test:quick`. */
function showSlowest(secondsByFile) {
  const slowest = Object.entries(secondsByFile).sort(([, a], [, b]) => b - a);
  console.log('\nslowest test files:');
  for (const [file, seconds] of slowest.slice(0, 10)) {
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
  }
  mkdirSync(dirname(timesFile), { recursive: true });
  writeFileSync(timesFile, JSON.stringify(secondsByFile));
}

function count(passes, failures) {
  passed += passes;
  failed += failures.length;
  problems.push(...failures);
}
