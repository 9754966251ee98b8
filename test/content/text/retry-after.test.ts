import { expect, test } from 'vitest';
import { retryAfter } from '../../../src/content/text/http-headers.ts';

const now = Date.UTC(2026, 10, 21, 12, 0, 0);

test.each([
  ['0', 0],
  ['2', 2000],
  [' 120 ', 120_000],
  ['1.5', 1500],
  ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
  ['Saturday, 21-Nov-26 12:00:30 GMT', 30_000],
  ['Sat Nov 21 12:00:30 2026 GMT', 30_000],
  ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
])('%j is %i ms', (value, expected) => {
  expect(retryAfter(value, now)).toBe(expected);
});

test.each([undefined, '', 'soon', '-5', '1e9', '0x10', '12/24/2026', 'NaN', 'Infinity'])(
  '%j says nothing',
  (value) => {
    expect(retryAfter(value, now)).toBeUndefined();
  },
);
