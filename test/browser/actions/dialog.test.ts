/** The answers to alerts, confirms and prompts. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium, pageWith } from '../../support/chromium.ts';
import { act } from './lab.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(() => browser.close());

const show = (script: string): Promise<Page> =>
  pageWith(
    browser,
    `<button onclick="answers.push(${script})">Ask</button><script>answers = []</script>`,
  );

const ask = { type: 'click', selector: 'button' } as const;
const read = { type: 'executeJavascript', script: 'answers' } as const;

test('dialogs are cancelled by default, and listed', async () => {
  const page = await show("alert('a'), confirm('b'), prompt('c', 'd')");
  const { dialogs, javascriptReturns } = await act(page, [
    { type: 'click', selector: 'button' },
    { type: 'executeJavascript', script: 'answers' },
  ]);
  expect(dialogs).toEqual([
    { type: 'alert', message: 'a', answer: false },
    { type: 'confirm', message: 'b', answer: false },
    { type: 'prompt', message: 'c', answer: false },
  ]);
  expect(javascriptReturns).toEqual([{ type: 'array', value: [null, false, null] }]);
});

test('the last dialog action before decides', async () => {
  const page = await show("confirm('Sure?') ? prompt('Name?', 'Bob') : 'no'");
  const { dialogs, javascriptReturns } = await act(page, [
    { type: 'dialog', accept: true, text: 'Ada' },
    ask,
    { type: 'dialog', accept: true },
    ask,
    { type: 'dialog', accept: false },
    ask,
    read,
  ]);
  expect(javascriptReturns).toEqual([{ type: 'array', value: ['Ada', 'Bob', 'no'] }]);
  expect(dialogs.map(({ answer }) => answer)).toEqual([true, 'Ada', true, 'Bob', false]);
});

test('the list is bounded, and so is each message', async () => {
  const page = await show(
    "setTimeout(() => { for (let n = 0; n < 120; n++) answers.push(confirm('x'.repeat(3000))); }, 500)",
  );
  const { dialogs, javascriptReturns } = await act(page, [
    { type: 'dialog', accept: true },
    ask,
    { type: 'wait', milliseconds: 600 },
    { type: 'executeJavascript', script: 'answers.filter((one) => one === true).length' },
  ]);
  expect(dialogs).toHaveLength(100);
  expect(dialogs[0]?.message).toBe('x'.repeat(2000));
  expect(javascriptReturns).toEqual([{ type: 'number', value: 120 }]);
});
