/** Jobs that last in a store: interrupted, listed, resumed, crawled again and removed. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from 'pagewright/testing';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { DocumentLog } from '../../../src/core/jobs/document-log.ts';
import { commandLine } from './command-line.ts';
import {
  collect,
  filesBelow,
  requireBuild,
  startPagewright,
  workingDirectory,
} from './run-pagewright.ts';

beforeAll(requireBuild);

const count = 12;
const links = Array.from({ length: count }, (_, n) => `<a href="/p/${n}">${n}</a>`).join(' ');
const page = (n: number, words = 'Words'): string =>
  `<title>${n}</title><main><h1>${n}</h1><p>${words} of page ${n}.</p></main>`;
const pages = {
  '/p/': `<title>Start</title><main><h1>Start</h1><p>${links}</p></main>`,
  ...Object.fromEntries(Array.from({ length: count }, (_, n) => [`/p/${n}`, page(n)])),
};
const loopback = ['--allow', '127.0.0.1'];

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly counts: Readonly<Record<string, number>>;
}

async function listed(cwd: string): Promise<Listed[]> {
  const { stdout } = await commandLine(['jobs', '--store', 'jobs.sqlite', '--json'], { cwd });
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Listed]));
}

// The crawl has to run for more than a second: its counts are stored once a second.
test('a crawl that is interrupted names the command that goes on with it, and fetches no page again', async () => {
  const cwd = workingDirectory();
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  await using site = await serve(async ({ url }) => {
    if (url === '/p/5') await opened;
    return (pages as Readonly<Record<string, string>>)[url];
  });
  const child = startPagewright(
    [
      'crawl', site.url('/p/'), '--store', 'jobs.sqlite', '--sitemap', 'skip',
      '--max-concurrency', '1', '--cache', 'copies', ...loopback,
    ],
    cwd,
  ); // prettier-ignore
  const output = collect(child);
  const fetched = (): string[] =>
    site.log.map(({ url }) => url).filter((url) => url.startsWith('/p/'));
  await expect.poll(fetched, { timeout: 15_000 }).toContain('/p/5');
  await new Promise((resolve) => setTimeout(resolve, 1600));
  child.kill('SIGINT');
  const [code] = (await once(child, 'close')) as [number];
  const { stderr, stdout } = output();
  expect({ code, lines: stdout.match(/\n/g)?.length }).toEqual({ code: 130, lines: 6 });
  const id = /^job (\S+)$/m.exec(stderr)?.[1] ?? '';
  // npx, where the tests are run by it.
  const hint = / pagewright (resume .+)$/m.exec(stderr)?.[1]?.split(' ') ?? [];
  expect(hint.join(' ')).toBe(
    `resume ${id} --store jobs.sqlite --max-concurrency 1 --cache copies --allow 127.0.0.1`,
  );
  expect(await listed(cwd)).toMatchObject([{ id, status: 'scraping', counts: { completed: 6 } }]);
  open();
  const before = fetched().length;
  const copies = filesBelow(join(cwd, 'copies')).length;
  const resumed = await commandLine([...hint, '--jsonl', 'all.jsonl'], { cwd });
  expect(resumed.code).toBe(0);
  expect(resumed.stderr).toContain('13 pages written to all.jsonl\n');
  expect(filesBelow(join(cwd, 'copies')).length).toBeGreaterThan(copies);
  expect(readFileSync(join(cwd, 'all.jsonl'), 'utf8').match(/\n/g)).toHaveLength(13);
  expect(fetched().slice(before).sort()).toEqual(
    Array.from({ length: 7 }, (_, n) => `/p/${n + 5}`).sort(),
  );
  expect(await listed(cwd)).toMatchObject([{ id, status: 'completed', counts: { completed: 13 } }]);
});

/** A folder whose config file names the store. */
function configured(): string {
  const cwd = workingDirectory();
  const library = new URL('../../../dist/index.js', import.meta.url).href;
  const text = `import { fileStore } from '${library}'; export default { storage: fileStore('jobs') };`;
  writeFileSync(join(cwd, 'pagewright.config.mjs'), text);
  return cwd;
}

test.each([
  ['crawl', ['/p/'], ['--sitemap', 'skip']],
  ['batch', ['/p/0', '/p/5'], []],
])('an interrupted %s lasts in the storage of the config file', async (verb, paths, more) => {
  const cwd = configured();
  await using site = await serve(({ url }) =>
    url === '/p/5' ? new Promise<never>(() => undefined) : (pages as Record<string, string>)[url],
  );
  const urls = paths.map((path) => site.url(path));
  const child = startPagewright([verb, ...urls, ...more, ...loopback], cwd);
  const output = collect(child);
  await expect.poll(() => site.log.map(({ url }) => url), { timeout: 15_000 }).toContain('/p/5');
  child.kill('SIGINT');
  await once(child, 'close');
  expect(output().stderr).toMatch(/^resume with: .*pagewright resume \S+ --allow 127\.0\.0\.1$/m);
  const { stdout } = await commandLine(['jobs', '--json'], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ status: 'scraping' });
});

