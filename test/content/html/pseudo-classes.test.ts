/** Selectors give what browsers give: the expected ids are those of Chromium. */
import { expect, test } from 'vitest';
import { parseHtml } from '../../../src/content/html/parse.ts';
import { selectorError } from '../../../src/content/html/selector.ts';

const html = `<body id="body">
<div id="d1" class="card"><p id="p1" class="ad">one</p></div>
<div id="d2" class="box"><div id="d3" class="card"><p id="p2" class="ad">two</p></div></div>
<fieldset id="f1" disabled><legend id="l1"><input id="i1"><fieldset id="f2"><input id="i2"></fieldset></legend>
<legend id="l2"><input id="i3"></legend><input id="i4"><fieldset id="f3"><legend id="l3"><button id="b1">b</button></legend></fieldset></fieldset>
<form id="fo"><input id="i5" type="text" required><input id="i6" type="checkbox" checked><input id="i8" type="number" min="1" max="5" value="9">
<input id="i9" readonly placeholder="x"><textarea id="t1" placeholder="y"></textarea><input id="i10" type="submit"><button id="b2">go</button>
<select id="se"><option id="o1">1</option><option id="o2" selected>2</option></select><progress id="pr"></progress><input id="i11" type="date" min="2026-01-01" value="2026-02-01"></form>
<ul id="u1"><li id="li1">a</li><li id="li2" class="x">b</li><li id="li3">c</li></ul><a id="a1" href="/x">l</a><link id="lk" href="/z">
<svg id="sv"><linearGradient id="lg"></linearGradient></svg><p id="p7" contenteditable>e<b id="bb">b</b></p><x-el id="x1"></x-el>
<details id="de1"></details><details id="de2" open></details><p id="p10" dir="rtl">r<i id="it">i</i></p></body>`;

const document = parseHtml(html, { nodes: 10_000, depth: 100, attributes: 1000 }, () => undefined);

test.each([
  ['div:has(.card > .ad)', 'd2'],
  ['div:has(.card .ad)', 'd2'],
  ['div:has(> .ad)', 'd1 d3'],
  ['div:has(.ad)', 'd1 d2 d3'],
  ['div:has(.box > .card > .ad)', ''],
  ['div:has(:is(.card, .none) > .ad)', 'd2'],
  ['body:has(div > .ad)', 'body'],
  ['div:not(:has(.card > p))', 'd1 d3'],
  ['ul:has(li + .x)', 'u1'],
  ['li:has(+ .x)', 'li1'],
  ['li:not(:has(+ li))', 'li3'],
  ['div /* a */ p', 'p1 p2'],
  ['/* a */ div /* b */ > /* c */ p.ad /* d */', 'p1 p2'],
  ['div/* a */.box', 'd2'],
  ['[id="/* a */"]', ''],
  ['input:disabled', 'i3 i4'],
  ['fieldset:disabled', 'f1 f3'],
  ['button:disabled', 'b1'],
  ['input:enabled', 'i1 i2 i5 i6 i8 i9 i10 i11'],
  ['input:read-write', 'i1 i2 i5 i8 i11'],
  ['input:read-only', 'i3 i4 i6 i9 i10'],
  ['p:read-write, b:read-write', 'p7 bb'],
  ['textarea:read-write', 't1'],
  [':placeholder-shown', 'i9 t1'],
  [':default', 'i6 i10 o2'],
  [':in-range', 'i11'],
  [':out-of-range', 'i8'],
  [':indeterminate', 'pr'],
  [':any-link', 'a1'],
  [':open', 'de2'],
  ['i:dir(rtl)', 'it'],
  ['b:dir(ltr)', 'bb'],
  ['x-el:not(:defined)', 'x1'],
  ['linearGradient', 'lg'],
  ['svg > linearGradient', 'lg'],
  ['li:is()', ''],
  [':where( )', ''],
  ['*|li', 'li1 li2 li3'],
  ['[*|href]', 'a1 lk'],
  [':focus, :target, :modal', ''],
  ['li:nth-child(2 of :not(.x))', 'li3'],
])('%s', (selector, ids) => {
  expect(selectorError(selector)).toBeUndefined();
  expect([...document.querySelectorAll(selector)].map(({ id }) => id).join(' ')).toBe(ids);
  for (const id of ids.split(' ').filter(Boolean)) {
    expect(document.querySelector(`#${id}`)?.matches(selector)).toBe(true);
  }
});

test.each([':nth-child()', 'li:nth-child(a)', ':nth-of-type(2n+)', 'p /* a', ':not()', ':has()'])(
  '%s is not a selector',
  (selector) => {
    expect(selectorError(selector)).toBeTypeOf('string');
  },
);

test('comments without an end take no time', () => {
  expect(selectorError('/*'.repeat(100_000))).toBeTypeOf('string');
  expect(selectorError('('.repeat(100_000))).toBeTypeOf('string');
});
