/** `pagewright worker`, `crawl --fleet` and `fleet`, over a real Redis; the worker is a process of its own. */
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'pagewright';
import { redisStore } from 'pagewright/storage';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ExitCode } from '../../../src/entries/cli/command-errors.ts';
import { storeOf } from '../../../src/entries/cli/store-options.ts';
import { linkedSite } from '../../../src/entries/testing/linked-site.ts';
import { serve } from '../../../src/entries/testing/serve.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';
import { commandLine } from './command-line.ts';
import { collect, requireBuild, startPagewright, workingDirectory } from './run-pagewright.ts';

let redis: RedisServer;
let prefixes = 0;

beforeAll(async () => {
  requireBuild();
  redis = await startRedis();
});
afterAll(async () => {
  await redis.stop();
});

const allow = ['--allow', '127.0.0.1'];

/** A worker that runs, and what it says. */
async function startWorkerCommand(words: readonly string[], cwd: string = workingDirectory()) {
  const child = startPagewright(['worker', '--redis', redis.url, ...allow, ...words], cwd);
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = collect(child);
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  await expect.poll(() => said().stderr, { timeout: 20_000 }).toMatch(/pages at a time|rror/);
  return { child, said, exit };
}

function prefix(): string[] {
  return ['--prefix', `command-${(prefixes += 1)}:`];
}

test('a worker visits the pages of crawl --fleet, and drains at SIGTERM', async () => {
  await using server = await serve(linkedSite({ pages: 12, links: 2, seed: 4 }).site);
  const own = prefix();
  const { child, said, exit } = await startWorkerCommand([
    ...own, '--slots', '6', '--browser-slots', '0', '--drain', '5',
  ]); // prettier-ignore
  expect(said().stderr).toMatch(/^worker [0-9a-f-]{36}: 6 pages at a time, 0 in browsers/);
  const crawl = await commandLine([
    'crawl', server.url('/'), '--limit', '10', '--fleet', redis.url, ...own, ...allow, '--json',
  ]); // prettier-ignore
  // A crawl of more than 5 s reports its progress first.
  const summary = crawl.stderr.trim().split('\n').at(-1) ?? '';
  expect({ code: crawl.code, stderr: JSON.parse(summary) as unknown }).toMatchObject({
    code: 0,
    stderr: { summary: { completed: 10, failed: 0 } },
  });
  expect(crawl.stdout.trim().split('\n')).toHaveLength(10);
  expect(crawl.stderr).toContain('Without --store this crawl cannot be resumed');
  const status = await commandLine(['fleet', 'status', '--redis', redis.url, ...own]);
  expect(status.code).toBe(0);
  expect(status.stdout).toMatch(/^WORKER +HOST +PID/);
  expect(status.stdout).toMatch(
    new RegExp(` ${child.pid} .* \\d/6 +0/0 +\\d+ +0 +\\d+ MB +runs\n`),
  );
  expect(status.stdout).toMatch(/\nhttp +[\d.]+ +- +- +1 +0\/6 +0 +0\.0 s\n/);
  expect(status.stdout).toContain('crawls: 0 waiting, 0 running');
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
  expect(said().stderr).toContain('draining: 0 pages in progress');
  const after = await commandLine(['fleet', 'status', '--redis', redis.url, ...own, '--json']);
  expect(JSON.parse(after.stdout)).toMatchObject({ workers: [], isPaused: false });
});

test('a second signal ends a worker at once', async () => {
  await using server = await serve(async () => {
    await sleep(20_000);
    return 'late';
  });
  const own = prefix();
  const { child, said, exit } = await startWorkerCommand(own);
  const crawl = startPagewright(
    [
      'crawl', server.url('/'), '--ignore-robots-txt', '--sitemap', 'skip', '--fleet', redis.url, ...own, ...allow,
    ],
    workingDirectory(),
  ); // prettier-ignore
  onTestFinished(() => void crawl.kill('SIGKILL'));
  await expect.poll(() => server.log.length, { timeout: 20_000 }).toBeGreaterThan(0);
  child.kill('SIGINT');
  await expect.poll(() => said().stderr, { timeout: 20_000 }).toContain('draining: 1 pages');
  child.kill('SIGINT');
  expect(await exit).toEqual([ExitCode.interrupted, null]);
});

test('a worker whose Redis is gone ends all the same', async () => {
  const gone = await startRedis();
  const { child, exit } = await startWorkerCommand(['--redis', gone.url, '--drain', '1']);
  await gone.stop();
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
}, 60_000);