test('a crawl with failed pages names the command that retries them', async () => {
  const cwd = workingDirectory();
  let isDown = true;
  await using site = await serve(({ url }) =>
    isDown && url === '/p/5' ? undefined : (pages as Record<string, string>)[url],
  );
  const words = ['crawl', site.url('/p/'), '--store', 'jobs.sqlite', '--sitemap', 'skip'];
  const first = await commandLine([...words, ...loopback], { cwd });
  expect(first.code).toBe(3);
  const hint = / pagewright (resume .+)$/m.exec(first.stderr)?.[1]?.split(' ') ?? [];
  expect(hint.slice(2)).toEqual(['--store', 'jobs.sqlite', ...loopback, '--retry-failed']);
  const again = await commandLine([...hint, '--jsonl', 'all.jsonl'], { cwd });
  expect(again.code).toBe(3);
  expect(again.stderr).toMatch(/^resume with: .* --retry-failed /m);
  isDown = false;
  const fetched = site.log.length;
  const retried = await commandLine([...hint, '--jsonl', 'all.jsonl'], { cwd });
  expect(retried.code).toBe(0);
  expect(retried.stderr).toContain('13 pages written to all.jsonl\n');
  expect(retried.stderr).not.toContain('resume with');
  expect(site.log.slice(fetched).map(({ url }) => url)).toContain('/p/5');
});

test('the storage of the config file is enough for --since, --job-retention and --assets', async () => {
  const cwd = configured();
  await using site = await serve(pages);
  const words = ['crawl', site.url('/p/'), '--sitemap', 'skip', ...loopback];
  const more = ['--job-retention', '60000', '--assets', 'images', '--jsonl', 'pages.jsonl'];
  expect(await commandLine([...words, ...more], { cwd })).toMatchObject({ code: 0 });
  const { stdout } = await commandLine(['jobs', '--json'], { cwd });
  const { id } = JSON.parse(stdout) as Listed;
  const { code, stderr } = await commandLine([...words, '--since', id], { cwd });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toContain(`since ${id}: 0 new, 0 changed, 0 removed, 13 same\n`);
});

test('PAGEWRIGHT_SECRET seals secrets in the storage of the config file', async () => {
  const cwd = configured();
  await using site = await serve(pages);
  vi.stubEnv('PAGEWRIGHT_SECRET', 'a secret of this test');
  onTestFinished(() => void vi.unstubAllEnvs());
  const words = ['crawl', site.url('/p/'), '--limit', '1', '--sitemap', 'skip', ...loopback];
  const { code } = await commandLine([...words, '--header', 'authorization: Bearer t0ken'], {
    cwd,
  });
  expect(code).toBe(0);
  const stored = filesBelow(join(cwd, 'jobs')).map((file) =>
    readFileSync(join(cwd, 'jobs', file), 'latin1'),
  );
  expect(stored.join()).toContain('"$":"sealed"');
  expect(stored.join()).not.toContain('t0ken');
});

test.each([['crawl'], ['batch']])('%s keeps no page that nothing reads again', async (verb) => {
  const forget = vi.spyOn(DocumentLog.prototype, 'forget');
  onTestFinished(() => forget.mockRestore());
  await using site = await serve({ ...pages, '/hook': '' });
  const words = [verb, site.url('/p/1'), '--report', 'report.html', ...loopback];
  const run = async (...more: string[]): Promise<number> => {
    forget.mockClear();
    const { code, stdout } = await commandLine([...words, ...more], { cwd: workingDirectory() });
    expect([code, stdout.match(/\n/g)?.length]).toEqual([0, 1]);
    return forget.mock.calls.length;
  };
  expect(await run()).toBeGreaterThan(0);
  expect(await run('--store', 'jobs')).toBe(0);
  expect(await run('--webhook', site.url('/hook'))).toBe(0);
});

