import { createHash } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient, memoryStore, type PageAsset } from '../../../src/index.ts';
import type { Asset } from '../../../src/core/model/snapshot.ts';
import {
  endless,
  hang,
  redirectLoop,
  redirectTo,
  serve,
  truncated,
} from '../../../src/entries/testing/index.ts';
import type { ServeOptions, SiteHandlers } from '../../../src/entries/testing/index.ts';
import { gatheredKeys } from '../../support/gathered-keys.ts';
import { smallPng } from '../../support/small-png.ts';

const network = { allow: ['127.0.0.1', '127.0.0.2'] };

const page = (body: string): string =>
  `<html><body><nav><img src="/menu.png" alt="Menu"></nav><main><article><h1>Lamps</h1>
   <p>${'A lamp gives light where there was none before. '.repeat(12)}</p>${body}
   <p>${'A good lamp is also quiet, cool, cheap and easy to carry. '.repeat(12)}</p></article></main></body></html>`;

async function open(site: SiteHandlers, behaviours: ServeOptions['behaviours'] = {}) {
  const server = await serve(site, { behaviours });
  const client = createClient({ network, browser: false });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return { server, client };
}

const pathOf = (url: string | undefined): string => new URL(url ?? '').pathname;
const codes = (assets: readonly PageAsset[] | undefined) =>
  assets?.map(({ url, error }) => [pathOf(url), error?.code]);

test('images of the content and linked files are kept, each with its facts', async () => {
  const png = smallPng(640, 480);
  const { server, client } = await open({
    '/': page(
      `<img src="/lamp.png" alt="A lamp"><p><a href="/manual.pdf#page=2">Manual</a> and <a href="/more">more</a></p>`,
    ),
    '/lamp.png': { body: png },
    '/manual.pdf': { body: '%PDF-1.7 manual', headers: { 'content-type': 'application/pdf' } },
  });
  const { assets = [], markdown } = await client.scrape(server.url('/'), {
    assets: { images: true, files: ['pdf'] },
  });
  const sha256 = createHash('sha256').update(png).digest('hex');
  expect(assets).toEqual([
    {
      kind: 'image',
      url: server.url('/lamp.png'),
      alt: 'A lamp',
      contentType: 'image/png',
      bytes: png.length,
      sha256,
      key: `assets/${sha256}`,
      width: 640,
      height: 480,
    },
    expect.objectContaining({
      kind: 'file',
      url: server.url('/manual.pdf'),
      contentType: 'application/pdf',
      bytes: 15,
    }),
  ]);
  expect(markdown).toContain(`![A lamp](${server.url('/lamp.png')})`);
  expect(await client.readAsset(assets[0] ?? {})).toEqual(new Uint8Array(png));
  expect(server.log.map(({ url }) => url)).toEqual(['/', '/lamp.png', '/manual.pdf']);
});

test('the best candidate of a srcset, lazy images, posters; no inlined ones and no placeholders', async () => {
  const png = { body: smallPng(1, 1) };
  const { server, client } = await open((request) => (request.url === '/' ? page(body) : png));
  const body = `<img src="/s.png" srcset="/s-1.png 300w, /s-2.png 900w" alt="S">
    <picture><source srcset="/p.webp 1x, /p-2.webp 2x"><img src="/p.png" alt="P"></picture>
    <img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="/late.png" alt="L">
    <img src="data:image/png;base64,${'A'.repeat(800)}" alt="D"><img src="/spacer.gif">
    <img src="/s.png" srcset="/s-1.png 300w, /s-2.png 900w" alt="again"><img src="javascript:alert(1)">
    <video poster="/poster.png"></video>`;
  const { assets = [] } = await client.scrape(server.url('/'), { assets: { images: true } });
  expect(assets.map(({ url, src, alt }) => [pathOf(url), src && pathOf(src), alt])).toEqual([
    ['/s-2.png', '/s.png', 'S'],
    ['/p-2.webp', '/p.png', 'P'],
    ['/late.png', undefined, 'L'],
    ['/poster.png', undefined, undefined],
  ]);
});

test('an image whose best candidate cannot be had is that of its src', async () => {
  const { server, client } = await open({
    '/': page('<img src="/small.png" srcset="/gone.png 2x">'),
    '/small.png': { body: smallPng(3, 4) },
  });
  const { assets } = await client.scrape(server.url('/'), { assets: { images: true } });
  expect(assets).toMatchObject([{ url: server.url('/small.png'), width: 3, height: 4 }]);
  expect(assets?.[0]?.error).toBeUndefined();
});

