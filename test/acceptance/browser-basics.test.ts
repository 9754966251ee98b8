/** scrape 1, 5 and 7 of a demanding user, in a real Chromium: golden bytes, auto, limits and aborts. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  createClient,
  type Engine,
  type ScrapeOptions,
  type Snapshot,
} from 'pagewright';
import { type Behaviour, type FixtureServer, hang, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { browserEngine } from '../../src/browser/chromium/browser.ts';
import { createNetworkPolicy } from '../../src/core/http/network/policy.ts';
import { memoryStore } from '../../src/core/storage/memory-store.ts';
import { pageRequest } from '../core/http/http-lab.ts';
import { serveTls } from '../hostile/tls-lab.ts';
import { isDeep, rareTest, usualAnd } from '../support/deep.ts';

const network = { allow: ['127.0.0.1'] };

let client: Client;
let site: FixtureServer;

/** A page, the same filled in by a script, and pages that never come. */
const lines = [
  'The harbour office opens at seven, and the first ferry leaves a quarter of an hour later.',
  'Tickets are sold on board, in the office and at the kiosk beside the weighbridge, all day long.',
  'Bicycles travel free of charge outside of the holidays, as long as there is room on the deck.',
];
const paragraphs = lines.map((line) => `<p>${line}</p>`).join('');
const twin = `<!doctype html><html lang="en"><title>Ferries</title><body><main><h1>Ferries</h1>${paragraphs}</main>`;
const late = `<!doctype html><html lang="en"><title>Ferries</title><body><div id="root"></div>
<script>setTimeout(() => { document.getElementById('root').innerHTML = ${JSON.stringify(`<main><h1>Ferries</h1>${paragraphs}</main>`)}; }, 300)</script>`;
const waitsForScript = `<!doctype html><title>Half</title><p>The half that came.</p><script src="/hang.js"></script><p>Never.</p>`;
const empty = Object.fromEntries(
  [200, 204, 404, 500].map((status) => [`/empty/${status}`, { status }]),
);

beforeAll(async () => {
  client = createClient({ network, cache: false });
  site = await serve(
    { '/': 'start', '/twin': twin, '/late': late, '/half': waitsForScript, ...empty },
    { behaviours: { '/hang': hang(), '/hang.js': hang() } },
  );
  // The browser is started before anything is measured.
  await client.scrape(site.url('/'), { engine: 'browser' });
}, 60_000);

afterAll(async () => {
  await client.close();
  await site.close();
});

describe('scrape 1: golden bytes in a browser', { timeout: 60_000 }, () => {
  test('the markdown is that of plain HTTP, each time, and the server sees one request each', async () => {
    await using docs = await serve('fixtures/sites/docs');
    const golden = readFileSync('fixtures/pages/golden/retention.md', 'utf8').trimEnd();
    for (let run = 0; run < (isDeep('golden bytes in a browser') ? 10 : 3); run++) {
      docs.clearLog();
      const url = docs.url('/docs/guides/retention.html');
      // With the consent dialog answered the page is another one, of which main content may differ.
      const options = { engine: 'browser', blockAds: false } as const;
      const { markdown, metadata } = await client.scrape(url, options);
      expect(markdown.replaceAll(docs.origin, 'https://tidewater.test')).toBe(golden);
      expect(metadata).toMatchObject({ engine: 'browser', statusCode: 200, url });
      const paths = docs.log.map((request) => request.url);
      expect(paths.filter((path) => path.endsWith('.html'))).toEqual([
        '/docs/guides/retention.html',
      ]);
      expect(paths.filter((path) => /favicon|\.(?:png|svg|woff2?)$/.test(path))).toEqual([]);
    }
  });

  test('a page without subresources is one request, and no favicon', async () => {
    for (let run = 0; run < 3; run++) {
      site.clearLog();
      const { markdown } = await client.scrape(site.url('/twin'), { engine: 'browser' });
      expect(markdown).toContain(lines[2]);
      expect(site.log.map(({ url }) => url)).toEqual(['/twin']);
    }
  });
});

