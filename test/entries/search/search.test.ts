/** search(): engines that answer badly, results that attack, functions, filters, and pages that are scraped. */
import { createClient, type FoundPage, search, type SearchRequest } from 'pagewright';
import type { SearchFunction } from '../../../src/core/model/search-engine.ts';
import { exa, searxng } from 'pagewright/search';
import { endless, type FixtureServer, flaky, hang, serve, status } from 'pagewright/testing';
import { describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import { failure } from '../../support/failure.ts';

const network = { allow: ['127.0.0.1'] };
const key = 'key-0123456789abcdef';

type Behaviours = NonNullable<NonNullable<Parameters<typeof serve>[1]>['behaviours']>;

async function api(body: string, behaviours: Behaviours = {}): Promise<FixtureServer> {
  const answer = { headers: { 'content-type': 'application/json' }, body };
  const server = await serve(() => answer, { behaviours });
  onTestFinished(() => server.close());
  return server;
}

function client(options: Parameters<typeof createClient>[0] = {}): ReturnType<typeof createClient> {
  const made = createClient({ network, clock: { now: Date.now, random: () => 0 }, ...options });
  onTestFinished(() => made.close());
  return made;
}

describe('an engine that answers badly', () => {
  test.each([
    [
      '401',
      { detail: { error: `Unauthorized: ${key} is not a key.` } },
      401,
      /answered 401: Unauthorized: \[hidden\] is not a key\. Check the API key\./,
    ],
    ['403', {}, 403, /answered 403\. Check the API key/],
    ['422', { error: { detail: 'Unable to validate country' } }, 422, /Unable to validate country/],
    ['a redirect', {}, 302, /Redirects are not followed/],
  ])('%s is refused at once', async (_, body, statusCode, message) => {
    const server = await serve(() => ({
      status: statusCode,
      headers: { 'content-type': 'application/json', location: 'http://127.0.0.1:9/' },
      body: JSON.stringify(body),
    }));
    onTestFinished(() => server.close());
    const engine = exa({ apiKey: key, url: server.origin });
    const error = await failure(client().search('a', { engine }));
    expect(error).toMatchObject({
      code: 'SEARCH_FAILED',
      statusCode,
      message: expect.stringMatching(message) as string,
    });
    expect(error.message).not.toContain(key);
    expect(server.log).toHaveLength(1);
  });

  test('what passes is tried again, with Retry-After', async () => {
    const server = await api('{"results":[{"url":"https://a.example/"}]}', {
      '*': flaky({ failures: 2, status: 503 }),
    });
    const { web } = await client().search('a', {
      engine: searxng({ url: server.origin }),
      limit: 1,
    });
    expect(web.map(({ url }) => url)).toEqual(['https://a.example/']);
    expect(server.log).toHaveLength(3);
  });

  test('a later page that fails keeps the results of the first', async () => {
    const results = Array.from({ length: 20 }, (_, index) => ({
      url: `https://${index}.example/`,
    }));
    const server = await serve(({ url }) => ({
      status: url.includes('pageno=2') ? 429 : 200,
      headers: { 'content-type': 'application/json', 'retry-after': '60' },
      body: JSON.stringify({ results }),
    }));
    onTestFinished(() => server.close());
    const { web, warning } = await client().search('a', {
      engine: searxng({ url: server.origin }),
      limit: 40,
    });
    expect(web).toHaveLength(20);
    expect(warning).toMatch(/Only the first 20 results were found: .* answered 429/);
  });

  test('a long Retry-After is in the error', async () => {
    const server = await api('{}', { '*': status({ code: 429, retryAfter: 60 }) });
    const error = await failure(client().search('a', { engine: searxng({ url: server.origin }) }));
    expect(error).toMatchObject({
      code: 'SEARCH_FAILED',
      statusCode: 429,
      retryAfter: 60_000,
      retryable: true,
    });
    expect(server.log).toHaveLength(1);
  });

  test.each([
    ['HTML', '<title>Hello</title>', /not JSON.*JSON API is enabled/],
    ['a list', '[]', /without a list "results"/],
    ['results that are no list', '{"results":{"length":5}}', /without a list "results"/],
  ])('%s instead of results', async (_, body, message) => {
    const server = await api(body);
    const error = await failure(client().search('a', { engine: searxng({ url: server.origin }) }));
    expect(error).toMatchObject({
      code: 'SEARCH_FAILED',
      message: expect.stringMatching(message) as string,
    });
  });

  test('an endless answer is cut off', async () => {
    const server = await api('', { '*': endless() });
    const error = await failure(client().search('a', { engine: searxng({ url: server.origin }) }));
    expect(error.code).toBe('BODY_TOO_LARGE');
  });

  test('an engine that hangs ends with the time, a signal and the client', async () => {
    const server = await api('', { '*': hang() });
    const engine = searxng({ url: server.origin });
    const late = await failure(client().search('a', { engine, timeout: 1000 }));
    expect(late).toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringMatching(/The search with searxng/) as string,
    });
    const abort = new AbortController();
    const cancelled = failure(client().search('a', { engine, signal: abort.signal }));
    abort.abort();
    expect((await cancelled).code).toBe('CANCELLED');
    const closing = client();
    const closed = failure(closing.search('a', { engine: () => new Promise(() => undefined) }));
    await closing.close();
    expect((await closed).code).toBe('CANCELLED');
  });

  test('an address that is not allowed is refused; network.only does not hold', async () => {
    const server = await api('{"results":[]}');
    const engine = searxng({ url: server.origin });
    const error = await failure(client({ network: {} }).search('a', { engine }));
    expect(error).toMatchObject({ code: 'BLOCKED_ADDRESS' });
    const only = client({ network: { ...network, only: ['docs.example'] } });
    expect((await only.search('a', { engine })).web).toEqual([]);
  });
});

