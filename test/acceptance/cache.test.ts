import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  type ClientOptions,
  createClient,
  fileStore,
  type Format,
  memoryStore,
  PagewrightError,
  type ScrapeOptions,
  type Store,
} from 'pagewright';
import { fakeClock, type FixtureServer, serve } from 'pagewright/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cutPage } from '../support/cut-body.ts';

/** What the site says; each test may change it. */
let site: { body: string; status: number; headers: Record<string, string>; delay: number };
let server: FixtureServer;
let clock: ReturnType<typeof fakeClock>;
const clients: Client[] = [];

const hour = 3_600_000;
const day = 24 * hour;

beforeEach(async () => {
  site = { body: '<h1>First</h1>', status: 200, headers: {}, delay: 0 };
  clock = fakeClock({ start: Date.now() });
  const etag = (): string | undefined => site.headers['etag'];
  server = await serve(({ headers }) => {
    const { delay, status, body } = site;
    const known = headers['if-none-match'];
    if (known !== undefined && known === etag()) return { status: 304, headers: site.headers };
    return { status, headers: { 'content-type': 'text/html', ...site.headers }, body, delay };
  });
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await server.close();
});

function open(options: ClientOptions = {}): Client {
  const client = createClient({
    network: { allow: ['127.0.0.1'] },
    clock,
    logger: { warn: () => undefined },
    ...options,
  }) as unknown as Client;
  clients.push(client);
  return client;
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error: unknown) => (error instanceof PagewrightError ? error.code : String(error)),
  );

