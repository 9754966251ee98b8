/** The caller's headers go to the page's site and to nobody else. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { HostRules } from '../../../../src/core/http/network/host-rules.ts';
import { applyHeaders } from '../../../../src/browser/chromium/identity/apply-headers.ts';
import { launchSettings } from '../../../../src/browser/chromium/open-browser.ts';
import type { PageRequest } from '../../../../src/core/model/request.ts';
import { launchAs } from './detector-lab.ts';
import { openSites, type SitesLab, testHosts } from './sites-lab.ts';
import { rareTest } from '../../../support/deep.ts';

let browser: Browser;
let lab: SitesLab;
let context: BrowserContext;
let page: Page;

const secrets = {
  authorization: 'Bearer key',
  'x-secret': '42',
  cookie: 'session=abc; theme=dark',
};

beforeAll(async () => {
  const settings = launchSettings();
  [browser, lab] = await Promise.all([
    launchAs(chromium, { ...settings, args: [...settings.args, testHosts] }),
    openSites({
      'www.shop.test/page': `<img src="/own.png"><img src="http://cdn.shop.test:$PORT/cdn.png">
        <img src="http://tracker.test:$PORT/pixel.png"><img src="http://evilshop.test:$PORT/look-alike.png">
        <img src="/leave-in-image"><iframe src="http://tracker.test:$PORT/frame"></iframe>
        <script>fetch('/from-page'); new Worker('/worker.js')</script>`,
      'www.shop.test/worker.js': `fetch('/from-worker')`,
      'tracker.test/frame': `<img src="http://www.shop.test:$PORT/from-tracker.png">`,
      'www.shop.test/to-tracker': '→http://tracker.test:$PORT/asks',
      'tracker.test/asks': `<img src="/own.png"><img src="http://www.shop.test:$PORT/asked.png">
        <iframe src="http://www.shop.test:$PORT/framed"></iframe>
        <script>fetch('http://www.shop.test:$PORT/read')</script>`,
      'www.shop.test/leave': '→http://tracker.test:$PORT/landed',
      'www.shop.test/leave-in-image': '→http://tracker.test:$PORT/landed.png',
      'shop.test/stay': '→http://www.shop.test:$PORT/stayed',
      'tracker.test/landed': `<img src="http://tracker.test:$PORT/after.png">`,
      'www.shop.test/renew': `<script>document.title = document.cookie</script>`,
    }),
  ]);
});
afterAll(async () => {
  await browser.close();
  await lab.close();
});
beforeEach(async () => {
  lab.arrivals.length = 0;
  context = await browser.newContext();
  page = await context.newPage();
});
afterEach(() => context.close());

/** Which of the caller's headers a place was sent. */
function apply(
  url: string,
  headers: Readonly<Record<string, string>>,
  redirectCredentials?: PageRequest['redirectCredentials'],
  hostHeaders?: PageRequest['hostHeaders'],
): ReturnType<typeof applyHeaders> {
  const skipTlsVerification = false;
  const request = { url, headers, redirectCredentials, hostHeaders, skipTlsVerification };
  return applyHeaders(page, request);
}

async function sentTo(place: string): Promise<string> {
  const { authorization, cookie, ...headers } = await lab.arrival(place);
  const given = { authorization, 'x-secret': headers['x-secret'], cookie };
  return Object.entries(given)
    .flatMap(([name, value]) => (value === undefined ? [] : [name]))
    .join();
}

test('documents, subresources and workers of the site get them', async () => {
  await apply(lab.url('www.shop.test/page'), secrets, 'same-site');
  await page.goto(lab.url('www.shop.test/page'));
  for (const path of ['/page', '/own.png', '/from-page', '/worker.js', '/from-worker']) {
    expect([path, await sentTo(`www.shop.test${path}`)]).toEqual([
      path,
      'authorization,x-secret,cookie',
    ]);
  }
  expect(await sentTo('cdn.shop.test/cdn.png')).toBe('authorization,x-secret,cookie');
  expect((await lab.arrival('www.shop.test/page')).cookie).toBe('session=abc; theme=dark');
});

test('third parties, look-alikes and their frames never get them', async () => {
  await apply(lab.url('www.shop.test/page'), secrets, 'same-site');
  await page.goto(lab.url('www.shop.test/page'));
  for (const place of ['tracker.test/pixel.png', 'evilshop.test/look-alike.png']) {
    expect([place, await sentTo(place)]).toEqual([place, '']);
  }
  expect(await sentTo('tracker.test/frame')).toBe('');
  expect(await sentTo('tracker.test/landed.png')).toBe('');
  expect(await sentTo('www.shop.test/from-tracker.png')).not.toContain('authorization');
});

test('a redirect that leaves the site loses them, one within the site keeps them', async () => {
  await apply(lab.url('www.shop.test/leave'), secrets, 'same-site');
  await page.goto(lab.url('www.shop.test/leave'));
  expect(await sentTo('www.shop.test/leave')).toBe('authorization,x-secret,cookie');
  expect(await sentTo('tracker.test/landed')).toBe('');
  expect(await sentTo('tracker.test/after.png')).toBe('');
  await page.goto(lab.url('shop.test/stay'));
  expect(await sentTo('www.shop.test/stayed')).toBe('authorization,x-secret,cookie');
});

