/** What a page may ask for: the decisions, and in a real Chromium what a server is not asked for. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { adHosts } from '../../../../src/browser/chromium/blocking/ad-hosts.ts';
import {
  applyRequestFilter,
  isAdHost,
  requestFilter,
} from '../../../../src/browser/chromium/blocking/request-filter.ts';
import {
  loadFilterLists,
  removeListed,
  type ResourceRequest,
} from '../../../../src/browser/chromium/blocking/filter-lists.ts';
import { findChromium } from '../../../../src/browser/chromium/open-browser.ts';
import { chromiumFlags } from '../../../support/chromium.ts';

const asked = (url: string, rest: Partial<ResourceRequest> = {}): ResourceRequest => ({
  url,
  type: 'Script',
  pageUrl: 'https://site.test/',
  isMainFrame: true,
  ...rest,
});

describe('requestFilter', () => {
  const all = { images: true, fonts: true, media: true };

  it('blocks what no format needs, by type', () => {
    const filter = requestFilter({ needs: { fonts: true }, blockAds: false });
    const reasons = ['Image', 'Media', 'Font', 'Script', 'Stylesheet', 'XHR'].map((type) =>
      filter.reasonAgainst(asked('https://site.test/x', { type })),
    );
    expect(reasons).toEqual(['notNeeded', 'notNeeded', undefined, undefined, undefined, undefined]);
    expect(filter.patterns).toEqual([{ resourceType: 'Image' }, { resourceType: 'Media' }]);
  });

  it.each<[string, Partial<ResourceRequest>, string | undefined]>([
    ['https://doubleclick.net/a.js', {}, 'ads'],
    ['https://ad.g.doubleclick.net/a.js', {}, 'ads'],
    ['https://notdoubleclick.net/a.js', {}, undefined],
    ['https://site.test/go?to=https://doubleclick.net/a.js', {}, undefined],
    ['https://doubleclick.net/frame', { type: 'Document', isMainFrame: false }, 'ads'],
    ['https://doubleclick.net/page', { type: 'Document' }, undefined],
    ['https://static.hotjar.com/a.js', { pageUrl: 'https://www.hotjar.com/' }, undefined],
    ['no url', {}, undefined],
  ])('by host: %s %o is %s', (url, rest, reason) => {
    const filter = requestFilter({ needs: all, blockAds: true });
    expect(filter.reasonAgainst(asked(url, rest))).toBe(reason);
  });

  it('blocks nothing and looks at nothing when everything is wanted', () => {
    const filter = requestFilter({ needs: all, blockAds: false });
    expect(filter.patterns).toEqual([]);
    expect(filter.reasonAgainst(asked('https://doubleclick.net/a.js'))).toBeUndefined();
  });

  it('follows lists of the caller, exceptions included', async () => {
    const lists = await loadFilterLists([
      '/own-tracker.js$script\n||other.test^$third-party',
      '@@||google-analytics.com^\n/banner/*$image',
    ]);
    const filter = requestFilter({ needs: all, blockAds: true, lists });
    const reasons = [
      asked('https://site.test/own-tracker.js'),
      asked('https://site.test/own-tracker.js', { type: 'XHR' }),
      asked('https://other.test/a.js'),
      asked('https://other.test/a.js', { pageUrl: 'https://www.other.test/' }),
      asked('https://other.test/', { type: 'Document' }),
      asked('https://google-analytics.com/ga.js'),
      asked('https://hotjar.com/a.js'),
      asked('https://site.test/banner/1.png', { type: 'Image' }),
    ].map((request) => filter.reasonAgainst(request));
    expect(reasons).toEqual([
      'ads',
      undefined,
      'ads',
      undefined,
      undefined,
      undefined,
      'ads',
      'ads',
    ]);
  });
});

describe('adHosts', () => {
  it('is sorted, each host once and none below another', () => {
    expect([...new Set(adHosts)].sort()).toEqual(adHosts);
    for (const host of adHosts) {
      expect(host).toMatch(/^(?:[a-z0-9-]+\.)+[a-z]+$/);
      expect([host, isAdHost(host.slice(host.indexOf('.') + 1))]).toEqual([host, false]);
    }
  });
});

describe('applyRequestFilter', () => {
  let browser: Browser;
  let server: Server;
  let port: number;
  let page: Page;
  let session: CDPSession;
  const served: string[] = [];
  const ads = 'http://ads.doubleclick.net';

  beforeAll(async () => {
    server = createServer((request, response) => {
      const { url = '' } = request;
      served.push(`${(request.headers.host ?? '').replace(/:\d+$/, '')}${url}`);
      const send = (type: string, body: string): void => {
        response.setHeader('content-type', type);
        response.setHeader('access-control-allow-origin', '*');
        response.end(body);
      };
      if (url === '/away.js') {
        response.writeHead(302, { location: `${ads}:${port}/redirected.js` });
        return response.end();
      }
      if (url === '/worker.js') {
        return send('text/javascript', `fetch('${ads}:${port}/worker').catch(() => {})`);
      }
      if (url === '/frame') return send('text/html', '<img src="/framed.png">');
      if (url === '/style.css') {
        return send('text/css', '@font-face{font-family:f;src:url(/f.woff2)} p{font-family:f}');
      }
      if (url.endsWith('.js')) return send('text/javascript', '1');
      if (url.includes('.png')) return send('image/svg+xml', pixel);
      if (url.startsWith('/page')) return send('text/html', markup(port));
      return send('text/plain', '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
    // All names are this machine.
    const args = [...chromiumFlags, '--host-resolver-rules=MAP * 127.0.0.1'];
    browser = await chromium.launch({ executablePath: await findChromium(), args });
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });
  beforeEach(async () => {
    page = await (await browser.newContext()).newPage();
    session = await page.context().newCDPSession(page);
  });

  const markup = (at: number): string => `<!doctype html><link rel="stylesheet" href="/style.css">
    <script src="/own.js"></script><script src="/away.js"></script>
    <script src="${ads}:${at}/direct.js"></script><iframe src="/frame"></iframe>
    <iframe src="${ads}:${at}/adframe"></iframe><p>Text</p>
    <img id="picture" src="/a.png?1" onerror="document.title='failed'" onload="document.title='loaded'">
    <img src="http://cdn.test:${at}/b.png" crossorigin="use-credentials" onerror="document.title='failed'">
    <video src="/film.mp4" preload="auto"></video><div class="advert" id="ad-1">Ad</div>
    <script>new Worker('/worker.js'); navigator.sendBeacon('${ads}:${at}/beacon')</script>`;
  const pixel = '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"/>';
  const visit = async (path: string): Promise<string[]> => {
    served.length = 0;
    await page.goto(`http://site.test:${port}${path}`, { waitUntil: 'load' });
    await page.waitForTimeout(300);
    return [...served].filter((one) => !one.endsWith('favicon.ico')).sort();
  };

  it('keeps from the server what is not needed and what goes to ad hosts, also by redirect, frame, worker and beacon', async () => {
    const blocked: string[] = [];
    const filter = requestFilter({ needs: {}, blockAds: true });
    const onBlocked = (url: string, reason: string): void =>
      void blocked.push(`${reason}: ${new URL(url).pathname}`);
    await applyRequestFilter(session, filter, { pageUrl: () => page.url(), onBlocked });
    expect(await visit('/page')).toEqual([
      'site.test/away.js',
      'site.test/frame',
      'site.test/own.js',
      'site.test/page',
      'site.test/style.css',
      'site.test/worker.js',
    ]);
    expect(blocked.sort()).toEqual([
      'ads: /adframe',
      'ads: /beacon',
      'ads: /direct.js',
      'ads: /redirected.js',
      'ads: /worker',
      'notNeeded: /a.png',
      'notNeeded: /b.png',
      'notNeeded: /f.woff2',
      'notNeeded: /film.mp4',
      'notNeeded: /framed.png',
    ]);
    // No `onerror` of the page has run.
    expect(await page.title()).toBe('loaded');
  });

  it('never blocks the main document, and leaves an ad host its own parts', async () => {
    const filter = requestFilter({ needs: {}, blockAds: true });
    await applyRequestFilter(session, filter, { pageUrl: () => page.url() });
    served.length = 0;
    await page.goto(`http://www.criteo.com:${port}/page`);
    expect(served).toContain('www.criteo.com/page');
    expect(served).toContain('www.criteo.com/own.js');
    expect(served).not.toContain('ads.doubleclick.net/direct.js');
  });

  it('follows lists of the caller, and what they hide is taken out of the page', async () => {
    const lists = await loadFilterLists([
      '/own.js$script\n###ad-1\nsite.test##p\nother.test##img\n##.absent\n##[src^="/a.png"]',
    ]);
    const needs = { images: true, fonts: true, media: true };
    const filter = requestFilter({ needs, blockAds: true, lists });
    await applyRequestFilter(session, filter, { pageUrl: () => page.url() });
    const all = await visit('/page');
    expect(all).toContain('site.test/a.png?1');
    expect(all).not.toContain('site.test/own.js');
    expect(all).not.toContain('ads.doubleclick.net/adframe');
    await removeListed(page, lists, new AbortController().signal);
    expect(await page.locator('#ad-1, p, #picture').count()).toBe(0);
    expect(await page.locator('img').count()).toBe(1);
  });
});
