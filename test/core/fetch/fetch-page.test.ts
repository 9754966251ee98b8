import {
  createClient,
  type Client,
  type ClientOptions,
  type Engine,
  PagewrightError,
  type ScrapeOptions,
  type Snapshot,
} from 'pagewright';
import {
  type Behaviour,
  flaky,
  hang,
  huge,
  raw,
  redirectLoop,
  redirectTo,
  reset,
  serve,
  status,
  truncated,
} from 'pagewright/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cutPage } from '../../support/cut-body.ts';
import { rareTest } from '../../support/deep.ts';

const article =
  '<main><h1>Lamp</h1><p>A lamp that stands on a desk and gives warm light.</p></main>';

function client(engines: readonly Engine[] = [], options: ClientOptions = {}): Client {
  const made = createClient({
    network: { allow: ['127.0.0.1'] },
    ...options,
    engines,
  }) as unknown as Client;
  onTestFinished(() => made.close());
  return made;
}

async function failure(work: Promise<unknown>): Promise<PagewrightError> {
  const error = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(PagewrightError);
  return error as PagewrightError;
}

describe('a failure that passes', () => {
  test('is tried again until the page comes', async () => {
    await using server = await serve(
      { '/': article },
      { behaviours: { '/': flaky({ failures: 2 }) } },
    );
    const page = await client().scrape(server.url('/'));
    expect(page.metadata.statusCode).toBe(200);
    expect(page.markdown).toContain('warm light');
    expect(server.log).toHaveLength(3);
  });

  test('is given as it is after two retries', async () => {
    await using server = await serve(
      { '/': article },
      { behaviours: { '/': status({ code: 502 }) } },
    );
    const page = await client().scrape(server.url('/'));
    expect(page.metadata).toMatchObject({ statusCode: 502, error: '502 Bad Gateway' });
    expect(server.log).toHaveLength(3);
  });

  test('is not tried again with retries: 0', async () => {
    await using server = await serve(
      { '/': article },
      { behaviours: { '/': status({ code: 500 }) } },
    );
    await client().scrape(server.url('/'), { retries: 0 });
    expect(server.log).toHaveLength(1);
  });

  test('may be a connection that breaks', async () => {
    await using server = await serve({ '/': article }, { behaviours: { '/': reset() } });
    const error = await failure(client().scrape(server.url('/'), { retries: 1 }));
    expect(error.code).toBe('CONNECTION_RESET');
    expect(server.log).toHaveLength(2);
  });

  test('waits longer before each attempt', async () => {
    await using server = await serve(
      { '/': article },
      { behaviours: { '/': status({ code: 500 }) } },
    );
    await client().scrape(server.url('/'), { retries: 3 });
    const [first = 0, second = 0, third = 0, fourth = 0] = server.log.map(({ time }) => time);
    expect(second - first).toBeGreaterThanOrEqual(95);
    expect(third - second).toBeGreaterThanOrEqual(195);
    expect(fourth - third).toBeGreaterThanOrEqual(395);
  });

  test('leaves the last answer when the time is too short for another attempt', async () => {
    await using server = await serve(
      { '/': article },
      { behaviours: { '/': status({ code: 500 }) } },
    );
    const page = await client().scrape(server.url('/'), { timeout: 1000, retries: 10 });
    expect(page.metadata.statusCode).toBe(500);
    expect(server.log.length).toBeLessThan(5);
  });
});

test.each([400, 404, 405, 410, 451, 501, 505])('%i is never tried again', async (code) => {
  await using server = await serve({ '/': article }, { behaviours: { '/': status({ code }) } });
  const page = await client().scrape(server.url('/'));
  expect(page.metadata.statusCode).toBe(code);
  expect(server.log).toHaveLength(1);
});

test.each([
  ['an address that is refused', 'BLOCKED_ADDRESS', 'http://10.0.0.1/'],
  ['a redirect to another protocol', 'BAD_REDIRECT', '/away'],
])('%s is never tried again', async (_, code, target) => {
  await using server = await serve(
    { '/': article },
    { behaviours: { '/away': redirectTo({ location: 'ftp://127.0.0.1/' }) } },
  );
  const error = await failure(client().scrape(new URL(target, server.origin)));
  expect(error.code).toBe(code);
  expect(server.log.length).toBeLessThan(2);
});

