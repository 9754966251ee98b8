import { getEventListeners } from 'node:events';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium, pageWith } from '../../support/chromium.ts';
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
    ['document.title = "U"; // no return', 'string', 'U'],
    ['const a = 20; let b = 1; a + b; // the last value', 'number', 21],
    ['let sum = 0\nfor (const n of [1, 2]) sum += n', 'number', 3],
    ['var top = 5; const double = (n) => { return 2 * n }\ndouble(top)', 'number', 10],
    ['var top = 6; top === 6 && typeof double', 'string', 'undefined'],
    ['const a = await Promise.resolve([1]); const [b] = a; [b, b]', 'array', [1, 1]],
    ['const a = await 1; 10n ** 20n', 'bigint', '100000000000000000000'],
    ['await 1; if (pageVariable > 6) return "early"; return "late"', 'string', 'early'],
    ['const a = 1; Promise.resolve("awaited")', 'string', 'awaited'],
    ['const list = []; list.push(list); list', 'undefined', null],
    ['const a = 1;', 'undefined', null],
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
    ['const a = await 1; a.b.c', /the script threw: TypeError: Cannot read/],
    ['const a = 1; Promise.reject(new Error("late"))', /the script threw: Error: late/],
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

test('statements have a value where the page forbids eval', async () => {
  const strict = await pageWith(
    browser,
    `<meta http-equiv="content-security-policy" content="script-src 'none'; require-trusted-types-for 'script'">`,
  );
  const scripts = ['const a = 1; a + 1', 'const a = await 1; a + 2', 'const a = 3; return a + 1'];
  const steps = scripts.map((script) => ({ type: 'executeJavascript', script }) as const);
  const { javascriptReturns } = await act(strict, steps);
  expect(javascriptReturns.map(({ value }) => value)).toEqual([2, 3, 4]);
});

test('a rejected script runs once, also with the error of a script that cannot be compiled', async () => {
  const plain = await pageWith(browser, '<title>T</title>');
  const script = `window.runs = (window.runs ?? 0) + 1;
    await new Response('<html>').json();`;
  const error = await failureOf(act(plain, [{ type: 'executeJavascript', script }]));
  expect(error.message).toMatch(/the script threw: SyntaxError: .*Unexpected token/);
  const { javascriptReturns } = await act(plain, [
    { type: 'executeJavascript', script: 'window.runs' },
  ]);
  expect(javascriptReturns).toEqual([{ type: 'number', value: 1 }]);
});

test('many scripts leave no listener at the signal', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): number => warnings.push(warning);
  process.on('warning', note);
  const { signal } = new AbortController();
  const steps = Array.from(
    { length: 14 },
    () => ({ type: 'executeJavascript', script: '1' }) as const,
  );
  await act(await pageWith(browser, '<title>T</title>'), steps, { signal });
  // Warnings are emitted in a later turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings).toEqual([]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