describe.each<[string, () => ClientOptions]>([
  ['in memory', () => ({})],
  ['in a store', () => ({ storage: memoryStore() })],
])('scrape 8: the cache %s', (_, options) => {
  it('answers a second call within maxAge without a request, formats made anew', async () => {
    const client = open(options());
    const first = await client.scrape(server.url('/a'));
    expect(first.metadata).toMatchObject({ cacheState: 'miss' });
    expect(first.metadata).not.toHaveProperty('cachedAt');
    clock.advance(hour);
    const second = await client.scrape(server.url('/a#part'), { formats: ['markdown', 'html'] });
    expect(server.log).toHaveLength(1);
    expect(second.markdown).toBe(first.markdown);
    expect(second.html).toContain('<h1>First</h1>');
    expect(second.metadata).toMatchObject({
      cacheState: 'hit',
      cachedAt: new Date(clock.now() - hour).toISOString(),
      statusCode: 200,
      engine: 'http',
      creditsUsed: 1,
      proxyUsed: 'basic',
      engineReason: first.metadata.engineReason,
    });
    expect(second.metadata.scrapeId).not.toBe(first.metadata.scrapeId);
  });

  it('fetches for a format that has to see every visit', async () => {
    const client = open(options());
    const visit: Format<'visit', number> = {
      name: 'visit',
      needs: 'page',
      everyVisit: true,
      run: () => server.log.length,
    };
    await client.scrape(server.url('/a'));
    await client.scrape(server.url('/a'), { formats: [visit] });
    expect(server.log).toHaveLength(2);
    await client.scrape(server.url('/a'), { formats: [visit], maxAge: hour });
    expect(server.log).toHaveLength(3);
    await client.scrape(server.url('/a'), { formats: [visit], cacheOnly: true });
    expect(server.log).toHaveLength(3);
  });

  it('fetches after two days, or what maxAge says, and always with maxAge: 0', async () => {
    const client = open(options());
    await client.scrape(server.url('/a'));
    clock.advance(2 * day - 1);
    await client.scrape(server.url('/a'));
    expect(server.log).toHaveLength(1);
    clock.advance(1);
    site.body = '<h1>Second</h1>';
    expect((await client.scrape(server.url('/a'))).markdown).toContain('Second');
    clock.advance(2000);
    await client.scrape(server.url('/a'), { maxAge: 1000 });
    expect(server.log).toHaveLength(3);
    const fresh = await client.scrape(server.url('/a'), { maxAge: 0 });
    expect(server.log).toHaveLength(4);
    expect(fresh.metadata).not.toHaveProperty('cacheState');
    // What was fetched is a copy for others all the same.
    await client.scrape(server.url('/a'), { maxAge: 1000 });
    expect(server.log).toHaveLength(4);
  });

  it('asks with the ETag of a stale copy, and a 304 refreshes its age', async () => {
    site.headers = { etag: '"v1"', 'x-round': '1' };
    const client = open(options());
    await client.scrape(server.url('/a'));
    clock.advance(3 * day);
    const confirmed = await client.scrape(server.url('/a'));
    expect(server.log).toHaveLength(2);
    expect(server.log[1]?.headers['if-none-match']).toBe('"v1"');
    expect(confirmed.markdown).toContain('First');
    expect(confirmed.metadata).toMatchObject({
      cacheState: 'hit',
      cachedAt: new Date(clock.now()).toISOString(),
      statusCode: 200,
    });
    clock.advance(day);
    await client.scrape(server.url('/a'));
    expect(server.log).toHaveLength(2);
    clock.advance(3 * day);
    site = { ...site, body: '<h1>Second</h1>', headers: { etag: '"v2"' } };
    const changed = await client.scrape(server.url('/a'));
    expect(changed.markdown).toContain('Second');
    expect(changed.metadata.cacheState).toBe('miss');
    expect(server.log).toHaveLength(3);
  });

  it('keeps no page whose body ended early', async () => {
    const client = open(options());
    const cut = cutPage();
    await using part = await serve({ '/': cut });
    const first = await client.scrape(part.url('/'));
    expect(first.metadata).toMatchObject({ cacheState: 'miss', truncated: true });
    const second = await client.scrape(part.url('/'));
    expect(second.metadata).toMatchObject({ cacheState: 'miss', truncated: true });
    expect(part.log).toHaveLength(4);
  });

  it('does not share entries between options that change content', async () => {
    const client = open(options());
    const differing: ScrapeOptions[] = [
      {},
      { location: { country: 'DE' } },
      { location: { country: 'DE', languages: ['fr'] } },
      { skipTlsVerification: false },
      { limits: { bodyBytes: 1000 } },
      { engine: 'http' },
      { blockAds: false },
    ];
    for (const options of differing) await client.scrape(server.url('/a'), options);
    await client.scrape(server.url('/a?b=1&a=2'));
    await client.scrape(server.url('/a?a=2&b=1'));
    expect(server.log).toHaveLength(differing.length + 2);
    for (const options of differing) await client.scrape(server.url('/a'), options);
    expect(server.log).toHaveLength(differing.length + 2);
  });

  it('leaves pages with headers, credentials or a hook that adds headers alone', async () => {
    const hooks: ClientOptions['hooks'] = {
      beforeRequest: ({ url, headers }) => {
        if (url.endsWith('/hooked')) headers['x-token'] = 'secret';
      },
    };
    const client = open({ ...options(), hooks });
    const withPassword = server.url('/user').replace('//', '//name:word@');
    for (let round = 1; round <= 2; round += 1) {
      const asked = await client.scrape(server.url('/a'), { headers: { 'x-user': '1' } });
      expect(asked.metadata).not.toHaveProperty('cacheState');
      await client.scrape(withPassword);
      await client.scrape(server.url('/hooked'));
      expect(server.log).toHaveLength(3 * round);
    }
    // Neither is the page of nobody in particular given to somebody, nor the other way round.
    await client.scrape(server.url('/user'));
    expect(server.log).toHaveLength(7);
    expect(await codeOf(client.scrape(withPassword, { cacheOnly: true }))).toBe('CACHE_MISS');
  });

  it('keeps nothing with storeInCache: false and zeroDataRetention', async () => {
    const client = open(options());
    await client.scrape(server.url('/a'), { storeInCache: false });
    await client.scrape(server.url('/a'), { zeroDataRetention: true });
    expect(await codeOf(client.scrape(server.url('/a'), { cacheOnly: true }))).toBe('CACHE_MISS');
  });

  it('keeps no page that says no-store, whatever the call says, and drops the copy of before', async () => {
    const client = open(options());
    const url = server.url('/a');
    site.headers = { 'cache-control': 'private, No-Store' };
    await client.scrape(url, { storeInCache: true });
    await client.batchScrape([url], { storeInCache: true });
    expect(await codeOf(client.scrape(url, { cacheOnly: true }))).toBe('CACHE_MISS');
    site.headers = { etag: '"v1"' };
    for (const maxAge of [0, hour]) {
      await client.scrape(url, { maxAge: 0 });
      expect(await client.scrape(url, { cacheOnly: true })).toHaveProperty('markdown', '# First');
      clock.advance(2 * hour);
      // With an age the copy is revalidated, and a 304 says it.
      site.headers = { ...site.headers, 'cache-control': 'no-store' };
      const page = await client.scrape(url, { maxAge });
      expect(page.metadata.cacheState).toBe(maxAge === 0 ? undefined : 'hit');
      expect(await codeOf(client.scrape(url, { cacheOnly: true }))).toBe('CACHE_MISS');
      site.headers = { etag: '"v1"' };
    }
  });

  it('keeps no page of a client that sends Cache-Control: no-cache', async () => {
    const headers = { 'Cache-Control': 'no-cache' };
    const client = open({ ...options(), defaults: { scrape: { headers } } });
    await client.scrape(server.url('/a'), { storeInCache: true });
    await client.batchScrape([server.url('/a')]);
    expect(server.log).toHaveLength(2);
    const miss = client.scrape(server.url('/a'), { headers: {}, cacheOnly: true });
    expect(await codeOf(miss)).toBe('CACHE_MISS');
  });

  it.each([301, 403, 404, 410, 429, 500, 503])('keeps no page with status %d', async (status) => {
    site.status = status;
    const client = open(options());
    const page = { retries: 0, proxy: 'basic' } as const;
    await client.scrape(server.url('/a'), page);
    expect(await codeOf(client.scrape(server.url('/a'), { ...page, cacheOnly: true }))).toBe(
      'CACHE_MISS',
    );
  });

  it('drops a copy whose page is gone, and keeps it when the site has a bad day', async () => {
    const client = open(options());
    const only = { cacheOnly: true, retries: 0 };
    await client.scrape(server.url('/a'), { retries: 0 });
    site.status = 500;
    await client.scrape(server.url('/a'), { maxAge: 0, retries: 0 });
    expect((await client.scrape(server.url('/a'), only)).markdown).toContain('First');
    site.status = 404;
    await client.scrape(server.url('/a'), { maxAge: 0, retries: 0 });
    expect(await codeOf(client.scrape(server.url('/a'), only))).toBe('CACHE_MISS');
  });

  it('makes one request for 50 equal calls at once, and shares failures without keeping them', async () => {
    site.delay = 100;
    const client = open(options());
    const calls = (): Promise<PromiseSettledResult<unknown>[]> =>
      Promise.allSettled(
        Array.from({ length: 50 }, () =>
          client.scrape(server.url('/a'), { limits: { bodyBytes: 100 } }),
        ),
      );
    site.body = 'x'.repeat(1000);
    const failed = await calls();
    expect(failed.every(({ status }) => status === 'rejected')).toBe(true);
    expect(server.log).toHaveLength(1);
    site.body = '<h1>Fine</h1>';
    const done = await calls();
    expect(done.every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(server.log).toHaveLength(2);
  });

  it('answers a crawl a second time without asking for a page', async () => {
    const files = {
      '/': '<p>Start <a href="/x">x</a> <a href="/y">y</a></p>',
      '/x': '<p>The page x, with some words.</p>',
      '/y': '<p>The page y, with other words.</p>',
    };
    await using linked = await serve(files);
    const client = open(options());
    const urls = (): string[] =>
      linked.log.map(({ url }) => url).filter((url) => Object.keys(files).includes(url));
    const texts = async (): Promise<unknown[]> => {
      const { data } = await client.crawl(linked.origin);
      return data.map(({ markdown, metadata }) => [metadata.url, markdown]);
    };
    const first = await texts();
    expect(first).toHaveLength(3);
    expect(urls()).toHaveLength(3);
    const again = client.crawl(linked.origin);
    const { data } = await again;
    expect(data.map(({ markdown, metadata }) => [metadata.url, markdown])).toEqual(first);
    expect(data.map(({ metadata }) => metadata.cacheState)).toEqual(['hit', 'hit', 'hit']);
    expect(urls()).toHaveLength(3);
    const batch = await client.batchScrape([linked.url('/x'), linked.url('/y')]);
    expect(batch.data.map(({ metadata }) => metadata.cacheState)).toEqual(['hit', 'hit']);
    linked.clearLog();
    const offline = await client.crawl(linked.origin, { scrapeOptions: { cacheOnly: true } });
    expect(offline.data).toHaveLength(3);
    expect(linked.log).toEqual([]);
  });
});

describe('cacheOnly and minAge', () => {
  it('make no request, whatever there is', async () => {
    const client = open();
    expect(await codeOf(client.scrape(server.url('/a'), { cacheOnly: true }))).toBe('CACHE_MISS');
    expect(await codeOf(client.scrape(server.url('/a'), { minAge: 1 }))).toBe('CACHE_MISS');
    expect(server.log).toEqual([]);
    await client.scrape(server.url('/a'));
    clock.advance(5 * day);
    expect((await client.scrape(server.url('/a'), { cacheOnly: true })).markdown).toContain(
      'First',
    );
    expect((await client.scrape(server.url('/a'), { minAge: 5 * day })).markdown).toContain(
      'First',
    );
    for (const options of [{ minAge: 5 * day + 1 }, { cacheOnly: true, maxAge: day }]) {
      expect(await codeOf(client.scrape(server.url('/a'), options))).toBe('CACHE_MISS');
    }
    clock.advance(2 * day);
    expect(await codeOf(client.scrape(server.url('/a'), { cacheOnly: true }))).toBe('CACHE_MISS');
    expect(server.log).toHaveLength(1);
  });

  it('miss on a client without a cache, and are nothing to content that is given', async () => {
    const client = open({ cache: false });
    expect(await codeOf(client.scrape(server.url('/a'), { cacheOnly: true }))).toBe('CACHE_MISS');
    const { markdown } = await client.scrape({ html: '<p>Given</p>' }, { cacheOnly: true });
    expect(markdown).toContain('Given');
    await client.scrape(server.url('/a'));
    const { metadata } = await client.scrape(server.url('/a'));
    expect(metadata).not.toHaveProperty('cacheState');
    expect(server.log).toHaveLength(2);
  });
});

describe('revalidation', () => {
  it('asks the final URL of a redirect, and fetches the page when the redirect leads elsewhere', async () => {
    let target = '/one';
    await using moving = await serve(({ url, headers: { 'if-none-match': known } }) => {
      if (url === '/start') return { status: 302, headers: { location: target } };
      const headers = { 'content-type': 'text/html', etag: '"same"' };
      return known === '"same"'
        ? { status: 304, headers }
        : { headers, body: `<p>Page ${url}</p>` };
    });
    const client = open();
    await client.scrape(moving.url('/start'));
    clock.advance(3 * day);
    const confirmed = await client.scrape(moving.url('/start'));
    expect(confirmed.metadata).toMatchObject({ cacheState: 'hit', url: moving.url('/one') });
    clock.advance(3 * day);
    target = '/two';
    const moved = await client.scrape(moving.url('/start'));
    expect(moved.metadata).toMatchObject({ cacheState: 'miss', url: moving.url('/two') });
    expect(moved.markdown).toContain('Page /two');
  });

  it('counts the requests of a job: none for a copy, one for a 304', async () => {
    site.headers = { etag: '"v1"' };
    const client = open();
    const requestsOf = async (): Promise<number> => {
      const { usage } = await client.batchScrape([server.url('/a')]);
      return usage.requests;
    };
    expect(await requestsOf()).toBe(1);
    expect(await requestsOf()).toBe(0);
    clock.advance(3 * day);
    expect(await requestsOf()).toBe(1);
    expect(server.log).toHaveLength(2);
  });

  it('replaces a copy only by a page', async () => {
    site.headers = { etag: '"v1"' };
    const client = open();
    await client.scrape(server.url('/a'));
    clock.advance(3 * day);
    site = { ...site, status: 500, headers: {} };
    const broken = await client.scrape(server.url('/a'), { retries: 0 });
    expect(broken.metadata).toMatchObject({ statusCode: 500, cacheState: 'miss' });
    expect((await client.scrape(server.url('/a'), { cacheOnly: true })).markdown).toContain(
      'First',
    );
  });
});

describe('respectHeaders', () => {
  it('uses a copy as long as its headers allow', async () => {
    site.headers = { 'cache-control': 'max-age=60' };
    const client = open({ cache: { respectHeaders: true } });
    await client.scrape(server.url('/a'));
    clock.advance(50_000);
    await client.scrape(server.url('/a'));
    expect(server.log).toHaveLength(1);
    clock.advance(11_000);
    await client.scrape(server.url('/a'));
    expect(server.log).toHaveLength(2);
    await client.scrape(server.url('/a'), { maxAge: 0 });
    expect(server.log).toHaveLength(3);
  });

  it('keeps nothing that came with Vary: *', async () => {
    site.headers = { 'cache-control': 'max-age=60', vary: '*' };
    const client = open({ cache: { respectHeaders: true } });
    await client.scrape(server.url('/a'));
    expect(await codeOf(client.scrape(server.url('/a'), { cacheOnly: true }))).toBe('CACHE_MISS');
  });
});

describe('one fetch for many calls', () => {
  it('goes on for the others when one caller gives up, and ends with the last', async () => {
    site.delay = 400;
    const client = open();
    const callers = [new AbortController(), new AbortController(), new AbortController()];
    const scrapes = callers.map(({ signal }) => client.scrape(server.url('/a'), { signal }));
    const outcomes = scrapes.map(codeOf);
    await sleep(100);
    callers[0]?.abort();
    expect(await outcomes[0]).toBe('CANCELLED');
    expect(await Promise.all(outcomes.slice(1))).toEqual(['no error', 'no error']);
    expect(server.log).toHaveLength(1);

    site.delay = 5000;
    const others = [new AbortController(), new AbortController()];
    const ending = others.map(({ signal }) => codeOf(client.scrape(server.url('/b'), { signal })));
    await sleep(200);
    for (const caller of others) caller.abort();
    expect(await Promise.all(ending)).toEqual(['CANCELLED', 'CANCELLED']);
    await expect.poll(() => server.openSockets).toBe(0);
    // The fetch that was given up is nobody's any more.
    site.delay = 0;
    expect((await client.scrape(server.url('/b'))).markdown).toContain('First');
  });

  it('holds to the time of each', async () => {
    site.delay = 1500;
    const client = open();
    const short = codeOf(client.scrape(server.url('/a'), { timeout: 1000 }));
    const long = codeOf(client.scrape(server.url('/a'), { timeout: 20_000 }));
    const late = codeOf(client.scrape(server.url('/a')));
    expect(await short).toBe('TIMEOUT');
    expect(await Promise.all([long, late])).toEqual(['no error', 'no error']);
    expect(server.log.length).toBeLessThanOrEqual(2);
  });

  it('is not for calls that want no copy', async () => {
    site.delay = 100;
    const client = open();
    const calls = [0, 1, 2].map(() => client.scrape(server.url('/a'), { maxAge: 0 }));
    await Promise.all(calls);
    expect(server.log).toHaveLength(3);
  });
});

describe('hooks', () => {
  it('see a copy as it came, whatever they did to the response before', async () => {
    const hooks: ClientOptions['hooks'] = {
      afterResponse: ({ snapshot }) => {
        const text = new TextDecoder().decode(snapshot.body);
        snapshot.body.fill(32);
        return { body: text.replace('First', 'First!') };
      },
    };
    const client = open({ hooks });
    for (let round = 0; round < 3; round += 1) {
      expect((await client.scrape(server.url('/a'))).markdown).toBe('# First!');
    }
    expect(server.log).toHaveLength(1);
  });
});

describe('a store that fails', () => {
  it('never fails a page: it is a warning of the page', async () => {
    const down = (): Promise<never> => Promise.reject(new Error('the disk is full'));
    const client = open({ cache: { store: { ...memoryStore(), get: down, set: down } } });
    const { markdown, warning } = await client.scrape(server.url('/a'));
    expect(markdown).toContain('First');
    expect(warning).toMatch(
      /kept in the cache: the disk is full\. The cache could not be read: the disk is full\.$/,
    );
    const { warning: onlyWrites } = await client.scrape(server.url('/a'), { maxAge: 0 });
    expect(onlyWrites).toBe('The page could not be kept in the cache: the disk is full.');
  });

  it('takes a damaged copy for none', async () => {
    const storage = memoryStore();
    const client = open({ storage });
    await client.scrape(server.url('/a'));
    for await (const key of storage.list('cache/pages/')) {
      const value = (await storage.get(key)) ?? new Uint8Array(0);
      await storage.set(key, value.with(40, 0));
    }
    const { metadata, warning } = await client.scrape(server.url('/a'));
    expect(metadata.cacheState).toBe('miss');
    expect(warning).toBeUndefined();
  });
});

describe('clients on one store', () => {
  it('share copies, unless they see other pages', async () => {
    const storage = memoryStore();
    await open({ storage }).scrape(server.url('/a'));
    const same = await open({ storage }).scrape(server.url('/a'));
    expect(same.metadata.cacheState).toBe('hit');
    const named = await open({ storage, userAgent: 'other' }).scrape(server.url('/a'));
    expect(named.metadata.cacheState).toBe('miss');
    // A client that must not see the address gets no copy of it either.
    const strict = open({ storage, network: {} });
    expect(await codeOf(strict.scrape(server.url('/a')))).toBe('BLOCKED_ADDRESS');
    expect(await codeOf(strict.scrape(server.url('/a'), { cacheOnly: true }))).toBe('CACHE_MISS');
  });

  it('show no URL and no text in their keys', async () => {
    const keys: string[] = [];
    const store = memoryStore();
    const set: Store['set'] = (key, ...rest) => (keys.push(key), store.set(key, ...rest));
    await open({ cache: { store: { ...store, set } } }).scrape(server.url('/secret?token=word'));
    expect(keys).toHaveLength(2);
    expect(keys.join(' ')).toMatch(
      /^cache\/marks\/\d{15}-\d+-\d+-[0-9a-f]{64} cache\/pages\/[0-9a-f]{64}$/,
    );
  });
});

describe.each<[string, () => ClientOptions]>([
  ['in memory', () => ({})],
  ['in a store', () => ({ storage: memoryStore() })],
])('pages of a browser, %s', (_, options) => {
  it('are copies with their pictures, and no static copy is one of them', async () => {
    site.headers = { etag: '"v1"' };
    site.body = `<title>App</title><div id="root"></div><script>
      document.getElementById('root').innerHTML = '<h1>Rendered</h1><p>Made by a script.</p>';
    </script>`;
    const client = open(options());
    const url = server.url('/app');
    expect((await client.scrape(url, { engine: 'http' })).markdown).not.toContain('Rendered');
    const page = { formats: ['markdown', 'screenshot'] } as const;
    const rendered = [await client.scrape(url), await client.scrape(url, page)] as const;
    for (const { markdown, metadata } of rendered) {
      expect(markdown).toContain('# Rendered');
      expect(metadata).toMatchObject({ engine: 'browser', cacheState: 'miss' });
    }
    const asked = server.log.length;
    const again = [await client.scrape(url), await client.scrape(url, page)] as const;
    expect(server.log).toHaveLength(asked);
    for (const [index, { markdown, metadata }] of again.entries()) {
      expect(markdown).toBe(rendered[index]?.markdown);
      expect(metadata).toMatchObject({ engine: 'browser', cacheState: 'hit' });
    }
    expect(again[1].screenshot).toMatch(/^data:image\/png;base64,.{100}/);
    expect(again[1].screenshot).toBe(rendered[1].screenshot);
    // A page that was made of several responses is not asked about by the tag of one.
    clock.advance(3 * day);
    await client.scrape(url, page);
    const conditions = server.log.map(({ headers }) => headers['if-none-match']);
    expect(conditions.filter((tag) => tag !== undefined)).toEqual([]);
    site.headers = { 'cache-control': 'no-store' };
    await client.scrape(url, { ...page, maxAge: 0 });
    expect(await codeOf(client.scrape(url, { ...page, cacheOnly: true }))).toBe('CACHE_MISS');
  }, 60_000);
});

/** All files below a folder that hold the text, in their name or as bytes. */
async function filesWith(text: string, folder: string): Promise<string[]> {
  const found: string[] = [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (path.includes(text)) found.push(path);
    else if (entry.isFile()) {
      const bytes = await readFile(path).catch(() => Buffer.alloc(0));
      if (bytes.includes(text) || bytes.includes(Buffer.from(text, 'utf16le'))) found.push(path);
    }
  }
  return found;
}

describe('zeroDataRetention', () => {
  it('leaves no trace of a page: not in the store, on the disk, in the temporary folder or in the log', async () => {
    // Where Chromium and everything else of this process puts its files.
    const folder = await mkdtemp(join(tmpdir(), 'retention-'));
    const temporary = process.env['TMPDIR'];
    process.env['TMPDIR'] = folder;
    const filesBefore = await filesHere();
    const warnings: string[] = [];
    const warn = (_: unknown, message: string): void => void warnings.push(message);
    const marker = `marker${Math.random().toString(36).slice(2)}`;
    const page = `<title>${marker}</title><p>Some text about ${marker}, and <a href="/${marker}">more</a>.</p>
      <script>localStorage.setItem('kept', '${marker}'); document.cookie = 'kept=${marker}';</script>`;
    try {
      site.body = page;
      site.headers = { etag: `"${marker}"`, 'set-cookie': `session=${marker}; Max-Age=1000` };
      const storage = fileStore(join(folder, 'store'));
      const client = open({ storage, logger: { warn } });
      const page1 = { zeroDataRetention: true } as const;
      const during: string[] = [];
      for (const engine of ['http', 'browser'] as const) {
        const options = { ...page1, engine };
        expect((await client.scrape(server.url(`/${marker}`), options)).markdown).toContain(marker);
        const urls = [server.url(`/${marker}/1`), server.url(`/${marker}/2`)];
        const batch = await client.batchScrape(urls, options);
        expect(batch.data).toHaveLength(2);
        const crawled = await client.crawl(server.url('/'), { limit: 2, scrapeOptions: options });
        expect(crawled.data.length).toBeGreaterThan(0);
        // Chromium still runs.
        during.push(...(await filesWith(marker, folder)));
      }
      await expect(client.scrape(`http://127.0.0.1:2/${marker}`, page1)).rejects.toThrow();
      expect(during).toEqual([]);
      expect(await filesWith(marker, join(folder, 'store'))).toEqual([]);
      await client.close();
      expect(await filesWith(marker, folder)).toEqual([]);
      expect(await filesHere()).toEqual(filesBefore);
      expect(warnings.join(' ')).not.toContain(marker);
      // The same is found where it may be kept: the search works.
      const keeping = open({ storage, logger: { warn } });
      await keeping.scrape(server.url('/kept'));
      expect((await filesWith(marker, join(folder, 'store'))).length).toBeGreaterThan(0);
    } finally {
      if (temporary === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = temporary;
      await rm(folder, { recursive: true, force: true });
    }
  }, 60_000);
});

/** The names in the working directory. */
async function filesHere(): Promise<string[]> {
  return (await readdir('.')).sort();
}
