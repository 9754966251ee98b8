/** What a browser makes of a page, through the client: screenshot, branding, PDF, rendered HTML. */
import { type Client, createClient, ValidationError } from 'pagewright';
import type { Asset } from '../../src/core/model/snapshot.ts';
import { type FixtureServer, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { bytesOf, colorAt, sizeOf } from '../support/picture.ts';
import { rareTest } from '../support/deep.ts';

const network = { allow: ['127.0.0.1'] };
const blocks = `<!doctype html><html lang="en"><title>Blocks</title>
<style>body { margin: 0; background: #fff } #first { height: 1000px; background: #ff0000 }
#second { position: absolute; left: 40px; top: 1200px; width: 300px; height: 200px; background: #0000ff } #end { height: 1000px }</style>
<body><div id="first">First</div><div id="second"></div><div id="end">Second</div>`;
const square = (color: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"><rect width="400" height="400" fill="${color}"/></svg>`;

let client: Client;
let site: FixtureServer;

beforeAll(async () => {
  client = createClient({ network });
  site = await serve({
    '/': blocks,
    '/slow-picture':
      '<!doctype html><title>Slow</title><body style="margin: 0"><img src="/slow.svg" width="400" height="400"><p>Text</p>',
    '/slow.svg': {
      headers: { 'content-type': 'image/svg+xml' },
      body: square('#00ff00'),
      delay: 1200,
    },
    '/lazy': `<!doctype html><title>Lazy</title><body style="margin: 0"><div style="height: 5000px"></div>
<img src="/green.svg" loading="lazy" width="400" height="400" style="display: block"><img data-src="/blue.svg" width="400" height="400"><script>
new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
  if (isIntersecting) target.src = target.dataset.src;
})).observe(document.querySelector('[data-src]'));
</script>`,
    '/green.svg': { headers: { 'content-type': 'image/svg+xml' }, body: square('#00ff00') },
    '/blue.svg': { headers: { 'content-type': 'image/svg+xml' }, body: square('#0000ff') },
    '/notes.txt': 'Just text.',
    '/data.json': '{"a":1}',
    '/nothing': { status: 204 },
    '/missing': { status: 404, body: blocks },
    '/shadow': `<!doctype html><html lang="en"><title>Shadow</title><body><main><h1>Tide table</h1>
<div id="open"></div><div id="closed"></div><iframe src="/frame"></iframe></main><script>
document.querySelector('#open').attachShadow({ mode: 'open' }).innerHTML = '<p>In an open root.</p>';
document.querySelector('#closed').attachShadow({ mode: 'closed' }).innerHTML = '<p>In a closed root.</p>';
</script>`,
    '/frame': '<!doctype html><p>In a frame of the same site.</p>',
    '/a': `<!doctype html><title>A</title><a href="/b">B</a>${blocks}`,
    '/b': `<!doctype html><title>B</title><a href="/a">A</a>${blocks}`,
  });
}, 60_000);

afterAll(async () => {
  await client.close();
  await site.close();
});

describe('screenshot', { timeout: 60_000 }, () => {
  test('is what the window shows, as a PNG of a pixel per CSS pixel', async () => {
    const page = await client.scrape(site.url('/'), { formats: ['screenshot'] });
    expectTypeOf(page.screenshot).toEqualTypeOf<string>();
    expect(Object.keys(page).sort()).toEqual(['metadata', 'screenshot']);
    const png = bytesOf(page.screenshot);
    expect(page.screenshot).toMatch(/^data:image\/png;base64,/);
    expect(sizeOf(png)).toEqual([1280, 720]);
    expect(colorAt(png, 600, 400)).toBe('#ff0000');
    expect(page.metadata).toMatchObject({ engine: 'browser', creditsUsed: 1 });
    expect(page.metadata.engineReason).toBe('the format screenshot needs screenshot');
  });

  test.each<[string, object, [number, number], string]>([
    ['the whole page', { fullPage: true }, [1280, 2000], 'png'],
    ['another window', { viewport: { width: 500, height: 300 } }, [500, 300], 'png'],
    [
      'the whole page in it',
      { fullPage: true, viewport: { width: 500, height: 300 } },
      [500, 2000],
      'png',
    ],
    ['JPEG', { quality: 60 }, [1280, 720], 'jpeg'],
    ['an element', { selector: '#second' }, [300, 200], 'png'],
    ['an element as JPEG', { selector: '#second', quality: 90 }, [300, 200], 'jpeg'],
  ])('%s', async (_, options, size, kind) => {
    const { screenshot } = await client.scrape(site.url('/'), {
      formats: [{ type: 'screenshot', ...options }],
    });
    expect(screenshot).toMatch(new RegExp(`^data:image/${kind};base64,`));
    expect(sizeOf(bytesOf(screenshot))).toEqual(size);
  });

  test('the option viewport counts where the format has none of its own', async () => {
    const { screenshot } = await client.scrape(site.url('/'), {
      formats: ['screenshot'],
      viewport: { width: 640, height: 480 },
    });
    expect(sizeOf(bytesOf(screenshot))).toEqual([640, 480]);
  });

  rareTest('a lower quality is a smaller file', async () => {
    const [good, bad] = await Promise.all(
      [95, 5].map((quality) =>
        client.scrape(site.url('/'), { formats: [{ type: 'screenshot', quality }] }),
      ),
    );
    expect(bytesOf(bad?.screenshot).length).toBeLessThan(bytesOf(good?.screenshot).length);
  });

  test('the element has the colour that it has on the page', async () => {
    const { screenshot } = await client.scrape(site.url('/'), {
      formats: [{ type: 'screenshot', selector: '#second' }],
    });
    expect(colorAt(bytesOf(screenshot), 150, 100)).toBe('#0000ff');
  });

  rareTest('a picture that takes its time is in it', async () => {
    const { screenshot } = await client.scrape(site.url('/slow-picture'), {
      formats: ['screenshot'],
    });
    expect(colorAt(bytesOf(screenshot), 200, 200)).toBe('#00ff00');
  });

  rareTest('so are those that come when the reader scrolls, on the whole page', async () => {
    const { screenshot } = await client.scrape(site.url('/lazy'), {
      formats: [{ type: 'screenshot', fullPage: true }],
    });
    expect(colorAt(bytesOf(screenshot), 200, 5000 + 200)).toBe('#00ff00');
    expect(colorAt(bytesOf(screenshot), 200, 5400 + 200)).toBe('#0000ff');
  });

  rareTest('without it no picture is asked for, and nobody waits', async () => {
    site.clearLog();
    await client.scrape(site.url('/slow-picture'), { engine: 'browser' });
    expect(site.log.map(({ url }) => url)).toEqual(['/slow-picture']);
  });

  rareTest(
    'a selector that nothing matches, or that is none, is BAD_REQUEST that names it',
    async () => {
      for (const selector of ['#nowhere', 'p[']) {
        const call = client.scrape(site.url('/'), {
          formats: [{ type: 'screenshot', selector }],
          timeout: 12_000,
        });
        await expect(call).rejects.toMatchObject({
          code: 'BAD_REQUEST',
          message: expect.stringContaining(selector) as string,
        });
      }
    },
  );

  rareTest('a page of a bad status has one as well', async () => {
    const { screenshot, metadata } = await client.scrape(site.url('/missing'), {
      formats: ['screenshot'],
    });
    expect(metadata).toMatchObject({ statusCode: 404, error: '404 Not Found' });
    expect(sizeOf(bytesOf(screenshot))).toEqual([1280, 720]);
  });

  test.each<[unknown, string]>([
    [['screenshot', { type: 'screenshot', fullPage: true }], '"screenshot" is requested twice'],
    [[{ type: 'screenshot', quality: 0 }], 'formats[0]: screenshot: quality'],
    [[{ type: 'screenshot', quality: 101 }], 'formats[0]: screenshot: quality'],
    [[{ type: 'screenshot', viewport: { width: 8000, height: 10 } }], 'viewport.width'],
    [[{ type: 'screenshot', fullpage: true }], 'fullpage'],
    [['branding', 'branding'], '"branding" is requested twice'],
    [[{ type: 'branding', dark: true }], 'takes no option "dark"'],
  ])('%j is refused before anything is fetched', async (formats, message) => {
    site.clearLog();
    const call = client.scrape(site.url('/'), { formats: formats as ['markdown'] });
    await expect(call).rejects.toBeInstanceOf(ValidationError);
    await expect(call).rejects.toThrow(message);
    expect(site.log).toEqual([]);
  });
});

describe('what is no page', () => {
  test.each([
    ['/notes.txt', 'text/plain'],
    ['/data.json', 'application/json'],
  ])('%s is read as it is, and a warning says that it has no look', async (path, type) => {
    const { markdown, metadata, warning } = await client.scrape(site.url(path), {
      formats: ['markdown', 'screenshot', 'branding'],
      actions: [{ type: 'scrape' }],
    });
    expect(markdown).not.toBe('');
    expect(metadata.contentType).toContain(type);
    expect(warning).toContain('there is nothing for actions, screenshot, branding');
  });
});

describe('assets', () => {
  test('gets the bytes, and what it gives stands in the document', async () => {
    const kept: Asset[] = [];
    await using own = createClient({
      network,
      assets: (asset) => {
        kept.push(asset);
        return Promise.resolve(`https://files.test/${kept.length}`);
      },
    });
    const { screenshot, actions, metadata } = await own.scrape(site.url('/'), {
      formats: ['screenshot'],
      actions: [{ type: 'screenshot', quality: 50 }, { type: 'pdf' }],
    });
    const { scrapeId } = metadata;
    const url = site.url('/');
    const facts = { url, scrapeId };
    expect(kept.map(({ bytes: _, ...asset }) => asset)).toEqual([
      { kind: 'screenshot', mediaType: 'image/png', ...facts },
      { kind: 'screenshot', mediaType: 'image/jpeg', ...facts },
      { kind: 'pdf', mediaType: 'application/pdf', ...facts },
    ]);
    expect(sizeOf(kept[0]?.bytes ?? Buffer.of())).toEqual([1280, 720]);
    expect(screenshot).toBe('https://files.test/1');
    expect(actions?.screenshots).toEqual(['https://files.test/2']);
    expect(actions?.pdfs).toEqual(['https://files.test/3']);

    // Nothing is written anywhere.
    const private_ = await own.scrape(url, { formats: ['screenshot'], zeroDataRetention: true });
    expect(private_.screenshot).toMatch(/^data:image\/png/);
    expect(kept).toHaveLength(3);
  });

  rareTest(
    'what it throws is HOOK_FAILED, once, though pages are read more than once',
    async () => {
      let calls = 0;
      await using own = createClient({
        network,
        assets: () => {
          calls++;
          throw new Error('disk full');
        },
      });
      const call = own.scrape(site.url('/'), { formats: ['screenshot', 'markdown'] });
      await expect(call).rejects.toMatchObject({
        code: 'HOOK_FAILED',
        message: expect.stringContaining('disk full') as string,
        url: site.url('/'),
      });
      expect(calls).toBe(1);
    },
  );

  rareTest('one that gives no string is HOOK_FAILED as well', async () => {
    const assets = (() => ({ url: 'x' })) as unknown as () => string;
    await using own = createClient({ network, assets });
    const call = own.scrape(site.url('/'), { formats: ['screenshot'] });
    await expect(call).rejects.toMatchObject({ code: 'HOOK_FAILED' });
  });
});

describe('branding', () => {
  test('is read of the rendered page', async () => {
    await using news = await serve('fixtures/sites/branding-news');
    const { branding } = await client.scrape(news.url('/'), { formats: ['branding'] });
    expectTypeOf(branding.colors.primary).toEqualTypeOf<string | undefined>();
    expect(branding.colorScheme).toBe('light');
    expect(branding.colors.background).toMatch(/^#[\da-f]{6}$/);
    expect(branding.fonts.length).toBeGreaterThan(0);
  });

  rareTest('of the dark page where the caller prefers it', async () => {
    await using schemes = await serve('fixtures/sites/branding-schemes');
    const [light, dark] = await Promise.all(
      (['light', 'dark'] as const).map((colorScheme) =>
        client.scrape(schemes.url('/'), { formats: ['branding'], colorScheme }),
      ),
    );
    expect([light?.branding.colorScheme, dark?.branding.colorScheme]).toEqual(['light', 'dark']);
  });
});

describe('rawHtml as rendered', () => {
  test('has shadow roots, open and closed, and frames of the same site in place', async () => {
    const { rawHtml, markdown } = await client.scrape(site.url('/shadow'), {
      engine: 'browser',
      formats: ['rawHtml', 'markdown'],
    });
    for (const text of ['In an open root.', 'In a closed root.', 'In a frame of the same site.']) {
      expect(rawHtml).toContain(text);
      expect(markdown).toContain(text);
    }
  });
});

describe('in jobs', () => {
  test('a crawl has screenshot and branding of each page', async () => {
    const { data, usage } = await client.crawl(site.url('/a'), {
      crawlEntireDomain: true,
      ignoreRobotsTxt: true,
      sitemap: 'skip',
      deduplicateContent: 'off',
      scrapeOptions: { formats: ['screenshot', 'branding'] },
    });
    expect(data.map(({ metadata }) => new URL(metadata.url).pathname)).toEqual(['/a', '/b']);
    for (const { screenshot, branding, metadata } of data) {
      expect(sizeOf(bytesOf(screenshot))).toEqual([1280, 720]);
      expect(branding.colorScheme).toBe('light');
      expect(metadata.engine).toBe('browser');
    }
    expect(usage.browserMs).toBeGreaterThan(20);
  });

  rareTest('so has a batch', async () => {
    const { data, usage } = await client.batchScrape([site.url('/a'), site.url('/b')], {
      formats: [{ type: 'screenshot', viewport: { width: 300, height: 200 } }],
    });
    const sizes = data.map(({ screenshot }) => sizeOf(bytesOf(screenshot)));
    expect(sizes).toEqual([
      [300, 200],
      [300, 200],
    ]);
    expect(usage.browserMs).toBeGreaterThan(20);
  });
});

describe('content that the caller brings', () => {
  test.each<[string, Parameters<Client['scrape']>[1]]>([
    ['the format screenshot', { formats: ['screenshot'] }],
    ['the format branding', { formats: ['markdown', 'branding'] }],
    ['actions', { actions: [{ type: 'scrape' }] }],
    ["engine: 'browser'", { engine: 'browser' }],
    ['waitFor', { waitFor: 10 }],
    ['mobile', { mobile: true }],
    ['profile', { profile: { name: 'me' } }],
  ])('is read as it is: %s is BAD_REQUEST', async (name, options) => {
    site.clearLog();
    const expected = {
      code: 'BAD_REQUEST',
      message: expect.stringMatching(
        new RegExp(`^Content that you pass in is read as is.*${name}`),
      ) as string,
    };
    const target = { html: blocks, url: site.url('/') };
    await expect(client.scrape(target, options)).rejects.toMatchObject(expected);
    await expect(client.parse(blocks, options)).rejects.toMatchObject(expected);
    expect(site.log).toEqual([]);
  });
});
