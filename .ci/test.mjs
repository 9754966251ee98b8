// `npm test`: every check of the project. Those that only read run in two lanes, side by side; the
// tests run alone, because some of them tell the time. A failing check does not stop the others. The
// last line of the output is `N passed, N failed`: each test counts, and each check.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
const testReport = join(scratch, 'vitest.json');

/** First, one after the other: what others need. Each check is ended after `limit` seconds. */
const preparations = [
  { name: 'build', command: tool('typescript', 'tsc', '-p', 'tsconfig.build.json'), limit: 120 },
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
      command: tool('@arethetypeswrong/cli', 'attw', '--pack', '.', '--profile', 'esm-only'),
      limit: 120,
    },
    { name: 'API report', command: ['docs/api-report.mjs', '--check'], limit: 60 },
  ],
];

/** Then, one after the other. */
const programs = [
  {
    name: 'vitest',
    command: tool(
      'vitest',
      'vitest',
      'run',
      '--reporter=default',
      `--reporter=${join(root, '.ci/vitest-report.mjs')}`,
    ),
    limit: 3000,
  },
  ...readdirSync(join(root, 'examples'))
    .filter((file) => file.endsWith('.mjs'))
    .sort()
    .map((file) => ({ name: `example ${file}`, command: [`examples/${file}`], limit: 60 })),
];

/** The checks that are running, so that they end when this process is told to end. */
const running = new Set();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    for (const child of running) end(child, 'SIGKILL');
    rmSync(scratch, { recursive: true, force: true });
    process.exit(1);
  });
}

let passed = 0;
let failed = 0;
const problems = [];

rmSync(join(root, 'dist'), { recursive: true, force: true });
for (const check of preparations) await perform(check);
await Promise.all(lanes.map(performLater));
for (const check of programs) await perform(check);
rmSync(scratch, { recursive: true, force: true });

console.log('');
for (const problem of problems) console.log(`failed: ${problem}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** The arguments of Node that run a tool of `node_modules`. */
function tool(packageName, bin, ...args) {
  const folder = join(root, 'node_modules', packageName);
  const description = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const script = typeof description.bin === 'string' ? description.bin : description.bin[bin];
  return [join(folder, script), ...args];
}

/** Runs a check, shows what it writes as it comes, and counts it. */
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

/** Runs Node on a script; gives what went wrong, or undefined, and what it wrote into a pipe. */
async function run({ command, limit }, output) {
  const started = Date.now();
  const child = spawn(process.execPath, command, {
    cwd: root,
    env: { ...process.env, PAGEWRIGHT_TEST_REPORT: testReport },
    stdio: ['ignore', output, output],
    // A process group of its own, so that what it started can be ended with it.
    detached: true,
  });
  running.add(child);
  const written = [];
  child.stdout?.on('data', (chunk) => written.push(chunk));
  child.stderr?.on('data', (chunk) => written.push(chunk));
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    end(child, 'SIGKILL');
  }, limit * 1000);
  const outcome = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    // When its pipes are closed, all that it wrote is there.
    child.once('close', (code, signal) => {
      resolve(code === 0 ? undefined : `ended with ${signal ?? `exit code ${code}`}`);
    });
  });
  clearTimeout(timer);
  running.delete(child);
  return {
    problem: late ? `not done within ${limit} s` : outcome,
    seconds: (Date.now() - started) / 1000,
    output: Buffer.concat(written),
  };
}

/** Ends a check and what it started. */
function end(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
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
  const problems = [...report.problems];
  if (report.passed + problems.length === 0) problems.push('vitest: no test ran');
  else if (problems.length === 0 && problem !== undefined) problems.push(`vitest: ${problem}`);
  count(report.passed, problems);
}

function count(passes, failures) {
  passed += passes;
  failed += failures.length;
  problems.push(...failures);
}
