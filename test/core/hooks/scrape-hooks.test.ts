import {
  createClient,
  defineFormat,
  type Hooks,
  type HtmlPage,
  PagewrightError,
  ValidationError,
} from 'pagewright';
import { fixturesEngine, serve } from 'pagewright/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryWeb, pageOf } from '../../support/memory-web.ts';
import { heavyPage } from '../page/heavy-page.ts';

const url = 'http://site.test/a';

/** A client whose only page says `A`, with these hooks. */
function clientWith(hooks: Hooks, page: string = pageOf('A')): ReturnType<typeof createClient> {
  const client = createClient({ engines: [memoryWeb({ [url]: page })], hooks });
  onTestFinished(() => client.close());
  return client;
}

const fail = async (work: Promise<unknown>): Promise<PagewrightError> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(PagewrightError);
  return error as PagewrightError;
};

const wait = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const never = (): Promise<undefined> => new Promise(() => undefined);

describe('beforeRequest', () => {
  it('adds, changes and removes headers of the request, in any spelling', async () => {
    await using site = await serve({ '/a': pageOf('A') });
    await using client = createClient({
      network: { allow: ['127.0.0.1'] },
      hooks: {
        beforeRequest: async ({ headers }) => {
          await wait();
          headers['X-Token'] = `${headers['x-own'] ?? ''}-token`;
          headers['Accept-Language'] = 'de';
          delete headers['x-own'];
        },
      },
    });
    const headers = { 'X-Own': 'mine', 'accept-language': 'en' };
    await client.scrape(site.url('/a'), { headers });
    expect(site.log[0]?.headers).toMatchObject({
      'x-token': 'mine-token',
      'accept-language': 'de',
    });
    expect(site.log[0]?.headers).not.toHaveProperty('x-own');
  });

  it('is asked once, whatever is tried again', async () => {
    let answers = 0;
    let asked = 0;
    const web = memoryWeb(() => (answers++ < 2 ? { status: 503, body: 'busy' } : pageOf('A')));
    await using client = createClient({
      engines: [web],
      hooks: { beforeRequest: () => asked++ },
    });
    const { metadata } = await client.scrape(url);
    expect(metadata.statusCode).toBe(200);
    expect([asked, answers]).toEqual([1, 3]);
  });

  it('has secrets that stay behind when a redirect leaves the site', async () => {
    await using other = await serve({ '/b': pageOf('B') });
    const away = other.url('/b').replace('127.0.0.1', 'localhost');
    await using site = await serve({ '/a': { status: 302, headers: { location: away } } });
    await using client = createClient({
      network: { allow: ['127.0.0.1', 'localhost'] },
      hooks: {
        beforeRequest: ({ headers }) => {
          headers['authorization'] = 'Bearer secret';
        },
      },
    });
    await client.scrape(site.url('/a'));
    expect(site.log[0]?.headers).toHaveProperty('authorization', 'Bearer secret');
    expect(other.log[0]?.headers).not.toHaveProperty('authorization');
  });

  it.each([
    ['a name that is none', { 'x y': '1' }, 'x y'],
    ['a value with a line break', { 'x-token': 'secret\r\nx: y' }, 'x-token'],
    ['a value that is no text', { 'x-count': 7 }, 'x-count'],
  ])('is HOOK_FAILED for %s, and no request is sent', async (_, bad, name) => {
    const web = memoryWeb({ [url]: pageOf('A') });
    await using client = createClient({
      engines: [web],
      hooks: { beforeRequest: ({ headers }) => Object.assign(headers, bad) },
    });
    const error = await fail(client.scrape(url));
    expect(error).toMatchObject({ code: 'HOOK_FAILED', url });
    expect(error.message).toContain('beforeRequest');
    expect(error.message).toContain(name);
    expect(error.message).not.toContain('secret');
    expect(web.log).toEqual([]);
  });

  it('can veto the request', async () => {
    const web = memoryWeb({ [url]: pageOf('A') });
    const hooks: Hooks = { beforeRequest: ({ skip }) => skip('not today') };
    await using client = createClient({ engines: [web], hooks });
    const error = await fail(client.scrape(url));
    expect(error.code).toBe('HOOK_FAILED');
    expect(error.message).toBe(`The hook "beforeRequest" skipped ${url}: not today.`);
    expect(web.log).toEqual([]);
  });

  it('is not asked for content that the caller brings', async () => {
    const asked: string[] = [];
    const client = clientWith({
      beforeRequest: () => asked.push('beforeRequest'),
      afterResponse: () => void asked.push('afterResponse'),
      beforeFormats: () => void asked.push('beforeFormats'),
      onDocument: () => void asked.push('onDocument'),
    });
    await client.scrape({ html: '<p>Here</p>', url });
    await client.parse('<p>Here</p>', { url });
    expect(asked).toEqual(['beforeFormats', 'onDocument', 'beforeFormats', 'onDocument']);
  });
});

