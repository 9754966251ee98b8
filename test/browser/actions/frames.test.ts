/** Actions in iframes: of the same site, of other sites in a process of their own, and nested ones. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionInput } from '../../../src/browser/actions/action-types.ts';
import { type FixtureServer, serve } from '../../../src/entries/testing/serve.ts';
import { launchChromium, pageWith } from '../../support/chromium.ts';
import { act, failureOf } from './lab.ts';

let browser: Browser;
let inner: FixtureServer;
let server: FixtureServer;

const form = `
  <title>0</title><input aria-label="Name"><select><option value="a"><option value="b"></select>
  <button onclick="document.title++; document.querySelector('ul').append(document.createElement('li'))">
    Add</button>
  <ul style="height: 100px; overflow: auto">${'<li>row</li>'.repeat(40)}</ul>
  <script>var secret = 'from ' + location.pathname</script>`;

beforeAll(async () => {
  [browser, inner] = await Promise.all([
    launchChromium(),
    serve({ '/inner': form, '/middle': '<iframe src="/inner" width="600" height="500"></iframe>' }),
  ]);
  // Another host is another site: its frames have a process of their own.
  const other = inner.origin.replace('127.0.0.1', 'localhost');
  const size = 'width="700" height="600"';
  server = await serve({
    '/inner': form,
    '/': `<title>page</title><div id="no"></div>
      <iframe id="same" src="/inner" ${size}></iframe>
      <iframe id="other" src="${other}/inner" ${size}></iframe>
      <iframe id="nested" src="${other}/middle" ${size}></iframe>`,
  });
});

afterAll(async () => {
  await browser.close();
  await Promise.all([server.close(), inner.close()]);
});

async function show(): Promise<Page> {
  const page = await pageWith(browser, '');
  await page.goto(server.origin);
  return page;
}

const places: readonly (string | readonly string[])[] = [
  '#same',
  '#other',
  ['#nested', 'iframe'],
  'iframe >> nth=1',
];

test.each(places)('actions reach the frame %o', async (frame) => {
  const page = await show();
  const { javascriptReturns, repeats, warnings } = await act(page, [
    { type: 'wait', frame, selector: 'text=Add' },
    { type: 'fill', frame, selector: 'role=textbox[name="Name"]', text: 'Ada' },
    { type: 'select', frame, selector: 'select', value: 'b' },
    { type: 'hover', frame, selector: 'ul' },
    { type: 'click', frame, selector: 'button', repeat: { max: 3 } },
    { type: 'scroll', frame, selector: 'ul', direction: 'down' },
    {
      type: 'executeJavascript',
      frame,
      script: `const [a, b, c] = ['input', 'select', 'ul'].map((one) => document.querySelector(one));
        return [secret, a.value, b.value, c.children.length, c.scrollTop, c.attributes.length, document.title]`,
    },
    { type: 'scrollToEnd', frame, selector: 'ul' },
    {
      type: 'executeJavascript',
      frame,
      script: 'document.querySelector("ul").scrollTop > 500',
    },
  ]);
  expect(javascriptReturns.map(({ value }) => value)).toEqual([
    ['from /inner', 'Ada', 'b', 43, 100, 1, '3'],
    true,
  ]);
  expect(repeats).toMatchObject([{ runs: 3, end: 'max' }]);
  expect(warnings).toHaveLength(1);
  expect(await page.title()).toBe('page');
});

test('a script in a frame that throws, or cannot be compiled, fails as in the page', async () => {
  const page = await show();
  const failures: string[] = [];
  for (const script of ['throw new Error("no")', 'return (', 'location.href.length >']) {
    const step: ActionInput = { type: 'executeJavascript', frame: '#same', script };
    failures.push((await failureOf(act(page, [step]))).message);
  }
  expect(failures).toEqual([
    expect.stringMatching(/the script threw: Error: no$/),
    expect.stringMatching(/the script cannot be compiled: SyntaxError/),
    expect.stringMatching(/the script cannot be compiled: SyntaxError/),
  ]);
});

test('statements in a frame have the value of the last one', async () => {
  const scripts = ['const n = 1; [n, secret]', 'const n = await 2; [n, secret]'];
  const steps = ['#same', ['#nested', 'iframe']].flatMap((frame) =>
    scripts.map((script) => ({ type: 'executeJavascript', frame, script }) as const),
  );
  const { javascriptReturns } = await act(await show(), steps);
  const values = [1, 2, 1, 2].map((n) => [n, 'from /inner']);
  expect(javascriptReturns.map(({ value }) => value)).toEqual(values);
});

test('an endless script in a frame of another site ends with the signal', async () => {
  const signal = AbortSignal.timeout(1500);
  const step: ActionInput = { type: 'executeJavascript', frame: '#other', script: 'for (;;);' };
  const failing = failureOf(act(await show(), [step], { signal }));
  expect(await failing).toBe(signal.reason);
});

test('`repeat` sees a change in a frame of another site', async () => {
  const page = await show();
  const add = `const ul = document.querySelector('ul'); if (ul.children.length < 42) ul.append(document.createElement('li'))`;
  const { repeats } = await act(page, [
    { type: 'executeJavascript', frame: '#other', script: add, repeat: {} },
  ]);
  expect(repeats).toMatchObject([{ runs: 3, end: 'noChange' }]);
});

// Takes the 5 s that an element has to appear, for all at once.
test('a missing frame is a missing element; one that is not a frame is an error', async () => {
  const page = await show();
  const run = async (step: ActionInput): Promise<string> => {
    const acting = act(page, [step]).then(() => Promise.reject(new Error('it ran')));
    return (await failureOf(acting)).message.replace(/^.*?: /, '');
  };
  const selector = 'button';
  const messages = await Promise.all([
    run({ type: 'click', frame: '#none', selector }),
    run({ type: 'click', frame: ['#nested', '#none'], selector }),
    run({ type: 'click', frame: '#same', selector: '#none' }),
    run({ type: 'click', frame: '#none', selector, optional: true }),
    run({ type: 'executeJavascript', frame: '#none', script: '1' }),
    run({ type: 'scroll', frame: '#none', direction: 'down' }),
    run({ type: 'click', frame: '#no', selector, optional: true }),
    run({ type: 'executeJavascript', frame: '#no', script: '1' }),
    run({ type: 'click', frame: 'p[', selector }),
  ]);
  expect(messages).toEqual([
    expect.stringMatching(/^nothing matched the frame "#none" within 5 s/),
    expect.stringMatching(/^nothing matched the frame "#none" within 5 s/),
    expect.stringMatching(/^nothing matched "#none" within 5 s/),
    'it ran',
    expect.stringMatching(/^nothing matched "#none" within 5 s/),
    expect.stringMatching(/^nothing matched "#none" within 5 s/),
    'frame: "#no" is not an iframe; correct the selector',
    expect.stringMatching(/^"#no" is not an iframe/),
    expect.stringMatching(/is not a CSS selector; correct it$/),
  ]);
}, 60_000);