describe('results are not trusted', () => {
  test('only absolute http(s) URLs, each page once, plain and short texts', async () => {
    const long = 'x'.repeat(100_000);
    const hostile = [
      { url: 'javascript:alert(1)', title: 'Script' },
      { url: 'file:///etc/passwd' },
      { url: '//protocol.example/' },
      { url: '/relative' },
      { url: `https://a.example/${long}` },
      { url: 17, title: 'A number' },
      null,
      'text',
      { url: 'https://user:secret@a.example:443/x/../page?utm_source=s#top', title: null },
      { url: 'http://www.a.example/page/', title: 'The same page' },
      {
        url: 'https://b.example/',
        title: '<script src="x">Evil</script> &lt;title&gt; &#x202e;&#65;\u202e',
        description: `<em>${long}</em>`,
        publishedAt: 'yesterday',
        toString: 'x',
      },
    ] as unknown as FoundPage[];
    const { web } = await client().search('a', { engine: () => hostile });
    expect(web).toEqual([
      {
        url: 'https://a.example/page?utm_source=s',
        title: expect.any(String) as string,
        description: '',
        position: 1,
      },
      {
        url: 'https://b.example/',
        title: 'Evil <title> A',
        description: `${'x'.repeat(1999)}…`,
        position: 2,
      },
    ]);
  });

  test('a date without a zone is UTC, wherever the program runs', async () => {
    vi.stubEnv('TZ', 'America/New_York');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(new Date(2026, 0, 1).getTimezoneOffset()).toBe(300);
    const dates = {
      '2026-03-01': '2026-03-01T00:00',
      '2026-03-01 10:00:00': '2026-03-01T10:00',
      '2026-03-01T10:00:00.5': '2026-03-01T10:00',
      '2026-03-01T10:00:00-05:00': '2026-03-01T15:00',
      '01-03-2026': '2026-01-03T00:00',
      'Mar 1, 2026': '2026-03-01T00:00',
      'Mar 1, 2026 10:00 AM': '2026-03-01T10:00',
      'Sun, 01 Mar 2026 10:00:00 GMT': '2026-03-01T10:00',
      'Sun, 01 Mar 2026 10:00:00 +0200': '2026-03-01T08:00',
      'Sun Mar 01 2026 10:00:00 GMT+0100': '2026-03-01T09:00',
    };
    const engine = (): FoundPage[] =>
      Object.keys(dates).map((publishedAt, at) => ({
        url: `https://a.example/${at}`,
        publishedAt,
      }));
    const { web } = await client().search('a', { engine, limit: 100 });
    const found = web.map(({ publishedAt }) => publishedAt?.slice(0, 16));
    expect(found).toEqual(Object.values(dates));
  });

  test('thousands of results become the limit', async () => {
    const results = Array.from({ length: 50_000 }, (_, at) => ({ url: `https://a.example/${at}` }));
    const server = await api(JSON.stringify({ results }));
    const { web } = await client().search('a', {
      engine: searxng({ url: server.origin }),
      limit: 7,
    });
    expect(web.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('domains are filtered, whatever the engine does', async () => {
    const engine = (): FoundPage[] =>
      ['a.example', 'docs.a.example', 'nota.example', 'old.a.example', 'b.example'].map((host) => ({
        url: `https://${host}/`,
      }));
    const { web } = await client().search('x', {
      engine,
      includeDomains: ['*.A.example'],
      excludeDomains: ['old.a.example'],
    });
    expect(web.map(({ url }) => url)).toEqual(['https://a.example/', 'https://docs.a.example/']);
  });
});

describe('an engine of the caller', () => {
  test('a function gets the checked request', async () => {
    const requests: SearchRequest[] = [];
    const found = await client({
      search: function ownIndex(query, request) {
        requests.push(request);
        return [{ url: `https://a.example/?q=${query}` }];
      },
    }).search(' tides ', {
      country: 'de',
      since: new Date('2026-03-01'),
      includeDomains: ['münchen.de', 'a.example'],
    });
    expect(found).toMatchObject({
      engine: 'ownIndex',
      web: [{ url: 'https://a.example/?q=tides' }],
    });
    expect(requests).toMatchObject([
      {
        source: 'web',
        limit: 5,
        country: 'DE',
        since: '2026-03-01',
        includeDomains: ['xn--mnchen-3ya.de', 'a.example'],
        excludeDomains: [],
      },
    ]);
  });

  test('it may use fetchJson, under the policy of the client', async () => {
    const server = await api('{"hits":["https://a.example/"]}');
    const { web } = await client().search('tides', {
      engine: async (query, { fetchJson }) => {
        const answer = await fetchJson({
          url: server.url('/find'),
          query: { query, n: undefined },
        });
        return (answer as { hits: string[] }).hits.map((url) => ({ url }));
      },
    });
    expect(server.log.map(({ url }) => url)).toEqual(['/find?query=tides']);
    expect(web).toHaveLength(1);
  });

  test('a key in the URL that the server repeats is hidden', async () => {
    const server = await serve(() => ({ status: 400, body: `{"message":"Bad api_key: ${key}"}` }));
    onTestFinished(() => server.close());
    const engine: SearchFunction = async (_, { fetchJson }) => {
      await fetchJson({ url: server.origin, query: { api_key: key } });
      return [];
    };
    const error = await failure(client().search('a', { engine }));
    expect(error.message).toContain('answered 400: Bad api_key: [hidden]');
  });

  test('what it throws or returns is told without keys', async () => {
    const thrown = await failure(
      client().search('a', {
        engine: () => {
          throw new Error('sk-abcdefghijklmnop was refused');
        },
      }),
    );
    expect(thrown).toMatchObject({
      code: 'SEARCH_FAILED',
      message: expect.stringMatching(/failed: \[hidden\] was refused/) as string,
    });
    const wrong = await failure(client().search('a', { engine: () => 'x' as never }));
    expect(wrong).toMatchObject({
      code: 'SEARCH_FAILED',
      message: expect.stringMatching(/must return an array/) as string,
    });
  });

  test.each([
    [{ limit: 0 }, /limit/],
    [{ limit: 101 }, /limit/],
    [{ sources: ['videos'] }, /sources/],
    [{ country: 'XX' }, /country: expected an ISO 3166-1/],
    [{ language: 'no language' }, /BCP 47/],
    [{ since: 'tomorrow' }, /since/],
    [{ includeDomains: ['https://a.example/x'] }, /host name/],
    [{ scrape: { formats: ['none'] } }, /formats/],
    [{ engine: 'google' }, /engine: expected a search engine/],
    [{ maxResults: 3 }, /maxResults/],
    [{}, /engine: no search engine is configured: pass createClient\(\{ search:/],
  ])('%j is refused', async (options, message) => {
    const error = await failure(client().search('a', options as never));
    expect(error).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(message) as string,
    });
  });

  test.each([[key], [{ apiKey: key }]])('%j is refused without its key', async (engine) => {
    const error = await failure(client().search('a', { engine } as never));
    expect(error.message).toMatch(/engine: expected a search engine/);
    expect(error.message).not.toContain(key);
    expect(() => createClient({ search: engine as never })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(key) as string }) as Error,
    );
  });

  test('a query needs words, and the default client an engine', async () => {
    expect(await failure(client().search(' ?! ', { engine: () => [] }))).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(/query: expected words/) as string,
    });
    const { web } = await search('a', { engine: () => [{ url: 'https://a.example/' }] });
    expect(web).toHaveLength(1);
  });
});

