import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ActionError, PagewrightError } from '../../../src/core/runtime/errors.ts';
import { defineAction } from '../../../src/browser/actions/action.ts';
import { type FixtureServer, serve } from '../../../src/entries/testing/serve.ts';
import { launchChromium, pageWith } from '../../support/chromium.ts';
import { act, failureOf } from './lab.ts';
import { rareTest } from '../../support/deep.ts';

let browser: Browser;
let server: FixtureServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([
    launchChromium(),
    serve({ '/': '<title>First</title><a href="/next">On</a>', '/next': '<title>Second</title>' }),
  ]);
});

afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

const show = (html: string): Promise<Page> => pageWith(browser, html);

describe('steps', () => {
  test('run in order, each after the page settled, and once more after the last', async () => {
    const page = await show('<button onclick="this.textContent += 1">0</button>');
    const outcome = await act(page, [
      { type: 'click', selector: 'button' },
      { type: 'scrape' },
      { type: 'click', selector: 'button' },
      { type: 'executeJavascript', script: 'document.querySelector("button").textContent' },
    ]);
    expect(outcome.scrapes[0]?.html).toContain('>01</button>');
    expect(outcome.scrapes[0]?.url).toBe('about:blank');
    expect(outcome.javascriptReturns).toEqual([{ type: 'string', value: '011' }]);
  });

  rareTest('a failure names index, type and what to change', async () => {
    const page = await show('<p>Nothing here</p>');
    const error = await failureOf(
      act(page, [{ type: 'scrape' }, { type: 'click', selector: '#more' }]),
    );
    expect(error).toBeInstanceOf(ActionError);
    expect(error).toMatchObject({ code: 'ACTION_FAILED', actionIndex: 1, actionType: 'click' });
    expect(error.message).toBe(
      'actions[1] (click) on about:blank: nothing matched "#more" within 5 s; correct the selector, or put a wait for it before',
    );
  });
});

describe('the signal', () => {
  const reason = new PagewrightError('TIMEOUT', 'Too late.');

  test.each([
    ['a script that never ends', { type: 'executeJavascript', script: 'for (;;) {}' }],
    ['a promise that never ends', { type: 'executeJavascript', script: 'new Promise(() => {})' }],
    ['a long wait', { type: 'wait', milliseconds: 20_000 }],
    ['a wait for what never comes', { type: 'wait', selector: '#never' }],
    ['a missing element', { type: 'click', selector: '#never' }],
  ] as const)('ends %s at once', async (_, action) => {
    const page = await show('<p>x</p>');
    const abort = new AbortController();
    const failing = failureOf(act(page, [action], { signal: abort.signal }));
    let aborted = 0;
    setTimeout(() => {
      aborted = Date.now();
      abort.abort(reason);
    }, 500);
    expect(await failing).toBe(reason);
    expect(Date.now() - aborted).toBeLessThan(100);
  });

  test('a script that never ended does not keep the page from being closed', async () => {
    const page = await show('');
    const signal = AbortSignal.timeout(300);
    await failureOf(act(page, [{ type: 'executeJavascript', script: 'for (;;) {}' }], { signal }));
    expect(await page.evaluate(() => 1 + 1)).toBe(2);
  });

  test('a page that hangs by itself ends by the signal too', async () => {
    const page = await show('<button onclick="for (;;) {}">Go</button>');
    const signal = AbortSignal.timeout(800);
    const failing = act(
      page,
      [{ type: 'click', selector: 'button' }, { type: 'scrape' }, { type: 'scrollToEnd' }],
      { signal },
    );
    expect(await failureOf(failing)).toBe(signal.reason);
  });
});

describe('actions of the caller', () => {
  const count = defineAction({
    type: 'count',
    parseOptions: ({ selector = 'p' }) => ({ selector: String(selector) }),
    run: (page, { selector }) => page.locator(selector).count(),
  });

  test('by value and by name; what they return is told', async () => {
    const quiet = defineAction({ type: 'quiet', run: () => undefined });
    const page = await show('<p>1<p>2<b>3</b>');
    const { returns } = await act(page, [count, quiet, { type: 'count', selector: 'b' } as never], {
      custom: [count],
    });
    expect(returns).toEqual([
      { type: 'count', value: 2 },
      { type: 'count', value: 1 },
    ]);
  });

  test('what one throws fails the run, and is the cause', async () => {
    const cause = new RangeError('mine');
    const broken = defineAction({ type: 'broken', run: () => Promise.reject(cause) });
    const error = await failureOf(act(await show(''), [{ type: 'scrape' }, broken]));
    expect(error).toMatchObject({ actionIndex: 1, actionType: 'broken', cause });
    expect(error.message).toBe('actions[1] (broken) on about:blank: mine');
  });
});