describe('many pages at once', { timeout: 60_000 }, () => {
  rareTest('are bounded by the client, those of the browser and others together', async () => {
    let [open, peak] = [0, 0];
    const count: Behaviour = async ({ page, send, signal }) => {
      peak = Math.max(peak, (open += 1));
      signal.addEventListener('abort', () => (open -= 1), { once: true });
      // A browser on a busy machine comes late: the first request waits for the second, both for a third.
      for (let wait = 0; peak < 2 && wait < 250; wait++) await sleep(20, undefined, { signal });
      await sleep(50, undefined, { signal });
      send(await page());
    };
    await using host = await serve({ '/twin': twin }, { behaviours: { '/twin': count } });
    await using bounded = createClient({ network, cache: false, maxConcurrency: 2 });
    const engines = ['browser', 'http', 'browser', 'http', 'browser', 'browser'] as const;
    const pages = await Promise.all(
      engines.map((engine, index) => bounded.scrape(host.url(`/twin?${index}`), { engine })),
    );
    expect(pages.map(({ metadata }) => metadata.engine)).toEqual(engines);
    expect(peak).toBe(2);
  });

  test('wait for a tab while their clocks stand', async () => {
    const policy = createNetworkPolicy(network);
    const engine = browserEngine({ policy, store: memoryStore(), maxPages: 1 });
    const [stopped, started] = [vi.fn(), vi.fn()];
    const pause = (): (() => void) => {
      stopped();
      return started;
    };
    const fetch = (): Promise<Snapshot> => engine.fetch({ ...pageRequest(site.url('/')), pause });
    const snapshots = await Promise.all([fetch(), fetch(), fetch()]);
    await engine.dispose?.();
    expect(snapshots.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    // Two wait for their turn, and then until the tab is wiped.
    expect([stopped.mock.calls.length, started.mock.calls.length]).toEqual([4, 4]);
  });
});

describe('a certificate that does not verify', { timeout: 60_000 }, () => {
  const steps: (() => unknown)[] = [];
  const scene = { defer: (step: () => unknown) => void steps.unshift(step) };
  let tlsClient: Client;
  beforeAll(() => (tlsClient = createClient({ network: { allow: ['127.0.0.1'] } })));
  afterAll(async () => {
    await tlsClient.close();
    for (const step of steps) await step();
  });
  const scrape = (url: string, options: ScrapeOptions = {}) =>
    tlsClient.scrape(url, { engine: 'browser', maxAge: 0, ...options });
  const doubt = (url: string, why = ''): string =>
    `The certificate of ${new URL(url).host} does not verify (in the browser${why}).`;

  test('is accepted with a warning, that of the next page anew', async () => {
    const url = await serveTls(scene, 'selfSigned');
    const [first, second] = [await scrape(url), await scrape(url)];
    expect([first.markdown, first.warning]).toEqual(['Over TLS', doubt(url)]);
    expect(second.warning).toBe(doubt(url));
    const plain = await scrape(site.url('/'));
    expect(plain.warning).toBeUndefined();
  });

  rareTest('says so when it has expired', async () => {
    const url = await serveTls(scene, 'expired');
    expect((await scrape(url)).warning).toBe(doubt(url, '; it expired on 2021-01-01'));
  });

  rareTest('is told also when its server redirects elsewhere', async () => {
    const target = await serveTls(scene, 'otherHost');
    const url = await serveTls(scene, 'selfSigned', {}, (response) => {
      response.writeHead(302, { location: target }).end();
    });
    expect((await scrape(url)).warning).toBe(`${doubt(url)} ${doubt(target)}`);
  });

  test('is TLS with skipTlsVerification: false', async () => {
    const url = await serveTls(scene, 'selfSigned');
    await expect(scrape(url, { skipTlsVerification: false, retries: 0 })).rejects.toMatchObject({
      code: 'TLS',
      message: expect.stringContaining('CERT_AUTHORITY_INVALID') as unknown,
    });
  });
});

describe('a status without a body', () => {
  test.each(usualAnd(2, [404, 204, 200, 500]))('%i is the document of plain HTTP', async (code) => {
    const facts = async (engine: 'http' | 'browser'): Promise<unknown[]> => {
      const url = site.url(`/empty/${code}`);
      const { markdown, metadata, warning } = await client.scrape(url, { engine, retries: 0 });
      return [markdown, metadata.statusCode, metadata.error, warning];
    };
    expect(await facts('browser')).toEqual(await facts('http'));
  });
});

describe('scrape 5: engine auto', () => {
  test('what a script fills in after 300 ms is found, and its static twin opens no browser', async () => {
    site.clearLog();
    const dynamic = await client.scrape(site.url('/late'));
    expect(dynamic.markdown).toBe(`# Ferries\n\n${lines.join('\n\n')}`);
    expect(dynamic.metadata.engine).toBe('browser');
    expect(dynamic.metadata.engineReason).toMatch(/root/);
    expect(site.log.map(({ url }) => url)).toEqual(['/late', '/late']);

    site.clearLog();
    const plain = await client.scrape(site.url('/twin'));
    expect(plain.markdown).toBe(dynamic.markdown);
    expect(plain.metadata).toMatchObject({
      engine: 'http',
      engineReason: 'static: nothing asked for a browser',
    });
    expect(site.log.map(({ url }) => url)).toEqual(['/twin']);
  });

  test('an option that needs a browser opens it at once, and is the reason', async () => {
    site.clearLog();
    const { metadata } = await client.scrape(site.url('/twin'), { waitFor: 50 });
    expect(metadata).toMatchObject({ engine: 'browser', engineReason: 'waitFor needs wait' });
    expect(site.log).toHaveLength(1);
  });

  // It waits as long as its time allows.
  test('a waitFor that is longer than the timeout ends in time to read the page', async () => {
    const options = { waitFor: 60_000, timeout: 3000 };
    const { markdown, warning } = await client.scrape(site.url('/twin'), options);
    expect(markdown).not.toBe('');
    expect(warning).toMatch(/^waitFor: the page was read after \d+ of 60000 ms\. Raise timeout/);
  });

  test('http opens none, whatever the page looks like', async () => {
    const { markdown, metadata, warning } = await client.scrape(site.url('/late'), {
      engine: 'http',
    });
    expect(metadata.engine).toBe('http');
    expect(markdown).toBe('');
    expect(warning).toBeDefined();
  });
});

describe('scrape 5 without a browser', () => {
  test('auto gives the static page with a warning that says what it lacks', async () => {
    await using without = createClient({ network, browser: false });
    const { metadata, warning } = await without.scrape(site.url('/late'));
    expect(metadata.engine).toBe('http');
    expect(metadata.engineReason).toMatch(/^static: not rendered, although .*root/);
    expect(warning).toMatch(/seems to need a browser \(.*root.*\), and was not rendered/);
  });

  test.each<[string, Parameters<Client['scrape']>[1]]>([
    ["engine: 'browser'", { engine: 'browser' }],
    ['waitFor', { waitFor: 100 }],
    ['actions', { actions: [{ type: 'scrape' }] }],
    ['mobile', { mobile: true }],
    ['viewport', { viewport: { width: 100, height: 100 } }],
    ['colorScheme', { colorScheme: 'dark' }],
    ['profile', { profile: { name: 'me' } }],
    ['the format screenshot', { formats: ['screenshot'] }],
    ['the format branding', { formats: ['branding'] }],
  ])(
    '%s is BROWSER_UNAVAILABLE that names it, and nothing is asked of the site',
    async (name, options) => {
      await using without = createClient({ network, browser: false });
      site.clearLog();
      const call = without.scrape(site.url('/twin'), options);
      await expect(call).rejects.toMatchObject({
        code: 'BROWSER_UNAVAILABLE',
        message: expect.stringContaining(name) as string,
      });
      expect(site.log).toEqual([]);
    },
  );

  test("with engine: 'http' too, where the client has a browser", async () => {
    const call = client.scrape(site.url('/twin'), { engine: 'http', formats: ['screenshot'] });
    await expect(call).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(/engine: 'http'.*screenshot/) as string,
    });
  });

  test('an executable that is not there, or that is no browser, is BROWSER_UNAVAILABLE', async () => {
    for (const executablePath of ['/nowhere/chromium', process.execPath]) {
      await using broken = createClient({ network, browser: { executablePath } });
      const call = broken.scrape(site.url('/twin'), { engine: 'browser', retries: 0 });
      await expect(call).rejects.toMatchObject({
        code: 'BROWSER_UNAVAILABLE',
        message: expect.stringContaining(executablePath) as string,
      });
    }
  });
});

