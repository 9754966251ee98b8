/** Change tracking through the client: a page scraped again is compared with what it was. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyPatch } from 'diff';
import {
  type Client,
  type ClientOptions,
  createClient,
  fileStore,
  memoryStore,
  type Store,
  ValidationError,
} from 'pagewright';
import { type FixtureServer, serve } from 'pagewright/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cutPage } from '../support/cut-body.ts';
import { z } from 'zod';

const network = { allow: ['127.0.0.1'] };
const formats = ['markdown', 'changeTracking'] as const;
const withDiff = ['markdown', { type: 'changeTracking', modes: ['git-diff'] }] as const;

/** What the site says now. */
let body = '';
let status = 200;
let isCut = false;
let site: FixtureServer;
const open: Client[] = [];

beforeAll(async () => {
  site = await serve({
    '/page': () => (isCut ? cutPage() : { status, body }),
    '/start': () => ({
      body: page('<p>Start.</p><a href="/page">Page</a>'),
    }),
  });
});
beforeEach(() => {
  status = 200;
  isCut = false;
  body = page('<p>Price: 12.99</p><p>In stock.</p>');
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});
afterAll(() => site.close());

function page(content: string): string {
  return `<!doctype html><html lang="en"><title>Lamp</title><main><h1>Lamp</h1>${content}</main>`;
}

function client(options: ClientOptions = {}): Client {
  const made = createClient({ network, ...options });
  open.push(made);
  return made;
}