describe('Retry-After', () => {
  test.each([
    ['seconds', () => 1],
    ['a date', () => new Date(Date.now() + 2000).toUTCString()],
  ])('as %s is waited for', async (_, value) => {
    let asked = 0;
    await using server = await serve(
      { '/': article },
      {
        behaviours: {
          '/': async (exchange) => {
            asked += 1;
            if (asked > 1) return exchange.send(await exchange.page());
            await status({ code: 503, retryAfter: value() })(exchange);
          },
        },
      },
    );
    const page = await client().scrape(server.url('/'));
    expect(page.metadata.statusCode).toBe(200);
    const [first = 0, second = 0] = server.log.map(({ time }) => time);
    expect(second - first).toBeGreaterThanOrEqual(900);
  });

  test('that is longer than the time left is told, and closes the host for other calls', async () => {
    await using server = await serve(
      { '/': article, '/other': article },
      { behaviours: { '/': status({ code: 429, retryAfter: 3600 }) } },
    );
    await using other = await serve({ '/': article });
    const one = client();
    const page = await one.scrape(server.url('/'));
    expect(page.metadata).toMatchObject({ statusCode: 429, errorCode: 'HOST_BUSY' });
    expect(page.warning).toContain('asks clients to wait 3600 s');
    const error = await failure(one.scrape(server.url('/other')));
    expect(error.code).toBe('HOST_BUSY');
    expect(error.message).toMatch(/Retry-After/);
    expect(error.retryAfter).toBeGreaterThan(3_500_000);
    expect(server.log).toHaveLength(1);
    expect((await one.scrape(other.url('/'))).metadata.statusCode).toBe(200);
    // Another client has learnt nothing of it.
    expect((await client().scrape(server.url('/other'))).metadata.statusCode).toBe(200);
  });
});

/** An engine that hides, and a log of who was asked. */
function hidden(answer: Partial<Snapshot>): Engine & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    name: 'hidden',
    can: new Set(['stealth']),
    cost: 15,
    asked,
    fetch: ({ url, rendering }) => {
      asked.push(`${url} ${String(rendering.stealth)}`);
      return Promise.resolve({
        url,
        statusCode: 200,
        headers: { 'content-type': 'text/html' },
        body: Buffer.from(article),
        engine: 'hidden',
        redirects: [],
        warnings: [],
        requests: 1,
        bytes: article.length,
        ...answer,
      });
    },
  };
}

const challenge = '<title>Wait</title><script>window._cf_chl_opt = {};</script>';

test('a time limit may be a few milliseconds', async () => {
  await using server = await serve({ '/': article }, { behaviours: { '/': hang() } });
  const error = await failure(client().scrape(server.url('/'), { timeout: 30 }));
  expect(error).toMatchObject({
    code: 'TIMEOUT',
    message: expect.stringContaining('30 ms') as string,
  });
});

