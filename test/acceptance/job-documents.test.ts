/** The documents of a job by label, status, path and time, and what they are written to. */
import { type Client, createClient, memoryStore, type Store } from 'pagewright';
import { fakeClock } from 'pagewright/testing';
import { writeCsv, writeJson } from 'pagewright/export';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FixtureServer, serve } from '../../src/entries/testing/index.ts';

const page = (title: string): string => `<title>${title}</title><main><p>${title}</p></main>`;
const routes = [
  { match: '^/p/', label: 'product' },
  { match: '^/$', label: 'list' },
] as const;

let site: FixtureServer;
let storage: Store;
let id: string;

const open = (store = storage): Client =>
  createClient({ network: { allow: ['127.0.0.1'] }, cache: false, storage: store });

beforeAll(async () => {
  site = await serve({
    '/': `<main>${['/p/1', '/p/2', '/gone', '/old'].map((href) => `<a href="${href}">to ${href}</a>`).join(' ')}</main>`,
    '/p/1': page('=HYPERLINK("http://evil.test","one")'),
    '/p/2': page('two; and more'),
    '/gone': { status: 410, body: page('gone') },
    '/old': { status: 404, body: page('old') },
  });
  storage = memoryStore();
  await using client = open();
  const job = client.crawl(site.url('/'), {
    sitemap: 'skip',
    routes,
    errorPages: 'keep',
    scrapeOptions: { retries: 0 },
  });
  await job;
  ({ id } = job);
  // The first crawl of a process loads its modules.
}, 30_000);
afterAll(() => site.close());

/** The paths of what a filter fits, in a job of the storage. */
async function found(filter: object): Promise<string[]> {
  await using client = open();
  const paths: string[] = [];
  for await (const { metadata } of client.jobs.follow(id).documents(filter)) {
    paths.push(new URL(metadata.url).pathname);
  }
  return paths;
}

describe('documents() of a job of the storage', () => {
  it.each<[object, string[]]>([
    [{}, ['/', '/p/1', '/p/2', '/gone', '/old']],
    [{ label: 'product' }, ['/p/1', '/p/2']],
    [{ label: ['product', 'list'] }, ['/', '/p/1', '/p/2']],
    [{ label: 'none' }, []],
    [{ status: 410 }, ['/gone']],
    [{ status: '410' }, ['/gone']],
    [{ status: ['410-419', '404'] }, ['/gone', '/old']],
    [{ status: '2xx', label: 'list' }, ['/']],
    [{ path: '^/p/' }, ['/p/1', '/p/2']],
    [{ path: [/GONE/i, (url: URL) => url.pathname === '/'] }, ['/', '/gone']],
    [{ since: '2020-01-01' }, ['/', '/p/1', '/p/2', '/gone', '/old']],
    [{ until: new Date('2020-01-01') }, []],
  ])('has those that %o fits', async (filter, paths) => {
    expect(await found(filter)).toEqual(paths);
  });

  it.each<[object, RegExp]>([
    [{ status: '6xx' }, /status: expected a status code such as 200, "4xx" or "500-503"/],
    [{ status: '503-500' }, /status: expected .*, low to high/],
    [{ status: 20 }, /status: expected/],
    [{ label: '' }, /label: expected a label/],
    [{ path: '(' }, /path: .*Unterminated group/],
    [{ path: ['a', '*.html'] }, /path\[1\]: "\*\.html" is a glob/],
    [{ since: '2026-02-31' }, /since: expected a Date, or a time such as/],
    [{ since: 'yesterday' }, /since: expected a Date, or a time such as 2026-11-30/],
    [{ since: '2026-11-30', until: '2026-11-30T00:00Z' }, /since: is not before until/],
    [{ labels: 'a' }, /unknown option "labels"; did you mean "label"/],
  ])('refuses %o at once', async (filter, message) => {
    await using client = open();
    const job = client.jobs.follow(id);
    expect(() => job.documents(filter)).toThrow(message);
    expect(() => job.documents(filter)).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST' }) as Error,
    );
  });

  it('rejects like the job', async () => {
    await using client = open();
    const none = client.jobs.follow('00000000-0000-4000-8000-000000000000');
    await expect(none.documents().next()).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
  });
});

it('gives the documents of a running job as they come, by the time of their fetch', async () => {
  const clock = fakeClock({ start: Date.parse('2026-11-30T08:00:00Z') });
  await using client = createClient({ network: { allow: ['127.0.0.1'] }, cache: false, clock });
  const job = client.batchScrape([site.url('/p/1#part'), site.url('/p/2')], { maxConcurrency: 1 });
  const paths: string[] = [];
  for await (const { metadata } of job.documents({
    since: '2026-11-30T08:00',
    until: '2026-12-01',
  }))
    paths.push(metadata.url);
  expect(paths).toEqual([site.url('/p/1'), site.url('/p/2')]);
  const later: unknown[] = [];
  for await (const one of job.documents({ since: '2026-11-30T09:00+00:30' })) later.push(one);
  expect(later).toEqual([]);
});

it('does not read times of a job that another process runs', async () => {
  const store = memoryStore();
  await using running = open(store);
  await using slow = await serve(() => ({ body: page('slow'), delay: 300 }));
  const job = running.batchScrape([slow.url('/1'), slow.url('/2')], { maxConcurrency: 1 });
  await using other = open(store);
  await job.status();
  while ((await other.jobs.list()).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 10));
  const documents = other.jobs.follow(job.id).documents({ since: '2026-01-01' });
  await expect(documents.next()).rejects.toThrow('are known when it has ended');
  await job;
});

describe('writers', () => {
  const collected = (): { readonly stream: Writable; readonly text: () => string } => {
    const chunks: Buffer[] = [];
    const write = (chunk: Buffer, _: unknown, done: () => void): void => {
      chunks.push(chunk);
      done();
    };
    return { stream: new Writable({ write }), text: () => Buffer.concat(chunks).toString() };
  };

  it('write what fits, with no formula for a spreadsheet', async () => {
    await using client = open();
    const job = client.jobs.follow(id);
    const csv = collected();
    expect(await writeCsv(job.documents({ label: 'product' }), csv.stream)).toBe(2);
    const [head, one, two] = csv.text().split('\r\n');
    expect(head).toMatch(/^url,sourceURL,title,.*,label,data,/);
    expect(one).toContain(`,"'=HYPERLINK(""http://evil.test"",""one"")",`);
    // In a country where a semicolon separates cells.
    expect(two).toContain(',"two; and more",');
    const raw = collected();
    await writeCsv(job.documents({ path: '1$' }), raw.stream, { escapeFormulas: false });
    expect(raw.text()).toContain(',"=HYPERLINK(""http://evil.test"",""one"")",');
    const json = collected();
    expect(await writeJson(job.documents({ status: '410-410' }), json.stream)).toBe(1);
    expect(JSON.parse(json.text())).toMatchObject([{ metadata: { statusCode: 410 } }]);
  });
});
