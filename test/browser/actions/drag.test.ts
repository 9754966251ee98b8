/** Drags with the pointer. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium, pageWith } from '../../support/chromium.ts';
import { act, failureOf } from './lab.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(() => browser.close());

const show = (html: string): Promise<Page> => pageWith(browser, html);

test('HTML5 drag and drop', async () => {
  const page = await show(`
    <p id="card" draggable="true">Card</p>
    <div style="height: 1500px"></div><div id="bin" style="height: 80px">Bin</div>
    <script>
      card.ondragstart = (event) => event.dataTransfer.setData('text/plain', 'card 7');
      bin.ondragover = (event) => event.preventDefault();
      bin.ondrop = (event) => { bin.textContent = event.dataTransfer.getData('text/plain'); };
    </script>`);
  await act(page, [{ type: 'drag', selector: 'text=Card', to: '#bin' }]);
  expect(await page.locator('#bin').textContent()).toBe('card 7');
});

test('a list that sorts itself by pointer events', async () => {
  const page = await show(`
    <ul style="padding: 0">${['a', 'b', 'c', 'd'].map((id) => `<li id="${id}" style="height: 40px">${id}</li>`).join('')}</ul>
    <script>
      let held;
      const list = document.querySelector('ul');
      list.onpointerdown = (event) => { held = event.target; };
      addEventListener('pointerup', () => { held = undefined; });
      addEventListener('pointermove', (event) => {
        if (!held) return;
        const over = [...list.children].find((li) => {
          const { top, bottom } = li.getBoundingClientRect();
          return li !== held && event.clientY > top && event.clientY < bottom;
        });
        if (!over) return;
        const isBelow = held.compareDocumentPosition(over) & Node.DOCUMENT_POSITION_FOLLOWING;
        over[isBelow ? 'after' : 'before'](held);
      });
    </script>`);
  await act(page, [{ type: 'drag', selector: '#a', to: '#c' }]);
  expect(await page.locator('ul').textContent()).toBe('bcad');
});

test('sliders, by pixels', async () => {
  const page = await show(`
    <input type="range" min="0" max="100" value="50" style="width: 216px; margin: 40px 0">
    <div style="position: relative"><b style="position: absolute; width: 20px; height: 20px"></b></div>
    <script>
      const thumb = document.querySelector('b');
      thumb.onpointerdown = (event) => {
        thumb.setPointerCapture(event.pointerId);
        const from = event.clientX;
        thumb.onpointermove = (now) => { thumb.style.left = now.clientX - from + 'px'; };
      };
    </script>`);
  await act(page, [
    { type: 'drag', selector: 'input', to: { x: 50, y: 0 } },
    { type: 'drag', selector: 'b', to: { x: 120, y: 3 } },
  ]);
  expect(Number(await page.locator('input').inputValue())).toBeCloseTo(75, -1);
  expect(await page.locator('b').evaluate((thumb) => thumb.style.left)).toBe('120px');
});

// Takes the 5 s that an element has to appear.
test('a place that is missing fails, and the pointer is released', async () => {
  const page = await show(
    '<p>Card</p><script>onmouseup = () => { document.title = "up"; }</script>',
  );
  const failure = await failureOf(act(page, [{ type: 'drag', selector: 'p', to: '#none' }]));
  expect(failure.message).toMatch(/nothing matched "#none" within 5 s/);
  expect(await page.title()).toBe('up');
}, 20_000);
