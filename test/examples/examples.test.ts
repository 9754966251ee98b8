/**
 * The examples run from the packed library in CommonJS projects, are typed against its declarations, and print what
 * they are known to. Those that need further packages say so where these are missing.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { installPacked } from '../support/packed-library.ts';
import { startRedis } from '../support/redis.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** A project with all packages, and one with pagewright and what it depends on. */
const app = mkdtempSync(join(tmpdir(), 'pagewright-examples-'));
const bare = mkdtempSync(join(tmpdir(), 'pagewright-bare-'));
const sources = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && file !== 'needs.ts',
);
/** Each example, and the line that it prints where a package is missing. */
const needs = new Map<string, string | undefined>();
for (const file of sources) {
  const source = readFileSync(join(root, 'examples', file), 'utf8');
  const [, names] = /^needs\((.*)\);$/m.exec(source) ?? [];
  const line =
    names === undefined
      ? /This example needs: .*(?=')/.exec(source)?.[0]
      : `This example needs: npm i ${names.replaceAll(/[',]/g, '')}`;
  needs.set(file, line);
}
const examples = sources.filter((file) => !/[\\/]/.test(file));
// They start Node, npm, the compiler and Chromium.
vi.setConfig({ testTimeout: 90_000 });

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function start(
  cwd: string,
  words: readonly string[],
  { input = '', variables = {} } = {},
): Promise<Run> {
  const { NODE_OPTIONS: _, OPENAI_API_KEY: __, ...inherited } = process.env;
  const env = { ...inherited, ...variables };
  const running = promisify(execFile)(process.execPath, words, { cwd, env, timeout: 80_000 });
  running.child.stdin?.end(input);
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: Run) => error,
  );
}

async function run(...given: Parameters<typeof start>): Promise<string> {
  const { code, stdout, stderr } = await start(...given);
  if (code !== 0) throw new Error(`${given[1].join(' ')}\n${stdout}\n${stderr}`);
  return stdout;
}

beforeAll(async () => {
  await installPacked(app);
  const own = join(app, 'node_modules/pagewright');
  // A user copies them: Node strips no types inside node_modules.
  cpSync(join(own, 'examples'), join(app, 'examples'), { recursive: true });
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
  const tsconfig = { compilerOptions, include: ['examples'] };
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify(tsconfig));
  await run(app, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.']);
  for (const folder of [app, bare]) writeFileSync(join(folder, 'package.json'), '{}');
  for (const part of ['examples', 'node_modules/pagewright']) {
    cpSync(join(app, part), join(bare, part), { recursive: true });
  }
  const { dependencies } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const name of Object.keys(dependencies)) {
    const link = join(bare, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link, 'dir');
  }
}, 240_000);

afterAll(() => {
  for (const folder of [app, bare]) rmSync(folder, { recursive: true, force: true });
});

const built = (file: string): string => join('examples', file.replace(/\.ts$/, '.js'));

test.each(examples)('%s', async (file) => {
  const input = 'https://lantern.test/docs/\nhttps://lantern.test/none.html\nhttp://nowhere:1\n';
  const stdout = await run(needs.get(file) === undefined ? bare : app, [built(file)], { input });
  const output = stdout.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1');
  // Its pages are scraped side by side.
  const comparable = file === 'worker-script.ts' ? output.split('\n').sort().join('\n') : output;
  await expect(comparable).toMatchFileSnapshot(`output/${file.replace(/\.ts$/, '.txt')}`);
});

test('an example that needs a package says what to install, and nothing else', async () => {
  const asking = [...needs].filter(([, line]) => line !== undefined);
  expect(asking.length).toBeGreaterThan(15);
  const runs = asking.map(async ([file, line]) => {
    expect(await start(bare, [built(file)]), file).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `${line}\n`,
    });
  });
  await Promise.all(runs);
});

test('apify-actor/main.ts writes its dataset, and the next run of the same storage knows its job', async () => {
  const storage = join(app, 'apify-storage');
  const runActor = (): Promise<string> =>
    run(app, [built('apify-actor/main.ts')], {
      variables: { CRAWLEE_STORAGE_DIR: storage, CRAWLEE_PURGE_ON_START: '0' },
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

test('shell.txt is a script for pagewright shell', async () => {
  const input = readFileSync(join(bare, 'examples/shell.txt'), 'utf8');
  const program = join('node_modules/pagewright/dist/entries/cli.js');
  const site = ['--fixtures', 'https://lantern.test=examples/sites/docs'];
  const words = [program, 'shell', 'https://lantern.test/docs/', ...site];
  await expect(await run(bare, words, { input })).toMatchFileSnapshot('output/shell.txt');
});

test('firecrawl-api/server.ts is a program: it answers to its keys, and ends at SIGTERM', async () => {
  const key = 'a-key-of-16-characters';
  const server = spawn(process.execPath, [built('firecrawl-api/server.ts')], {
    cwd: app,
    env: { ...process.env, FIRECRAWL_API_KEYS: key, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const exit = once(server, 'exit');
    const [said] = (await Promise.race([once(server.stdout, 'data'), exit])) as [unknown];
    const [, port] = /port: (\d+)/.exec(String(said)) ?? [];
    const scrape = (authorization: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/v2/scrape`, {
        method: 'POST',
        headers: { authorization },
        body: JSON.stringify({ url: `http://127.0.0.1:${port}/` }),
      });
    expect((await scrape('Bearer another')).status).toBe(401);
    const refused = await scrape(`Bearer ${key}`);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ success: false, code: 'BLOCKED_ADDRESS' });
    server.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  } finally {
    server.kill('SIGKILL');
  }
});

test('fleet/crawl.ts has its pages visited by its worker', async () => {
  const redis = await startRedis();
  try {
    const stdout = await run(app, [built('fleet/crawl.ts')], {
      variables: { REDIS_URL: redis.url },
    });
    expect(stdout.match(/^https:\/\/lantern\.test\/docs\//gm)).toHaveLength(7);
    expect(stdout).toMatch(/visited 7 pages, 32 at a time/);
  } finally {
    await redis.stop();
  }
});

test('fleet/worker.ts serves its metrics and those of its fleet, and drains at SIGTERM', async () => {
  const redis = await startRedis();
  const worker = spawn(process.execPath, [built('fleet/worker.ts')], {
    cwd: app,
    env: { ...process.env, REDIS_URL: redis.url, METRICS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const exit = once(worker, 'exit');
    const [said] = (await Promise.race([once(worker.stdout, 'data'), exit])) as [unknown];
    const [, port] = /port: (\d+)/.exec(String(said)) ?? [];
    const metrics = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(metrics.status).toBe(200);
    expect(metrics.headers.get('content-type')).toContain('version=0.0.4');
    const text = await metrics.text();
    expect(text).toContain('\npagewright_visits_total{class="http",outcome="page"} 0\n');
    expect(text).toMatch(/\npagewright_fleet_slots\{class="http",version="[\d.]+"\} 32\n/);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
    worker.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  } finally {
    worker.kill('SIGKILL');
    await redis.stop();
  }
});
