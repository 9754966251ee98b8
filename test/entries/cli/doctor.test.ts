/** `doctor`: its findings are those of this machine. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { commandLine } from './command-line.ts';
import { requireBuild, workingDirectory } from './run-pagewright.ts';

interface Finding {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
}

// Chromium is started.
test('tells runtime, browser, packages and store, and fails for what was asked for', async () => {
  const cwd = workingDirectory();
  const { code, stdout } = await commandLine(['doctor', '--json', '--store', 'jobs'], { cwd });
  const findings = JSON.parse(stdout) as Finding[];
  expect(code).toBe(0);
  expect(findings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'node', state: 'ok' }),
      expect.objectContaining({ name: 'config', state: 'missing' }),
      expect.objectContaining({
        name: 'browser',
        state: 'ok',
        detail: expect.stringMatching(/^Chromium \d+/) as string,
      }),
      expect.objectContaining({
        name: 'store',
        state: 'ok',
        detail: 'jobs can be read and written',
      }),
      expect.objectContaining({ name: 'redis', state: 'ok' }),
    ]),
  );
});

test('a store and a config that do not work are errors, and what is not there where it is required', async () => {
  const cwd = workingDirectory();
  const chromium = process.env['PAGEWRIGHT_CHROMIUM'];
  // No browser is started.
  process.env['PAGEWRIGHT_CHROMIUM'] = join(cwd, 'none');
  try {
    writeFileSync(join(cwd, 'jobs'), 'a file in the way');
    const stored = await commandLine(['doctor', '--store', 'jobs'], { cwd });
    expect(stored).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^✗ +store +jobs: /m) as string,
    });
    expect((await commandLine(['doctor'], { cwd })).code).toBe(0);
    expect((await commandLine(['doctor', '--require', 'browser'], { cwd })).code).toBe(1);
    expect((await commandLine(['doctor', '--require', 'redis'], { cwd })).code).toBe(0);
    expect(await commandLine(['doctor', '--require', 'rediss'], { cwd })).toMatchObject({
      code: 2,
    });
    writeFileSync(join(cwd, 'pagewright.config.mjs'), 'export default 1;');
    expect((await commandLine(['doctor'], { cwd })).code).toBe(1);
  } finally {
    if (chromium === undefined) delete process.env['PAGEWRIGHT_CHROMIUM'];
    else process.env['PAGEWRIGHT_CHROMIUM'] = chromium;
  }
});

test.each([
  ['false', 'missing', 'the config file has browser: false'],
  ["{ executablePath: '/none/chromium' }", 'broken', '/none/chromium'],
])('the browser is that of the config file: %s', async (browser, state, detail) => {
  const cwd = workingDirectory();
  writeFileSync(join(cwd, 'pagewright.config.mjs'), `export default { browser: ${browser} };`);
  const { stdout } = await commandLine(['doctor', '--json'], { cwd });
  const finding = (JSON.parse(stdout) as Finding[]).find(({ name }) => name === 'browser');
  expect(finding?.state).toBe(state);
  expect(finding?.detail).toContain(detail);
});

/** Runs a command as another user than root, where that can be done without its rights. */
const asUser = ['--user', '--map-user=1000', '--keep-caps'] as const;
const canBeUser = spawnSync('unshare', [...asUser, 'true']).status === 0;

// Chromium is started.
test.runIf(canBeUser)(
  'a sandbox that the system forbids is told, with what to do',
  {
    timeout: 60_000,
  },
  () => {
    requireBuild();
    const program = fileURLToPath(new URL('../../../dist/entries/cli.js', import.meta.url));
    const forbid = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"';
    const command = [process.execPath, program, 'doctor', '--json'];
    const { stdout } = spawnSync('unshare', [...asUser, 'sh', '-c', forbid, 'sh', ...command], {
      cwd: workingDirectory(),
      encoding: 'utf8',
    });
    const findings = JSON.parse(stdout) as Finding[];
    expect(findings.find(({ name }) => name === 'browser')).toEqual({
      name: 'browser',
      state: 'broken',
      detail: expect.stringMatching(
        /^The sandbox of .* does not start: .*'--no-sandbox'/,
      ) as string,
    });
  },
);
