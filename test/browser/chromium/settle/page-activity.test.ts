/** The smart wait on pages that become complete, that never rest, and that do not answer. */
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  PageActivity,
  type Settled,
  type SettleOptions,
} from '../../../../src/browser/chromium/settle/page-activity.ts';
import { openSite } from '../../../../src/entries/testing/site-files.ts';
import { launchChromium } from '../../../support/chromium.ts';
import { rareTest } from '../../../support/deep.ts';

let browser: Browser;
let server: Server;
let origin: string;
/** One page for most tests: the engine uses pages again too. */
let page: Page;
let activity: PageActivity;

const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

beforeAll(async () => {
  const folder = new URL('../../../../fixtures/sites/settling', import.meta.url);
  const site = await openSite(fileURLToPath(folder));
  server = createServer((request, response) => {
    const url = request.url ?? '/';
    const [, kind = '', ms = '0'] = /^\/(wait|picture|hang)\/?(\d*)/.exec(url) ?? [];
    if (kind === 'hang') return;
    if (kind === '') {
      void site
        .respond(url, origin)
        .then(({ status, headers, body }) => response.writeHead(status, headers).end(body));
    } else {
      setTimeout(() => {
        if (kind === 'wait') response.end(JSON.stringify({ waited: Number(ms) }));
        else response.writeHead(200, { 'content-type': 'image/gif' }).end(pixel);
      }, Number(ms));
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await launchChromium();
  page = await browser.newPage();
  activity = new PageActivity(page);
});

afterAll(async () => {
  await browser.close();
  server.closeAllConnections();
  server.close();
});

const signal = new AbortController().signal;

/** As the engine does it: the page is there, then it settles. */
async function visit(path: string, options: Partial<SettleOptions> = {}): Promise<Settled> {
  activity.reset();
  await page.goto(origin + path, { waitUntil: 'commit' });
  return activity.settle({ signal, ...options });
}

const text = async (): Promise<string> => (await page.textContent('body')) ?? '';

describe('pages that become complete', () => {
  test('a page without scripts is complete once it is parsed, whatever images and styles do', async () => {
    expect(await visit('/static.html')).toMatchObject({ reason: 'static', warnings: [] });
    expect(await text()).toContain('Nothing moves here.');
  });

  test('what a timer and a chain of four requests bring is there', async () => {
    expect(await visit('/timer-then-fetches.html')).toMatchObject({ reason: 'quiet' });
    expect(await text()).toContain('complete');
  });

  test('an empty application is waited for until it has content', async () => {
    expect(await visit('/empty-then-filled.html')).toMatchObject({ reason: 'quiet' });
    expect(await text()).toContain('Filled');
  });

  test('what a spinner in sight stands for is there', async () => {
    expect(await visit('/spinner.html')).toMatchObject({ reason: 'quiet' });
    expect(await text()).toContain('arrived');
  });

  test('changes in shadow roots count', async () => {
    expect(await visit('/shadow-app.html')).toMatchObject({ reason: 'quiet' });
    const inside = () => document.querySelector('x-app')?.shadowRoot?.textContent;
    expect(await page.evaluate(inside)).toBe('firstsecondthird');
  });

  test('a script that a script asks for has run', async () => {
    await visit('/late-script.html');
    expect(await text()).toContain('from a late script');
  });

  test('a frame of the page has its content', async () => {
    await visit('/frames.html');
    expect(await page.frameLocator('iframe').locator('body').textContent()).toContain(
      'inner and late',
    );
  });

  test('what scripts in the page do without timers and requests is there', async () => {
    expect(await visit('/inline-only.html')).toMatchObject({ reason: 'quiet' });
    for (const way of ['a message', 'a promise', 'a frame', 'the third frame', 'when idle']) {
      expect(await text()).toContain(way);
    }
  });

  test('a page whose script has nothing more to do is not waited for as others are', async () => {
    const durations: number[] = [];
    // Of some, the machine was busy.
    for (let tries = 0; tries < 5; tries += 1) {
      durations.push((await visit('/inline-inert.html')).duration);
    }
    expect(Math.min(...durations)).toBeLessThan(150);
  });

  test('images are waited for when a picture is to be taken', async () => {
    const isDrawn = () => document.images[0]?.naturalWidth === 1;
    await visit('/pictures.html', { pictures: true });
    expect(await page.evaluate(isDrawn)).toBe(true);
    const { duration } = await visit('/pictures.html?2');
    expect(duration).toBeLessThan(400);
  });

  test('next to no text is no reason to wait where nothing can come', async () => {
    const { duration, reason } = await visit('/bare.html');
    expect(reason).toBe('quiet');
    expect(duration).toBeLessThan(2_000);
  });
});

describe('pages that never rest do not cost the cap', () => {
  test('a clock, an animation, flakes that come and go, timers for ever', async () => {
    const { reason, warnings } = await visit('/restless.html');
    expect({ reason, warnings }).toEqual({ reason: 'quiet', warnings: [] });
  });

  test('polling, long polling, event streams, beacons and images that hang', async () => {
    const { reason } = await visit('/polling.html');
    expect(reason).toBe('quiet');
  });

  test('a flood of console messages', async () => {
    const { duration } = await visit('/flood.html', { cap: 3_000 });
    expect(duration).toBeLessThan(8_000);
  });
});

describe('pages that do not answer cost the cap and no more', () => {
  test('a script file that never comes', async () => {
    const { reason, warnings, duration } = await visit('/never-loaded.html', { cap: 600 });
    expect(reason).toBe('cap');
    expect(warnings).toHaveLength(1);
    expect(duration).toBeGreaterThan(550);
    expect(await text()).toContain('here from the start');
  });

  test('a script that never ends is stopped, and the page can be read', async () => {
    const { reason, warnings } = await visit('/endless.html', { cap: 800 });
    expect(reason).toBe('cap');
    expect(warnings.join()).toContain('stopped');
    expect(await text()).toContain('Said before the loop began.');
  });

  rareTest('a page that loads itself for ever', async () => {
    // It would interrupt the next navigation of a page that is shared.
    const other = await browser.newPage();
    const watching = new PageActivity(other);
    await other.goto(`${origin}/reloading.html`, { waitUntil: 'commit' });
    const { duration } = await watching.settle({ signal, cap: 1_000 });
    expect(duration).toBeLessThan(4_000);
    await other.close();
  });

  test('the signal ends the wait at once', async () => {
    activity.reset();
    await page.goto(`${origin}/never-loaded.html`, { waitUntil: 'commit' });
    const reason = new Error('time is up');
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 200);
    await expect(activity.settle({ signal: controller.signal })).rejects.toBe(reason);
  });

  rareTest('a page that is closed meanwhile is BROWSER_CRASHED', async () => {
    const other = await browser.newPage();
    const watching = new PageActivity(other);
    await other.goto(`${origin}/never-loaded.html`, { waitUntil: 'commit' });
    setTimeout(() => void other.close(), 200);
    await expect(watching.settle({ signal })).rejects.toMatchObject({ code: 'BROWSER_CRASHED' });
  });
});

describe('pages that go elsewhere', () => {
  test.each(['/refresh.html', '/location.html'])('%s ends at a complete target', async (path) => {
    expect(await visit(path)).toMatchObject({ reason: 'quiet' });
    expect(page.url()).toBe(`${origin}/target.html`);
    expect(await text()).toContain('and it is complete');
  });
});

describe('after an action', () => {
  test('what a click starts by a timer and a request is there', async () => {
    await visit('/actions.html');
    await page.click('button');
    await activity.settle({ signal });
    expect(await text()).toContain('more after 150');
  });

  test('the page that a link leads to is complete', async () => {
    await visit('/actions.html');
    await page.click('a');
    await activity.settle({ signal });
    expect(await text()).toContain('and it is complete');
  });
});

test('the page sees nothing of it', async () => {
  await visit('/static.html');
  const known = await page.evaluate(() => [
    setTimeout.toString(),
    Object.keys(globalThis).filter((name) => name === 'watch'),
  ]);
  expect(known).toEqual(['function setTimeout() { [native code] }', []]);
});
