/** Actions that may be left out when their element is not there. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionInput } from '../../../src/browser/actions/action-types.ts';
import { launchChromium, pageWith } from '../../support/chromium.ts';
import { act, failureOf } from './lab.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(() => browser.close());

const show = (html: string): Promise<Page> => pageWith(browser, html);

// Takes the 5 s that an element has to appear, for all actions at once.
test('an optional action without a visible element is skipped, and the next one runs', async () => {
  const steps: readonly ActionInput[] = [
    { type: 'click', selector: '#none', optional: true },
    { type: 'click', selector: '#hidden', optional: true, all: true },
    { type: 'fill', selector: '#none', text: 'x', optional: true },
    { type: 'hover', selector: '#hidden', optional: true },
    { type: 'select', selector: '#none', value: 'x', optional: true },
    { type: 'scroll', selector: '#none', direction: 'down', optional: true },
    { type: 'scrollToEnd', selector: '#none', optional: true },
  ];
  const titles = await Promise.all(
    steps.map(async (step) => {
      const page = await show('<button id="hidden" hidden>No</button>');
      await act(page, [step, { type: 'executeJavascript', script: 'document.title = "next"' }]);
      return page.title();
    }),
  );
  expect(titles).toEqual(steps.map(() => 'next'));
}, 60_000);

test('an optional action on an element that is there runs', async () => {
  const page = await show('<button onclick="document.title = 1">Go</button>');
  await act(page, [{ type: 'click', selector: 'button', optional: true }]);
  expect(await page.title()).toBe('1');
});

// Takes the 5 s that an element has to become usable.
test('optional excuses neither a selector that is wrong nor an element that is covered', async () => {
  const page = await show(
    '<button>Go</button><div id="over" style="position: fixed; inset: 0">Cookies?</div>',
  );
  const failures = [
    await failureOf(act(page, [{ type: 'click', selector: 'p[', optional: true }])),
    await failureOf(act(page, [{ type: 'click', selector: 'button', optional: true }])),
  ];
  expect(failures.map(({ message }) => message)).toEqual([
    expect.stringContaining('"p[" is not a CSS selector'),
    expect.stringContaining('"button" is covered by <div id="over">'),
  ]);
}, 60_000);
