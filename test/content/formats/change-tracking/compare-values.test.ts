/** Which values of a schema changed, by their paths. */
import { describe, expect, test } from 'vitest';
import {
  compareValues,
  stableJson,
} from '../../../../src/content/formats/change-tracking/compare-values.ts';

describe('compareValues', () => {
  test.each([
    ['equal values', { a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }, {}],
    ['a changed value', { a: { b: 1 } }, { a: { b: 2 } }, { 'a.b': { previous: 1, current: 2 } }],
    ['an added value', { a: 1 }, { a: 1, b: 2 }, { b: { previous: null, current: 2 } }],
    ['a removed value', { a: 1, b: [] }, { a: 1 }, { b: { previous: [], current: null } }],
    ['null and absent are one', { a: null }, {}, {}],
    ['null and absent in a list', [{ a: null }], [{}], {}],
    ['items of a list', { a: [1, 2] }, { a: [1, 3] }, { 'a[1]': { previous: 2, current: 3 } }],
    [
      'lists of different lengths as a whole',
      { a: [1] },
      { a: [0, 1] },
      { a: { previous: [1], current: [0, 1] } },
    ],
    ['another kind of value', { a: [] }, { a: {} }, { a: { previous: [], current: {} } }],
    ['a value that is no object', 1, 2, { '': { previous: 1, current: 2 } }],
    [
      'names that look like paths',
      { 'a.b': 1, a: { b: 1 } },
      { 'a.b': 2, a: { b: 1 } },
      { '["a.b"]': { previous: 1, current: 2 } },
    ],
  ])('%s', (_, previous, current, expected) => {
    expect(compareValues(previous, current)).toEqual(expected);
  });

  test('names of the prototype are names like others', () => {
    const before = JSON.parse('{"__proto__":{"x":1},"constructor":1}') as unknown;
    const after = JSON.parse('{"__proto__":{"x":2},"toString":1}') as unknown;
    const changes = compareValues(before, after);
    expect(Object.entries(changes)).toEqual([
      ['__proto__.x', { previous: 1, current: 2 }],
      ['constructor', { previous: 1, current: null }],
      ['toString', { previous: null, current: 1 }],
    ]);
    expect(Object.prototype).not.toHaveProperty('x');
  });

  test('depth and length are bounded', () => {
    const deep = (end: number): unknown => {
      let value: unknown = end;
      for (let level = 0; level < 2_000; level += 1) value = { a: value };
      return value;
    };
    expect(Object.keys(compareValues(deep(1), deep(2)))).toHaveLength(1);
    const long = (from: number): number[] => Array.from({ length: 50_000 }, (_, n) => n + from);
    expect(Object.keys(compareValues(long(0), long(1)))).toHaveLength(10_000);
  });

  test('equal values have one text, whatever the order of their properties', () => {
    expect(stableJson({ b: 1, a: { d: 2, c: null } })).toBe(stableJson({ a: { d: 2 }, b: 1 }));
    expect(stableJson({ a: 1 })).not.toBe(stableJson({ a: '1' }));
  });
});
