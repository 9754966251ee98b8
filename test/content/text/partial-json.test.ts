import { expect, it } from 'vitest';
import { readPartialJson } from '../../../src/content/text/partial-json.ts';

const whole = {
  name: 'A "lamp" \\ with ünïcode \u{1f4a1}',
  price: -12.5e3,
  tags: ['a', 'b', { deep: [true, false, null] }],
  none: null,
  empty: {},
};

it('reads the whole as JSON does', () => {
  expect(readPartialJson(JSON.stringify(whole))).toEqual(whole);
  expect(readPartialJson(JSON.stringify(whole, undefined, 2))).toEqual(whole);
});

it('reads every beginning, and never says what is not there', () => {
  const text = JSON.stringify(whole);
  const final = JSON.stringify(whole);
  for (let end = 0; end <= text.length; end += 1) {
    const read = readPartialJson(text.slice(0, end));
    if (end > 0) expect(typeof read).toBe('object');
    const { price, name } = (read ?? {}) as Partial<typeof whole>;
    if (price !== undefined) expect(price).toBe(whole.price);
    if (name !== undefined)
      expect(whole.name.startsWith(name.replace(/[\ud800-\udfff]$/, ''))).toBe(true);
  }
  expect(final).toBe(text);
});

it.each<[string, unknown]>([
  ['', undefined],
  ['Here it is: ', undefined],
  ['{"a": 1, "b": 2', { a: 1 }],
  ['{"a": "x\\u00', { a: 'x' }],
  ['{"a": tru', {}],
  ['{"a": [1, 2, {"b": "c', { a: [1, 2, { b: 'c' }] }],
  ['```json\n{"a": 1}', { a: 1 }],
  ['{"__proto__": {"x": 1}, "a": 1}', { a: 1 }],
  ['{"a": 1 "b": 2}', { a: 1, b: 2 }],
  ['{a: 1}', {}],
])('reads %j as far as it goes', (text, value) => {
  expect(readPartialJson(text)).toEqual(value);
});

it('is not led into the depths', () => {
  expect(() => readPartialJson('[{"a":'.repeat(100_000))).not.toThrow();
});
