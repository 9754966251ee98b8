/** The hook `onChallenge`: when it is called, what its answer is good for, and where it does not go. */
import type { Browser } from 'playwright-core';
import { type Client, type ClientOptions, createClient, PagewrightError } from 'pagewright';
import { type LoggedRequest, serve, type SitePage } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { launchForClients } from '../../support/chromium.ts';

type Ask = NonNullable<NonNullable<ClientOptions['hooks']>['onChallenge']>;

function client(onChallenge: Ask, options: ClientOptions = {}): Client {
  const made = createClient({
    network: { allow: ['127.0.0.1', 'localhost'] },
    hooks: { onChallenge },
    ...options,
  }) as unknown as Client;
  onTestFinished(() => made.close());
  return made;
}

const article = '<main><h1>Lamps</h1><p>Four lamps that stand on a desk were found.</p></main>';
const wall: SitePage = {
  status: 403,
  headers: { 'content-type': 'text/html', 'cf-mitigated': 'challenge' },
  body: '<title>Just a moment</title><button onclick="document.cookie=\'pass=1\';location.reload()">I am here</button>',
};

/** Lets those in who send the cookie `pass=1`, or the header. */
const guarded = ({ headers }: LoggedRequest): SitePage | string =>
  /pass=1/.test(String(headers['cookie'])) || headers['x-pass'] === '1' ? article : wall;

const http = { engine: 'http', proxy: 'basic' } as const;
const pass = { cookies: [{ name: 'pass', value: '1', domain: '127.0.0.1' }] };

async function failure(work: Promise<unknown>): Promise<PagewrightError> {
  const error: unknown = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(PagewrightError);
  return error as PagewrightError;
}