describe('changeTracking', () => {
  /** An address as Cloudflare hides it. */
  const hidden = (address: string, key: number): string =>
    Buffer.from([key, ...Buffer.from(address).map((byte) => byte ^ key)]).toString('hex');

  test.each<[string, (visit: number) => string]>([
    ['a session id', (visit) => `<a href="/x;jsessionid=A${visit}B">list</a>`],
    ['one in a query', (visit) => `<a href="/x?a=1&amp;PHPSESSID=a${visit}">list</a>`],
    ['one of ASP.NET', (visit) => `<a href="/(S(lit3py55t21z5v55vlm25s5${visit}))/x">list</a>`],
    ['tracking', (visit) => `<a href="http://a.test/?utm_source=b${visit}&amp;a=1">list</a>`],
    ['a nonce', (visit) => `<a href="/x?_wpnonce=ab${visit}">list</a>`],
    ['a time', (visit) => `<img alt="Lamp" src="/a.png?_=170000000${visit}">`],
    [
      'a signature',
      (visit) => `<a href="/a.zip?Expires=${visit}&amp;Signature=f${visit}">list</a>`,
    ],
    [
      'the key of a hidden address',
      (visit) =>
        `Write to <a href="/cdn-cgi/l/email-protection#${hidden('me@a.test', 40 + visit)}">us</a>.`,
    ],
    [
      'one in a script',
      (visit) =>
        `Write to <a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="${hidden('me@a.test', 40 + visit)}">[email&#160;protected]</a>.`,
    ],
  ])('what differs in every visit is no change: %s', async (_, markup) => {
    const pages = client();
    const visit = async (number: number): Promise<string | undefined> => {
      body = page(`<p>In stock.</p><p>${markup(number)}</p>`);
      return (await pages.scrape(site.url('/page'), { formats })).changeTracking?.changeStatus;
    };
    expect([await visit(1), await visit(2)]).toEqual(['new', 'same']);
    body = page(`<p>Sold.</p><p>${markup(3)}</p>`);
    const { changeTracking } = await pages.scrape(site.url('/page'), { formats: withDiff });
    expect(changeTracking?.changeStatus).toBe('changed');
    expect(changeTracking?.diff?.text.match(/^[-+](?![-+])/gm)).toEqual(['-', '+']);
  });

  test('a changed target of a link is a change', async () => {
    const pages = client();
    for (const [href, status] of [
      ['/x?id=1', 'new'],
      ['/x?id=2', 'changed'],
    ] as const) {
      body = page(`<p><a href="${href}">list</a></p>`);
      const { changeTracking } = await pages.scrape(site.url('/page'), { formats });
      expect(changeTracking?.changeStatus).toBe(status);
    }
  });

  test('a page is fetched whatever maxAge says; a copy from the cache is not compared', async () => {
    const pages = client();
    await pages.scrape(site.url('/page'), { formats });
    body = page('<p>Sold out.</p>');
    const second = await pages.scrape(site.url('/page'), { formats, maxAge: 60_000 });
    expect(second.changeTracking?.changeStatus).toBe('changed');
    const copy = await pages.scrape(site.url('/page'), { formats, cacheOnly: true });
    expect(copy.changeTracking).toBeUndefined();
    expect(copy.warning).toContain('a copy from the cache says nothing new');
  });

  test('tells new, same and changed, and when the page was scraped before', async () => {
    let now = Date.UTC(2026, 0, 1);
    const pages = client({ clock: { now: () => now, random: Math.random } });
    const first = await pages.scrape(site.url('/page'), { formats });
    expect(first.changeTracking).toEqual({
      previousScrapeAt: null,
      changeStatus: 'new',
      visibility: 'visible',
    });
    now += 60_000;
    // White space is not what the page says.
    body = page('<p>Price:   12.99</p>\n\n<p>In stock.</p>');
    const second = await pages.scrape(site.url('/page'), { formats });
    expect(second.changeTracking).toMatchObject({
      previousScrapeAt: '2026-01-01T00:00:00.000Z',
      changeStatus: 'same',
    });
    now += 60_000;
    body = page('<p>Price: 19.29</p><p>In stock.</p>');
    const third = await pages.scrape(site.url('/page'), { formats });
    expect(third.changeTracking).toEqual({
      previousScrapeAt: '2026-01-01T00:01:00.000Z',
      changeStatus: 'changed',
      visibility: 'visible',
    });
    expect(third.warning).toBeUndefined();
  });

  test.each([
    ['digits that change places', '<p>$12.99</p>', '<p>$19.29</p>'],
    ['a list in another order', '<ul><li>a<li>b</ul>', '<ul><li>b<li>a</ul>'],
    ['a letter of another case', '<p>Open</p>', '<p>open</p>'],
  ])('%s count', async (_, before, after) => {
    const pages = client();
    body = page(before);
    await pages.scrape(site.url('/page'), { formats });
    body = page(after);
    const { changeTracking } = await pages.scrape(site.url('/page'), { formats });
    expect(changeTracking?.changeStatus).toBe('changed');
  });

  test('a body that ended early is neither compared nor stored', async () => {
    const pages = client();
    await pages.scrape(site.url('/page'), { formats });
    isCut = true;
    const part = await pages.scrape(site.url('/page'), { formats });
    expect(part.metadata.truncated).toBe(true);
    expect(part.changeTracking).toBeUndefined();
    expect(part.warning).toMatch(
      /body of the page ended early; it was neither compared nor stored/,
    );
    isCut = false;
    const whole = await pages.scrape(site.url('/page'), { formats });
    expect(whole.changeTracking?.changeStatus).toBe('same');
  });

  test('git-diff: the diff is a patch from one markdown to the other', async () => {
    const pages = client();
    const before = await pages.scrape(site.url('/page'), { formats: withDiff });
    expect(before.changeTracking).not.toHaveProperty('diff');
    body = page('<p>Price: 19.29</p><p>In stock.</p>');
    const after = await pages.scrape(site.url('/page'), { formats: withDiff });
    const { diff } = after.changeTracking ?? {};
    expect(diff?.text).toContain('-Price: 12.99\n+Price: 19.29\n');
    const ended = (text: string): string => text.replace(/\n?$/, '\n');
    expect(applyPatch(ended(before.markdown), diff?.text ?? '')).toBe(ended(after.markdown));
    expect(diff?.json.files[0]?.chunks[0]?.changes).toContainEqual({
      type: 'add',
      add: true,
      ln: 3,
      content: '+Price: 19.29',
    });
    const again = await pages.scrape(site.url('/page'), { formats: withDiff });
    expect(again.changeTracking).not.toHaveProperty('diff');
  });

  test('removed: 404 and 410 where there was a page; what says nothing is not kept', async () => {
    const pages = client();
    const track = async (code: number) => {
      status = code;
      const { changeTracking, warning } = await pages.scrape(site.url('/page'), {
        formats,
        retries: 0,
      });
      return [changeTracking?.changeStatus, warning];
    };
    expect(await track(404)).toEqual(['new', undefined]);
    expect(await track(200)).toEqual(['changed', undefined]);
    expect(await track(410)).toEqual(['removed', undefined]);
    expect(await track(404)).toEqual(['removed', undefined]);
    expect(await track(200)).toEqual(['changed', undefined]);
    const [down, warning] = await track(500);
    expect(down).toBeUndefined();
    expect(warning).toMatch(/status 500 says nothing about the page/);
    expect(await track(200)).toEqual(['same', undefined]);
  });

  test('a page that says that it is not there is removed with soft404', async () => {
    const pages = client();
    await pages.scrape(site.url('/page'), { formats });
    await pages.scrape(site.url('/page'), {
      formats: ['markdown', { type: 'changeTracking', tag: 'a' }],
    });
    body = '<!doctype html><title>Page not found</title><h1>Page not found</h1><p>Sorry.</p>';
    const plain = await pages.scrape(site.url('/page'), { formats });
    expect(plain.changeTracking?.changeStatus).toBe('changed');
    const soft = await pages.scrape(site.url('/page'), {
      formats: ['markdown', { type: 'changeTracking', tag: 'a', soft404: true }],
    });
    expect(soft.changeTracking?.changeStatus).toBe('removed');
  });

  test('json: the values that changed, by their paths', async () => {
    const product = z.object({ name: z.string(), price: z.number(), sku: z.string().optional() });
    const asked = [
      'markdown',
      { type: 'changeTracking', modes: ['json'], schema: product },
    ] as const;
    const shop = (price: number, more = {}): string =>
      page(
        `<p>A lamp.</p><script type="application/ld+json">${JSON.stringify({
          '@context': 'https://schema.org',
          '@type': 'Product',
          name: 'Lamp',
          ...more,
          offers: { '@type': 'Offer', price, priceCurrency: 'EUR' },
        })}</script>`,
      );
    const pages = client();
    body = shop(12.5);
    const first = await pages.scrape(site.url('/page'), { formats: asked });
    expect(first.changeTracking).not.toHaveProperty('json');
    expect(
      (await pages.scrape(site.url('/page'), { formats: asked })).changeTracking?.json,
    ).toEqual({});
    body = shop(19, { sku: 'L-1' });
    const { changeTracking, warning } = await pages.scrape(site.url('/page'), { formats: asked });
    expect(changeTracking).toMatchObject({
      changeStatus: 'same',
      json: {
        price: { previous: 12.5, current: 19 },
        sku: { previous: null, current: 'L-1' },
      },
    });
    expect(warning).toBeUndefined();
    // What the schema requires is missing: the document is there all the same.
    body = page('<p>A lamp.</p>');
    const bare = await pages.scrape(site.url('/page'), { formats: asked });
    expect(bare.changeTracking?.changeStatus).toBe('same');
    expect(bare.warning).toMatch(/does not give what the schema requires/);
  });

  test('what is ignored is no change, and not in the diff', async () => {
    const asked = [
      'markdown',
      {
        type: 'changeTracking',
        modes: ['git-diff'],
        ignore: { selectors: ['.clock'], patterns: [/\d+ views?/, 'session=[0-9a-f]+'] },
      },
    ] as const;
    const shown = (clock: string, views: number, text: string): string =>
      page(
        `<p class="clock">It is ${clock}</p><p>${views} views of session=a${views}</p><p>${text}</p>`,
      );
    const pages = client();
    body = shown('10:00', 1, 'Text.');
    const first = await pages.scrape(site.url('/page'), { formats: asked });
    expect(first.markdown).toContain('It is 10:00');
    body = shown('10:01', 22, 'Text.');
    const second = await pages.scrape(site.url('/page'), { formats: asked });
    expect(second.changeTracking?.changeStatus).toBe('same');
    body = shown('10:02', 333, 'Other text.');
    const third = await pages.scrape(site.url('/page'), { formats: asked });
    expect(third.changeTracking?.diff?.text).toContain('+Other text.');
    expect(third.changeTracking?.diff?.text).not.toMatch(/^[+-].*(views|It is)/m);
  });

  test('each tag has a history of its own', async () => {
    const pages = client();
    const tagged = (tag?: string) =>
      pages.scrape(site.url('/page'), {
        formats: ['markdown', { type: 'changeTracking', ...(tag === undefined ? {} : { tag }) }],
      });
    expect((await tagged('a')).changeTracking?.changeStatus).toBe('new');
    expect((await tagged('b')).changeTracking?.changeStatus).toBe('new');
    expect((await tagged()).changeTracking?.changeStatus).toBe('new');
    expect((await tagged('a')).changeTracking?.changeStatus).toBe('same');
  });

  test('a URL is compared with itself however it is written', async () => {
    const pages = client();
    await pages.scrape(site.url('/page'), { formats });
    const other = site.url('/page').replace('http://', 'HTTP://') + '#part';
    expect((await pages.scrape(other, { formats })).changeTracking?.changeStatus).toBe('same');
  });

  test('a heavy page, which a thread reads, is compared like any other', async () => {
    const pages = client();
    const long = (price: number): string =>
      page(`<p class="clock">${price}</p>${'<p>A paragraph of some words.</p>'.repeat(3_000)}`);
    const asked = [
      'markdown',
      { type: 'changeTracking', modes: ['git-diff'], ignore: { selectors: ['.clock'] } },
    ] as const;
    body = long(1);
    await pages.scrape(site.url('/page'), { formats: asked });
    body = long(2);
    expect(
      (await pages.scrape(site.url('/page'), { formats: asked })).changeTracking?.changeStatus,
    ).toBe('same');
    body = body.replace('some words', 'other words');
    const { changeTracking } = await pages.scrape(site.url('/page'), { formats: asked });
    expect(changeTracking?.diff?.text).toContain('+A paragraph of other words.');
  });
});