describe('a file that cannot be had is an error in the list', () => {
  test('hostile images', async () => {
    const { server, client } = await open(
      {
        '/': page(
          [
            'missing', 'endless', 'large', 'private', 'loop', 'page', 'text', 'void', 'cut', 'code',
          ].map((name) => `<img src="/${name}.png" alt="${name}">`).join(''),
        ), // prettier-ignore
        '/large.png': { body: Buffer.concat([smallPng(1, 1), Buffer.alloc(60_000)]) },
        '/page.png': {
          body: '<!doctype html><html><script>alert(1)</script></html>',
          headers: { 'content-type': 'image/png' },
        },
        '/text.png': { body: 'not an image', headers: { 'content-type': 'image/png' } },
        '/void.png': { body: Buffer.alloc(0) },
        '/cut.png': { body: smallPng(1, 1) },
        '/code.png': { body: '\u007fELF', headers: { 'content-type': 'image/png' } },
      },
      {
        '/endless.png': endless(),
        '/private.png': redirectTo({ location: 'http://127.0.0.9:1/a.png' }),
        '/loop.png': redirectLoop(),
        '/cut.png': truncated(),
      },
    );
    const { assets, metadata } = await client.scrape(server.url('/'), {
      assets: { images: true, maxBytesEach: 50_000 },
      retries: 0,
    });
    expect(metadata.statusCode).toBe(200);
    expect(codes(assets)).toEqual([
      ['/missing.png', 'HTTP_STATUS'],
      ['/endless.png', 'BODY_TOO_LARGE'],
      ['/large.png', 'BODY_TOO_LARGE'],
      ['/private.png', 'BLOCKED_ADDRESS'],
      ['/loop.png', 'TOO_MANY_REDIRECTS'],
      ['/page.png', 'UNSUPPORTED_CONTENT'],
      ['/text.png', 'UNSUPPORTED_CONTENT'],
      ['/void.png', 'UNSUPPORTED_CONTENT'],
      ['/cut.png', 'TRUNCATED_BODY'],
      ['/code.png', 'UNSUPPORTED_CONTENT'],
    ]);
    for (const asset of assets ?? []) expect(asset).not.toHaveProperty('key');
  });

  test('a page in place of a file, and files of other types than wanted', async () => {
    const { server, client } = await open({
      '/': page(
        '<p>Read <a href="/login.pdf">this manual</a>, or <a href="/b.PDF">another one</a> with all there is to say, and <a href="/c.zip">more</a>.</p>',
      ),
      '/login.pdf': '<!doctype html><html><title>Log in</title></html>',
      '/b.PDF': { body: '%PDF-1.4' },
    });
    const { assets } = await client.scrape(server.url('/'), { assets: { files: ['.pdf'] } });
    expect(codes(assets)).toEqual([
      ['/login.pdf', 'UNSUPPORTED_CONTENT'],
      ['/b.PDF', undefined],
    ]);
  });

  test('an SVG is an image, kept as bytes whatever it is called', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    const { server, client } = await open({
      '/': page('<img src="/a.png">'),
      '/a.png': { body: svg, headers: { 'content-type': 'image/png' } },
    });
    const { assets = [] } = await client.scrape(server.url('/'), { assets: { images: true } });
    expect(assets).toMatchObject([{ contentType: 'image/svg+xml', bytes: svg.length }]);
    expect(Buffer.from((await client.readAsset(assets[0] ?? {})) ?? []).toString()).toBe(svg);
  });

  test('files that hang end with the time of the assets, not of the page', async () => {
    const { server, client } = await open(
      { '/': page('<img src="/a.png"><img src="/b.png">'), '/b.png': { body: smallPng(1, 1) } },
      { '/a.png': hang() },
    );
    const { assets } = await client.scrape(server.url('/'), {
      timeout: 1000,
      assets: { images: true, timeout: 1500 },
    });
    expect(codes(assets)).toEqual([
      ['/a.png', 'TIMEOUT'],
      ['/b.png', undefined],
    ]);
  });
});