describe('a page that refuses', () => {
  test.each([
    ['401', status({ code: 401 }), 1],
    ['429', status({ code: 429 }), 2],
    ['429 and Retry-After', status({ code: 429, retryAfter: 0.1 }), 2],
    ['503 and Retry-After', status({ code: 503, retryAfter: 0.1 }), 2],
  ])('with %s is not asked for in stealth', async (_, behaviour, requests) => {
    await using server = await serve({ '/': article }, { behaviours: { '/': behaviour } });
    const engine = hidden({});
    const page = await client([engine]).scrape(server.url('/'), { retries: 1 });
    expect(engine.asked).toEqual([]);
    expect(page.metadata).toMatchObject({ engine: 'http', proxyUsed: 'basic', creditsUsed: 1 });
    expect(server.log).toHaveLength(requests);
  });

  test('by a challenge on a rate limit is asked for in stealth at once', async () => {
    await using server = await serve({
      '/': () => ({
        status: 429,
        headers: { 'content-type': 'text/html', 'retry-after': '3600' },
        body: challenge,
      }),
    });
    const page = await client([hidden({})]).scrape(server.url('/'));
    expect(page.metadata).toMatchObject({ statusCode: 200, proxyUsed: 'stealth' });
    expect(server.log).toHaveLength(1);
  });

  test('with 403 is asked for once more in stealth', async () => {
    const behaviours = { '/': status({ code: 403 }) };
    await using server = await serve({ '/': article }, { behaviours });
    const engine = hidden({});
    const page = await client([engine]).scrape(server.url('/'));
    expect(engine.asked).toEqual([`${server.url('/')} true`]);
    expect(page.markdown).toContain('warm light');
    expect(page.metadata).toMatchObject({
      statusCode: 200,
      engine: 'hidden',
      proxyUsed: 'stealth',
      creditsUsed: 5,
    });
    expect(server.log).toHaveLength(1);
  });

  test('by a challenge on a good status is asked for once more in stealth', async () => {
    await using server = await serve({ '/': challenge });
    const page = await client([hidden({})]).scrape(server.url('/'));
    expect(page.metadata.proxyUsed).toBe('stealth');
  });

  test('by a challenge, in stealth too, is BLOCKED_BY_SITE', async () => {
    await using server = await serve({ '/': challenge });
    const engine = hidden({ statusCode: 403, body: Buffer.from(challenge) });
    const error = await failure(client([engine]).scrape(server.url('/')));
    expect(error.code).toBe('BLOCKED_BY_SITE');
    expect(error.url).toBe(server.url('/'));
    expect(error.message).toMatch(
      /challenge page of Cloudflare instead of the content\. Stealth did not help/,
    );
    expect(engine.asked).toHaveLength(1);
  });

  test('by a challenge is BLOCKED_BY_SITE with proxy: basic, and nothing is tried', async () => {
    await using server = await serve({ '/': challenge });
    const engine = hidden({});
    const error = await failure(client([engine]).scrape(server.url('/'), { proxy: 'basic' }));
    expect(error.code).toBe('BLOCKED_BY_SITE');
    expect(error.message).toContain("Try proxy: 'stealth'");
    expect(engine.asked).toEqual([]);
  });

  test('with a body is a document that says so when stealth is refused too, for the basic price', async () => {
    await using server = await serve(
      { '/': article },
      { behaviours: { '/': status({ code: 403 }) } },
    );
    const engine = hidden({ statusCode: 403 });
    const page = await client([engine]).scrape(server.url('/'));
    expect(page.metadata).toMatchObject({
      statusCode: 403,
      error: '403 Forbidden',
      errorCode: 'BLOCKED_BY_SITE',
      proxyUsed: 'stealth',
      creditsUsed: 1,
    });
    expect(page.warning).toBeUndefined();
    const asked = await client([engine]).scrape(server.url('/'), { proxy: 'stealth' });
    expect(asked.metadata).toMatchObject({ statusCode: 403, creditsUsed: 5 });
  });

  test.each<[string, ClientOptions, ScrapeOptions]>([
    ['userAgent', { userAgent: 'acme-bot/1.0' }, {}],
    ['a header', {}, { headers: { 'User-Agent': 'acme-bot/1.0' } }],
    [
      'a hook',
      {
        hooks: { beforeRequest: ({ headers }) => void (headers['user-agent'] = 'acme-bot/1.0') },
      },
      {},
    ],
  ])('is not asked for in stealth by a caller who names himself with %s', async (_, own, page) => {
    const refusal = { status: 403, headers: { 'content-type': 'text/html' }, body: article };
    await using server = await serve({
      '/': refusal,
      '/challenge': challenge,
      '/moved': { status: 302, headers: { location: '/' } },
    });
    const engine = hidden({});
    const named = client([engine], own);
    for (const path of ['/', '/moved']) {
      const { metadata, warning } = await named.scrape(server.url(path), page);
      expect(metadata).toMatchObject({ statusCode: 403, proxyUsed: 'basic', creditsUsed: 1 });
      expect(warning).toMatch(
        /does not disguise a request .* Set proxy: 'stealth' to allow that\.$/,
      );
    }
    const error = await failure(named.scrape(server.url('/challenge'), page));
    expect(error.code).toBe('BLOCKED_BY_SITE');
    expect(error.message).toMatch(/does not disguise a request .* Try proxy: 'stealth'/);
    expect(engine.asked).toEqual([]);
    const basic = await named.scrape(server.url('/'), { ...page, proxy: 'basic' });
    expect(basic.warning).toBeUndefined();
    const allowed = await named.scrape(server.url('/'), { ...page, proxy: 'stealth' });
    expect(allowed.metadata).toMatchObject({ statusCode: 200, proxyUsed: 'stealth' });
  });

  test('without a body is BLOCKED_BY_SITE', async () => {
    await using server = await serve({
      '/': () => ({ status: 403, headers: {}, body: '' }),
    });
    const error = await failure(client().scrape(server.url('/'), { proxy: 'basic' }));
    expect(error).toMatchObject({ code: 'BLOCKED_BY_SITE', statusCode: 403 });
    expect(error.toJSON()).toMatchObject({ code: 'BLOCKED_BY_SITE', statusCode: 403 });
    expect(error.message).toContain('with status 403 and no content');
  });

  test('from an engine for certain URLs is asked for by no other engine', async () => {
    const engine = hidden({});
    const authority: Engine = {
      ...hidden({ statusCode: 403 }),
      name: 'authority',
      can: new Set(),
      cost: 1,
      handles: (url) => url.startsWith('https://fixture.test/'),
    };
    const page = await client([authority, engine]).scrape('https://fixture.test/');
    expect(page.metadata.statusCode).toBe(403);
    expect(engine.asked).toEqual([]);
  });
});

