import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium, pageWith } from '../support/chromium.ts';
import { act, failureOf } from './lab.ts';

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
  page = await pageWith(browser, '<title>T</title><script>const pageVariable = 7</script>');
});

afterAll(async () => {
  await browser.close();
});

describe('executeJavascript', () => {
  test.each([
    ['document.title;', 'string', 'T'],
    ['{ a: 1, b: [true, null] }', 'object', { a: 1, b: [true, null] }],
    ['const n = 20; return n + 1;', 'number', 21],
    ['await new Promise((go) => setTimeout(go, 20)); return "late"', 'string', 'late'],
    ['await Promise.resolve([1])', 'array', [1]],
    ['document.title = "U"; // no return', 'undefined', null],
    ['null', 'null', null],
    ['() => 1', 'function', null],
    ['0 / 0', 'number', null],
    ['10n ** 20n', 'bigint', '100000000000000000000'],
    [
      '({ at: new Date(0), big: 5n, nothing: undefined })',
      'object',
      { at: '1970-01-01T00:00:00.000Z', big: '5' },
    ],
    ['pageVariable', 'number', 7],
    ['Array.prototype.toJSON = () => "odd"; return [1]', 'array', [1]],
  ])('%s gives %s', async (script, type, value) => {
    const { javascriptReturns } = await act(page, [{ type: 'executeJavascript', script }]);
    expect(javascriptReturns).toEqual([{ type, value }]);
  });

  test.each([
    ['return (', /cannot be compiled: SyntaxError/],
    ['throw new TypeError("no")', /the script threw: TypeError: no/],
    ['throw { toString() { throw 1 } }', /the script threw: $/],
    ['const a = []; a.push(a); return a', /cannot be written as JSON: TypeError: .*circular/],
    ['({ get x() { throw new Error("mine") } })', /as JSON: Error: mine/],
    ['"x".repeat(100_000_000)', /more than 10000000 characters/],
    ['Array(20_000_000).fill(0)', /more than 10000000 characters/],
    ['let a = 1; for (let i = 0; i < 900; i++) a = [a]; return a', /nested too deep/],
    [
      'new Promise(() => {}, setTimeout(() => { location.href = "about:blank" }))',
      /navigated away/,
    ],
    ['JSON.stringify = () => "x".repeat(50_000_000); return {}', /more than 10000000/],
    ['JSON.stringify = () => "no"; return {}', /the page changed how JSON is written/],
  ])('%s fails', async (script, message) => {
    const error = await failureOf(act(page, [{ type: 'executeJavascript', script }]));
    expect(error).toMatchObject({ code: 'ACTION_FAILED' });
    expect(error.message).toMatch(message);
  });
});