describe('limits', () => {
  const images = [1, 2, 3, 4, 5, 6].map((index) => `<img src="/${index}.png">`).join('');
  const site: SiteHandlers = ({ url }) =>
    url === '/' ? page(images) : { body: smallPng(1, 1, url.padEnd(67)) };

  test('the number of a page', async () => {
    const { server, client } = await open(site);
    const document = await client.scrape(server.url('/'), {
      assets: { images: true, maxCount: 2 },
    });
    expect(codes(document.assets)).toEqual([
      ['/1.png', undefined],
      ['/2.png', undefined],
    ]);
    expect(document.warning).toBe('4 assets of the page were left out: assets.maxCount is 2.');
  });

  test('the bytes of a page', async () => {
    const { server, client } = await open(site);
    const { assets = [] } = await client.scrape(server.url('/'), {
      assets: { images: true, maxBytes: 350 },
    });
    expect(assets.filter(({ key }) => key !== undefined)).toHaveLength(3);
    expect(assets.flatMap(({ error }) => error?.code ?? [])).toEqual(
      Array(3).fill('BODY_TOO_LARGE'),
    );
  });

  test('the bytes of a job', async () => {
    const { server, client } = await open(site);
    const { data } = await client.batchScrape([server.url('/')], {
      assets: { images: true, maxJobBytes: 250 },
    });
    expect(data[0]?.assets?.filter(({ key }) => key !== undefined)).toHaveLength(2);
  });

  test.each([
    [{}, 'assets: expected images: true or files'],
    [{ images: true, files: ['a/b'] }, 'assets.files'],
    [{ images: true, size: 1 }, 'unknown option "assets.size"'],
  ])('refused: %j', async (assets, message) => {
    const { client } = await open({});
    await expect(client.scrape('http://127.0.0.1:1/', { assets })).rejects.toThrow(message);
  });

  test.each([[{ zeroDataRetention: true }], [{ redact: ['email'] as const }]])(
    'refused with %j',
    async (others) => {
      const { client } = await open({});
      const asked = client.scrape('http://127.0.0.1:1/', { assets: { images: true }, ...others });
      await expect(asked).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    },
  );
});

test('headers go to the origin of the page only', async () => {
  const png = { body: smallPng(1, 1) };
  await using other = await serve({ '/a.png': png }, { host: '127.0.0.2' });
  const { server, client } = await open({
    '/': page(`<img src="/a.png"><img src="${other.url('/a.png')}">`),
    '/a.png': png,
  });
  await client.scrape(server.url('/'), {
    headers: { cookie: 'session=1', 'x-key': 'secret' },
    assets: { images: true },
  });
  expect(server.log[1]?.headers).toMatchObject({ cookie: 'session=1', 'x-key': 'secret' });
  expect(other.log).toHaveLength(1);
  expect(other.log[0]?.headers).not.toHaveProperty('cookie');
  expect(other.log[0]?.headers).not.toHaveProperty('x-key');
});

