import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type FixtureServer, serve } from '../../../src/entries/testing/serve.ts';
import { launchChromium, pageWith } from '../../support/chromium.ts';
import { defineAction } from '../../../src/browser/actions/action.ts';
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

describe('click', () => {
  test('takes the first that is visible, in open shadow roots too', async () => {
    const page = await show(`
      <button style="display: none">Hidden</button><div id="host"></div>
      <script>
        host.attachShadow({ mode: 'open' }).innerHTML = '<button>Shown</button>';
        host.shadowRoot.querySelector('button').onclick = () => (document.title = 'clicked');
      </script>`);
    await act(page, [{ type: 'click', selector: 'button' }]);
    expect(await page.title()).toBe('clicked');
  });

  test('all: clicks each, though earlier clicks take buttons away', async () => {
    const page = await show(
      [1, 2, 3, 4].map((n) => `<button onclick="log(${n}, this)">${n}</button>`).join('') +
        `<button style="display: none" onclick="log(5, this)">5</button>
        <script>
          document.title = '';
          function log(n, button) {
            document.title += n;
            button.remove();
            if (n === 2) document.querySelector('button').remove();
          }
        </script>`,
    );
    await act(page, [{ type: 'click', selector: 'button', all: true }]);
    expect(await page.title()).toBe('124');
  });

  rareTest('says why an element cannot be clicked', async () => {
    const cases: readonly [selector: string, html: string, message: RegExp][] = [
      ['p[', '<p>', /"p\[" is not a CSS selector/],
      ['p', '<p hidden>Text</p>', /"p" matches 1 element, which is not visible/],
      [
        'button',
        '<button>Go</button><div id="over" style="position: fixed; inset: 0">Cookies?</div>',
        /"button" is covered by <div id="over">.*close that first/,
      ],
      ['button', '<button disabled>Go</button>', /stayed disabled for 5 s/],
      [
        'b',
        '<b>Go</b><script>onpointermove = onmousemove = onmousedown = () => document.querySelector("b").remove()</script>',
        /nothing matched|it worked/,
      ],
    ];
    const messages = await Promise.all(
      cases.map(async ([selector, html]) => {
        const acting = act(await show(html), [{ type: 'click', selector }]);
        return acting.then(
          () => 'it worked',
          (error: unknown) => (error as Error).message,
        );
      }),
    );
    for (const [at, [, , message]] of cases.entries()) expect(messages[at]).toMatch(message);
  });

  test('that navigates: the next step sees the new page', async () => {
    const page = await show('');
    await page.goto(server.origin);
    const { scrapes } = await act(page, [
      { type: 'click', selector: 'a' },
      { type: 'wait', milliseconds: 300 },
      { type: 'scrape' },
    ]);
    expect(scrapes[0]).toMatchObject({ url: server.url('/next') });
    expect(scrapes[0]?.html).toContain('Second');
  });

  test('that opens an alert goes on', async () => {
    const page = await show('<button onclick="alert(1); document.title = 2">Go</button>');
    await act(page, [{ type: 'click', selector: 'button' }]);
    expect(await page.title()).toBe('2');
  });

  test('that opens a window: it is closed, with a warning', async () => {
    const page = await show(`<a target="_blank" href="${server.url('/next')}">Go</a>`);
    const closed = page.waitForEvent('popup').then((window) => window.waitForEvent('close'));
    const untilClosed = defineAction({
      type: 'untilClosed',
      run: () => closed.then(() => undefined),
    });
    const { warnings } = await act(page, [{ type: 'click', selector: 'a' }, untilClosed]);
    expect(warnings).toEqual(['The actions opened 1 new window(s), which were closed.']);
    expect(page.context().pages()).toEqual([page]);
  });
});

describe('fields', () => {
  const form = `
    <input id="name" value="old"><textarea></textarea>
    <select><option value="a">One</option><option value="b">Two</option></select>
    <script>
      const events = [];
      for (const type of ['keydown', 'input', 'change'])
        document.addEventListener(type, ({ key }) => events.push(key ?? type));
    </script>`;

  test('write types each character where the focus is; press sends a key', async () => {
    const page = await show(form);
    const { javascriptReturns } = await act(page, [
      { type: 'click', selector: 'textarea' },
      { type: 'write', text: 'aß😀' },
      { type: 'press', key: 'Enter' },
      { type: 'press', key: 'Shift+B' },
      { type: 'executeJavascript', script: 'document.querySelector("textarea").value' },
      { type: 'executeJavascript', script: 'events' },
    ]);
    expect(javascriptReturns[0]?.value).toBe('aß😀\nB');
    const keys = ['a', 'input', 'input', 'input', 'Enter', 'input', 'Shift', 'B', 'input'];
    expect(javascriptReturns[1]?.value).toEqual(keys);
  });

  test('press of a key that is none leaves nothing held down', async () => {
    const page = await show(form);
    await failureOf(act(page, [{ type: 'press', key: 'Control+Shift+Entr' }]));
    await act(page, [
      { type: 'click', selector: 'textarea' },
      { type: 'press', key: 'b' },
    ]);
    expect(await page.locator('textarea').inputValue()).toBe('b');
  });

  test('fill replaces, select chooses by value', async () => {
    const page = await show(form);
    await act(page, [
      { type: 'fill', selector: '#name', text: 'O\'Neil "x"' },
      { type: 'select', selector: 'select', value: 'b' },
    ]);
    expect(await page.locator('#name').inputValue()).toBe('O\'Neil "x"');
    expect(await page.locator('select').inputValue()).toBe('b');
  });

  test.each([
    [{ type: 'write', text: 'x' }, /nothing that takes text has the focus/],
    [{ type: 'press', key: 'Entr' }, /there is no key "Entr"/],
    [{ type: 'select', selector: 'select', value: 'c' }, /"select" has no option with that value/],
    [{ type: 'fill', selector: 'select', text: 'c' }, /not an <input>/],
  ] as const)('%o fails', async (action, message) => {
    expect((await failureOf(act(await show(form), [action]))).message).toMatch(message);
  });
});

describe('wait, hover, scroll', () => {
  test('wait takes its time, or waits until an element is visible', async () => {
    const page = await show(
      '<p hidden>x</p><script>setTimeout(() => { document.querySelector("p").hidden = false }, 400)</script>',
    );
    const started = Date.now();
    await act(page, [{ type: 'wait', milliseconds: 300 }]);
    expect(Date.now() - started).toBeGreaterThanOrEqual(300);
    await act(page, [{ type: 'wait', selector: 'p' }]);
    expect(await page.locator('p').isVisible()).toBe(true);
  });

  test('hover shows what shows on hovering', async () => {
    const page = await show(
      '<style>i { display: none } b:hover i { display: inline }</style><b>Menu <i>Item</i></b>',
    );
    await act(page, [
      { type: 'hover', selector: 'b' },
      { type: 'wait', selector: 'i' },
    ]);
    expect(await page.locator('i').isVisible()).toBe(true);
  });

  test('scroll moves by one screen, the window or an element', async () => {
    const page = await show(`
      <div id="box" style="height: 200px; overflow: auto"><p style="height: 900px">x</p></div>
      <div style="height: 9000px"></div>`);
    const { javascriptReturns } = await act(page, [
      { type: 'scroll', direction: 'down' },
      { type: 'scroll', direction: 'down' },
      { type: 'scroll', direction: 'up' },
      { type: 'scroll', direction: 'down', selector: '#box p' },
      { type: 'executeJavascript', script: '[scrollY / innerHeight, box.scrollTop]' },
    ]);
    expect(javascriptReturns).toEqual([{ type: 'array', value: [1, 200] }]);
  });
});