describe('afterResponse', () => {
  it('replaces body, status and headers; the rest stays', async () => {
    const client = clientWith({
      afterResponse: async ({ snapshot }) => {
        await wait();
        expect(snapshot).toMatchObject({ url, statusCode: 200, engine: 'memory-web' });
        const body = new TextDecoder().decode(snapshot.body).replaceAll('A', 'Ä');
        return { statusCode: 404, headers: { 'Content-Type': 'text/html; charset=latin1' }, body };
      },
    });
    const { markdown, metadata } = await client.scrape(url);
    expect(markdown).toContain('# Ä');
    expect(metadata).toMatchObject({ statusCode: 404, error: '404 Not Found', title: 'Ä' });
  });

  it('takes bytes, and leaves the response as it is when nothing is given', async () => {
    const bytes = clientWith({
      afterResponse: () => ({ body: new TextEncoder().encode('<h1>Bytes</h1>') }),
    });
    expect((await bytes.scrape(url)).markdown).toBe('# Bytes');
    const nothing = clientWith({ afterResponse: () => undefined });
    expect((await nothing.scrape(url)).markdown).toContain('# A');
  });

  it.each([
    ['no object', 'text'],
    ['null', null],
    ['an unknown name', { status: 200 }],
    ['a status that is none', { statusCode: 42 }],
    ['a body that is no text and no bytes', { body: { html: '' } }],
    ['headers that are not an object', { headers: 'x' }],
    ['a header that is none', { headers: { 'x-a': 'a\nb' } }],
    ['too large a body', { body: 'x'.repeat(2000) }],
  ])('is HOOK_FAILED when it gives %s', async (_, answer) => {
    const client = clientWith({ afterResponse: () => answer as never });
    const error = await fail(client.scrape(url, { limits: { bodyBytes: 1000 } }));
    expect(error).toMatchObject({ code: 'HOOK_FAILED', url });
    expect(error.message).toContain('The hook "afterResponse" gave');
  });
});

