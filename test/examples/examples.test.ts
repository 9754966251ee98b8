/** The examples run from the packed library, are typed against its declarations, and print what they are known to. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { installPacked } from '../support/packed-library.ts';
import { startRedis } from '../support/redis.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const app = mkdtempSync(join(tmpdir(), 'pagewright-examples-'));
const examples = readdirSync(join(root, 'examples')).filter((file) => file.endsWith('.ts'));
// They start Node, npm, the compiler and Chromium.
vi.setConfig({ testTimeout: 90_000 });

const run = (words: readonly string[], input = '', variables = {}): Promise<string> => {
  const { NODE_OPTIONS: _, OPENAI_API_KEY: __, ...inherited } = process.env;
  const env = { ...inherited, ...variables };
  const running = promisify(execFile)(process.execPath, words, { cwd: app, env, timeout: 80_000 });
  running.child.stdin?.end(input);
  return running.then(
    ({ stdout }) => stdout,
    (error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
    },
  );
};

beforeAll(async () => {
  await installPacked(app);
  // A user copies them: Node strips no types inside node_modules.
  cpSync(join(app, 'node_modules/pagewright/examples'), app, { recursive: true });
  const compilerOptions = {
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: true,
    // The declarations of ai and langsmith fail exactOptionalPropertyTypes; test/install checks those of the library.
    skipLibCheck: true,
  };
  const tsconfig = { compilerOptions, include: ['*.ts', 'apify-actor/*.ts', 'fleet/*.ts'] };
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify(tsconfig));
  writeFileSync(join(app, 'package.json'), JSON.stringify({ type: 'module' }));
  await run([join(root, 'node_modules/typescript/bin/tsc'), '-p', '.']);
}, 240_000);

afterAll(() => rmSync(app, { recursive: true, force: true }));

test.each(examples)('%s', async (file) => {
  const input = 'https://lantern.test/docs/\nhttps://lantern.test/none.html\nhttp://nowhere:1\n';
  const stdout = await run([file.replace(/\.ts$/, '.js')], input);
  const output = stdout.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1');
  // Its pages are scraped side by side.
  const comparable = file === 'worker-script.ts' ? output.split('\n').sort().join('\n') : output;
  await expect(comparable).toMatchFileSnapshot(`output/${file.replace(/\.ts$/, '.txt')}`);
});

test('apify-actor/main.ts writes its dataset, and the next run of the same storage knows its job', async () => {
  const storage = join(app, 'apify-storage');
  const runActor = (): Promise<string> =>
    run(['apify-actor/main.js'], '', {
      CRAWLEE_STORAGE_DIR: storage,
      CRAWLEE_PURGE_ON_START: '0',
    });
  const items = (): unknown[] => {
    const folder = join(storage, 'datasets/default');
    const files = readdirSync(folder).filter((file) => /^\d+\.json$/.test(file));
    return files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as unknown);
  };
  expect(await runActor()).toContain('https://lantern.test/docs/reference/cli.html\n');
  expect(items()).toHaveLength(7);
  expect(items()[0]).toMatchObject({
    url: 'https://lantern.test/docs/',
    markdown: expect.stringContaining('# '),
  });
  expect(await runActor()).not.toContain('https://lantern.test/');
  expect(items()).toHaveLength(7);
});

test('fleet/crawl.ts has its pages visited by its worker', async () => {
  const redis = await startRedis();
  try {
    const stdout = await run(['fleet/crawl.js'], '', { REDIS_URL: redis.url });
    expect(stdout.match(/^https:\/\/lantern\.test\/docs\//gm)).toHaveLength(7);
    expect(stdout).toMatch(/visited 7 pages, 32 at a time/);
  } finally {
    await redis.stop();
  }
});