test('--module gives further options, --storage is shared, and other workers take no pages', async () => {
  await using server = await serve(linkedSite({ pages: 3, links: 1, seed: 4 }).site);
  const cwd = workingDirectory();
  writeFileSync(
    join(cwd, 'shop.mjs'),
    `export default {
      slots: 3,
      hooks: { beforeRequest: ({ headers }) => void (headers['x-shop'] = 'yes') },
    };`,
  );
  const kind = [...prefix(), '--setup', 'shop', '--place', 'eu-de', '--storage', join(cwd, 'jobs')];
  const { child, said, exit } = await startWorkerCommand([...kind, '--module', 'shop.mjs'], cwd);
  expect(said().stderr).toContain(': 3 pages at a time');
  const { code, stderr } = await commandLine([
    'crawl', server.url('/'), '--limit', '1', '--fleet', redis.url, ...kind, ...allow, '--json',
  ]); // prettier-ignore
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('"completed":1') as string,
  });
  expect(server.log.filter(({ headers }) => headers['x-shop'] === 'yes')).toMatchObject([
    { url: '/' },
  ]);
  expect(readdirSync(join(cwd, 'jobs')).length).toBeGreaterThan(0);
  child.kill('SIGINT');
  expect(await exit).toEqual([0, null]);
});

test('crawl --detach leaves the crawl to a worker and prints its id', async () => {
  await using server = await serve(linkedSite({ pages: 5, links: 1, seed: 4 }).site);
  const own = prefix();
  const { code, stdout } = await commandLine([
    'crawl', server.url('/'), '--limit', '4', '--fleet', redis.url, ...own, ...allow, '--detach',
  ]); // prettier-ignore
  expect(code).toBe(0);
  expect(stdout).toMatch(/^[0-9a-f-]{36}\n$/);
  await startWorkerCommand([...own, '--takes', 'visits,crawls', '--crawls', '1']);
  const [, keys = ''] = own;
  await using client = createClient({ storage: redisStore({ url: redis.url, prefix: keys }) });
  expect((await client.jobs.follow(stdout.trim())).completed).toBe(4);
});

test('fleet pause and resume tell the state of the fleet', async () => {
  const own = ['--redis', redis.url, ...prefix()];
  const paused = await commandLine(['fleet', 'pause', ...own]);
  expect(paused.stdout).toContain('the fleet is paused');
  const resumed = await commandLine(['fleet', 'resume', ...own, '--json']);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ isPaused: false });
});

const secret = 'redis://user:top-secret@127.0.0.1:1';

test.each([
  [['worker', '--redis', secret], 1, 'STORAGE: Redis at 127.0.0.1:1 cannot be reached'],
  [['fleet', 'status', '--redis', secret], 1, 'STORAGE: Redis at 127.0.0.1:1 cannot be reached'],
  [['worker', '--redis', 'http://user:top-secret@host'], 2, 'redis: expected a URL such as'],
  [['fleet', 'status', '--redis', 'top-secret'], 2, 'redis: expected a URL such as'],
  [['worker'], 2, "required option '--redis <url>' not specified"],
  [['worker', '--redis', secret, '--slots', '0'], 2, 'slots: '],
  [['worker', '--redis', secret, '--place', 'a b'], 2, 'place: '],
  [['worker', '--redis', secret, '--takes', 'pages'], 2, 'takes'],
  [['worker', '--redis', secret, '--drain', '1e9'], 2, '--drain'],
  [['crawl', 'https://a.test', '--detach'], 2, '--detach needs --fleet'],
  [['crawl', 'https://a.test', '--fleet', secret, '--detach', '--output', 'o'], 2, 'no pages'],
  [['crawl', 'https://a.test', '--fleet', secret, '--cache', 'c'], 2, '--cache is'],
  [['crawl', 'https://a.test', '--prefix', 'p:'], 2, '--prefix is'],
  [['worker', '--redis', secret, '--drain', '-1'], 2, '--drain'],
  [['worker', '--redis', secret, '--module', 'none.mjs'], 2, '--module none.mjs: '],
  [['worker', '--redis', secret, '--storage', 'ftp://user:top-secret@host'], 2, 'ftp://'],
  [['crawl', 'https://a.test', '--fleet', 'http://top-secret@host'], 2, 'redis: expected a URL'],
  [['crawl', 'https://a.test', '--place', 'eu'], 2, '--place and --setup need --fleet'],
  [['crawl', 'https://a.test', '--fleet', secret, '--profiles', 'p'], 2, '--profiles'],
])('%j ends with exit code %i, and shows no password', async (words, exitCode, message) => {
  const { code, stdout, stderr } = await commandLine(words);
  expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('top-secret');
});

test('a module without options is BAD_REQUEST', async () => {
  const cwd = workingDirectory();
  writeFileSync(join(cwd, 'empty.mjs'), 'export const slots = 3;');
  const empty = await commandLine(['worker', '--redis', secret, '--module', 'empty.mjs'], { cwd });
  expect(empty).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('default-export') as string,
  });
});

test('--store names Redis, a SQLite file or a folder', async () => {
  const cwd = workingDirectory();
  for (const place of [join(cwd, 'one.sqlite'), join(cwd, 'folder')]) {
    const store = storeOf(place);
    await store.set('a', new Uint8Array([1]));
    expect(existsSync(place)).toBe(true);
    await store.release?.();
  }
  const store = storeOf(redis.url, 'named:');
  await store.set('a', new Uint8Array([1]));
  expect(await storeOf(redis.url).get('a')).toBeUndefined();
  expect(await storeOf(redis.url, 'named:').get('a')).toEqual(new Uint8Array([1]));
  expect(() => storeOf('s4://user:top-secret@host')).toThrow(/s4:\/\//);
});
