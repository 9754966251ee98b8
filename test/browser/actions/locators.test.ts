/** Selectors of actions beside CSS: `text=` and `role=`. */
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

const buttons = `
  <div hidden>Load more</div>
  <button onclick="document.title += 'a'">Load <b>more</b></button>
  <div role="button" aria-label="Save" onclick="document.title += 'b'">💾</div>
  <button aria-hidden="true">Save</button>
  <label><input type="checkbox" onclick="document.title += 'c'"> Remember "me"</label>
  <host-element></host-element>
  <script>
    document.querySelector('host-element').attachShadow({ mode: 'open' }).innerHTML =
      '<button onclick="document.title += &quot;d&quot;">In shadow</button>';
  </script>`;

test.each([
  ['text=load more', 'a'],
  ['text="In shadow"', 'd'],
  ['text=/^load/i', 'a'],
  ['role=button[name="Save"]', 'b'],
  ['role=button[name="save" i]', 'b'],
  ['role=button[name=/^s/i]', 'b'],
  [String.raw`role=checkbox[name="Remember \"me\""][checked=false]`, 'c'],
  ['role=button[name="In shadow"]', 'd'],
  ['body >> text=In shadow', 'd'],
])('%s finds its element', async (selector, title) => {
  const page = await show(buttons);
  await act(page, [{ type: 'click', selector }]);
  expect(await page.title()).toBe(title);
});

test('they hold for wait, fill, gone, and the element to scroll', async () => {
  const page = await show(`
    <label>Name <input></label><p>3</p><button onclick="less()">Less</button>
    <ul aria-label="Rows" style="height: 100px; overflow: auto">${'<li>row</li>'.repeat(50)}</ul>
    <script>
      const p = document.querySelector('p');
      const less = () => { p.textContent -= 1; if (p.textContent === '0') p.hidden = true; };
    </script>`);
  const repeat = { until: { gone: 'text=/^\\d$/' } };
  const { repeats } = await act(page, [
    { type: 'fill', selector: 'role=textbox[name="Name"]', text: 'Ada' },
    { type: 'click', selector: 'role=button', repeat },
    { type: 'wait', selector: 'text=Less' },
    { type: 'scroll', selector: 'role=list[name="Rows"]', direction: 'down' },
  ]);
  expect(repeats).toMatchObject([{ runs: 3, end: 'gone' }]);
  expect(await page.locator('input').inputValue()).toBe('Ada');
  const list = await page.locator('ul').evaluate((ul) => [ul.scrollTop, ul.attributes.length]);
  expect(list).toEqual([100, 2]);
});

// Takes the 5 s that an element has to appear, for all at once.
test('errors fit them', async () => {
  const selectors = ['role=button[level=2]', 'role=checkbox[name="none"]', 'text=none', '>>'];
  const step = (selector: string): ActionInput => ({ type: 'click', selector });
  const failures = await Promise.all(
    selectors.map(async (selector) => failureOf(act(await show(buttons), [step(selector)]))),
  );
  expect(failures.map(({ message }) => message.replace(/^.*?: /, ''))).toEqual([
    expect.stringMatching(
      /^"role=button\[level=2\]" is not a role= selector: "level" attribute is only/,
    ),
    expect.stringMatching(/^nothing matched "role=checkbox\[name=\\"none\\"\]" within 5 s/),
    expect.stringMatching(/^nothing matched "text=none" within 5 s/),
    expect.stringMatching(/^">>" is not a CSS selector; correct it$/),
  ]);
}, 60_000);