describe('beforeFormats', () => {
  it('changes the DOM before anything is read of it', async () => {
    const client = clientWith(
      {
        beforeFormats: async ({ page }) => {
          await wait();
          const { document } = page as HtmlPage;
          document.querySelector('.ad')?.remove();
          document.querySelector('title')!.textContent = 'Changed';
        },
      },
      '<title>T</title><main><h1>Head</h1><p>Text.</p><p class="ad">Buy!</p></main>',
    );
    const { markdown, metadata } = await client.scrape(url);
    expect(markdown).toBe('# Head\n\nText.');
    expect(metadata.title).toBe('Changed');
  });

  it('sees the links of the page and pages that are no HTML', async () => {
    const seen: unknown[] = [];
    const hooks: Hooks = { beforeFormats: ({ page, links }) => void seen.push(page.kind, links) };
    const client = clientWith(hooks, '<a href="/b" rel="nofollow">B</a>');
    await client.scrape(url);
    await client.parse('https://site.test/c', { contentType: 'text/plain' });
    expect(seen).toEqual([
      'html',
      [{ url: 'http://site.test/b', text: 'B', rel: 'nofollow', element: 'a' }],
      'text',
      [{ url: 'https://site.test/c', element: 'text' }],
    ]);
  });

  it('gives a document in place of what the formats give, none of which runs', async () => {
    const ran: string[] = [];
    const own = defineFormat({ name: 'own', needs: 'content', run: () => ran.push('own') });
    const client = clientWith({ beforeFormats: ({ page }) => ({ document: { kind: page.kind } }) });
    const document = await client.scrape(url, { formats: [own, 'chunks', 'summary'] });
    expect(document).toEqual({
      kind: 'html',
      metadata: expect.objectContaining({ url, title: 'A' }),
    });
    expect(ran).toEqual([]);
  });

  it('is asked for a heavy page too, on the thread of the caller', async () => {
    const client = clientWith(
      {
        beforeFormats: ({ page }) => {
          (page as HtmlPage).document.body.textContent = 'Light';
        },
      },
      heavyPage(),
    );
    expect((await client.scrape(url)).markdown).toBe('Light');
  });

  it.each([
    ['no object', 'links'],
    ['links that are no list', { links: 'http://site.test/' }],
    ['a document that is none', { document: 'text' }],
    ['an unknown name', { documents: [] }],
    ['a link without URL', { links: [{ href: '/b' }] }],
    ['no link', { links: [undefined] }],
  ])('is HOOK_FAILED when it gives %s', async (_, answer) => {
    const error = await fail(clientWith({ beforeFormats: () => answer as never }).scrape(url));
    expect(error).toMatchObject({ code: 'HOOK_FAILED', url });
    expect(error.message).toContain('The hook "beforeFormats" gave');
  });
});

describe('onDocument', () => {
  it('changes the document, or gives another one with its metadata', async () => {
    const changing = clientWith({
      onDocument: async ({ document }) => {
        await wait();
        document['words'] = String(document['markdown']).split(/\s+/).length;
        document.metadata.title = 'Mine';
      },
    });
    const changed = await changing.scrape(url);
    expect(changed).toMatchObject({ words: 14, metadata: { title: 'Mine', url } });

    const giving = clientWith({
      onDocument: ({ document }) => ({
        price: 7,
        metadata: { title: document.metadata.title ?? '', creditsUsed: 99, note: 'own' },
      }),
    });
    const given = await giving.scrape(url);
    expect(Object.keys(given).sort()).toEqual(['metadata', 'price']);
    expect(given.metadata).toMatchObject({ title: 'A', url, statusCode: 200, note: 'own' });
    expect(given.metadata.creditsUsed).toBe(1);
  });

  it.each([
    ['a list', []],
    ['a text', 'text'],
    ['null', null],
  ])('is HOOK_FAILED when it gives %s', async (_, answer) => {
    const error = await fail(clientWith({ onDocument: () => answer as never }).scrape(url));
    expect(error).toMatchObject({ code: 'HOOK_FAILED', url });
    expect(error.message).toContain('The hook "onDocument" gave');
  });
});

