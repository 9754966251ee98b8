/** A crawl that begins with an earlier one: what it downloads, and what it says has changed. */
import {
  type Client,
  type ClientOptions,
  createClient,
  type CrawlOptions,
  type CrawlResult,
  fileStore,
  memoryStore,
} from 'pagewright';
import { fakeClock, scriptedModel } from 'pagewright/testing';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type FixtureServer,
  type PageHandler,
  serve,
  type SitePage,
} from '../../src/entries/testing/serve.ts';
import { cutPage } from '../support/cut-body.ts';

type Result = CrawlResult<{ markdown: string; metadata: { url: string; statusCode: number } }>;

/** How a page of the site answers beside its text. */
type Answering = 'etag' | 'lastModified' | 'otherEtag' | 'none';

interface Site extends AsyncDisposable {
  readonly server: FixtureServer;
  readonly texts: Map<string, string>;
  /** Bodies that were sent with a 200 since the last time. */
  downloads(): string[];
}

/** A site of pages whose text a test may change; the start page links to all that it is told of. */
async function siteOf(
  count: number,
  answering: Answering = 'etag',
  more: Record<string, SitePage | PageHandler> = {},
): Promise<Site> {
  const texts = new Map<string, string>();
  for (let n = 1; n < count; n += 1) texts.set(`/p${n}`, textOf(n));
  const links = [...texts.keys()];
  texts.set(
    '/',
    `<ul>${links.map((path) => `<li><a href="${path}">${path}</a></li>`).join('')}</ul>`,
  );
  const sent: string[] = [];
  const dates = new Map<string, { text: string; date: string }>();
  let tag = 0;
  const server = await serve(async (request) => {
    const given = more[request.url];
    if (given !== undefined) return typeof given === 'function' ? given(request) : given;
    const text = texts.get(request.url);
    if (text === undefined) return undefined;
    const body = `<html><head><title>Page ${request.url}</title></head><body><main><h1>Page ${request.url}</h1>${text}</main></body></html>`;
    const headers: Record<string, string> = {};
    if (answering === 'etag')
      headers['etag'] = `"${createHash('sha1').update(text).digest('hex')}"`;
    if (answering === 'otherEtag') headers['etag'] = `"${++tag}"`;
    if (answering === 'lastModified') {
      const before = dates.get(request.url);
      const isSame = before?.text === text;
      const at = isSame ? before.date : new Date(Date.UTC(2026, 0, 1) + ++tag * 1000).toUTCString();
      dates.set(request.url, { text, date: at });
      headers['last-modified'] = at;
    }
    const asked = request.headers;
    const isKnown =
      (headers['etag'] !== undefined && asked['if-none-match'] === headers['etag']) ||
      (headers['last-modified'] !== undefined &&
        asked['if-modified-since'] === headers['last-modified']);
    if (isKnown) return { status: 304, headers };
    sent.push(request.url);
    return { headers, body };
  });
  return {
    server,
    texts,
    downloads: () => sent.splice(0),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function textOf(n: number, version = 1): string {
  return `<p>${`Text ${n} in version ${version}: the tide at pier ${n} rises and falls twice a day. `.repeat(5)}</p>`;
}

function clientOf(options: ClientOptions = {}): Client {
  const client = createClient({
    storage: memoryStore(),
    network: { allow: ['127.0.0.0/8'] },
    ...options,
  }) as unknown as Client;
  onTestFinished(() => client.close());
  return client;
}

async function crawled(client: Client, site: Site, options: CrawlOptions = {}): Promise<Result> {
  const job = client.crawl(site.server.url('/'), { sitemap: 'skip', ...options });
  return (await job) as unknown as Result;
}

/** The documents without what differs between two crawls of the same site. */
function plain({ data }: Result): unknown[] {
  return data.map(({ metadata, ...rest }) => {
    const { scrapeId, cacheState, cachedAt, ...others } = metadata as Record<string, unknown> & {
      scrapeId?: string;
      cacheState?: string;
      cachedAt?: string;
    };
    expect([typeof scrapeId, cacheState ?? 'miss', cachedAt]).toMatchObject([
      'string',
      'miss',
      undefined,
    ]);
    return { ...rest, metadata: others };
  });
}

function pathsOf(site: Site, urls: readonly string[] | undefined): string[] {
  return (urls ?? []).map((url) => url.slice(site.server.origin.length));
}

/** Changes 3 pages, the start page being one of them, adds 2 and removes 1. */
function change({ texts }: Site, version = 2): void {
  texts.set('/p20', textOf(20, version));
  texts.set('/p70', textOf(70, version));
  texts.delete(version === 2 ? '/p50' : '/p51');
  const added = [`/new${version}a`, `/new${version}b`];
  for (const [index, path] of added.entries()) texts.set(path, textOf(1000 * version + index));
  texts.set(
    '/',
    `${texts.get('/') ?? ''}${added.map((path) => `<p><a href="${path}">${path}</a></p>`).join('')}`,
  );
}

describe.each<Answering>(['etag', 'lastModified'])(
  'a site that tells versions by %s',
  (answering) => {
    it('is downloaded where it changed, and the report is exact, twice', async () => {
      await using site = await siteOf(100, answering);
      const client = clientOf();
      const first = await crawled(client, site);
      expect(first).toMatchObject({ completed: 100 });
      expect(first).not.toHaveProperty('changes');
      expect(site.downloads()).toHaveLength(100);

      change(site);
      const second = await crawled(client, site, { since: first.id });
      expect(site.downloads().length).toBeLessThanOrEqual(6);
      const { changes } = second;
      expect(pathsOf(site, changes?.changed)).toEqual(['/', '/p20', '/p70']);
      expect(pathsOf(site, changes?.new)).toEqual(['/new2a', '/new2b']);
      expect(pathsOf(site, changes?.removed)).toEqual(['/p50']);
      expect(changes?.same).toHaveLength(96);
      const fresh = await crawled(clientOf(), site);
      expect(plain(second)).toEqual(plain(fresh));
      expect(second.data.map(({ metadata }) => metadata.statusCode)).not.toContain(304);
      expect(new Set(second.data.map(({ metadata }) => JSON.stringify(metadata))).size).toBe(101);
      site.downloads();

      change(site, 3);
      const third = await crawled(client, site, { since: second.id });
      expect(site.downloads().length).toBeLessThanOrEqual(6);
      expect(pathsOf(site, third.changes?.changed)).toEqual(['/', '/p20', '/p70']);
      expect(pathsOf(site, third.changes?.new)).toEqual(['/new3a', '/new3b']);
      // The page that was gone the last time is no news.
      expect(pathsOf(site, third.changes?.removed)).toEqual(['/p51']);
      expect(third.warning).toBeUndefined();
    }, 90_000);
  },
);

describe('what the report says', () => {
  it('counts a page as the same whose ETag is always another', async () => {
    await using site = await siteOf(10, 'otherEtag');
    const client = clientOf();
    const { id } = await crawled(client, site);
    site.downloads();
    site.texts.set('/p3', textOf(3, 2));
    const { changes } = await crawled(client, site, { since: id });
    expect(site.downloads()).toHaveLength(10);
    expect(pathsOf(site, changes?.changed)).toEqual(['/p3']);
    expect(changes?.same).toHaveLength(9);
  });

  it('counts a page as the same of which only what is not in the document changes', async () => {
    await using site = await siteOf(5, 'none');
    const client = clientOf();
    const { id } = await crawled(client, site);
    for (const [path, text] of site.texts)
      site.texts.set(path, `<script>let n = ${Math.random()}</script>${text}`);
    const { changes } = await crawled(client, site, { since: id });
    expect(changes).toMatchObject({ new: [], changed: [], removed: [] });
    expect(changes?.same).toHaveLength(5);
  });

  it('counts a page that nothing links to any more as removed', async () => {
    await using site = await siteOf(5);
    const client = clientOf();
    const { id } = await crawled(client, site);
    site.texts.set('/', (site.texts.get('/') ?? '').replace('<li><a href="/p2">/p2</a></li>', ''));
    const { changes } = await crawled(client, site, { since: id });
    expect(pathsOf(site, changes?.removed)).toEqual(['/p2']);
    expect(pathsOf(site, changes?.changed)).toEqual(['/']);
  });

  it.each<[string, CrawlOptions, Record<string, SitePage>]>([
    ['a limit ended it', { limit: 3 }, {}],
    [
      'a page failed',
      { scrapeOptions: { retries: 0 } },
      { '/p3': { status: 500, body: 'broken' } },
    ],
  ])('does not count what was not met as removed when %s', async (_, options, broken) => {
    const more: Record<string, SitePage> = {};
    await using site = await siteOf(5, 'etag', more);
    site.texts.set('/p3', `${textOf(3)}<a href="/behind">behind</a>`);
    site.texts.set('/behind', textOf(77));
    const client = clientOf();
    const { id } = await crawled(client, site);
    Object.assign(more, broken);
    const { changes, warning } = await crawled(client, site, { ...options, since: id });
    expect(changes?.removed).toEqual([]);
    expect(warning).toMatch(/were not found, .* They do not count as removed/);
  });

  it('believes a server that says 304 of what it has, and takes no 304 that was not asked for', async () => {
    let lies = false;
    const lying = new Set(['/p1', '/new']);
    const more: Record<string, PageHandler> = {};
    await using site = await siteOf(3, 'etag', more);
    const client = clientOf();
    const { id } = await crawled(client, site);
    for (const path of lying) more[path] = () => (lies ? { status: 304 } : undefined);
    lies = true;
    site.texts.set('/', `${site.texts.get('/') ?? ''}<a href="/new">new</a>`);
    const { changes, data } = await crawled(client, site, { since: id });
    expect(pathsOf(site, changes?.same)).toContain('/p1');
    expect(data.find(({ metadata }) => metadata.url.endsWith('/p1'))).toMatchObject({
      metadata: { statusCode: 200 },
    });
    expect(site.server.log.find(({ url }) => url === '/new')?.headers).not.toHaveProperty(
      'if-none-match',
    );
    expect(
      data.find(({ metadata }) => metadata.url.endsWith('/new'))?.metadata.statusCode ?? 304,
    ).toBe(304);
  });

  it('counts no credits of a model for a document that it had', async () => {
    await using site = await siteOf(3);
    const model = scriptedModel(() => ({ summary: 'The tide rises.' }));
    const client = clientOf({ model });
    const options = { scrapeOptions: { formats: ['summary'] } } as const;
    const first = await crawled(client, site, options);
    const again = await crawled(client, site, { ...options, since: first.id });
    expect(model.requests).toHaveLength(3);
    expect([first.creditsUsed, again.creditsUsed]).toEqual([15, 3]);
    expect(again.data.map(({ metadata }) => metadata)).toMatchObject(
      Array(3).fill({ creditsUsed: 1, summaryMethod: 'model' }),
    );
    expect(again.data[0]?.metadata).not.toHaveProperty('modelUsage');
  });
});

describe('a site without validators', () => {
  it('is not asked for pages that its sitemap dates before the earlier visit', async () => {
    const lastmod = new Map<string, string>();
    const sitemap: PageHandler = () => ({
      headers: { 'content-type': 'application/xml' },
      body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${[...lastmod]
        .map(([path, date]) => `<url><loc>{{origin}}${path}</loc><lastmod>${date}</lastmod></url>`)
        .join('')}</urlset>`,
    });
    await using site = await siteOf(10, 'none', { '/sitemap.xml': sitemap });
    const clock = fakeClock({ start: Date.parse('2026-05-05T10:00:00Z') });
    const client = clientOf({ clock, jobRetention: 1e11 });
    for (const path of site.texts.keys()) if (path !== '/') lastmod.set(path, '2026-05-01');
    // Of today: it may be a change that came after the visit.
    lastmod.set('/p4', '2026-05-05');
    lastmod.set('/p5', '2026-05-05T09:00:00Z');
    const first = await crawled(client, site, { sitemap: 'include' });
    expect(site.downloads()).toHaveLength(10);
    clock.advance(86_400_000);
    lastmod.set('/p6', '2026-05-05T12:00:00Z');
    site.texts.set('/p6', textOf(6, 2));
    const second = await crawled(client, site, { sitemap: 'include', since: first.id });
    expect(site.downloads().sort()).toEqual(['/', '/p4', '/p6']);
    expect(pathsOf(site, second.changes?.changed)).toEqual(['/p6']);
    expect(second.changes?.same).toHaveLength(9);
    const fresh = await crawled(clientOf({ clock }), site, { sitemap: 'include' });
    expect(plain(second)).toEqual(plain(fresh));
    // A page that nothing was requested of has a time, too.
    const dated: string[] = [];
    const job = client.jobs.follow(second.id);
    for await (const { metadata } of job.documents({ since: '2026-05-06' }))
      dated.push(metadata.url);
    expect(dated).toEqual(second.data.map(({ metadata }) => metadata.url));
  });
});

describe('what the earlier crawl was asked for', () => {
  it.each<[string, CrawlOptions]>([
    ['other formats', { scrapeOptions: { formats: ['markdown', 'links'] } }],
    ['a hook that changes requests', { hooks: { beforeRequest: () => undefined } }],
    ['change tracking', { scrapeOptions: { formats: ['markdown', 'changeTracking'] } }],
  ])('%s: all is fetched anew, and a warning says so', async (_, options) => {
    await using site = await siteOf(5);
    const client = clientOf();
    const { id } = await crawled(client, site);
    site.downloads();
    const { warning, changes, data } = await crawled(client, site, { ...options, since: id });
    expect(site.downloads()).toHaveLength(5);
    expect(warning).toMatch(/Every page was fetched again/);
    expect(changes?.same).toHaveLength(5);
    const formats = (options.scrapeOptions as { formats?: string[] } | undefined)?.formats ?? [];
    for (const format of formats) expect(data[0]).toHaveProperty(format);
  });

  it('removed blocks: pages that the earlier crawl had learnt from stay, and documents are the same', async () => {
    await using site = await siteOf(45);
    for (const [path, text] of site.texts)
      site.texts.set(
        path,
        `<section class="promo"><p>Subscribe to the letter of the harbour.</p></section>${text}`,
      );
    const client = clientOf();
    const options = { removeRepeatedBlocks: true };
    const first = await crawled(client, site, options);
    site.downloads();
    const second = await crawled(client, site, { ...options, since: first.id });
    expect(site.downloads().length).toBeLessThan(20);
    expect(plain(second)).toEqual(plain(first));
    expect(second.changes?.same).toHaveLength(45);
  });

  it('a cache does not come between, unless maxAge says so', async () => {
    await using site = await siteOf(3, 'none');
    const client = clientOf();
    const { id } = await crawled(client, site);
    site.texts.set('/p1', textOf(1, 2));
    const asked = await crawled(client, site, { since: id, scrapeOptions: { maxAge: 60_000 } });
    expect(asked.changes?.changed).toEqual([]);
    const { changes } = await crawled(client, site, { since: id });
    expect(pathsOf(site, changes?.changed)).toEqual(['/p1']);
  });
});

describe('change tracking of pages that nothing leads to any more', () => {
  const tracked: CrawlOptions = { scrapeOptions: { formats: ['markdown', 'changeTracking'] } };
  type Tracked = {
    readonly metadata: { readonly url: string; readonly discoveredBy: string };
    readonly changeTracking?: { readonly changeStatus: string; readonly visibility: string };
  };

  /** What was found of each page: how, its status and its visibility. */
  function findings(site: Site, { data, errors }: Result): Record<string, string> {
    const documents: readonly unknown[] = [...data, ...errors.map(({ document }) => document)];
    const pages = documents as readonly Tracked[];
    return Object.fromEntries(
      pages.map(({ metadata: { url, discoveredBy }, changeTracking: found }) => [
        url.slice(site.server.origin.length),
        `${discoveredBy} ${found?.changeStatus ?? ''} ${found?.visibility ?? ''}`,
      ]),
    );
  }

  function unlink({ texts }: Site, ...paths: readonly string[]): void {
    const start = texts.get('/') ?? '';
    texts.set(
      '/',
      paths.reduce(
        (text, path) => text.replace(`<li><a href="${path}">${path}</a></li>`, ''),
        start,
      ),
    );
  }

  it('visits them: hidden while they answer, removed when they do not', async () => {
    await using site = await siteOf(6);
    site.texts.set('/p2', `${textOf(2)}<a href="/found-in-hidden">more</a>`);
    const client = clientOf();
    const first = await crawled(client, site, tracked);
    expect(
      new Set(first.data.map((page) => (page as unknown as Tracked).changeTracking?.visibility)),
    ).toEqual(new Set(['visible']));
    unlink(site, '/p2', '/p3', '/p4');
    site.texts.set('/p2', `${site.texts.get('/p2') ?? ''}<a href="/only-here">only here</a>`);
    site.texts.set('/only-here', textOf(90));
    site.texts.set('/p3', textOf(3, 2));
    site.texts.delete('/p4');
    const second = await crawled(client, site, { ...tracked, since: first.id });
    expect(findings(site, second)).toEqual({
      '/': 'start changed visible',
      '/p1': 'link same visible',
      '/p5': 'link same visible',
      '/p2': 'since changed hidden',
      '/p3': 'since changed hidden',
      '/p4': 'since removed hidden',
    });
    const { changes } = second;
    expect(pathsOf(site, changes?.removed)).toEqual(['/p4']);
    expect(pathsOf(site, changes?.changed)).toEqual(['/', '/p2', '/p3']);
    // Still there after a crawl that found it hidden, and seen again when something leads to it.
    site.texts.set('/', `${site.texts.get('/') ?? ''}<a href="/p3">back</a>`);
    const third = await crawled(client, site, { ...tracked, since: second.id });
    expect(findings(site, third)).toMatchObject({
      '/p2': 'since same hidden',
      '/p3': 'link same visible',
    });
    expect(pathsOf(site, third.changes?.removed)).toEqual([]);
  });

  it.each<[string, CrawlOptions]>([
    ['a limit ended the crawl', { limit: 3 }],
    ['change tracking is not asked for', { scrapeOptions: { formats: ['markdown'] } }],
  ])('does not when %s', async (_, options) => {
    await using site = await siteOf(6);
    const client = clientOf();
    const { id } = await crawled(client, site, tracked);
    unlink(site, '/p2');
    site.downloads();
    const { data } = await crawled(client, site, { ...tracked, ...options, since: id });
    expect(site.downloads()).not.toContain('/p2');
    expect(data.map(({ metadata }) => metadata.url)).not.toContain(site.server.url('/p2'));
  });

  it('is what a recrawl that is left and resumed says, too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-hidden-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await using site = await siteOf(8);
    const one = clientOf({ storage: fileStore(folder) });
    const { id } = await crawled(one, site, tracked);
    unlink(site, '/p2', '/p3', '/p4', '/p5');
    const options = { ...tracked, sitemap: 'skip' as const, since: id, maxConcurrency: 1 };
    const left = one.crawl(site.server.url('/'), options);
    let seen = 0;
    for await (const _ of left) if ((seen += 1) === 6) break;
    await one.close();
    await left.settled();
    const other = clientOf({ storage: fileStore(folder) });
    const resumed = (await other.jobs.resume(left.id)) as unknown as Result;
    expect(
      Object.values(findings(site, resumed)).filter((said) => said.endsWith('hidden')),
    ).toHaveLength(4);
    expect(resumed.data).toHaveLength(8);
    expect(resumed.changes?.removed).toEqual([]);
  });
});

describe.each<[string, CrawlOptions]>([
  ['pages as they are', {}],
  ['pages without repeated blocks', { removeRepeatedBlocks: true }],
])('a body that ended early (%s)', (_, options) => {
  it('is not a change, nor is what it does not link to removed, nor the whole after it', async () => {
    const answers: Record<string, SitePage> = {};
    await using site = await siteOf(6, 'none', answers);
    const client = clientOf();
    const first = await crawled(client, site, options);
    answers['/p3'] = cutPage();
    site.texts.set('/', textOf(0) + '<a href="/p3">3</a><a href="/p1">1</a>');
    const second = await crawled(client, site, { ...options, since: first.id });
    const cut = second.data.find(({ metadata }) => metadata.url.endsWith('/p3'));
    expect(cut?.metadata).toMatchObject({ truncated: true });
    expect(pathsOf(site, second.changes?.changed)).toEqual(['/']);
    expect(pathsOf(site, second.changes?.same)).toEqual(['/p1']);
    expect(second.changes?.removed).toEqual([]);
    delete answers['/p3'];
    const third = await crawled(client, site, { ...options, since: second.id });
    expect(pathsOf(site, third.changes?.changed)).toEqual([]);
    expect(pathsOf(site, third.changes?.same).sort()).toEqual(['/', '/p1', '/p3']);
  });
});

describe('what cannot be begun with', () => {
  it('is refused with its code', async () => {
    await using site = await siteOf(3, 'etag', { '/slow': { delay: 60_000, body: 'slow' } });
    const clock = fakeClock({ start: Date.now() });
    const client = clientOf({ clock, jobRetention: 1000 });
    await expect(crawled(client, site, { since: 'nobody' })).rejects.toMatchObject({
      code: 'JOB_NOT_FOUND',
    });
    const batch = client.batchScrape([site.server.url('/')]);
    await batch;
    await expect(crawled(client, site, { since: batch.id })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    const running = client.crawl(site.server.url('/slow'), { sitemap: 'skip' });
    await expect(crawled(client, site, { since: running.id })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    running.cancel();
    const { id } = await crawled(client, site);
    clock.advance(2000);
    await expect(crawled(client, site, { since: id })).rejects.toMatchObject({
      code: 'JOB_EXPIRED',
    });
    await using bare = createClient({ network: { allow: ['127.0.0.0/8'] } });
    expect(() => bare.crawl(site.server.url('/'), { since: id })).toThrow(
      /createClient\(\{ storage \}\), or memoryStore\(\) for this process alone/,
    );
  });
});
