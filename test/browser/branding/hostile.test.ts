/** Pages that lie about their styles, or that try to keep their reader busy. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBranding } from '../../../src/browser/branding/read-branding.ts';
import { serve } from '../../../src/entries/testing/serve.ts';
import { launchChromium, pageWith } from '../../support/chromium.ts';
import { rareTest } from '../../support/deep.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

const patience = (): AbortSignal => AbortSignal.timeout(25_000);

test('replaced built-ins and names that hide properties change nothing, and no script runs', async () => {
  await using server = await serve('fixtures/sites/branding-hostile');
  const page = await browser.newPage();
  await page.goto(server.url('/'));
  const before = await page.evaluate('ran.length');
  const branding = await readBranding(page, patience());
  expect(branding.colors).toMatchObject({
    primary: '#ba2525',
    background: '#f0f4f8',
    textPrimary: '#102a43',
  });
  expect(branding.components.buttonPrimary).toMatchObject({
    background: '#ba2525',
    label: 'Send it off',
  });
  const svg = decodeURIComponent(branding.logo ?? '');
  expect(svg).toBe(
    'data:image/svg+xml,<svg viewBox="0 0 100 40" fill="#ba2525" xmlns="http://www.w3.org/2000/svg" width="100" height="40"><path d="M0 0h100v40z"></path></svg>',
  );
  expect(JSON.stringify(branding)).not.toMatch(/#ff00ff|javascript:|evil\.test/);
  expect(await page.evaluate('ran.length')).toBe(before);
  expect(server.log.map(({ url }) => url)).not.toContain('/javascript:');
  await page.close();
});

rareTest('a page of 200,000 elements is read, cut after what comes first', async () => {
  const page = await pageWith(
    browser,
    '<body style="background:#fafafa"><p style="color:#123456">First of all</p><div id="many"></div>',
  );
  await page.evaluate(() => {
    document.querySelector('#many')!.innerHTML = '<i>x</i>'.repeat(200_000);
  });
  const { colors } = await readBranding(page, patience());
  expect(colors.background).toBe('#fafafa');
  await page.context().close();
});

rareTest('translucent layers over each other by the hundred are bounded', async () => {
  const layers = Array.from(
    { length: 600 },
    (_, index) =>
      `<div style="position:absolute;inset:0;background:rgba(${index % 256},9,${index >> 3},.3)"></div>`,
  );
  const page = await pageWith(browser, `<body style="height:3000px">${layers.join('')}`);
  const { palette } = await readBranding(page, patience());
  expect(palette.length).toBeLessThanOrEqual(24);
  await page.context().close();
});

/** A page whose scripts never let go again. */
async function busyPage(): Promise<Page> {
  const page = await pageWith(browser, '<p>Busy</p>');
  await page.evaluate(() => {
    setTimeout(() => {
      while (true);
    }, 50);
  });
  await new Promise((resolve) => setTimeout(resolve, 150));
  return page;
}

rareTest(
  'a page that never lets go ends with TIMEOUT, or with the reason of the caller',
  async () => {
    const [one, other] = [await busyPage(), await busyPage()];
    const reason = new Error('enough');
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 300);
    await expect(readBranding(one, controller.signal)).rejects.toBe(reason);
    await expect(readBranding(other, patience())).rejects.toMatchObject({ code: 'TIMEOUT' });
  },
);

test('a page that is closed meanwhile is BROWSER_CRASHED', async () => {
  const page = await pageWith(browser, '<p>Short</p>');
  const reading = readBranding(page, patience());
  await page.close();
  await expect(reading).rejects.toMatchObject({ code: 'BROWSER_CRASHED' });
});

test('an empty page has a background and nothing else', async () => {
  const page = await pageWith(browser, '');
  const branding = await readBranding(page, patience());
  expect(branding).toEqual({
    colorScheme: 'light',
    colors: { background: '#ffffff' },
    palette: [{ color: '#ffffff', area: 1, uses: ['background'] }],
    gradients: [],
    fonts: [],
    typography: {
      fontFamilies: {},
      fontStacks: {},
      fontSizes: {},
      lineHeights: {},
      fontWeights: {},
    },
    spacing: {},
    components: {},
    images: {},
  });
  await page.context().close();
});
