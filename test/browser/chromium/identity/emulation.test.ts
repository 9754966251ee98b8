/** Places, phones and languages as pages and servers see them. */
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type BrowserFacts,
  contextOptions,
  emulatePage,
  languagesInHeader,
  languagesOf,
  readBrowserFacts,
  shareLocation,
} from '../../../../src/browser/chromium/identity/emulation.ts';
import { countryFacts, knownCountries } from '../../../../src/core/checks/country-facts.ts';
import { launchSettings } from '../../../../src/browser/chromium/open-browser.ts';
import type { Rendering } from '../../../../src/core/model/request.ts';
import { acceptLanguage } from '../../../../src/core/model/request-options.ts';
import { launchAs } from './detector-lab.ts';
import { openSites, type SitesLab, testHosts } from './sites-lab.ts';
import { rareTest } from '../../../support/deep.ts';

let browser: Browser;
let facts: BrowserFacts;
let lab: SitesLab;

beforeAll(async () => {
  const { args, ...settings } = launchSettings();
  const secure = '--unsafely-treat-insecure-origin-as-secure=';
  lab = await openSites({
    'place.test/': '<iframe src="http://other.test:$PORT/frame"></iframe>',
  });
  const origins = `http://place.test:${lab.port},http://other.test:${lab.port}`;
  browser = await launchAs(chromium, {
    ...settings,
    args: [...args, testHosts, secure + origins],
  });
  facts = await readBrowserFacts(browser);
});
afterAll(async () => {
  await browser.close();
  await lab.close();
});

async function open(rendering: Rendering, headers: Record<string, string> = {}): Promise<Page> {
  const context = await browser.newContext(contextOptions(rendering, headers, facts));
  const page = await context.newPage();
  await emulatePage(page, rendering, headers, facts);
  const url = lab.url('place.test/');
  if (rendering.location !== undefined) await shareLocation(context, url);
  lab.arrivals.length = 0;
  await page.goto(url);
  return page;
}

test('a reader in Japan has its languages, time, and the position of Tokyo', async () => {
  const page = await open({ location: { country: 'JP', languages: [] } });
  expect(await page.evaluate('navigator.languages')).toEqual(['ja-JP', 'ja', 'en']);
  expect((await lab.arrival('place.test/'))['accept-language']).toBe(
    acceptLanguage({ country: 'JP' }),
  );
  expect(await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone')).toBe(
    'Asia/Tokyo',
  );
  expect(await page.evaluate('(1234.5).toLocaleString() + new Date(0).getHours()')).toBe(
    '1,234.59',
  );
  const position = `new Promise((resolve) => navigator.geolocation.getCurrentPosition(
    ({ coords }) => resolve([coords.latitude, coords.longitude]), (error) => resolve(error.message)))`;
  expect(await page.evaluate(position)).toEqual([35.65, 139.73]);
  await page.context().close();
});

test('a reader without a place has the time of the default country, and no position', async () => {
  const page = await open({});
  expect(await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone')).toBe(
    'America/New_York',
  );
  const query = `navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => state)`;
  expect(await page.evaluate(query)).not.toBe('granted');
  await page.context().close();
});

rareTest('pages of others are not told the position', async () => {
  const page = await open({ location: { country: 'JP', languages: [] } });
  const ask = `new Promise((resolve) => navigator.geolocation.getCurrentPosition(
    () => resolve('told'), ({ code }) => resolve(code), { timeout: 3000 }))`;
  expect(await page.evaluate(ask)).toBe('told');
  const frame = page.frames().find((one) => one.url().includes('other.test'));
  const permissionDenied = 1;
  expect(await frame?.evaluate(ask)).toBe(permissionDenied);
  await page.goto(lab.url('other.test/frame'));
  expect(await page.evaluate(ask)).not.toBe('told');
  await page.context().close();
});

test('languages of the caller come in their order, to frames of others too', async () => {
  const location = { country: 'CH', languages: ['fr-CH', 'de'] };
  const page = await open({ location });
  expect(await page.evaluate('navigator.languages')).toEqual(['fr-CH', 'fr', 'de', 'en']);
  expect((await lab.arrival('place.test/'))['accept-language']).toBe(acceptLanguage(location));
  expect((await lab.arrival('other.test/frame'))['accept-language']).toBe(acceptLanguage(location));
  await page.context().close();
});

