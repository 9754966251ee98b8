/** Options `method` and `body`: what they send, what is sent again, what the cache, jobs and recordings keep of it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Client,
  type ClientOptions,
  createClient,
  crawl,
  fileStore,
  memoryStore,
  PagewrightError,
  type ScrapeOptions,
} from 'pagewright';
import {
  fixturesEngine,
  flaky,
  openRecording,
  openReplay,
  reset,
  serve,
  type SiteHandlers,
  status,
} from 'pagewright/testing';
import { describe, expect, onTestFinished, test } from 'vitest';

function client(options: ClientOptions = {}): Client {
  const made = createClient({ network: { allow: ['127.0.0.1'] }, ...options }) as unknown as Client;
  onTestFinished(() => made.close());
  return made;
}

async function failure(work: () => Promise<unknown>): Promise<PagewrightError> {
  const error = await (async () => work())().then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(PagewrightError);
  return error as PagewrightError;
}

const article = '<main><h1>Lamps</h1><p>Four lamps that stand on a desk were found.</p></main>';

describe('a body', () => {
  const type = 'application/x-www-form-urlencoded;charset=UTF-8';
  test.each<[ScrapeOptions['body'], string, string | undefined]>([
    ['q=lämp', 'q=lämp', 'text/plain;charset=UTF-8'],
    [new TextEncoder().encode('q=1'), 'q=1', undefined],
    [new URLSearchParams({ q: 'a b' }), 'q=a+b', type],
    [{ json: { q: 'lamps', page: [1] } }, '{"q":"lamps","page":[1]}', 'application/json'],
    [{ json: null }, 'null', 'application/json'],
    [{ form: { q: 'ä&b', page: 2, on: true, id: ['1', '2'], no: undefined } }, 'q=%C3%A4%26b&page=2&on=true&id=1&id=2', type], // prettier-ignore
    ['', '', 'text/plain;charset=UTF-8'],
  ])('%o is sent as %o', async (body, sent, contentType) => {
    await using server = await serve(() => article);
    const { markdown } = await client().scrape(server.url('/search'), { body });
    expect(markdown).toContain('Four lamps');
    const [request] = server.log;
    expect(request?.method).toBe('POST');
    expect(String(request?.body)).toBe(sent);
    expect(request?.headers['content-type']).toBe(contentType);
    expect(server.log).toHaveLength(1);
  });

  test('keeps the type and the method of the caller', async () => {
    await using server = await serve(() => article);
    const headers = { 'Content-Type': 'application/graphql' };
    await client().scrape(server.url('/'), { method: 'PUT', body: '{ lamps }', headers });
    expect(server.log[0]?.method).toBe('PUT');
    expect(String(server.log[0]?.body)).toBe('{ lamps }');
    expect(server.log[0]?.headers['content-type']).toBe('application/graphql');
  });

  test('shows its type to hooks, which may sign or change it', async () => {
    await using server = await serve(() => article);
    const hooks: ClientOptions['hooks'] = {
      beforeRequest: ({ headers }) => {
        headers['x-signed'] = headers['content-type'] ?? '';
        headers['content-type'] = 'application/json; charset=utf-8';
      },
    };
    await client({ hooks }).scrape(server.url('/'), { body: { json: 1 } });
    expect(server.log[0]?.headers).toMatchObject({
      'x-signed': 'application/json',
      'content-type': 'application/json; charset=utf-8',
    });
  });

  test.each<[object, string]>([
    [{ method: 'GET', body: 'a' }, 'body: a GET has none'],
    [{ method: 'HEAD' }, 'method'],
    [{ method: 'TRACE' }, 'method'],
    [{ body: 7 }, 'body: expected text, a Uint8Array, URLSearchParams, { json } or { form }'],
    [{ body: null }, 'body: expected text'],
    [{ body: { json: 1, form: {} } }, 'body: expected text'],
    [{ body: { text: 's3cret' } }, 'body: expected text'],
    [{ body: { json: undefined } }, 'body: json: JSON cannot hold'],
    [{ body: { json: 1n } }, 'body: '],
    [{ body: { form: ['a'] } }, 'body: form: expected an object of fields'],
    [{ body: { form: new URLSearchParams({ a: '1' }) } }, 'body: form: expected an object'],
    [{ body: { form: { a: { b: 's3cret' } } } }, 'body: form.a: expected text, a number'],
    [{ body: 'a', engine: 'browser' }, "body: a browser opens pages with GET, and engine: 'browser' needs one"], // prettier-ignore
    [{ method: 'POST', formats: ['screenshot'] }, 'method: a browser opens pages with GET, and the format screenshot'], // prettier-ignore
    [{ body: 'a', exportShareLinks: true }, 'body: exportShareLinks'],
  ])('%o is BAD_REQUEST', async (options, message) => {
    const error = await failure(() => client().scrape('http://127.0.0.1:1/', options));
    expect(error.code).toBe('BAD_REQUEST');
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('s3cret');
  });

  test('has at most 10 MB', async () => {
    const body = 'x'.repeat(10 * 1024 * 1024 + 1);
    const error = await failure(() => client().scrape('http://127.0.0.1:1/', { body }));
    expect(error.code).toBe('BAD_REQUEST');
    expect(error.message).toContain('body: it has 10485761 bytes; at most 10485760');
  });

  test('is for scrape and batchScrape alone', async () => {
    expect(() => crawl('https://example.com', { scrapeOptions: { method: 'POST' } })).toThrow(
      /method: only scrape\(\) and batchScrape\(\)/,
    );
    expect((await failure(() => client().scrape({ html: '<p>' }, { body: 'a' }))).message).toMatch(
      /body \(POST\) is not available/,
    );
    const search = () => expect.fail();
    const searched = client({ search }).search('lamps', { scrape: { body: 'a' } });
    expect((await failure(() => searched)).message).toMatch(/body: only scrape/);
    expect(() => client({ defaults: { scrape: { body: 'a' } } })).toThrow(/body: it is no default/);
    const given = { method: 'POST' } as object;
    expect((await failure(() => client().map('https://example.com', given))).code).toBe(
      'BAD_REQUEST',
    );
    expect((await failure(() => client().open(given as never))).message).toContain('method');
  });

  test('goes to every URL of a batch, and to each of them once', async () => {
    await using server = await serve(() => article);
    const urls = ['/a', '/b', '/a'].map((path) => server.url(path));
    const bytes = Buffer.from('q=1');
    const job = client().batchScrape(urls, { body: bytes });
    bytes.fill(0);
    expect((await job).data).toHaveLength(2);
    expect(
      server.log.map(({ method, url, body }) => `${method} ${url} ${String(body)}`).sort(),
    ).toEqual(['POST /a q=1', 'POST /b q=1']);
  });

  test('needs a certificate that verifies', async () => {
    const seen: boolean[] = [];
    const engine = {
      name: 'own',
      can: new Set(['method'] as const),
      cost: 1,
      fetch: (request: { url: string; skipTlsVerification: boolean }) => {
        seen.push(request.skipTlsVerification);
        const facts = { statusCode: 200, headers: {}, engine: 'own', redirects: [], warnings: [] };
        return Promise.resolve({ ...facts, url: request.url, body: Buffer.from('a'), requests: 1, bytes: 1 }); // prettier-ignore
      },
    };
    const own = client({ engines: [engine] });
    await own.scrape('https://a.test/', { body: 'a', formats: ['rawHtml'] });
    await own.scrape('https://a.test/', { formats: ['rawHtml'] });
    expect(seen).toEqual([false, true]);
  });

  test('is refused by an engine that sends nothing but GET', async () => {
    const engine = { name: 'own', can: new Set<never>(), cost: 1, fetch: () => expect.fail() };
    const own = client({ engines: () => [engine] });
    const error = await failure(() => own.scrape('https://a.test/', { body: 'a' }));
    expect(error.code).toBe('BAD_REQUEST');
    expect(error.message).toContain(
      'No engine of this client (own) sends what body (POST) asks for',
    );
  });

  test('of a page that seems to need a browser is sent once, with a warning', async () => {
    const empty = '<!doctype html><div id="root"></div><script src="/app.js"></script>';
    await using server = await serve(() => empty);
    const { warning, metadata } = await client().scrape(server.url('/'), { body: 'a' });
    expect(warning).toMatch(/seems to need a browser/);
    expect(metadata.engine).toBe('http');
    expect(server.log).toHaveLength(1);
  });
});

describe('what is sent again', () => {
  const pages: SiteHandlers = () => article;
  const quick = { timeout: 15_000 };
  test.each([500, 502, 504, 403, 429, 503])('is no POST after %i', async (code) => {
    await using server = await serve(pages, { behaviours: { '*': status({ code }) } });
    const own = client();
    for (const method of ['POST', 'PATCH'] as const) {
      server.clearLog();
      const { metadata } = await own.scrape(server.url(`/${method}`), { method, ...quick });
      expect(metadata.statusCode).toBe(code);
      expect(server.log).toHaveLength(1);
    }
  });

  test('is no POST whose connection broke, on a connection that was kept alive either', async () => {
    await using server = await serve(pages, { behaviours: { '/broken': reset() } });
    const own = client();
    await own.scrape(server.url('/'));
    const error = await failure(() => own.scrape(server.url('/broken'), { body: 'a' }));
    expect(error.code).toBe('CONNECTION_RESET');
    expect(server.log.map(({ url }) => url)).toEqual(['/', '/broken']);
  });

  test('is a PUT and a DELETE, like a GET', async () => {
    for (const method of ['PUT', 'DELETE'] as const) {
      await using server = await serve(pages, { behaviours: { '*': flaky({ failures: 1 }) } });
      const { metadata } = await client().scrape(server.url('/'), { method, ...quick });
      expect(metadata.statusCode).toBe(200);
      expect(server.log.map((request) => request.method)).toEqual([method, method]);
    }
  });

  test.each(['scrape', 'batchScrape'])(
    'is a POST that the server asks for later: %s',
    async (call) => {
      let count = 0;
      await using server = await serve(() =>
        (count += 1) === 1 ? { status: 429, headers: { 'retry-after': '1' }, body: '' } : article,
      );
      const options = { body: 'q=1', ...quick };
      const own = client();
      if (call === 'scrape') await own.scrape(server.url('/'), options);
      else expect((await own.batchScrape([server.url('/')], options)).data).toHaveLength(1);
      expect(server.log.map(({ method, body }) => `${method} ${String(body)}`)).toEqual([
        'POST q=1',
        'POST q=1',
      ]);
    },
  );

  test('is a POST that was not sent: nobody listened', async () => {
    const retries: unknown[] = [];
    const own = client({
      logger: { debug: (...line) => void retries.push(line), info: () => undefined, warn: () => undefined, error: () => undefined }, // prettier-ignore
    });
    const closed = await serve({});
    await closed.close();
    const error = await failure(() => own.scrape(closed.url('/'), { body: 'a' }));
    expect(error.code).toBe('CONNECTION_REFUSED');
    expect(JSON.stringify(retries).match(/retry|attempt/gi)?.length ?? 0).toBeGreaterThan(0);
  });

  test('is no POST whose redirect led to a failure', async () => {
    await using server = await serve({
      '/form': { status: 303, headers: { location: '/done' }, body: '' },
      '/done': { status: 503, headers: { 'retry-after': '1' }, body: 'busy' },
    });
    await client().scrape(server.url('/form'), { body: 'a', ...quick });
    expect(server.log.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /form',
      'GET /done',
    ]);
  });
});

describe('the cache', () => {
  test('holds and shares no POST by default', async () => {
    await using server = await serve(() => article);
    const own = client();
    const url = server.url('/');
    await Promise.all([1, 2].map(() => own.scrape(url, { body: 'a' })));
    const { metadata } = await own.scrape(url, { body: 'a' });
    expect(metadata.cacheState).toBeUndefined();
    expect(server.log).toHaveLength(3);
    expect((await failure(() => own.scrape(url, { body: 'a', cacheOnly: true }))).code).toBe(
      'CACHE_MISS',
    );
  });

  test('holds a POST on request, by its body and type, apart from the page', async () => {
    await using server = await serve(
      ({ method, body }) => `<p>${method} ${String(body)} was read.`,
    );
    const own = client();
    const get = async (options: ScrapeOptions): Promise<string> => {
      const { markdown, metadata } = await own.scrape(server.url('/'), { ...options, onlyMainContent: false }); // prettier-ignore
      return `${metadata.cacheState} ${(markdown ?? '').trim().replace(/ +/g, ' ')}`;
    };
    const stored = { storeInCache: true } as const;
    expect(await get({})).toBe('miss GET was read.');
    expect(await get({ body: 'a', ...stored })).toBe('miss POST a was read.');
    expect(await get({ body: 'a', ...stored })).toBe('hit POST a was read.');
    expect(await get({ body: 'b', ...stored })).toBe('miss POST b was read.');
    expect(await get({ body: new TextEncoder().encode('a'), ...stored })).toBe(
      'miss POST a was read.',
    );
    expect(await get({ method: 'PUT', body: 'a', ...stored })).toBe('undefined PUT a was read.');
    expect(await get({})).toBe('hit GET was read.');
    expect(server.log).toHaveLength(5);
  });

  test('asks with no condition for a POST that it holds', async () => {
    const answer = { headers: { etag: '"1"', 'content-type': 'text/html' }, body: article };
    await using server = await serve(() => answer);
    const own = client();
    const options = { body: 'a', storeInCache: true, maxAge: 1 } as const;
    await own.scrape(server.url('/'), options);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await own.scrape(server.url('/'), options);
    expect(server.log.map(({ headers }) => headers['if-none-match'])).toEqual([
      undefined,
      undefined,
    ]);
  });
});

test('changes are told apart by method and body', async () => {
  await using server = await serve(() => article);
  const own = client({ storage: memoryStore() });
  const statusOf = async (options: ScrapeOptions): Promise<string | undefined> => {
    const { changeTracking } = await own.scrape(server.url('/'), { ...options, formats: ['markdown', 'changeTracking'] }); // prettier-ignore
    return changeTracking?.changeStatus;
  };
  expect(await statusOf({})).toBe('new');
  expect(await statusOf({ body: 'a' })).toBe('new');
  expect(await statusOf({ body: 'b' })).toBe('new');
  expect(await statusOf({ body: 'a' })).toBe('same');
});

describe('a stored batch', () => {
  async function folder(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), 'pagewright-sent-'));
    onTestFinished(() => rm(path, { recursive: true, force: true }));
    return path;
  }

  test.each<[string, ScrapeOptions['body']]>([
    ['text', 'pin=918273'],
    ['JSON', { json: { pin: 918273, deep: { list: ['918273'] } } }],
    ['a form', { form: { pin: 918273 } }],
  ])('has no body in the clear, and sends it after a resume: %s', async (_, body) => {
    await using server = await serve(() => article);
    const path = await folder();
    const secret = 'a secret of more than thirty-two characters';
    const options = { storage: fileStore(path), secret };
    const first = client(options);
    const job = first.batchScrape(['/a', '/b'].map((one) => server.url(one)), { body, maxConcurrency: 1 }); // prettier-ignore
    for await (const page of job) {
      expect(page.metadata.statusCode).toBe(200);
      break;
    }
    await first.close();
    const { readdir } = await import('node:fs/promises');
    const files = await readdir(path, { recursive: true, withFileTypes: true });
    const texts = await Promise.all(
      files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'latin1')), // prettier-ignore
    );
    expect(texts.join('')).not.toContain('918273');
    const resumed = client(options).jobs.resume(job.id);
    expect((await resumed).data).toHaveLength(2);
    const bodies = new Set(server.log.map((request) => String(request.body)));
    expect([...bodies]).toHaveLength(1);
    expect([...bodies].join('')).toContain('918273');
  });

  test('without a secret of the client wants it again', async () => {
    await using server = await serve(() => article);
    const storage = memoryStore();
    const first = client({ storage });
    const urls = ['/a', '/b'].map((one) => server.url(one));
    const job = first.batchScrape(urls, { body: { json: { pin: 918273 } }, maxConcurrency: 1 });
    for await (const page of job) {
      expect(page.metadata.statusCode).toBe(200);
      break;
    }
    await first.close();
    const second = client({ storage });
    const error = await failure(() => Promise.resolve(second.jobs.resume(job.id)));
    expect(error.message).toContain('body: the job was started with a secret');
    expect(JSON.stringify(await second.jobs.list())).not.toContain('918273');
    const other = await failure(() => Promise.resolve(second.jobs.resume(job.id, { body: 'x' })));
    expect(other.code).toBe('BAD_REQUEST');
    const resumed = second.jobs.resume(job.id, { body: { json: { pin: 918273 } } });
    expect((await resumed).data).toHaveLength(2);
  });
});

test('a recording keeps the method, tells bodies apart, and has no secret one', async () => {
  await using server = await serve(({ body }) => `<p>${body.length} characters came.`);
  const path = join(await mkdtemp(join(tmpdir(), 'pagewright-sent-')), 'run.jsonl');
  const bodies = ['{"query":"a"}', '{"query":"bbbb"}', '{"password":"hunter2"}'];
  const url = server.url('/');
  const read = async (own: Client, order: readonly string[]): Promise<string[]> => {
    const pages: string[] = [];
    for (const body of order) {
      const { markdown } = await own.scrape(url, { body, onlyMainContent: false });
      pages.push(markdown.trim());
    }
    return pages;
  };
  {
    await using recording = await openRecording(path);
    await read(client({ engines: recording.engines }), bodies);
  }
  const replay = await openReplay(path);
  const own = client({ engines: replay.engines });
  const order = bodies.toReversed();
  expect(await read(own, order)).toEqual(order.map((body) => `${body.length} characters came.`));
  const error = await failure(() => own.scrape(url, { body: 'other' }));
  expect(error.message).toContain('no answer to POST');
  const text = await readFile(path, 'utf8');
  expect(text).toContain('"method":"POST"');
  expect(text).not.toMatch(/hunter2/);
  expect(text.match(/"body":"\[redacted\]"/g)).toHaveLength(1);
});

test('a site from a folder answers every method', async () => {
  const path = new URL('../../../fixtures/sites/', import.meta.url);
  const { readdir } = await import('node:fs/promises');
  const [name] = (await readdir(path)).sort();
  const engine = fixturesEngine({ 'https://docs.test': new URL(`${name}/`, path) });
  const own = client({ engines: [engine] });
  const { metadata } = await own.scrape('https://docs.test/', { body: 'a' });
  expect(metadata.engine).toBe('fixtures');
});
