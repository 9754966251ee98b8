/** The smoke list on every runtime that is supported. Runtimes are downloaded once, and each starts Chromium. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { requireBuild } from '../entries/cli/run-pagewright.ts';
import { isDeep } from '../support/deep.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** The words before the file. Node 20 runs all other tests. */
const runtimes: Readonly<Record<string, readonly string[]>> = {
  node24: [],
  bun: ['run'],
  ...(isDeep('node22') && { node22: [] }),
  ...(isDeep('deno') && { deno: ['run', '--allow-all'] }),
};

test.each(Object.entries(runtimes))('%s', { timeout: 400_000 }, async (name, words) => {
  requireBuild();
  const folder = mkdtempSync(join(tmpdir(), 'pagewright-runtime-'));
  try {
    const found = await run(process.execPath, ['.ci/runtimes.mjs', name], { cwd: root });
    const file = join(root, 'test/install/smoke-list.mjs');
    const { stdout } = await run(found.stdout.trim(), [...words, file, folder], {
      cwd: root,
      timeout: 120_000,
    });
    expect(JSON.parse(stdout)).toEqual({
      scrape: 'Light',
      stealth: 'stealth',
      thread: true,
      crawl: 40,
      extract: { name: 'Korrigan Skell 3 Tent', price: 349 },
      pdf: true,
      fileStore: 5,
      sqliteStore: 5,
      screenshot: true,
      threads: [],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
