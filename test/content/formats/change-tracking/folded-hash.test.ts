/** Texts that differ in white space only have one hash; all others have their own. */
import { expect, test } from 'vitest';
import { foldedHash } from '../../../../src/content/formats/change-tracking/compare-values.ts';

const same = async (one: string, other: string): Promise<boolean> =>
  (await foldedHash(one)) === (await foldedHash(other));

test.each([
  ['a b', ' a \n\n\t b\r\n', true],
  ['a\u00a0b', 'a b', true],
  ['', ' \n', true],
  ['ab', 'a b', false],
  ['12.99', '19.29', false],
  ['a b', 'b a', false],
  ['A', 'a', false],
])('%j and %j: %j', async (one, other, expected) => {
  expect(await same(one, other)).toBe(expected);
});

test('long texts are folded across every step', async () => {
  const step = 256 * 1024;
  for (const at of [step - 2, step - 1, step, step + 1]) {
    const start = 'x'.repeat(at);
    expect(await same(`${start} \n y`, `${start} y`)).toBe(true);
    expect(await same(`${start} y`, `${start}y`)).toBe(false);
    expect(await same(`${start}😀`, `${start}😁`)).toBe(false);
    expect(await same(`${start}\u{1f600}`, `${start}\u{1fa00}`)).toBe(false);
  }
});