describe('over HTTP', () => {
  test('it is asked once for all pages of a host at a time, and its answer holds', async () => {
    await using server = await serve(guarded);
    const asked: unknown[] = [];
    const own = client(async ({ url, kind, statusCode, page, signal }) => {
      asked.push([new URL(url).origin, kind, statusCode, page, signal.aborted]);
      await new Promise((resolve) => setTimeout(resolve, 100));
      return pass;
    });
    const urls = ['/a', '/b', '/c', '/d'].map((path) => server.url(path));
    const { data } = await own.batchScrape(urls, http);
    expect(data.map(({ metadata }) => metadata.statusCode)).toEqual([200, 200, 200, 200]);
    server.clearLog();
    expect((await own.scrape(server.url('/e'), http)).markdown).toContain('Four lamps');
    expect(server.log).toHaveLength(1);
    expect(asked).toEqual([[server.origin, 'Cloudflare', 403, undefined, false]]);
  });

  test('it works in a crawl, as a hook of the crawl', async () => {
    await using server = await serve((request) =>
      guarded(request) === wall ? wall : `${article}<a href="/next">More</a>`,
    );
    const own = client(() => undefined);
    const job = own.crawl(server.url('/'), {
      scrapeOptions: http,
      hooks: { onChallenge: () => ({ headers: { 'X-Pass': '1' } }) },
    });
    expect((await job).data).toHaveLength(2);
  });

  test('a page got with it is in no cache', async () => {
    await using server = await serve(guarded);
    const own = client(() => pass);
    await own.scrape(server.url('/'), http);
    const { metadata } = await own.scrape(server.url('/'), http);
    expect(metadata.cacheState).toBe('miss');
    expect(server.log).toHaveLength(3);
  });

  test('a host that always challenges is asked for three times', async () => {
    await using server = await serve(() => wall);
    let asks = 0;
    const own = client(() => ((asks += 1), asks === 2 ? undefined : pass));
    for (let page = 0; page < 5; page += 1) {
      const error = await failure(own.scrape(server.url(`/${page}`), http));
      expect(error.code).toBe('BLOCKED_BY_SITE');
    }
    expect(asks).toBe(3);
  });

  test('an answer ends with its cookies', async () => {
    await using server = await serve(guarded);
    let asks = 0;
    const own = client(() => {
      asks += 1;
      const expires = Date.now() / 1000 + 0.5;
      return { cookies: [{ name: 'pass', value: '1', domain: '127.0.0.1', expires }] };
    });
    await own.scrape(server.url('/a'), http);
    await new Promise((resolve) => setTimeout(resolve, 600));
    await own.scrape(server.url('/b'), http);
    expect(asks).toBe(2);
  });

  test('a 401 is a login', async () => {
    await using server = await serve(({ headers }) =>
      headers['authorization'] === 'Bearer t' ? article : { status: 401, headers: {}, body: '' },
    );
    const kinds: string[] = [];
    const own = client(({ kind }) => {
      kinds.push(kind);
      return { headers: { authorization: 'Bearer t' } };
    });
    expect((await own.scrape(server.url('/'), http)).metadata.statusCode).toBe(200);
    expect(kinds).toEqual(['login']);
  });

  test('its secrets go to the origin alone', async () => {
    await using other = await serve(() => article);
    await using server = await serve((request) => {
      const answer = guarded(request);
      const location = `http://localhost:${new URL(other.origin).port}/`;
      return answer === wall ? wall : { status: 302, headers: { location }, body: '' };
    });
    const own = client(() => ({ ...pass, headers: { 'x-pass': '1' } }));
    const options = { ...http, redirectCredentials: 'same-site' } as const;
    await own.scrape(server.url('/'), options);
    expect(other.log).toHaveLength(1);
    expect(other.log[0]?.headers['x-pass']).toBeUndefined();
    expect(other.log[0]?.headers['cookie']).toBeUndefined();
  });

  test('after a redirect it is about the host that challenges, if that is of the same site', async () => {
    await using inner = await serve(guarded);
    const portOf = (host: string): string => `http://${host}:${new URL(inner.origin).port}/in`;
    await using outer = await serve(({ url }) => {
      const location = portOf(url === '/own' ? '127.0.0.1' : 'localhost');
      return { status: 302, headers: { location }, body: '' };
    });
    const asked: string[] = [];
    const own = client(({ url }) => {
      asked.push(url);
      return { headers: { 'x-pass': '1' } };
    });
    expect((await own.scrape(outer.url('/own'), http)).metadata.statusCode).toBe(200);
    expect(outer.log.map(({ headers }) => headers['x-pass'])).toEqual([undefined, undefined]);
    expect((await failure(own.scrape(outer.url('/foreign'), http))).code).toBe('BLOCKED_BY_SITE');
    expect(asked).toEqual([portOf('127.0.0.1')]);
    expect(inner.log.map(({ headers }) => headers['x-pass'])).toEqual([undefined, '1', undefined]);
  });

  test('its headers replace those that were refused', async () => {
    await using server = await serve(guarded);
    const own = client(() => ({ headers: { 'X-Pass': '1' } }));
    const options = { ...http, headers: { 'x-pass': 'old', 'x-other': '2' } };
    expect((await own.scrape(server.url('/'), options)).metadata.statusCode).toBe(200);
    expect(server.log[1]?.headers).toMatchObject({ 'x-pass': '1', 'x-other': '2' });
  });

  test('pages that wait for it do not spend their time, however often it is called', async () => {
    await using server = await serve(guarded);
    let asks = 0;
    const own = client(async () => {
      asks += 1;
      await new Promise((resolve) => setTimeout(resolve, 600));
      return asks < 3 ? undefined : pass;
    });
    const urls = ['/a', '/b', '/c', '/d'].map((path) => server.url(path));
    const all = urls.map((url) => own.scrape(url, { ...http, timeout: 1000 }));
    const settled = await Promise.allSettled(all);
    const codes = settled.map((one) => (one.status === 'fulfilled' ? 'page' : (one.reason as PagewrightError).code)); // prettier-ignore
    expect(codes.sort()).toEqual(['BLOCKED_BY_SITE', 'BLOCKED_BY_SITE', 'page', 'page']);
  });

  test.each<[string, Ask, RegExp]>([
    ['throws', () => { throw new Error('no solver'); }, /The hook "onChallenge" threw for .*no solver/], // prettier-ignore
    ['says true without a page', () => true, /"onChallenge" gave true, although/],
    ['gives another type', () => ({ token: 's3cret' }) as never, /a wrong answer in place of/],
    ['gives a bad header', () => ({ headers: { 'x y': 's3cret' } }), /a wrong answer/],
    ['gives a cookie of another host', () => ({ cookies: [{ name: 'a', value: 's3cret', domain: 'b.test' }] }), /a cookie of b\.test/], // prettier-ignore
  ])('a hook that %s fails the page', async (_, ask, message) => {
    await using server = await serve(() => wall);
    const error = await failure(client(ask).scrape(server.url('/'), http));
    expect(error.code).toBe('HOOK_FAILED');
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('s3cret');
  });

  test('a hook may use its client: its own pages call no hook', async () => {
    await using server = await serve((request) =>
      request.url === '/login' ? wall : guarded(request),
    );
    const asked: string[] = [];
    const own = client(async ({ url }) => {
      asked.push(new URL(url).pathname);
      const error = await failure(own.scrape(server.url('/login'), http));
      return error.code === 'BLOCKED_BY_SITE' ? pass : undefined;
    });
    const options = { ...http, timeout: 5000 };
    expect((await own.scrape(server.url('/a'), options)).metadata.statusCode).toBe(200);
    expect(asked).toEqual(['/a']);
  });

  test('a hook may use another client, whose hook is called', async () => {
    await using server = await serve(guarded);
    await using others = await serve(guarded);
    const other = client(() => pass);
    const own = client(async () => {
      expect((await other.scrape(others.url('/'), http)).metadata.statusCode).toBe(200);
      return pass;
    });
    expect((await own.scrape(server.url('/a'), http)).metadata.statusCode).toBe(200);
  });

  test('the answer to the hook of a crawl is not sent by calls without one', async () => {
    await using server = await serve(guarded);
    const own = client(() => undefined, { hooks: {} });
    const hooks = { onChallenge: () => ({ headers: { 'x-pass': '1' } }) };
    const { data } = await own.crawl(server.url('/'), { limit: 1, scrapeOptions: http, hooks });
    expect(data).toHaveLength(1);
    expect((await failure(own.scrape(server.url('/a'), http))).code).toBe('BLOCKED_BY_SITE');
  });

  test('one that never settles ends with the page, and the next page is asked for', async () => {
    await using server = await serve(guarded);
    let asks = 0;
    const own = client(() => ((asks += 1), asks === 1 ? new Promise(() => undefined) : pass));
    const first = own.scrape(server.url('/a'), { ...http, timeout: 1000 });
    const error = await failure(first);
    expect(error.code).toBe('TIMEOUT');
    expect(error.message).toContain('waiting for the hook "onChallenge"');
    expect((await own.scrape(server.url('/b'), http)).metadata.statusCode).toBe(200);
  });
});