test('an Accept-Language header of the caller wins over the place', async () => {
  const location = { country: 'DE', languages: [] };
  const page = await open({ location }, { 'accept-language': 'it;q=0.5, es-ES' });
  expect(await page.evaluate('navigator.languages')).toEqual(['es-ES', 'it']);
  expect((await lab.arrival('place.test/'))['accept-language']).toBe('es-ES,it;q=0.9');
  expect(await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone')).toBe(
    'Europe/Berlin',
  );
  await page.context().close();
});

test('a phone has its size, its touch and its user agent', async () => {
  const page = await open({ mobile: true });
  const { 'user-agent': sent, 'sec-ch-ua-mobile': hint } = await lab.arrival('place.test/');
  expect(sent).toMatch(
    /^Mozilla\/5\.0 \(Linux; Android 10; K\) .* Chrome\/\d+\.0\.0\.0 Mobile Safari/,
  );
  expect(sent).toContain(`Chrome/${facts.version.split('.', 1)[0]}.`);
  expect(hint ?? '?1').toBe('?1');
  expect(
    await page.evaluate(
      '[navigator.userAgent === ' +
        JSON.stringify(sent) +
        ', devicePixelRatio, navigator.maxTouchPoints > 0, matchMedia("(pointer: coarse)").matches, screen.width, navigator.platform]',
    ),
  ).toEqual([true, 2.625, true, true, 412, 'Linux armv81']);
  await page.context().close();
});

test('colours and window are those asked for; the user agent is the browser’s own', async () => {
  const page = await open({ colorScheme: 'dark', viewport: { width: 900, height: 700 } });
  expect(
    await page.evaluate(
      '[innerWidth, innerHeight, matchMedia("(prefers-color-scheme: dark)").matches]',
    ),
  ).toEqual([900, 700, true]);
  const { 'user-agent': sent } = await lab.arrival('place.test/');
  expect(sent).toBe(facts.userAgent);
  expect(sent).not.toMatch(/headless|pagewright/i);
  await page.context().close();
});

test('the user agent of the caller is taken', async () => {
  const page = await open({}, { 'user-agent': 'Lamp/1.0 (+https://lamp.test)' });
  expect(await page.evaluate('navigator.userAgent')).toBe('Lamp/1.0 (+https://lamp.test)');
  expect((await lab.arrival('place.test/'))['user-agent']).toBe('Lamp/1.0 (+https://lamp.test)');
  await page.context().close();
});

describe('countries', () => {
  rareTest('the browser knows the zone and the language of every one', async () => {
    const context = await browser.newContext();
    const session = await context.newCDPSession(await context.newPage());
    expect(knownCountries().length).toBe(250);
    const unknown: string[] = [];
    for (const country of knownCountries()) {
      const { timeZone = '' } = countryFacts(country) ?? {};
      const [locale = ''] = languagesOf({ country, languages: [] });
      await session
        .send('Emulation.setTimezoneOverride', { timezoneId: timeZone })
        .then(() => session.send('Emulation.setLocaleOverride', { locale }))
        .catch((error: unknown) => unknown.push(`${country} ${String(error)}`));
      await session.send('Emulation.setLocaleOverride', { locale: '' });
    }
    expect(unknown).toEqual([]);
    await context.close();
  });

  test('every capital is somewhere, and in its time zone', () => {
    const now = new Date('2026-01-15T12:00:00Z');
    for (const country of knownCountries()) {
      const { timeZone, latitude, longitude } = countryFacts(country) ?? {};
      expect(Math.abs(latitude ?? 99)).toBeLessThan(90);
      const wall = new Date(now.toLocaleString('en-US', { timeZone, hour12: false }) + ' UTC');
      const hours = (wall.getTime() - now.getTime()) / 3_600_000;
      const apart = Math.abs(hours - (longitude ?? 999) / 15) % 24;
      // Few capitals live more than three hours from the sun.
      expect([country, Math.min(apart, 24 - apart) < 3.6]).toEqual([country, true]);
    }
  });

  test('codes that nobody has, and names of objects, have no facts', () => {
    for (const code of ['ZZ', 'us', '', '__proto__', 'constructor']) {
      expect(countryFacts(code)).toBeUndefined();
    }
  });

  test('languages agree with those of a plain request', () => {
    for (const country of knownCountries()) {
      const header = acceptLanguage({ country });
      expect(languagesInHeader(header)).toEqual(languagesOf({ country, languages: [] }));
    }
  });
});

test.each([
  ['de', ['de']],
  ['de;q=0.5, fr', ['fr', 'de']],
  ['*, en;q=0', []],
  ['en, <script>, "x"', ['en']],
  ['', []],
])('the header %j names %j', (header, languages) => {
  expect(languagesInHeader(header)).toEqual(languages);
});