describe('onError', () => {
  const missing = memoryWeb({ [url]: { fails: true } });
  const scrapeWith = async (onError: Hooks['onError']): Promise<unknown> => {
    await using client = createClient({ engines: [missing], hooks: { onError } });
    return await client.scrape(url, { retries: 0 });
  };

  it('sees the error, and may leave it as it is', async () => {
    const seen: unknown[] = [];
    const error = await fail(scrapeWith((state) => void seen.push(state.error, state.url)));
    expect(error.code).toBe('CONNECTION_RESET');
    expect(seen).toEqual([error, url]);
  });

  it('gives another error', async () => {
    const own = new RangeError('Mine');
    await expect(scrapeWith(async () => own)).rejects.toBe(own);
  });

  it('gives a document, whose metadata tells of the error', async () => {
    const document = await scrapeWith(() => ({ markdown: 'Gone', metadata: { title: 'None' } }));
    expect(document).toMatchObject({
      markdown: 'Gone',
      metadata: {
        title: 'None',
        url,
        statusCode: 0,
        errorCode: 'CONNECTION_RESET',
        creditsUsed: 0,
      },
    });
  });

  it('is not asked when the caller aborted or a hook vetoed', async () => {
    const asked: unknown[] = [];
    const onError: Hooks['onError'] = ({ error }) => void asked.push(error);
    const stop = new AbortController();
    const beforeRequest = (): Promise<void> => (stop.abort(), never());
    const aborted = clientWith({ onError, beforeRequest }).scrape(url, { signal: stop.signal });
    await expect(aborted).rejects.toMatchObject({ code: 'CANCELLED' });
    await fail(clientWith({ onError, beforeRequest: ({ skip }) => skip() }).scrape(url));
    expect(asked).toEqual([]);
  });

  it('gets time of its own after a page that took too long', async () => {
    const web = memoryWeb({ [url]: { delay: 60_000 } });
    const onError: Hooks['onError'] = async () => (await wait(), { markdown: 'Late' });
    await using client = createClient({ engines: [web], hooks: { onError } });
    expect(await client.scrape(url, { timeout: 1000 })).toMatchObject({ markdown: 'Late' });
  });
});