describe('scrape', () => {
  test('each page has its document or its error, and is fetched once', async () => {
    const site = await serve({
      '/good':
        '<title>Good</title><main><h1>Good</h1><p>A page with a few words to read.</p></main>',
      '/gone': { status: 410, body: '<p>Gone for good.</p>' },
    });
    onTestFinished(() => site.close());
    const engine = (): FoundPage[] => [
      { url: site.url('/good') },
      { url: site.url('/gone') },
      { url: 'http://10.0.0.1/private' },
    ];
    const { web, news } = await client().search('a', {
      engine,
      sources: ['web', 'news'],
      scrape: { formats: ['markdown', 'links'] },
    });
    expectTypeOf(web[0]?.document?.markdown).toEqualTypeOf<string | undefined>();
    expect(web.map(({ document, error }) => document?.metadata.title ?? error?.code)).toEqual([
      'Good',
      'HTTP_STATUS',
      'BLOCKED_ADDRESS',
    ]);
    expect(web[0]?.document?.markdown).toContain('A page with a few words');
    expect(web[0]?.document?.links).toEqual([]);
    expect(web[1]?.error).toMatchObject({ statusCode: 410 });
    expect(news[0]?.document).toEqual(web[0]?.document);
    expect(site.log.map(({ url }) => url).sort()).toEqual(['/gone', '/good']);
  });

  test('ends with a signal and with the client', async () => {
    const site = await serve({}, { behaviours: { '*': hang() } });
    onTestFinished(() => site.close());
    const abort = new AbortController();
    const closing = client({
      engines: (builtIn) =>
        builtIn.map((engine) => ({
          ...engine,
          fetch: (request) => {
            if (request.url.endsWith('/abort')) abort.abort();
            else void closing.close();
            return engine.fetch(request);
          },
        })),
    });
    const scrape = { engine: 'http' } as const;
    const hits = (path: string) => (): FoundPage[] => [{ url: site.url(path) }];
    const { signal } = abort;
    const cancelled = await failure(
      closing.search('a', { engine: hits('/abort'), scrape, signal }),
    );
    expect(cancelled.code).toBe('CANCELLED');
    const closed = await failure(closing.search('a', { engine: hits('/close'), scrape }));
    expect(closed.code).toBe('CANCELLED');
  });

  test('true takes the defaults of the client, and without it nothing is fetched', async () => {
    const site = await serve({ '/': '<main><p>Some words of the page.</p></main>' });
    onTestFinished(() => site.close());
    const bound = client({
      search: () => [{ url: site.origin }],
      defaults: { scrape: { formats: ['html'] } },
    });
    const plain = await bound.search('a');
    expect(plain.web[0]?.document).toBeUndefined();
    expect(site.log).toEqual([]);
    const { web } = await bound.search('a', { scrape: true });
    expect(Object.keys(web[0]?.document ?? {}).sort()).toEqual(['html', 'metadata']);
  });
});
