/** `repeat`: its ends, its limits, and how often an action ran. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ActionInput } from '../../../src/browser/actions/action-types.ts';
import { type FixtureServer, serve } from '../../../src/entries/testing/serve.ts';
import { launchChromium, pageWith } from '../../support/chromium.ts';
import { act, failureOf } from './lab.ts';

let browser: Browser;
let server: FixtureServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([
    launchChromium(),
    serve({
      '/': '<title>1</title><a class="next" href="/2">Next</a>',
      '/2': '<title>2</title><a class="next" href="/3">Next</a>',
      '/3': '<title>3</title>',
    }),
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

/** 10 rows, and a button that adds 10 more until there are 50. */
const loadMore = (atTheEnd: string): string => `
  <ul></ul><button>Load more</button><script>
    const list = document.querySelector('ul');
    const button = document.querySelector('button');
    const add = () => {
      if (list.children.length < 50) for (let n = 0; n < 10; n++) list.append(document.createElement('li'));
      if (list.children.length === 50) { ${atTheEnd} }
    };
    add();
    button.onclick = () => {
      button.hidden = true;
      setTimeout(() => { button.hidden = false; add(); }, 200);
    };
  </script>`;

const clickAll: ActionInput = { type: 'click', selector: 'button', repeat: {} };

describe('"Load more"', () => {
  test.each([
    ['goes away', 'button.remove()', { end: 'gone', runs: 4 }],
    ['is disabled', 'button.disabled = true', { end: 'gone', runs: 4 }],
    // The fifth click scrolls to the button, below 50 rows: that is a change too.
    ['has no effect', '', { end: 'noChange', runs: 6 }],
  ])('gives all 50 rows when the button %s at the end', async (_, atTheEnd, ran) => {
    const page = await show(loadMore(atTheEnd));
    const { repeats, warnings } = await act(page, [clickAll]);
    expect(await page.locator('li').count()).toBe(50);
    expect(repeats).toEqual([{ actionIndex: 0, actionType: 'click', ...ran }]);
    expect(warnings).toEqual([]);
  });

  test('ends at max, with a warning', async () => {
    const page = await show(loadMore('button.remove()'));
    const { repeats, warnings } = await act(page, [
      { type: 'scrape' },
      { type: 'click', selector: 'button', repeat: { max: 2 } },
    ]);
    expect(await page.locator('li').count()).toBe(30);
    expect(repeats).toEqual([{ actionIndex: 1, actionType: 'click', runs: 2, end: 'max' }]);
    expect(warnings).toEqual([
      'actions[1] (click) stopped at repeat.max after 2 run(s); there may be more.',
    ]);
  });

  test('ends when another element is gone', async () => {
    const page = await show(`
      <p class="left">3</p><button onclick="this.textContent += '.'; left(1)">Less</button><script>
        const left = (n) => {
          const p = document.querySelector('.left');
          p.textContent -= n;
          if (p.textContent === '0') p.hidden = true;
        };
      </script>`);
    const until = { gone: '.left' };
    const { repeats } = await act(page, [{ ...clickAll, repeat: { until } }]);
    expect(repeats).toEqual([{ actionIndex: 0, actionType: 'click', runs: 3, end: 'gone' }]);
  });
});

describe('other actions', () => {
  test('scroll ends at the bottom, a stepper at its limit, a script when it does nothing', async () => {
    const page = await show(`
      <style>body { margin: 0 }</style><input type="number" max="5" value="1">
      <button onclick="document.querySelector('input').stepUp()">+</button><ol></ol>
      <div style="height: ${720 * 3 - 300}px"></div>`);
    const script =
      'const l = document.querySelector("ol"); if (l.children.length < 2) l.append("li", document.createElement("li")); return l.children.length';
    const { repeats, javascriptReturns } = await act(page, [
      clickAll,
      { type: 'executeJavascript', script, repeat: {} },
      { type: 'scroll', direction: 'down', repeat: {} },
    ]);
    expect(await page.locator('input').inputValue()).toBe('5');
    expect(javascriptReturns.map(({ value }) => value)).toEqual([1, 2, 2]);
    expect(repeats.map(({ runs, end }) => [runs, end])).toEqual([
      [5, 'noChange'],
      [3, 'noChange'],
      [3, 'noChange'],
    ]);
  });

  test('a link to the next page is followed to the last one', async () => {
    const page = await show('');
    await page.goto(server.origin);
    const { repeats } = await act(page, [{ type: 'click', selector: '.next', repeat: {} }]);
    expect(await page.title()).toBe('3');
    expect(repeats).toMatchObject([{ runs: 2, end: 'gone' }]);
  });
});

describe('limits', () => {
  const clock = '<button onclick="this.textContent = Math.random()">Go</button>';

  test('time: it ends with a warning', async () => {
    const acting = act(await show(clock), [{ ...clickAll, repeat: { max: 100 } }], {
      timeLeft: 100,
    });
    const { repeats, warnings } = await acting;
    expect(repeats).toMatchObject([{ end: 'time' }]);
    expect(repeats[0]?.runs).toBeLessThan(100);
    expect(warnings[0]).toMatch(/stopped at its time limit after \d+ run/);
  });

  test('the signal ends it at once', async () => {
    const signal = AbortSignal.timeout(1000);
    const repeat = { max: 100, until: { gone: 'button' } };
    const acting = act(await show(clock), [{ ...clickAll, repeat }], { signal, timeLeft: 60_000 });
    // 100 clicks might end before on a fast machine.
    const failing = failureOf(acting.then(() => Promise.reject(signal.reason as Error)));
    expect(await failing).toBe(signal.reason);
  });

  test('results of a script have 10,000,000 characters in all', async () => {
    const script = 'document.title += "."; return "x".repeat(6_000_000)';
    const acting = act(await show(''), [{ type: 'executeJavascript', script, repeat: {} }], {
      timeLeft: 200_000,
    });
    expect((await failureOf(acting)).message).toMatch(/more than 10000000 characters in all/);
  });
});

describe('a missing element', () => {
  // Each takes the 5 s that an element has to appear.
  test('fails the first run, unless it is optional', async () => {
    const none: ActionInput = { type: 'click', selector: '#none', repeat: {} };
    const [failure, { repeats }] = await Promise.all([
      failureOf(act(await show(''), [none])),
      act(await show(''), [{ ...none, optional: true }]),
    ]);
    expect(failure.message).toMatch(/nothing matched "#none"/);
    expect(repeats).toEqual([{ actionIndex: 0, actionType: 'click', runs: 0, end: 'gone' }]);
  });

  test('a selector of `gone` that is wrong fails with a sentence', async () => {
    const repeat = { until: { gone: 'p[' } };
    const acting = act(await show(clockless), [{ ...clickAll, repeat }]);
    expect((await failureOf(acting)).message).toMatch(/"p\[" is not a CSS selector; correct it$/);
  });
});

const clockless = '<button>Go</button>';
