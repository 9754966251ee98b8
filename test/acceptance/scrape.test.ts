import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import {
  type Client,
  createClient,
  type Engine,
  type PageRequest,
  parse,
  PagewrightError,
  scrape,
  ValidationError,
} from 'pagewright';
import {
  emptyBody,
  endless,
  fakeClock,
  type FixtureServer,
  garbage,
  gzipBomb,
  hang,
  huge,
  redirectLoop,
  reset,
  serve,
} from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryWeb } from '../support/memory-web.ts';

const fixture = (path: string): string =>
  readFileSync(new URL(`../../fixtures/${path}`, import.meta.url), 'utf8');

let client: Client;
let docs: FixtureServer;

beforeAll(async () => {
  client = createClient({ network: { allow: ['127.0.0.1'] }, cache: false });
  docs = await serve('fixtures/sites/docs');
});

afterAll(async () => {
  await client.close();
  await docs.close();
});

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error: unknown) => (error instanceof PagewrightError ? error.code : String(error)),
  );

describe('scrape 1: golden bytes', () => {
  it('gives the committed markdown, 100 times, with one request each', async () => {
    const golden = fixture('pages/golden/retention.md').trimEnd();
    docs.clearLog();
    for (let run = 0; run < 100; run += 1) {
      const { markdown } = await client.scrape(docs.url('/docs/guides/retention.html'));
      expect(markdown.replaceAll(docs.origin, 'https://tidewater.test')).toBe(golden);
    }
    expect(docs.log).toHaveLength(100);
  });
});