test('headers of hosts go with the pages of the host, and with nothing that other sites ask of it', async () => {
  const headers = { authorization: 'Bearer host', 'x-secret': '42' };
  const { headers: hostHeaders } = new HostRules({
    [`*.shop.test:${lab.port}`]: { headers },
    'elsewhere.test:81': { headers },
  });
  await apply(lab.url('other.test/'), {}, 'same-origin', hostHeaders);
  await page.goto(lab.url('www.shop.test/page'));
  for (const path of ['/page', '/own.png', '/from-page']) {
    expect([path, await sentTo(`www.shop.test${path}`)]).toEqual([path, 'authorization,x-secret']);
  }
  expect(await sentTo('cdn.shop.test/cdn.png')).toBe('');
  expect(await sentTo('tracker.test/pixel.png')).toBe('');
  expect(await sentTo('tracker.test/landed.png')).toBe('');
  expect(await sentTo('www.shop.test/from-tracker.png')).toBe('');
  await page.goto(lab.url('www.shop.test/to-tracker'));
  expect(await sentTo('www.shop.test/to-tracker')).toBe('authorization,x-secret');
  for (const path of ['/asked.png', '/framed', '/read']) {
    expect([path, await sentTo(`www.shop.test${path}`)]).toEqual([path, '']);
  }
  expect(await sentTo('tracker.test/asks')).toBe('');
});

test('each host of a redirect gets its own headers', async () => {
  const { headers } = new HostRules({
    [`www.shop.test:${lab.port}`]: { headers: { 'x-secret': '42' } },
    [`tracker.test:${lab.port}`]: { headers: { authorization: 'Bearer host' } },
  });
  await apply(lab.url('www.shop.test/leave'), {}, 'same-origin', headers);
  await page.goto(lab.url('www.shop.test/leave'));
  expect(await sentTo('www.shop.test/leave')).toBe('x-secret');
  expect(await sentTo('tracker.test/landed')).toBe('authorization');
  expect(await sentTo('tracker.test/after.png')).toBe('authorization');
});

test('headers of the call win over those of the host', async () => {
  const place = 'www.shop.test/page';
  const rule = { headers: { authorization: 'Bearer host', 'x-host': '1', 'user-agent': 'own' } };
  const { headers } = new HostRules({ [`www.shop.test:${lab.port}`]: rule });
  await apply(lab.url(place), { authorization: 'Bearer call' }, undefined, headers);
  await page.goto(lab.url(place));
  expect(await lab.arrival(place)).toMatchObject({
    authorization: 'Bearer call',
    'x-host': '1',
    'user-agent': 'own',
  });
});

test('a tab that accepts any certificate has no headers of other hosts', async () => {
  const { headers: hostHeaders } = new HostRules({
    [`www.shop.test:${lab.port}`]: { headers: { 'x-secret': '42' } },
  });
  // Of its own host the caller has said so: by default it verifies.
  for (const [place, sent] of [
    ['tracker.test/asks', ''],
    ['www.shop.test/one', 'x-secret'],
  ] as const) {
    const request = { url: lab.url(place), headers: {}, hostHeaders, skipTlsVerification: true };
    const undo = await applyHeaders(page, request);
    await page.goto(lab.url('www.shop.test/two'));
    expect(await sentTo('www.shop.test/two')).toBe(sent);
    await undo();
    lab.arrivals.length = 0;
  }
});

test('by default they are for the origin only', async () => {
  await apply(lab.url('www.shop.test/page'), secrets);
  await page.goto(lab.url('www.shop.test/page'));
  expect(await sentTo('www.shop.test/own.png')).toBe('authorization,x-secret,cookie');
  expect(await sentTo('cdn.shop.test/cdn.png')).toBe('');
  await page.goto(lab.url('shop.test/stay'));
  expect(await sentTo('www.shop.test/stayed')).toBe('authorization,x-secret');
});

rareTest('they work beside a route of the page', async () => {
  await page.route('**/*', (route) =>
    route.request().url().includes('own.png') ? route.abort() : route.continue(),
  );
  await apply(lab.url('www.shop.test/page'), secrets, 'same-site');
  await page.goto(lab.url('www.shop.test/page'));
  expect(await sentTo('www.shop.test/from-page')).toBe('authorization,x-secret,cookie');
  expect(await sentTo('tracker.test/pixel.png')).toBe('');
  expect(lab.arrivals.some(({ place }) => place.endsWith('own.png'))).toBe(false);
});

rareTest('an address without a domain is a site too', async () => {
  const url = `http://127.0.0.1:${lab.port}/`;
  await apply(url, secrets, 'same-site');
  await page.goto(url);
  expect(await sentTo('127.0.0.1/')).toBe('authorization,x-secret,cookie');
});

test('scripts do not see the cookies of the header', async () => {
  await apply(lab.url('www.shop.test/renew'), secrets, 'same-site');
  await page.goto(lab.url('www.shop.test/renew'));
  expect(await page.title()).toBe('');
});

test('what is taken back is not sent any more, what the site has set stays', async () => {
  const undo = await apply(lab.url('www.shop.test/one'), secrets, 'same-site');
  await page.goto(lab.url('www.shop.test/one'));
  const url = lab.url('www.shop.test/one');
  await context.addCookies([{ name: 'own', value: 'yes', url }]);
  await undo();
  await page.goto(lab.url('www.shop.test/two'));
  const { authorization, cookie, ...headers } = await lab.arrival('www.shop.test/two');
  expect([authorization, cookie, headers['x-secret']]).toEqual([undefined, 'own=yes', undefined]);
});

rareTest('the page has its own Accept, its images have theirs', async () => {
  await apply(lab.url('www.shop.test/page'), { accept: 'text/markdown' });
  await page.goto(lab.url('www.shop.test/page'));
  expect((await lab.arrival('www.shop.test/page')).accept).toBe('text/markdown');
  expect((await lab.arrival('www.shop.test/own.png')).accept).toContain('image/');
});

test.each([
  ['host', 'other.test'],
  ['content-length', '5'],
  ['connection', 'close'],
  ['x-bad', 'a\nb'],
])('the header %s is refused before anything is sent', async (name, value) => {
  const applying = apply(lab.url('www.shop.test/page'), { [name]: value });
  await expect(applying).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});
