/** Worlds of our own in a page: hidden from it, one for a document, none for the next one. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  checkAnswer,
  IsolatedWorld,
  pageSession,
  pageWorld,
} from '../../../src/browser/actions/isolated-world.ts';
import { launchChromium } from '../../support/chromium.ts';

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
  page = await browser.newPage();
});

afterAll(async () => {
  await browser.close();
});

const count = (): number => {
  const kept = globalThis as { calls?: number };
  return (kept.calls = (kept.calls ?? 0) + 1);
};

test('a document has one world, whose variables stay and are hidden from the page', async () => {
  await page.setContent('<p>One</p>');
  const [first, second] = await Promise.all([pageWorld(page), pageWorld(page)]);
  expect(second.contextId).toBe(first.contextId);
  expect([await first.call(count), await second.call(count)]).toEqual([1, 2]);
  expect(await page.evaluate(() => 'calls' in globalThis)).toBe(false);
  const { session, frameId } = await pageSession(page);
  const again = await IsolatedWorld.open(session, frameId);
  expect(again.contextId).toBe(first.contextId);
  const other = await IsolatedWorld.open(session, frameId, { name: 'other' });
  expect(await other.call(count)).toBe(1);
});

test('another document has another world; the old one says that it is gone', async () => {
  await page.goto('data:text/html,<p>One</p>');
  const before = await pageWorld(page);
  expect(await before.call(count)).toBe(1);
  await page.goto('data:text/html,<p>Two</p>');
  const after = await pageWorld(page);
  expect(await after.call(count)).toBe(1);
  await expect(before.call(count)).rejects.toThrow(/navigated away/);
});

test('built-in functions that the page replaced are not those of the world', async () => {
  await page.setContent('<script>JSON.stringify = Array.prototype.map = () => "lie"</script>');
  const world = await pageWorld(page);
  const double = (numbers: readonly number[]): number[] => numbers.map((one) => 2 * one);
  expect(await world.call(double, [1, 2])).toEqual([2, 4]);
});

test('objects stay in the page and are given back to it', async () => {
  await page.setContent('<ul><li>One</li><li>Two</li></ul>');
  const world = await pageWorld(page);
  const list = await world.keep(() => document.querySelector('ul'));
  if (list === undefined) throw new Error('no list');
  expect(
    await world.call((one: Element, at: number) => one.children[at]?.textContent, list, 1),
  ).toBe('Two');
  expect(await world.keep(() => document.querySelector('table'))).toBeUndefined();
});

test('what runs without a pause ends at the limit, and what throws says why', async () => {
  await page.setContent('<p>One</p>');
  const world = await pageWorld(page, { runLimit: 200 });
  const forever = (): void => {
    for (;;);
  };
  await expect(world.call(forever)).rejects.toThrow();
  const fail = (): void => {
    throw new Error('no such thing');
  };
  await expect(world.call(fail)).rejects.toThrow('no such thing');
  expect(await world.call(() => 'still there')).toBe('still there');
});

test('an answer of another shape is refused', () => {
  const sample = { length: 0, names: [''] };
  expect(checkAnswer({ length: 1, names: ['a'] }, sample, 'page')).toEqual({
    length: 1,
    names: ['a'],
  });
  expect(() => checkAnswer({ length: '1', names: [] }, sample, 'page')).toThrow(/page\.length/);
  expect(() => checkAnswer({ length: 1, names: [1] }, sample, 'page')).toThrow(/page\.names\[0\]/);
});