describe('scrape 2: defaults', () => {
  const page = `<!doctype html><html><head><title>T</title></head><body>
    <header class="site-header"><a href="/">Logo word</a><nav><a href="/x">Navigation word</a></nav></header>
    <main><article><header><h1>Heading word</h1></header>
    <p>The first paragraph of this article is long enough, with commas, to be taken for content.</p>
    <p>The second paragraph of this article is long enough, with commas, to be taken for content.</p>
    </article></main>
    <aside class="sidebar"><p>Aside word, with <a href="/more">more</a></p></aside>
    <div class="cookie-banner" role="dialog"><p>Cookie word</p><button>Accept</button></div>
    <footer><p>Footer word</p></footer></body></html>`;

  it('gives markdown and metadata only', async () => {
    const document = await client.scrape({ html: page, url: 'https://site.test/a' });
    expect(Object.keys(document).sort()).toEqual(['markdown', 'metadata']);
    expect(document.markdown).toContain('# Heading word');
    for (const word of ['Logo', 'Navigation', 'Aside', 'Cookie', 'Footer']) {
      expect(document.markdown).not.toContain(word);
    }
  });

  it('keeps everything with onlyMainContent: false', async () => {
    const { markdown } = await client.scrape({ html: page }, { onlyMainContent: false });
    for (const word of ['Logo', 'Navigation', 'Heading', 'Aside', 'Cookie', 'Footer']) {
      expect(markdown).toContain(word);
    }
  });

  it.each<[Record<string, unknown>, string]>([
    [{ onlyMainContnt: true }, 'unknown option "onlyMainContnt"; did you mean "onlyMainContent"?'],
    [{ formats: ['markdwon'] }, 'unknown format "markdwon"; did you mean "markdown"?'],
    [{ formats: ['links', 'links'] }, '"links" is requested twice'],
    [{ formats: ['changeTracking'] }, 'changeTracking needs markdown'],
    [{ formats: [{ type: 'links', speed: 1 }] }, 'takes no option "speed"'],
    [{ timeout: 0 }, 'timeout: expected number to be >=1, got 0'],
    [{ timeout: 'soon' }, 'timeout: expected a number, or a time such as'],
    [{ maxAge: 1.5 }, 'maxAge: expected int'],
    [{ minAge: 0.5 }, 'minAge: expected int'],
    [{ includeTags: ['p['] }, 'includeTags[0]: "p[" is not a CSS selector'],
    [{ headers: { 'x y': '1' } }, 'header name'],
    [{ headers: { x: 'a\r\nb: c' } }, 'control characters'],
    [{ location: { country: 'Germany' } }, 'ISO 3166-1'],
    [{ parsers: ['docx'] }, 'parsers[0]'],
    [{ limits: { bodyByts: 1 } }, 'did you mean "limits.bodyBytes"?'],
  ])('%o throws before any request', async (options, message) => {
    docs.clearLog();
    const call = client.scrape(docs.url('/'), options);
    await expect(call).rejects.toThrow(message);
    await expect(call).rejects.toBeInstanceOf(ValidationError);
    await expect(call).rejects.toMatchObject({ code: 'BAD_REQUEST', issues: [expect.anything()] });
    expect(docs.log).toEqual([]);
  });

  it('names every mistake at once', async () => {
    const call = client.scrape(docs.url('/'), { mobil: true, timout: 1 } as object);
    await expect(call).rejects.toMatchObject({
      issues: [{ path: ['mobil'] }, { path: ['timout'] }],
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ['actions', { actions: [{ type: 'wait', milliseconds: 1 }] }],
    ['waitFor', { waitFor: 100 }],
    ['mobile', { mobile: true }],
    ['viewport', { viewport: { width: 800, height: 600 } }],
    ["engine: 'browser'", { engine: 'browser' }],
    ['profile', { profile: { name: 'me' } }],
    ['screenshot', { formats: ['screenshot'] }],
    ['branding', { formats: ['branding'] }],
  ])('%s is refused before any request by a client without a browser', async (name, options) => {
    await using plain = createClient({ network: { allow: ['127.0.0.1'] }, browser: false });
    docs.clearLog();
    const call = plain.scrape(docs.url('/'), options);
    await expect(call).rejects.toMatchObject({ code: 'BROWSER_UNAVAILABLE' });
    await expect(call).rejects.toThrow(name);
    expect(docs.log).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['minAge', { minAge: 1 }, 'CACHE_MISS'],
    ['cacheOnly', { cacheOnly: true }, 'CACHE_MISS'],
    ['reading pictures', { parsers: [{ type: 'pdf', mode: 'ocr' }] }, 'OCR_REQUIRED'],
    ['a json prompt', { formats: [{ type: 'json', prompt: 'the price' }] }, 'MODEL_REQUIRED'],
  ])(
    '%s, which this version cannot do, is refused before any request',
    async (_, options, code) => {
      docs.clearLog();
      expect(await codeOf(client.scrape(docs.url('/'), options as object))).toBe(code);
      expect(docs.log).toEqual([]);
    },
  );

  it('knows every option of the contract', async () => {
    await client.scrape(docs.url('/'), {
      formats: [],
      onlyMainContent: true,
      includeTags: [],
      excludeTags: [],
      maxAge: 0,
      storeInCache: false,
      zeroDataRetention: true,
      headers: { 'X-Test': '1' },
      waitFor: 0,
      mobile: false,
      skipTlsVerification: false,
      timeout: 5000,
      parsers: ['pdf'],
      actions: [],
      location: { country: 'DE', languages: ['de'] },
      removeBase64Images: false,
      blockAds: false,
      proxy: 'auto',
      engine: 'http',
    });
    expect(docs.log.at(-1)?.headers).toMatchObject({
      'x-test': '1',
      'accept-language': 'de,en;q=0.9',
    });
  });
});

describe('scrape 4: includeTags and excludeTags', () => {
  const html = `<body><main><h1 id="top">Title</h1><p class="lead">Lead</p>
    <section class="box"><p>First</p><div class="box"><p>Inner</p></div></section>
    <p class="lead note">Note</p><ul><li data-k="1">One</li><li>Two</li></ul></main></body>`;
  const text = async (options: object): Promise<string> =>
    (await client.scrape({ html }, options)).markdown.replace(/\s+/g, ' ');

  it('selects by tag, class, id and combined selectors, in document order, each once', async () => {
    expect(await text({ includeTags: ['h1'] })).toBe('# Title');
    expect(await text({ includeTags: ['.note', '#top'] })).toBe('# Title Note');
    expect(await text({ includeTags: ['.box'] })).toBe('First Inner');
    expect(await text({ includeTags: ['p.lead:not(.note)', 'li[data-k]'] })).toBe('Lead - One');
  });

  it('lets exclude win', async () => {
    expect(await text({ includeTags: ['.lead'], excludeTags: ['.note'] })).toBe('Lead');
    expect(await text({ excludeTags: ['ul', '.box', '.note'] })).toBe('# Title Lead');
  });

  it('gives nothing and a warning when nothing matches', async () => {
    const document = await client.scrape({ html }, { includeTags: ['.absent'] });
    expect(document.markdown).toBe('');
    expect(document.warning).toContain('.absent');
  });
});

describe('scrape 9: everything that can go wrong has its code', () => {
  let server: FixtureServer;
  beforeAll(async () => {
    server = await serve(
      {
        '/ok': '<p>fine</p>',
        '/missing': { status: 404, body: '<h1>Not here</h1><p>Really not.</p>' },
        '/error': { status: 500, body: '<h1>Broken</h1>' },
      },
      {
        behaviours: {
          '/hang': hang(),
          '/loop': redirectLoop(),
          '/reset': reset(),
          '/bomb': gzipBomb({ bytes: 200_000_000 }),
          '/huge': huge({ bytes: 200_000_000 }),
          '/endless': endless(),
          '/garbage': garbage(),
          '/empty': emptyBody(),
        },
      },
    );
  });
  afterAll(() => server.close());

  it('takes a response with a body for a document, whatever its status', async () => {
    const missing = await client.scrape(server.url('/missing'));
    expect(missing.metadata).toMatchObject({ statusCode: 404, error: '404 Not Found' });
    expect(missing.markdown).toContain('Not here');
    const broken = await client.scrape(server.url('/error'));
    expect(broken.metadata).toMatchObject({ statusCode: 500, error: '500 Internal Server Error' });
  });

  it.each([
    ['/loop', 'TOO_MANY_REDIRECTS'],
    ['/reset', 'CONNECTION_RESET'],
    ['/bomb', 'BODY_TOO_LARGE'],
    ['/huge', 'BODY_TOO_LARGE'],
    ['/endless', 'BODY_TOO_LARGE'],
    ['/garbage', 'PROTOCOL_ERROR'],
  ])('%s is %s', async (path, code) => {
    expect(await codeOf(client.scrape(server.url(path)))).toBe(code);
  });

  it.each(['markdown', 'html', 'chunks', 'links', 'images', 'tables', 'summary'] as const)(
    'warns of a page without content when only %s is asked for',
    async (format) => {
      const empty =
        '<!doctype html><title>Empty</title><script>start()</script><div id="app"></div>';
      const { warning } = await parse(empty, { formats: [format] });
      expect(warning).toBe(
        format === 'summary'
          ? 'The page has no text that a summary could be made of.'
          : 'The page has no content.',
      );
      const counted = { type: 'chunks', countTokens: (text: string) => text.length } as const;
      expect((await parse(empty, { formats: [counted] })).warning).toBe('The page has no content.');
      for (const source of [`${empty}<p>Text.`, `${empty}<img src="a.png" alt="">`]) {
        const seen = await parse(source, { formats: ['html', 'chunks'] });
        expect(seen.warning).toBeUndefined();
      }
    },
  );

  it('warns once of a page with nothing but links to skip to its content', async () => {
    const empty = '<body><a href="#main">Skip to content</a><div id="main"></div></body>';
    const { markdown, warning } = await parse(empty, { formats: ['markdown'] });
    expect(markdown).toBe('');
    expect(warning).toBe('The page has no content.');
  });

  it('gives an empty body with a warning', async () => {
    const document = await client.scrape(server.url('/empty'));
    expect(document.markdown).toBe('');
    expect(document.warning).toBeDefined();
  });

  it('names refused connections, unknown hosts and blocked addresses', async () => {
    const closed = await new Promise<number>((resolve) => {
      const probe = createServer().listen(0, '127.0.0.1', () => {
        const { port } = probe.address() as { port: number };
        probe.close(() => resolve(port));
      });
    });
    expect(await codeOf(client.scrape(`http://127.0.0.1:${closed}/`))).toBe('CONNECTION_REFUSED');
    expect(await codeOf(client.scrape('http://nowhere.invalid/'))).toBe('DNS');
    expect(await codeOf(scrape(server.url('/ok')))).toBe('BLOCKED_ADDRESS');
    expect(await codeOf(client.scrape('http://169.254.169.254/latest/'))).toBe('BLOCKED_ADDRESS');
    expect(await codeOf(client.scrape('ftp://site.test/'))).toBe('UNSUPPORTED_PROTOCOL');
    expect(await codeOf(client.scrape('http://'))).toBe('INVALID_URL');
  });

  const sites = JSON.parse(fixture('sites/blog/site.json')) as {
    facts: { encodings: Record<string, { encoding: string; title: string; sentence: string }> };
  };
  it.each(Object.entries(sites.facts.encodings))('reads %s in its charset', async (path, facts) => {
    await using blog = await serve('fixtures/sites/blog');
    const document = await client.scrape(blog.url(path), {
      formats: ['rawHtml'],
      onlyMainContent: false,
    });
    expect(document.metadata.title).toBe(facts.title);
    expect(document.rawHtml).toContain(facts.sentence);
  });
});

describe('scrape 10: content decides', () => {
  it('reads JSON, text, XML and HTML whatever the URL ends in', async () => {
    await using server = await serve({
      '/data.html': { headers: { 'content-type': 'application/json' }, body: '{"a":[0,1]}' },
      '/notes.php': { headers: { 'content-type': 'text/plain' }, body: '1. *not* <b>html</b>' },
      '/feed': { headers: { 'content-type': 'application/xml' }, body: '<a><b>1</b></a>' },
      '/page.json': {
        headers: { 'content-type': 'text/html' },
        body: '<!doctype html><h1>Page</h1><p>It is HTML all the same.</p>',
      },
      '/packed': {
        headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' },
        body: gzipSync('<h1>Packed</h1><p>It was packed and is not any more.</p>'),
      },
      '/picture.html': {
        headers: { 'content-type': 'text/html' },
        body: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
      },
    });
    const markdown = async (path: string): Promise<string> =>
      (await client.scrape(server.url(path))).markdown;
    expect(await markdown('/data.html')).toBe('```json\n{\n  "a": [\n    0,\n    1\n  ]\n}\n```');
    expect(await markdown('/notes.php')).toBe('1. *not* <b>html</b>');
    expect(await markdown('/feed')).toBe('```xml\n<a><b>1</b></a>\n```');
    expect(await markdown('/page.json')).toContain('# Page');
    expect(await markdown('/packed')).toContain('# Packed');
    const picture = client.scrape(server.url('/picture.html'));
    await expect(picture).rejects.toMatchObject({ code: 'UNSUPPORTED_CONTENT' });
    await expect(picture).rejects.toThrow('image/png');
  });

  it('gives a PDF as base64 with parsers: [], and reads it otherwise', async () => {
    const pdf = Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj\n');
    await using server = await serve({
      '/a': { headers: { 'content-type': 'text/html' }, body: pdf },
    });
    const { markdown } = await client.scrape(server.url('/a'), { parsers: [] });
    expect(Buffer.from(markdown, 'base64')).toEqual(pdf);
    expect(await codeOf(client.scrape(server.url('/a')))).toBe('PDF_DAMAGED');
  });

  it('reads held content without a socket, to the same document', async () => {
    const url = docs.url('/docs/reference/tql/aggregate.html');
    const formats = ['markdown', 'links', 'images', 'tables', 'html', 'structuredData'] as const;
    const { metadata: fetched, ...online } = await client.scrape(url, { formats });
    const html = Buffer.from(await (await fetch(url)).arrayBuffer()).toString();
    docs.clearLog();
    const { metadata: held, ...offline } = await client.scrape({ html, url }, { formats });
    const { metadata: parsed, ...bytes } = await client.parse(Buffer.from(html), {
      url,
      contentType: 'text/html',
      formats,
    });
    expect(docs.log).toEqual([]);
    expect(offline).toEqual(online);
    expect(bytes).toEqual(online);
    expect(held).toMatchObject({ title: fetched.title, engine: 'none', url, statusCode: 200 });
    expect(parsed.title).toBe(fetched.title);
  });

  it('parses strings by what they are', async () => {
    expect((await parse('{"b": 1}', { contentType: 'application/json' })).markdown).toContain(
      '"b": 1',
    );
    expect(
      (await parse('<h1>Hi</h1><p>there</p>', { contentType: 'text/html; charset=shift_jis' }))
        .markdown,
    ).toContain('# Hi');
  });
});

describe('metadata', () => {
  it('has the page’s own and the fetch’s facts, which a page cannot spoof', async () => {
    const html = `<html lang="de"><head><title>Titel</title><meta name="description" content="Worum es geht">
      <meta property="og:title" content="OG"><meta name="statusCode" content="999"><meta name="url" content="http://evil.test/">
      <meta name="custom-thing" content="42"><link rel="canonical" href="/kanon"><link rel="icon" href="/i.png"></head><body><p>x</p></body></html>`;
    const { metadata } = await client.scrape(
      { html, url: 'https://site.test/seite' },
      { formats: [] },
    );
    expect(metadata).toMatchObject({
      title: 'Titel',
      description: 'Worum es geht',
      language: 'de',
      ogTitle: 'OG',
      'custom-thing': '42',
      canonical: 'https://site.test/kanon',
      favicon: 'https://site.test/i.png',
      statusCode: 200,
      url: 'https://site.test/seite',
      sourceURL: 'https://site.test/seite',
      engine: 'none',
      creditsUsed: 1,
    });
    expect(metadata.scrapeId).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('the client’s own parts', () => {
  it('an engine gets what the options ask of it', async () => {
    const asked: PageRequest[] = [];
    const web = memoryWeb({ 'http://site.test/': '<p>Some words.</p>' });
    const browser: Engine = {
      ...web,
      name: 'browser',
      can: new Set(['render', 'wait', 'mobile', 'actions', 'profile', 'stealth']),
      fetch: (request) => {
        asked.push(request);
        return web.fetch(request);
      },
    };
    await using own = createClient({ engines: [browser] });
    const actions = [{ type: 'click', selector: '#more' }] as const;
    const { metadata } = await own.scrape('http://site.test/', {
      waitFor: 200,
      mobile: true,
      proxy: 'stealth',
      profile: { name: 'me' },
      actions,
    });
    expect(asked[0]?.rendering).toEqual({
      waitFor: 200,
      mobile: true,
      stealth: true,
      profile: { name: 'me' },
      actions: [
        { type: 'click', waits: 0, key: expect.any(String), perform: expect.any(Function) },
      ],
      blockAds: true,
    });
    expect(metadata.engineReason).toContain('waitFor needs wait');
    await own.scrape('http://site.test/');
    expect(asked[1]?.rendering).toEqual({ blockAds: true });
  });

  it('a clock decides the ids', async () => {
    const idsOf = async (seed: number): Promise<string[]> => {
      const engines = [memoryWeb({ 'http://site.test/': '<p>Some words.</p>' })];
      await using own = createClient({ engines, clock: fakeClock({ seed }) });
      const { metadata } = await own.scrape('http://site.test/');
      return [metadata.scrapeId, own.crawl('http://site.test/').id];
    };
    expect(await idsOf(1)).toEqual(await idsOf(1));
    expect(await idsOf(2)).not.toEqual(await idsOf(1));
  });
});

describe('what is loaded', () => {
  it('is no crawler until a site is crawled', () => {
    const script = `
      import { readFileSync } from 'node:fs';
      import { Session } from 'node:inspector';
      import { createClient } from '${new URL('../../dist/index.js', import.meta.url).href}';
      import { fixturesEngine } from '${new URL('../../dist/entries/testing/index.js', import.meta.url).href}';
      const files = new Set();
      const session = new Session();
      session.connect();
      session.on('Debugger.scriptParsed', ({ params: { url } }) => files.add(url));
      session.post('Debugger.enable');
      const own = () => [...files].filter((url) => url.includes('/dist/'));
      const crawlers = () =>
        own().filter((url) => readFileSync(new URL(url), 'utf8').includes('RequestQueueV1')).length;
      const loaded = own().length;
      const site = fixturesEngine({ 'https://tidewater.test': 'fixtures/sites/docs' });
      const client = createClient({ engines: [site] });
      await client.scrape('https://tidewater.test/docs/');
      const before = crawlers();
      await client.crawl('https://tidewater.test/docs/', { limit: 1 });
      await client.close();
      console.log(JSON.stringify({ loaded, before, after: crawlers() }));
    `;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 30_000,
    });
    const { loaded, before, after } = JSON.parse(output) as Record<string, number>;
    expect(loaded).toBeGreaterThan(0);
    expect(before).toBe(0);
    expect(after).toBeGreaterThan(0);
  });
});
