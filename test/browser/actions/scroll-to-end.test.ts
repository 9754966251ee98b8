import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type FixtureServer, serve } from '../../../src/entries/testing/serve.ts';
import { launchChromium } from '../../support/chromium.ts';
import { act } from './lab.ts';
import { rareTest } from '../../support/deep.ts';

let browser: Browser;
let server: FixtureServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchChromium(), serve('fixtures/sites/lists')]);
});

afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

async function open(path: string): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(server.url(path));
  return page;
}

const texts = (page: Page, selector: string): Promise<string[]> =>
  page.locator(selector).allTextContents();

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

describe('scrollToEnd', () => {
  test('gets all 300 rows of an infinite list, and leaves the list as it is', async () => {
    const page = await open('/infinite.html');
    await page.evaluate(() => Object.assign(window, { list: document.querySelector('#rows') }));
    const { warnings } = await act(page, [{ type: 'scrollToEnd' }]);
    expect(await texts(page, 'li')).toEqual(numbers(300).map((at) => `Row ${at + 1}`));
    expect(await page.evaluate('list.isConnected')).toBe(true);
    expect(warnings).toEqual([]);
  });

  rareTest(
    'gets all 1,000 rows of a virtual list in an inner scroller, equal neighbours too',
    async () => {
      const page = await open('/recycled.html');
      await act(page, [{ type: 'scrollToEnd' }]);
      expect(await texts(page, '#rows > .row > b')).toEqual(
        numbers(1000).map((at) => `Customer ${at % 7 === 6 ? at : at + 1}`),
      );
      expect(await texts(page, 'p')).toEqual(['Text before the list.', 'Text after the list.']);
    },
  );

  rareTest(
    'gets all 500 rows where elements are reused with transforms, below a tall header',
    async () => {
      const page = await open('/reused.html');
      await act(page, [{ type: 'scrollToEnd' }]);
      expect(await texts(page, '#rows > li')).toEqual(
        numbers(500).map((at) => (at % 10 < 3 ? 'Sold out' : `Price ${at + 1}`)),
      );
    },
  );

  rareTest(
    'gets all 400 rows of different heights that are estimated first and load late',
    async () => {
      const page = await open('/heights.html');
      await act(page, [{ type: 'scrollToEnd', selector: 'table' }]);
      expect(await texts(page, 'tbody > tr > td:first-child')).toEqual(
        numbers(400).map((at) => `${at + 1}`),
      );
      expect(await texts(page, 'tbody > tr > td:last-child')).toEqual(
        numbers(400).map((at) => `Text ${at + 1}`),
      );
    },
  );

  rareTest(
    'gets all 120 posts of a feed that loads and recycles, on a page that breaks what it can',
    async () => {
      const page = await open('/feed.html');
      await page.evaluate(() => {
        const lie = (): never => {
          throw new Error('hostile');
        };
        Object.assign(Element.prototype, { getBoundingClientRect: lie, scrollTo: lie });
        Object.assign(Document.prototype, { importNode: lie, querySelectorAll: lie });
        Object.assign(Array.prototype, { map: lie, push: lie });
        Object.assign(JSON, { stringify: lie });
        Object.assign(window, { setTimeout: setTimeout.bind(window), performance: null });
      });
      await act(page, [{ type: 'scrollToEnd' }]);
      const posts = [...(await page.content()).matchAll(/<h2>(Post \d+)<\/h2>/g)].map(
        ([, text]) => text,
      );
      expect(posts).toEqual(numbers(120).map((at) => `Post ${at + 1}`));
    },
  );

  test('ends at once on a page that is all there, and changes nothing', async () => {
    const page = await open('/plain.html');
    const before = await page.content();
    const started = Date.now();
    const { warnings } = await act(page, [{ type: 'scrollToEnd' }]);
    expect(Date.now() - started).toBeLessThan(4000);
    expect(await page.content()).toBe(before);
    expect(warnings).toEqual([]);
  });

  test('ends at maxScrolls on an endless list, and says so', async () => {
    const page = await open('/endless.html');
    const { warnings } = await act(page, [{ type: 'scrollToEnd', maxScrolls: 3 }]);
    const rows = await texts(page, 'li');
    expect(rows.length).toBeGreaterThanOrEqual(80);
    expect(rows.length).toBeLessThan(300);
    expect(warnings).toEqual([expect.stringMatching(/^scrollToEnd stopped at maxScrolls 3 with/)]);
  });
});