describe('changeTracking is refused before any request', () => {
  test.each([
    [['changeTracking'], /needs markdown/],
    [['markdown', { type: 'changeTracking', modes: ['diff'] }], /modes/],
    [['markdown', { type: 'changeTracking', modes: ['json'] }], /needs a schema/],
    [['markdown', { type: 'changeTracking', schema: z.object({}) }], /add modes: \['json'\]/],
    [['markdown', { type: 'changeTracking', modes: ['visual'] }], /needs screenshot/],
    [['markdown', { type: 'changeTracking', tag: '' }], /tag/],
    [
      ['markdown', { type: 'changeTracking', ignore: { patterns: [/(?<=a)b/] } }],
      /ignore\.patterns\[0\]/,
    ],
    [
      ['markdown', { type: 'changeTracking', ignore: { selectors: ['p['] } }],
      /ignore\.selectors\[0\]: "p\["/,
    ],
    [['markdown', { type: 'changeTracking', mode: 'json' }], /mode/],
  ])('%j', async (asked, message) => {
    const pages = client();
    const before = site.log.length;
    const failure = await pages
      .scrape(site.url('/page'), { formats: asked as never })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ValidationError);
    expect((failure as Error).message).toMatch(message);
    expect(site.log.length).toBe(before);
  });

  test('a prompt needs a model', async () => {
    const pages = client();
    await expect(
      pages.scrape(site.url('/page'), {
        formats: ['markdown', { type: 'changeTracking', modes: ['json'], prompt: 'the price' }],
      }),
    ).rejects.toMatchObject({ code: 'MODEL_REQUIRED' });
  });
});