describe('any hook', () => {
  const names = ['beforeRequest', 'afterResponse', 'beforeFormats', 'onDocument'] as const;

  it.each(names)(
    '%s that throws is HOOK_FAILED with its name, the URL and the cause',
    async (name) => {
      const cause = new PagewrightError('DNS', 'Out of luck');
      for (const hook of [
        () => Promise.reject(cause),
        () => {
          throw cause;
        },
      ]) {
        const error = await fail(clientWith({ [name]: hook }).scrape(url));
        expect(error).toMatchObject({ code: 'HOOK_FAILED', url, cause });
        expect(error.message).toBe(`The hook "${name}" threw for ${url}: Out of luck`);
      }
    },
  );

  it.each(names)('%s may throw what is no text and no error', async (name) => {
    const cause = Object.create(null) as Error;
    const error = await fail(clientWith({ [name]: () => Promise.reject(cause) }).scrape(url));
    expect(error).toMatchObject({ code: 'HOOK_FAILED', url, cause });
    expect(error.message).toContain(`The hook "${name}" threw for ${url}`);
  });

  it.each<[string, (state: Record<string, unknown>) => void]>([
    ['beforeRequest', (state) => (state['headers'] = { 'x-a': 'b' })],
    ['afterResponse', (state) => Object.assign(state['snapshot'] as object, { body: 'changed' })],
    ['afterResponse', (state) => Object.assign(state['snapshot'] as object, { requests: NaN })],
    ['onDocument', (state) => (state['document'] = { markdown: 'changed' })],
  ])('%s that assigns what is given back instead is told', async (name, hook) => {
    const error = await fail(clientWith({ [name]: hook }).scrape(url));
    expect(error.code).toBe('HOOK_FAILED');
    expect(error.message).toMatch(/The hook "\w+" threw for .* read only/);
  });

  it.each(['text', [1], null])('onDocument cannot give %j as metadata', async (metadata) => {
    const hooks = { onDocument: () => ({ metadata }) } as unknown as Hooks;
    const error = await fail(clientWith(hooks).scrape(url));
    expect(error.code).toBe('HOOK_FAILED');
    expect(error.message).toContain('as the metadata of a document');
  });

  it('beforeFormats may leave no hole in the links', async () => {
    const beforeFormats: Hooks['beforeFormats'] = ({ links }) => void (links.length += 2);
    const error = await fail(clientWith({ beforeFormats }).scrape(url));
    expect(error.code).toBe('HOOK_FAILED');
    expect(error.message).toContain('instead of a link');
  });

  it.each(names)('%s that never settles ends with the timeout, which names it', async (name) => {
    let aborted = false;
    const hook = ({ signal }: { signal: AbortSignal }): Promise<undefined> => {
      signal.addEventListener('abort', () => (aborted = true));
      return never();
    };
    const error = await fail(clientWith({ [name]: hook }).scrape(url, { timeout: 1000 }));
    expect(error).toMatchObject({ code: 'TIMEOUT', url });
    expect(error.message).toContain(`waiting for the hook "${name}"`);
    expect(aborted).toBe(true);
  });

  it.each(names)('%s can veto, with or without a reason', async (name) => {
    const veto = ({ skip }: { skip: (reason?: string) => void }): void => skip();
    const error = await fail(clientWith({ [name]: veto }).scrape(url));
    expect(error.message).toBe(`The hook "${name}" skipped ${url}.`);
  });

  it('onError that throws or never settles is the failure then', async () => {
    await using client = createClient({
      engines: [memoryWeb({ [url]: { fails: true }, 'http://site.test/b': { fails: true } })],
      hooks: {
        onError: (state) => {
          if (state.url === url) throw new Error('Worse');
          return never();
        },
      },
    });
    const options = { retries: 0, timeout: 1000 };
    const thrown = await fail(client.scrape(url, options));
    expect(thrown.message).toBe(`The hook "onError" threw for ${url}: Worse`);
    const late = await fail(client.scrape('http://site.test/b', options));
    expect(late.code).toBe('TIMEOUT');
    expect(late.message).toContain('waiting for the hook "onError"');
  });

  it('keeps the object that it came with', async () => {
    class Counting {
      #asked = 0;
      onDocument({ document }: { document: Record<string, unknown> }): void {
        document['number'] = ++this.#asked;
      }
    }
    const client = clientWith(new Counting());
    await client.scrape(url);
    expect(await client.scrape(url)).toMatchObject({ number: 2 });
  });

  it('is asked for the pages of an extraction, up to the document', async () => {
    const asked: string[] = [];
    const engine = fixturesEngine({ 'https://fernhill.test': 'fixtures/sites/shop' });
    await using client = createClient({
      engines: [engine],
      hooks: Object.fromEntries(
        [...names, 'onError'].map((name) => [name, () => void asked.push(name)]),
      ),
    });
    await client.extract({
      urls: ['https://fernhill.test/products/korrigan-skell-3.html'],
      schema: { type: 'object', properties: { name: { type: 'string' } } },
    });
    expect(asked).toEqual(['beforeRequest', 'afterResponse', 'beforeFormats']);
  });

  it('gives an extraction no document: values of the page are proven all the same', async () => {
    const engine = fixturesEngine({ 'https://fernhill.test': 'fixtures/sites/shop' });
    await using client = createClient({
      engines: [engine],
      hooks: { beforeFormats: () => ({ document: { own: true } }) },
    });
    const { data, provenance } = await client.extract({
      urls: ['https://fernhill.test/products/korrigan-skell-3.html'],
      schema: { type: 'object', properties: { name: { type: 'string' } } },
      provenance: true,
    });
    expect(data).toEqual({ name: 'Korrigan Skell 3 Tent' });
    expect(Object.keys(provenance)).toEqual(['name']);
  });

  it.each([
    [
      { hooks: { beforeRequests: () => undefined } },
      /unknown option "hooks.beforeRequests"; did you mean "hooks.beforeRequest"/,
    ],
    [{ hooks: { onDocument: 'x' } }, /hooks.onDocument: expected a function/],
    [{ hooks: 7 }, /hooks: expected object/],
  ])('is checked: %o', (options, message) => {
    expect(() => createClient(options as never)).toThrow(ValidationError);
    expect(() => createClient(options as never)).toThrow(message);
    const client = createClient();
    expect(() => client.crawl(url, options as never)).toThrow(message);
  });
});