test('--since tells and writes what changed since an earlier crawl', async () => {
  const cwd = workingDirectory();
  const site: Record<string, string> = { ...pages };
  await using server = await serve(({ url }) => site[url]);
  const words = [
    'crawl',
    server.url('/p/'),
    '--store',
    'jobs.sqlite',
    '--sitemap',
    'skip',
    ...loopback,
  ];
  expect((await commandLine(words, { cwd })).code).toBe(0);
  const [first] = await listed(cwd);
  site['/p/1'] = page(1, 'Other words');
  delete site['/p/2'];
  site['/p/new'] = page(100);
  site['/p/'] =
    `<title>Start</title><main><h1>Start</h1><p>${links} <a href="/p/new">new</a></p></main>`;
  const since = ['--since', first?.id ?? '', '--changes', 'changes.json', '--jsonl', 'pages.jsonl'];
  const { stderr } = await commandLine([...words, ...since], { cwd });
  for (const line of [
    `new: ${server.url('/p/new')}`,
    `changed: ${server.url('/p/1')}`,
    `removed: ${server.url('/p/2')}`,
  ]) {
    expect(stderr).toContain(`${line}\n`);
  }
  expect(stderr).toContain(`since ${first?.id}: 1 new, 2 changed, 1 removed, 10 same\n`);
  const changes = JSON.parse(readFileSync(join(cwd, 'changes.json'), 'utf8')) as object;
  expect(changes).toMatchObject({ new: [server.url('/p/new')], removed: [server.url('/p/2')] });
});

test('jobs is a table, and --remove removes one', async () => {
  const cwd = workingDirectory();
  await using server = await serve(pages);
  const store = ['--store', 'jobs.sqlite'];
  await commandLine(['batch', server.url('/p/1'), server.url('/p/2'), ...store, ...loopback], {
    cwd,
  });
  const { stdout } = await commandLine(['jobs', ...store], { cwd });
  const [{ id } = { id: '' }] = await listed(cwd);
  expect(stdout).toMatch(/^ID +KIND +STATUS +PAGES +FAILED +QUEUED +STARTED +KEPT UNTIL +URL\n/);
  expect(stdout).toMatch(new RegExp(`^${id} +batch +completed +2 +0 +0 +.*-$`, 'm'));
  expect(await commandLine(['jobs', ...store, '--remove', id], { cwd })).toEqual({
    code: 0,
    stdout: '',
    stderr: `removed job ${id}\n`,
  });
  expect((await commandLine(['jobs', ...store], { cwd })).stdout).toBe(
    'There are no jobs in the store.\n',
  );
  expect(await commandLine(['jobs', ...store, '--remove', id], { cwd })).toMatchObject({ code: 1 });
});

test.each([
  [['jobs'], 'jobs needs --store'],
  [['resume', 'x'], 'resume needs --store'],
  [['resume', 'x', '--store', 'jobs', '--no-relative-links'], 'a folder of markdown files'],
  [['crawl', 'https://a.test/', '--since', 'x'], '--since needs --store'],
  [['crawl', 'https://a.test/', '--changes', 'x'], '--changes needs --since'],
  [['crawl', 'https://a.test/', '--job-retention', '5000'], '--job-retention needs --store'],
  [['batch', 'https://a.test/', '--store', 'ftp://a'], 'there is no store for ftp://'],
  [['batch', 'https://a.test/', '--prefix', 'a'], '--prefix is for keys in Redis'],
])('wrong use: %j', async (words, message) => {
  const { code, stderr } = await commandLine(words);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) as string });
});

test('a job that is not in the store is JOB_NOT_FOUND', async () => {
  const { code, stderr } = await commandLine(['resume', 'x', '--store', 'jobs'], {
    cwd: workingDirectory(),
  });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /^JOB_NOT_FOUND: .* pagewright jobs --store <place> lists its jobs/,
    ) as string,
  });
});

test('plan tells the pages of a crawl, and with --skipped why not the others', async () => {
  await using server = await serve(pages);
  const words = ['plan', server.url('/p/'), '--limit', '3', '--sitemap', 'skip', ...loopback];
  const { code, stdout, stderr } = await commandLine(words);
  expect(code).toBe(0);
  expect(
    stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(/ {2,}/)),
  ).toEqual([
    ['page', 'start, depth 0', server.url('/p/')],
    ['page', 'link, depth 1', server.url('/p/0')],
    ['page', 'link, depth 1', server.url('/p/1')],
  ]);
  expect(stderr).toBe('skipped: 10 LIMIT\n3 pages would be crawled, 0 failed\n');
  const all = await commandLine([...words, '--skipped']);
  expect(all.stdout).toMatch(new RegExp(`^LIMIT +limit: 3 +${server.url('/p/11')}$`, 'm'));
  const { stdout: json } = await commandLine([...words, '--json']);
  expect(JSON.parse(json)).toMatchObject({ skippedByReason: { LIMIT: 10 }, errors: [] });
});