describe('the history', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'changes-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('lasts with the storage, and of pages scraped at once one is new', async () => {
    const one = client({ storage: fileStore(folder) });
    const other = client({ storage: fileStore(folder) });
    const results = await Promise.all(
      [one, other, one, other].map((each) => each.scrape(site.url('/page'), { formats })),
    );
    const told = results.map(({ changeTracking }) => changeTracking?.changeStatus).sort();
    expect(told).toEqual(['new', 'same', 'same', 'same']);
    expect(results.map(({ warning }) => warning)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('is damaged: the next scrape begins it anew, and says so', async () => {
    const storage = fileStore(folder);
    const pages = client({ storage });
    await pages.scrape(site.url('/page'), { formats });
    for await (const key of storage.list('changes/')) {
      await storage.set(key, new TextEncoder().encode('{"format":1,"entries":[{"id":"../../x"}]}'));
    }
    const after = await pages.scrape(site.url('/page'), { formats });
    expect(after.changeTracking).toBeUndefined();
    expect(after.warning).toMatch(/history is damaged; it begins anew/);
    expect((await pages.scrape(site.url('/page'), { formats })).changeTracking?.changeStatus).toBe(
      'same',
    );
  });

  test('of which only the texts are damaged still tells that the page changed', async () => {
    const storage = fileStore(folder);
    const pages = client({ storage });
    await pages.scrape(site.url('/page'), { formats: withDiff });
    for await (const key of storage.list('changes/')) {
      if (key.includes('/versions/')) await storage.set(key, new Uint8Array([1, 2, 3]));
    }
    body = page('<p>Other.</p>');
    const { changeTracking, warning } = await pages.scrape(site.url('/page'), {
      formats: withDiff,
    });
    expect(changeTracking?.changeStatus).toBe('changed');
    expect(changeTracking).not.toHaveProperty('diff');
    expect(warning).toMatch(/version before cannot be read/);
  });

  test('of a later version of the library is left alone', async () => {
    const storage = memoryStore();
    const pages = client({ storage });
    await pages.scrape(site.url('/page'), { formats });
    const [key = ''] = (await keysOf(storage)).filter((name) => name.endsWith('/history'));
    const later = new TextEncoder().encode('{"format":2,"entries":[]}');
    await storage.set(key, later);
    const { changeTracking, warning } = await pages.scrape(site.url('/page'), { formats });
    expect(changeTracking).toBeUndefined();
    expect(warning).toMatch(/format 2.*Update pagewright/);
    expect(await storage.get(key)).toEqual(later);
  });

  test('is kept to its limit, and versions that came twice in a row are one', async () => {
    const storage = fileStore(folder);
    const pages = client({ storage });
    for (let round = 0; round < 12; round += 1) {
      body = page(`<p>Round ${Math.floor(round / 2)}.</p>`);
      await pages.scrape(site.url('/page'), {
        formats: ['markdown', { type: 'changeTracking', historyLimit: 3 }],
      });
    }
    const keys = await keysOf(storage);
    expect(keys.filter((key) => key.includes('/versions/'))).toHaveLength(3);
    expect(keys.filter((key) => key.endsWith('/history'))).toHaveLength(1);
  });

  test('a storage that fails is a warning; the document is there', async () => {
    await writeFile(join(folder, 'file'), '');
    const pages = client({ storage: fileStore(join(folder, 'file')) });
    const { markdown, changeTracking, warning } = await pages.scrape(site.url('/page'), {
      formats,
    });
    expect(markdown).toContain('12.99');
    expect(changeTracking).toBeUndefined();
    expect(warning).toMatch(/comparing failed/);
  });

  test('a scrape that fails leaves nothing, and the next one is the first', async () => {
    const storage = fileStore(folder);
    const pages = client({ storage });
    await expect(
      pages.scrape('http://127.0.0.1:2/', { formats, retries: 0 }),
    ).rejects.toMatchObject({
      code: expect.stringMatching(/^CONNECTION/),
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test('zeroDataRetention stores and compares nothing', async () => {
    const storage = memoryStore();
    const pages = client({ storage });
    const { changeTracking, warning } = await pages.scrape(site.url('/page'), {
      formats,
      zeroDataRetention: true,
    });
    expect(changeTracking).toBeUndefined();
    expect(warning).toMatch(/zeroDataRetention/);
    expect(await keysOf(storage)).toEqual([]);
  });

  test('a page that was scraped without change tracking is not in it', async () => {
    const pages = client();
    await pages.scrape(site.url('/page'), { maxAge: 0 });
    expect((await pages.scrape(site.url('/page'), { formats })).changeTracking?.changeStatus).toBe(
      'new',
    );
  });

  test('a clock that goes back changes no order', async () => {
    let now = Date.UTC(2026, 5, 1);
    const pages = client({ clock: { now: () => now, random: Math.random } });
    await pages.scrape(site.url('/page'), { formats });
    now = Date.UTC(2020, 0, 1);
    body = page('<p>Other.</p>');
    await pages.scrape(site.url('/page'), { formats });
    now = Date.UTC(2020, 0, 2);
    expect((await pages.scrape(site.url('/page'), { formats })).changeTracking).toMatchObject({
      changeStatus: 'same',
      previousScrapeAt: '2020-01-01T00:00:00.000Z',
    });
  });
});

describe('in jobs', () => {
  test('a crawl tells of every page', async () => {
    const pages = client();
    const run = async () => {
      const { data } = await pages.crawl(site.url('/start'), {
        crawlEntireDomain: true,
        scrapeOptions: { formats },
      });
      return data.map(({ changeTracking }) => changeTracking?.changeStatus);
    };
    expect(await run()).toEqual(['new', 'new']);
    body = page('<p>Other.</p>');
    expect(await run()).toEqual(['same', 'changed']);
  });
});

async function keysOf(store: Store): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list('')) if (key.startsWith('changes/')) keys.push(key);
  return keys;
}
