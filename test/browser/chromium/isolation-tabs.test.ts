/** Which tabs are used again: those that can be wiped, and only for visits of the same kind. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FixtureServer } from 'pagewright/testing';
import type { ActionStep, Rendering } from '../../../src/core/model/request.ts';
import { answer, type BrowserLab, browserLab, hostileSite, script } from './hostile-lab.ts';
import { isDeep, rareTest, usualAnd } from '../../support/deep.ts';

/** A step that does something to the page. */
const step = (perform: (page: Page) => Promise<unknown>): ActionStep => ({
  type: 'own',
  waits: 0,
  perform: async (page) => void (await perform(page as Page)),
});

describe('a tab', { timeout: 60_000 }, () => {
  let site: FixtureServer;
  let lab: BrowserLab;
  beforeAll(async () => {
    lab = browserLab({ maxPages: 1, idleTimeout: 60_000 });
    site = await hostileSite({
      '/plain': answer('<title>Plain</title><p>Text.</p>'),
      '/look':
        script(`document.querySelector('p').textContent = [document.cookie, localStorage.length,
        sessionStorage.length, window.name, innerWidth, matchMedia('print').matches,
        matchMedia('(prefers-color-scheme: dark)').matches, typeof left, document.referrer].join('|')`),
      '/session': script(`sessionStorage.setItem('a', 'b'); localStorage.setItem('a', 'b');
        document.cookie = 'a=b'; window.name = 'left'`),
      '/opens': script("window.open('/plain'); localStorage.setItem('a', 'b')"),
      '/worker': script("new Worker(URL.createObjectURL(new Blob(['setInterval(() => 1, 9)'])))"),
      '/missing': ({ response }) => void response.writeHead(404).end('<p>Nothing here.'),
      '/broken': ({ request }) => void request.socket.destroy(),
    });
  });
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
    await site.close();
  });

  const untouched = '<p>|0|0||1280|false|false|undefined|</p>';

  /** Contexts that are opened for a plain visit after this one. */
  const contextsAfter = async (path: string, rendering: Rendering = {}): Promise<number> => {
    await lab.visit(site.url('/plain'));
    await lab.visit(site.url(path), { rendering }).catch(() => undefined);
    const before = lab.contexts;
    const { text } = await lab.visit(site.url('/look'));
    expect(text).toContain(untouched);
    return lab.contexts - before;
  };

  test('is used again after a page that can be wiped', async () => {
    // A window that nobody clicked for does not open.
    for (const path of usualAnd(2, ['/session', '/opens', '/plain', '/missing', '/look'])) {
      expect(await contextsAfter(path), path).toBe(0);
    }
  });

  test('is not used again after a page with a worker of its own, or no answer', async () => {
    for (const path of ['/worker', '/broken']) {
      expect(await contextsAfter(path), path).toBe(1);
    }
  });

  rareTest('is not used again after steps, which can change everything', async () => {
    const steps = [
      step((page) => page.setViewportSize({ width: 500, height: 400 })),
      step((page) => page.emulateMedia({ media: 'print', colorScheme: 'dark' })),
      step((page) => page.addInitScript(() => Object.assign(globalThis, { left: 1 }))),
      step((page) => page.exposeFunction('left', () => 1)),
      step((page) => page.context().exposeFunction('left', () => 1)),
      step((page) => page.route('**/look', (route) => route.fulfill({ body: 'A route.' }))),
      step((page) => page.context().setExtraHTTPHeaders({ cookie: 'left=1' })),
    ];
    for (const one of isDeep('a tab after each step') ? steps : steps.slice(0, 2)) {
      expect(await contextsAfter('/plain', { actions: [one] })).toBe(1);
    }
  });

  rareTest(
    'shows nothing of a picture in another size, of branding, of a place or of a phone',
    async () => {
      const viewport = { width: 400, height: 300 };
      const asked: Rendering[] = [
        { screenshot: { fullPage: true, viewport } },
        { viewport, screenshot: { fullPage: true } },
        { branding: true },
        { location: { country: 'FR', languages: [] } },
        { colorScheme: 'dark', mobile: true },
      ];
      for (const rendering of asked) await contextsAfter('/session', rendering);
    },
  );

  rareTest('does not see what the one beside it does', async () => {
    await using pair = browserLab({ maxPages: 2 });
    const visits = Array.from({ length: 6 }, (_, number) =>
      pair.visit(site.url(number % 2 === 0 ? '/session' : '/look'), {
        rendering: { waitFor: 200 },
      }),
    );
    const texts = (await Promise.all(visits)).map(({ text }) => text);
    for (const number of [1, 3, 5]) expect(texts[number]).toContain(untouched);
    expect(pair.contexts).toBeLessThan(6);
  });
});