describe('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchForClients();
  });
  afterAll(() => browser.close());

  test('the hook drives the page that shows the challenge, and later pages have its cookies', async () => {
    await using server = await serve(guarded);
    const asked: string[] = [];
    const own = client(
      async ({ page, kind }) => {
        asked.push(kind);
        await page?.click('button');
        await page?.waitForSelector('h1');
        return true;
      },
      { browser: { browser } },
    );
    const options = { engine: 'browser', proxy: 'basic' } as const;
    const page = await own.scrape(server.url('/a'), options);
    expect(page.markdown).toContain('Four lamps');
    expect(page.metadata.statusCode).toBe(200);
    expect((await own.scrape(server.url('/b'), options)).markdown).toContain('Four lamps');
    expect((await own.scrape(server.url('/c'), http)).markdown).toContain('Four lamps');
    expect(asked).toEqual(['Cloudflare']);
  });

  test('cookies that a page brought stay its own', async () => {
    await using server = await serve(guarded);
    const own = client(
      async ({ page }) => {
        await page?.click('button');
        await page?.waitForSelector('h1');
        return true;
      },
      { browser: { browser } },
    );
    const options = { engine: 'browser', proxy: 'basic' } as const;
    const cookies = [{ name: 'account', value: 's3cret', domain: '127.0.0.1' }];
    const headers = { cookie: 'sid=s3cret' };
    await own.scrape(server.url('/a'), { ...options, cookies, headers });
    server.clearLog();
    await own.scrape(server.url('/b'), http);
    expect(server.log.map((request) => request.headers['cookie'])).toEqual(['pass=1']);
  });

  test('cookies from the hook are for the next visit, and its error is that of the page', async () => {
    await using server = await serve(guarded);
    const options = { engine: 'browser', proxy: 'basic' } as const;
    const cookie = client(() => pass, { browser: { browser } });
    expect((await cookie.scrape(server.url('/a'), options)).markdown).toContain('Four lamps');
    const broken = client(
      () => {
        throw new Error('no solver');
      },
      { browser: { browser } },
    );
    const error = await failure(broken.scrape(server.url('/b'), options));
    expect(error.code).toBe('HOOK_FAILED');
    expect(error.message).toContain('no solver');
  });

  test('a page that is said to be passed and is not is refused', async () => {
    await using server = await serve(guarded);
    const own = client(() => true, { browser: { browser } });
    const error = await failure(
      own.scrape(server.url('/a'), { engine: 'browser', proxy: 'basic' }),
    );
    expect(error.code).toBe('BLOCKED_BY_SITE');
  });
});
