/** Consent dialogs, ads and trackers through the client. */
import { type Client, createClient } from 'pagewright';
import { type FixtureServer, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveHttpProxy } from '../core/http/proxies/proxy-lab.ts';
import { bytesOf, colorAt } from '../support/picture.ts';
import { rareTest } from '../support/deep.ts';

const network = { allow: ['127.0.0.1', '*.google-analytics.com', '*.doubleclick.net'] };
const text = 'The harbour was built in 1842';

let client: Client;

beforeAll(() => {
  client = createClient({ network });
});

afterAll(async () => {
  await client.close();
});

/** What the banners are known by, and a place of the window that is white without one. */
const banners = [
  { site: 'consent-bar', words: 'Wir verwenden Cookies', at: [900, 705] },
  { site: 'consent-manager', words: 'We value your privacy', at: [900, 400] },
  { site: 'consent-wall', words: 'Your privacy', at: [1200, 600] },
] as const;

describe('consent dialogs', { timeout: 60_000 }, () => {
  test.each(banners)(
    'that of $site is gone from text, HTML and picture',
    async ({ site, words, at }) => {
      await using server = await serve(`fixtures/sites/${site}`);
      const { markdown, rawHtml, screenshot } = await client.scrape(server.url('/'), {
        engine: 'browser',
        onlyMainContent: false,
        formats: ['markdown', 'rawHtml', 'screenshot'],
      });
      expect(markdown).toContain(text);
      expect(markdown).not.toContain(words);
      // Yes is never said where one may say no.
      expect(rawHtml).not.toMatch(/data-answer="(?:ja|yes|onetrust-accept-btn-handler)"/);
      expect(colorAt(bytesOf(screenshot), at[0], at[1])).toBe('#ffffff');
    },
  );

  test.each(banners)('blockAds: false keeps that of $site', async ({ site, words, at }) => {
    await using server = await serve(`fixtures/sites/${site}`);
    const { markdown, rawHtml, screenshot } = await client.scrape(server.url('/'), {
      blockAds: false,
      engine: 'browser',
      onlyMainContent: false,
      formats: ['markdown', 'rawHtml', 'screenshot'],
    });
    expect(markdown).toContain(words);
    expect(rawHtml).not.toContain('data-answer');
    expect(colorAt(bytesOf(screenshot), at[0], at[1])).not.toBe('#ffffff');
  });

  test('an article about cookies and a newsletter box keep every word', async () => {
    for (const site of ['consent-article', 'consent-newsletter']) {
      await using server = await serve(`fixtures/sites/${site}`);
      const read = async (blockAds: boolean): Promise<string> => {
        const options = { blockAds, engine: 'browser', formats: ['rawHtml'] } as const;
        return (await client.scrape(server.url('/'), options)).rawHtml;
      };
      expect(await read(true), site).toBe(await read(false));
    }
  });

  test('in static HTML it is left out as well, and kept with blockAds: false', async () => {
    await using server = await serve('fixtures/sites/consent-manager');
    const read = (blockAds: boolean): Promise<{ markdown: string }> =>
      client.scrape(server.url('/'), { engine: 'http', onlyMainContent: false, blockAds });
    expect((await read(true)).markdown).not.toContain('We value your privacy');
    expect((await read(false)).markdown).toContain('We value your privacy');
  });
});

describe('ads and trackers', { timeout: 60_000 }, () => {
  const page = `<!doctype html><html lang="en"><title>Harbour</title><main><h1>Harbour</h1><p>${text}.</p></main>
<div class="promo-slot">Buy a boat</div>
<script src="http://www.google-analytics.com/analytics.js"></script><script src="/site.js"></script><script src="/track/hit.js"></script>
<iframe src="http://ad.doubleclick.net/frame"></iframe>`;
  let site: FixtureServer;
  beforeAll(async () => {
    site = await serve({ '/': page, '/site.js': { body: '' }, '/track/hit.js': { body: '' } });
  });
  afterAll(async () => {
    await site.close();
  });

  test('their hosts are not asked, and with blockAds: false they are', async () => {
    // Names are the proxy's to resolve, which tells what was asked for.
    const lab = await serveHttpProxy({
      answer: (socket, target, through) => {
        if (target.startsWith('127.')) through();
        else socket.end('HTTP/1.1 502 Not here\r\n\r\n');
      },
    });
    const proxy = { pick: () => ({ url: lab.url, dns: 'proxy' as const }) };
    await using own = createClient({ network, proxy });
    const options = { engine: 'browser', formats: ['markdown'] } as const;
    await own.scrape(site.url('/'), options);
    expect(new Set(lab.asked)).toEqual(new Set([new URL(site.origin).host]));
    await own.scrape(site.url('/'), { ...options, blockAds: false });
    const hosts = lab.asked.map((target) => target.split(':', 1)[0]);
    expect(hosts).toEqual(
      expect.arrayContaining(['www.google-analytics.com', 'ad.doubleclick.net']),
    );
  });

  rareTest('filter lists of the caller: requests are not sent, elements are removed', async () => {
    await using own = createClient({
      network,
      browser: { filterLists: ['! Ours\n/track/*\n##.promo-slot'] },
    });
    const read = async (blockAds: boolean): Promise<{ paths: string[]; markdown: string }> => {
      site.clearLog();
      const { markdown } = await own.scrape(site.url('/'), {
        blockAds,
        engine: 'browser',
        onlyMainContent: false,
      });
      return { paths: site.log.map(({ url }) => url).sort(), markdown };
    };
    const blocked = await read(true);
    expect(blocked.paths).toEqual(['/', '/site.js']);
    expect(blocked.markdown).not.toContain('Buy a boat');
    const kept = await read(false);
    expect(kept.paths).toEqual(['/', '/site.js', '/track/hit.js']);
    expect(kept.markdown).toContain('Buy a boat');
  });
});