describe('jobs', () => {
  const logo = { body: smallPng(9, 9) };
  const site = {
    '/robots.txt': 'User-agent: *\nDisallow: /closed/',
    '/': page('<img src="/logo.png"><img src="/closed/a.png"><a href="/b">b</a><a href="/c">c</a>'),
    '/b': page('<img src="/logo.png">And more.'),
    '/c': page('<img src="/logo-copy.png">And most.'),
    '/logo.png': logo,
    '/logo-copy.png': logo,
    '/closed/a.png': logo,
  };

  test('a crawl downloads each URL once, obeys robots.txt, and its files are removed with it', async () => {
    await using server = await serve(site);
    const storage = memoryStore();
    await using client = createClient({ network, browser: false, storage });
    const job = client.crawl(server.url('/'), { scrapeOptions: { assets: { images: true } } });
    const { data } = await job;
    const listed = data.flatMap(({ assets = [] }) => assets);
    expect(codes(listed)).toEqual([
      ['/logo.png', undefined],
      ['/closed/a.png', 'ROBOTS'],
      ['/logo.png', undefined],
      ['/logo-copy.png', undefined],
    ]);
    const sha256 = createHash('sha256').update(logo.body).digest('hex');
    const key = `jobs/${job.id}/assets/${sha256}`;
    expect(listed.filter((asset) => asset.key === key)).toHaveLength(3);
    expect(server.log.filter(({ url }) => url.includes('.png')).map(({ url }) => url)).toEqual([
      '/logo.png',
      '/logo-copy.png',
    ]);
    expect(await gatheredKeys(storage, `jobs/${job.id}/assets/`)).toEqual([key]);
    expect(await client.readAsset({ key })).toEqual(new Uint8Array(logo.body));
    await client.jobs.remove(job.id);
    expect(await client.readAsset({ key })).toBeUndefined();
  });

  test('a stored job has its files for later clients, and its documents their list', async () => {
    await using server = await serve(site);
    const storage = memoryStore();
    const open = () => createClient({ network, browser: false, storage });
    await using first = open();
    const job = first.crawl(server.url('/'), { scrapeOptions: { assets: { images: true } } });
    await job;
    await using later = open();
    server.clearLog();
    const { data } = await later.jobs.resume(job.id);
    const assets = data.flatMap((one) => one.assets ?? []);
    expect(assets).toHaveLength(4);
    expect(await later.readAsset(assets[0] ?? {})).toEqual(new Uint8Array(logo.body));
    expect(server.log).toEqual([]);
  });

  test('files count in the budget of bytes and requests of a job', async () => {
    await using server = await serve(site);
    await using client = createClient({ network, browser: false });
    const job = client.batchScrape([server.url('/b')], { assets: { images: true } });
    await job;
    expect(job.progress.usage.requests).toBe(2);
  });

  test('pages of which the site is still being learnt have their files, too', async () => {
    await using server = await serve(site);
    await using client = createClient({ network, browser: false, storage: memoryStore() });
    const { data } = await client.crawl(server.url('/'), {
      removeRepeatedBlocks: true,
      scrapeOptions: { assets: { images: true } },
    });
    expect(codes(data.flatMap(({ assets = [] }) => assets))).toContainEqual([
      '/logo.png',
      undefined,
    ]);
    expect(codes(data.flatMap(({ assets = [] }) => assets))).toContainEqual([
      '/closed/a.png',
      'ROBOTS',
    ]);
  });

  test('without keepDocuments the files are those of single pages', async () => {
    await using server = await serve(site);
    await using client = createClient({ network, browser: false });
    const keys: (string | undefined)[] = [];
    const options = { keepDocuments: false, assets: { images: true } };
    for await (const { assets } of client.batchScrape([server.url('/b')], options)) {
      keys.push(assets?.[0]?.key);
    }
    expect(keys).toEqual([expect.stringMatching(/^assets\/[0-9a-f]{64}$/)]);
  });

  test('a recrawl downloads the files of unchanged pages for itself', async () => {
    await using server = await serve(site);
    await using client = createClient({ network, browser: false, storage: memoryStore() });
    const scrapeOptions = { assets: { images: true }, maxAge: 0 };
    const first = client.crawl(server.url('/'), { scrapeOptions });
    await first;
    const second = client.crawl(server.url('/'), { scrapeOptions, since: first.id });
    const { data } = await second;
    const keys = data.flatMap(({ assets = [] }) => assets.flatMap(({ key }) => key ?? []));
    expect(keys).toHaveLength(3);
    for (const key of keys) expect(key).toContain(second.id);
  });
});

test('the files of single pages end with jobRetention', async () => {
  let now = 1_000_000;
  const storage = memoryStore(() => now);
  await using server = await serve({
    '/': page('<img src="/a.png">'),
    '/a.png': { body: smallPng(1, 1) },
  });
  await using client = createClient({
    network,
    browser: false,
    storage,
    jobRetention: 5000,
    clock: { now: () => now, random: Math.random },
  });
  const { assets = [] } = await client.scrape(server.url('/'), { assets: { images: true } });
  expect(await client.readAsset(assets[0] ?? {})).toBeDefined();
  now += 6000;
  expect(await client.readAsset(assets[0] ?? {})).toBeUndefined();
});

test("the client's assets keep the files, and their texts are paths", async () => {
  const given: Asset[] = [];
  await using server = await serve({
    '/': page('<img src="/a.png">'),
    '/a.png': { body: smallPng(1, 1) },
  });
  await using client = createClient({
    network,
    browser: false,
    assets: (asset) => {
      given.push(asset);
      return `s3://bucket/${given.length}`;
    },
  });
  const { assets, metadata } = await client.scrape(server.url('/'), { assets: { images: true } });
  expect(assets).toMatchObject([{ path: 's3://bucket/1', bytes: 33 }]);
  expect(given).toMatchObject([
    {
      kind: 'image',
      mediaType: 'image/png',
      url: server.url('/a.png'),
      scrapeId: metadata.scrapeId,
    },
  ]);
  expect(await client.readAsset(assets?.[0] ?? {})).toBeUndefined();
});

test('readAsset gives nothing else of the storage', async () => {
  await using client = createClient({ browser: false });
  for (const key of ['job-index/a', '../assets/a', `jobs/a/../assets/${'0'.repeat(64)}`]) {
    await expect(client.readAsset({ key })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  }
});

test('nothing is downloaded for content that the caller brings, nor with cacheOnly', async () => {
  const { server, client } = await open({});
  const { assets } = await client.scrape(
    { html: page('<img src="/a.png">'), url: server.url('/') },
    { assets: { images: true } },
  );
  expect(codes(assets)).toEqual([['/a.png', 'BAD_REQUEST']]);
  expect(server.log).toEqual([]);
});