describe('scrape 7: limits and aborts in a browser', () => {
  test('a page whose script never comes is what was there, with a warning, within the limit', async () => {
    const { markdown, warning } = await client.scrape(site.url('/half'), {
      engine: 'browser',
      timeout: 6000,
      retries: 0,
    });
    expect(markdown).toContain('The half that came.');
    expect(warning).toMatch(/still loading/);
    await vi.waitFor(() => expect(site.openSockets).toBe(0), 3000);
  });

  test('close() ends what runs, and nothing of the browser is left', async () => {
    const own = createClient({ network });
    const call = own.scrape(site.url('/hang'), { engine: 'browser' });
    call.catch(() => undefined);
    // The browser starts first, which takes a busy machine more than 5 s.
    await vi.waitFor(() => expect(site.openSockets).toBeGreaterThan(0), 20_000);
    await own.close();
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    await vi.waitFor(() => expect(site.openSockets).toBe(0), 3000);
  });
});

describe('engines of your own', () => {
  test('one that renders but brings no picture is told in a warning', async () => {
    const camera: Engine = {
      name: 'camera',
      can: new Set(['render', 'screenshot']),
      cost: 1,
      handles: (url) => url.startsWith('camera:') || url.includes('camera.test'),
      fetch: ({ url }) =>
        Promise.resolve({
          url,
          statusCode: 200,
          headers: { 'content-type': 'text/html' },
          engine: 'camera',
          body: Buffer.from(twin),
          redirects: [],
          warnings: [],
          requests: 1,
          bytes: 1,
        }),
    };
    await using own = createClient({ engines: [camera], browser: false });
    const { warning } = await own.scrape('http://camera.test/', {
      formats: ['markdown', 'screenshot'],
    });
    expect(warning).toMatch(/screenshot/);
  });
});
