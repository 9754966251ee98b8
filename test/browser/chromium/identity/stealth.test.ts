/** What bot detectors see of the browser, check by check. */
import { chromium as patchright } from 'patchright-core';
import { type Browser, type BrowserType, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyHeaders } from '../../../../src/browser/chromium/identity/apply-headers.ts';
import {
  type BrowserFacts,
  contextOptions,
  drawWindow,
  emulatePage,
  readBrowserFacts,
} from '../../../../src/browser/chromium/identity/emulation.ts';
import { launchSettings } from '../../../../src/browser/chromium/open-browser.ts';
import type { Rendering } from '../../../../src/core/model/request.ts';
import { type DetectorLab, failures, findings, launchAs, openDetectorLab } from './detector-lab.ts';
import { rareTest, usualAnd } from '../../../support/deep.ts';

let lab: DetectorLab;

beforeAll(async () => {
  lab = await openDetectorLab();
});
afterAll(() => lab.close());

async function openPage(
  browser: Browser,
  facts: BrowserFacts,
  rendering: Rendering,
): Promise<Page> {
  const window = rendering.stealth === true ? drawWindow() : undefined;
  const options = contextOptions(rendering, {}, facts, window);
  const page = await (await browser.newContext(options)).newPage();
  await emulatePage(page, rendering, {}, facts);
  return page;
}

test('the detector notices a browser that hides nothing', async () => {
  await using browser = await launchAs(chromium, {
    headless: true,
    args: [],
    ignoreDefaultArgs: [],
  });
  const page = await browser.newPage();
  expect(Object.keys(failures(await findings(page, lab)))).toEqual(
    expect.arrayContaining(['webdriver is false', 'user agent without Headless']),
  );
});

describe.each<[string, BrowserType]>(
  usualAnd(1, [
    ['playwright-core', chromium],
    ['patchright-core', patchright as unknown as BrowserType],
  ]),
)('driven by %s', (driver, type) => {
  let browser: Browser;
  let facts: BrowserFacts;
  beforeAll(async () => {
    browser = await launchAs(type, launchSettings({ stealth: true }));
    facts = await readBrowserFacts(browser);
  });
  afterAll(() => browser.close());

  test('a visit in disguise passes every check', async () => {
    const page = await openPage(browser, facts, { stealth: true });
    expect(failures(await findings(page, lab))).toEqual({});
  });

  test('so does a window of a size that was asked for', async () => {
    const viewport = { width: 1600, height: 1200 };
    const page = await openPage(browser, facts, { stealth: true, viewport });
    expect(failures(await findings(page, lab))).toEqual({});
    expect(page.viewportSize()).toEqual(viewport);
  });

  test('headers and stored state work as well', async () => {
    const echo = lab.url.replace('index.html', 'echo');
    const cookie = { name: 'kept', value: '1', domain: '127.0.0.1', path: '/', expires: -1 };
    const cookies = [{ ...cookie, httpOnly: true, secure: false, sameSite: 'Lax' as const }];
    const localStorage = [{ name: 'seen', value: 'yes' }];
    const origins = [{ origin: new URL(lab.url).origin, localStorage }];
    const context = await browser.newContext({ storageState: { cookies, origins } });
    const page = await context.newPage();
    const headers = { 'x-secret': '42' };
    const undo = await applyHeaders(page, { url: echo, headers, skipTlsVerification: false });
    await page.goto(echo);
    const sent = JSON.parse((await page.textContent('body')) ?? '{}');
    expect([sent['x-secret'], sent['cookie']]).toEqual(['42', 'kept=1']);
    expect(await page.evaluate(`localStorage.getItem('seen')`)).toBe('yes');
    await undo();
    expect((await context.storageState({ indexedDB: true })).origins).toMatchObject(origins);
    await context.close();
  });

  test('in a foreign place the page is of one mind; its workers are not all told', async () => {
    const location = { country: 'DE', languages: [] };
    const page = await openPage(browser, facts, { stealth: true, location });
    const failed = Object.keys(failures(await findings(page, lab)));
    const workers = ['shared worker has the same values', 'worker has the same values'];
    expect(failed.filter((name) => !workers.includes(name))).toEqual([]);
    // Patchright tells no worker.
    if (driver === 'playwright-core') expect(failed).not.toContain('worker has the same values');
    expect(await page.evaluate('navigator.languages')).toEqual(['de-DE']);
    const named = { country: 'DE', languages: ['de-DE', 'fr'] };
    const other = await openPage(browser, facts, { stealth: true, location: named });
    expect(await other.evaluate('navigator.languages')).toEqual(['de-DE', 'de', 'fr', 'en']);
  });
});

test('without disguise only the graphics tell', async () => {
  await using browser = await launchAs(chromium, launchSettings());
  const page = await openPage(browser, await readBrowserFacts(browser), {});
  const failed = Object.keys(failures(await findings(page, lab)));
  // A machine with a graphics card has real ones.
  expect(failed.filter((name) => name !== 'graphics are not software')).toEqual([]);
});

test('the headless mode of other systems says neither webdriver nor Headless', async () => {
  await using browser = await launchAs(chromium, launchSettings({ stealth: true }, 'darwin'));
  const facts = await readBrowserFacts(browser);
  expect(facts.isHeadless).toBe(true);
  const page = await openPage(browser, facts, { stealth: true });
  const failed = Object.keys(failures(await findings(page, lab)));
  expect(failed).not.toContain('webdriver is false');
  expect(failed).not.toContain('user agent without Headless');
  expect(failed).not.toContain('client hints are complete');
});

rareTest('a phone passes the checks of a phone, but for its workers', async () => {
  await using browser = await launchAs(chromium, launchSettings({ stealth: true }));
  const page = await openPage(browser, await readBrowserFacts(browser), { mobile: true });
  expect(Object.keys(failures(await findings(page, lab)))).toEqual([
    'worker has the same values',
    'shared worker has the same values',
  ]);
});

test('who is who: windows fit their screens and differ', () => {
  const drawn = [0, 0.25, 0.5, 0.75, 0.99].map((random) => drawWindow(() => random));
  expect(new Set(drawn.map(({ screen }) => screen.width)).size).toBe(4);
  for (const { screen, viewport } of drawn) {
    expect(viewport.width).toBeLessThanOrEqual(screen.width);
    expect(viewport.height).toBeLessThan(screen.height);
  }
});
