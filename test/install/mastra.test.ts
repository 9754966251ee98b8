/** The example of Mastra, in a project of its own: its package has 150 MB, and needs Node 22. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { requireBuild } from '../entries/cli/run-pagewright.ts';
import { rareTest } from '../support/deep.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

rareTest('an agent of Mastra reads a page with our tools', { timeout: 400_000 }, async () => {
  requireBuild();
  const folder = mkdtempSync(join(tmpdir(), 'pagewright-mastra-'));
  try {
    const pack = ['pack', root, '--ignore-scripts', '--silent'];
    const { stdout: tarball } = await run('npm', pack, { cwd: folder });
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    const packages = [`./${tarball.trim()}`, '@mastra/core@1.71.0'];
    const install = ['install', '--engine-strict=false', '--no-audit', '--no-fund', ...packages];
    await run('npm', install, { cwd: folder });
    cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
    const node = await run(process.execPath, ['.ci/runtimes.mjs', 'node24'], { cwd: root });
    const words = ['examples/mastra/agent.mjs'];
    const { stdout } = await run(node.stdout.trim(), words, { cwd: folder, timeout: 60_000 });
    expect(stdout).toBe('With a schedule.\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