describe('a body that ends early', () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n';
  const sendCut =
    (share: number): Behaviour =>
    ({ response }) => {
      const { headers, body } = cutPage(share);
      response.writeHead(200, headers).end(body);
    };
  /** Answers in these ways, one after the other, and then with the page; tells the ports of its visitors. */
  const inTurn = (...ways: Behaviour[]): { behaviour: Behaviour; ports: Set<number> } => {
    const ports = new Set<number>();
    const behaviour: Behaviour = async (exchange) => {
      ports.add(exchange.request.socket.remotePort ?? 0);
      const way = ways.shift();
      if (way === undefined) exchange.send(await exchange.page());
      else await way(exchange);
    };
    return { behaviour, ports };
  };

  test.each<[string, Behaviour]>([
    ['with less than its Content-Length', truncated()],
    ['by a reset', reset({ when: 'afterHeaders' })],
    [
      'without its last chunk',
      raw({ bytes: `${head}transfer-encoding: chunked\r\n\r\n5\r\n<p>a\n\r\n` }),
    ],
    ['in the middle of gzip data', sendCut(0.5)],
    ['before its first byte', raw({ bytes: `${head}content-length: 100\r\n\r\n` })],
  ])('%s is asked for once more, on a connection of its own', async (_, cut) => {
    const { behaviour, ports } = inTurn(cut);
    await using server = await serve({ '/': article }, { behaviours: { '/': behaviour } });
    const page = await client().scrape(server.url('/'));
    expect(page.warning).toBeUndefined();
    expect(page.metadata).not.toHaveProperty('truncated');
    expect(page.markdown).toContain('warm light');
    expect(server.log).toHaveLength(2);
    expect(ports.size).toBe(2);
  });

  test('always is a document that says so after the second try', async () => {
    await using server = await serve({ '/': article }, { behaviours: { '/': truncated() } });
    const page = await client().scrape(server.url('/'));
    expect(page.warning).toMatch(/^The body ended early/);
    expect(page.metadata).toMatchObject({ statusCode: 200, truncated: true });
    expect(page.markdown).toContain('warm light');
    expect(server.log).toHaveLength(2);
  });

  test('is asked for once more after other failures, too', async () => {
    const once = status({ code: 500 });
    const { behaviour } = inTurn(once, once, truncated());
    await using server = await serve({ '/': article }, { behaviours: { '/': behaviour } });
    const page = await client().scrape(server.url('/'));
    expect(page.metadata).not.toHaveProperty('truncated');
    expect(server.log).toHaveLength(4);
  });

  test.each<[string, Behaviour]>([
    ['a smaller part', sendCut(0.3)],
    ['an error', status({ code: 404 })],
  ])('is the page where %s comes after it', async (name, next) => {
    const { behaviour } = inTurn(sendCut(0.9), next);
    await using server = await serve({ '/': article }, { behaviours: { '/': behaviour } });
    const page = await client().scrape(server.url('/'));
    if (name === 'an error') expect(page.metadata.statusCode).toBe(404);
    else expect(page.markdown.length).toBeGreaterThan(50_000);
    expect(server.log).toHaveLength(2);
  });

  test('says so in a crawl and in a batch', async () => {
    await using server = await serve({ '/': cutPage(), '/other': cutPage() });
    const here = client();
    const crawl = await here.crawl(server.url('/'), { sitemap: 'skip', ignoreRobotsTxt: true });
    const batch = await here.batchScrape([server.url('/'), server.url('/other')]);
    for (const { metadata, warning } of [...crawl.data, ...batch.data]) {
      expect(metadata.truncated).toBe(true);
      expect(warning).toMatch(/The body ended early/);
    }
    expect([crawl.data.length, batch.data.length]).toEqual([1, 2]);
    expect(server.log).toHaveLength(6);
  });
});

describe('an error', () => {
  test.each<[string, number, Behaviour]>([
    ['BODY_TOO_LARGE', 200, huge({ bytes: 100_000 })],
    ['TOO_MANY_REDIRECTS', 302, redirectLoop()],
    ['BAD_REDIRECT', 302, redirectTo({ location: 'ftp://127.0.0.1/' })],
    ['TRUNCATED_BODY', 200, raw({ bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n' })],
    [
      'UNSUPPORTED_CONTENT',
      201,
      ({ response }) => {
        response.writeHead(201, { 'content-type': 'application/octet-stream' });
        response.end(Buffer.from([0, 1, 2, 3]));
      },
    ],
  ])('%s has the status of its answer', async (code, statusCode, behaviour) => {
    await using server = await serve({ '/': article }, { behaviours: { '/': behaviour } });
    const options = { retries: 0, limits: { bodyBytes: 50_000 } };
    const error = await failure(client().scrape(server.url('/'), options));
    expect(error).toMatchObject({ code, statusCode });
    const job = client().batchScrape([server.url('/')], options);
    await job;
    expect(job.errors()).toMatchObject([{ code, statusCode }]);
  });

  test('without an answer has no status', async () => {
    await using server = await serve({ '/': article }, { behaviours: { '/': reset() } });
    const error = await failure(client().scrape(server.url('/'), { retries: 0 }));
    expect(error.code).toBe('CONNECTION_RESET');
    expect(error.statusCode).toBeUndefined();
    expect(error.toJSON()).not.toHaveProperty('statusCode');
  });
});

describe('a response that is there', () => {
  test('is better than the error of a later attempt', async () => {
    const once = status({ code: 503 });
    const later = reset();
    let asked = 0;
    await using server = await serve(
      { '/': article },
      { behaviours: { '/': (exchange) => ((asked += 1) === 1 ? once : later)(exchange) } },
    );
    const page = await client().scrape(server.url('/'));
    expect(page.metadata.statusCode).toBe(503);
    // The first reset came on a connection that was used before: it is sent again on a fresh one.
    expect(server.log).toHaveLength(4);
  });

  test('is better than a stealth try that hangs', async () => {
    await using server = await serve(
      { '/': article },
      { behaviours: { '/': status({ code: 403 }) } },
    );
    const engine: Engine = {
      ...hidden({}),
      fetch: () => new Promise<Snapshot>(() => undefined),
    };
    const page = await client([engine]).scrape(server.url('/'), { timeout: 1500 });
    expect(page.metadata).toMatchObject({ statusCode: 403, proxyUsed: 'basic', creditsUsed: 1 });
  });

  rareTest('comes for every call of many at once to a host that is always busy', async () => {
    await using server = await serve({}, { behaviours: { '*': status({ code: 503 }) } });
    const one = client();
    const pages = await Promise.all(
      Array.from({ length: 8 }, (_, n) => one.scrape(server.url(`/${n}`), { timeout: 6000 })),
    );
    expect(pages.map(({ metadata }) => metadata.statusCode)).toEqual(Array(8).fill(503));
  });
});

describe('an engine of the caller', () => {
  const broken = (error: Error): Engine => ({
    name: 'broken',
    can: new Set(),
    cost: 0,
    fetch: () => Promise.reject(error),
  });

  test('that makes a mistake is HOOK_FAILED with its error, and is asked once', async () => {
    const cause = new TypeError('x is not a function');
    const error = await failure(client([broken(cause)]).scrape('http://127.0.0.1:2/'));
    expect(error).toMatchObject({ code: 'HOOK_FAILED', cause });
    expect(error.message).toContain('The engine "broken"');
  });

  test('that is built on fetch() fails by what the network did', async () => {
    const engine: Engine = {
      name: 'fetching',
      can: new Set(),
      cost: 0,
      fetch: async ({ url, signal }) => {
        await fetch(url, { signal });
        throw new Error('It answers.');
      },
    };
    // Port 1 is one that fetch() does not connect to.
    const error = await failure(client([engine]).scrape('http://127.0.0.1:2/', { retries: 0 }));
    expect(error).toMatchObject({ code: 'CONNECTION_REFUSED', retryable: true });
  });
});
