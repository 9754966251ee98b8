/** Amounts of money in the texts of a page. */
import { expect, test } from 'vitest';
import { amountsIn } from '../../../../src/extract/values/money.ts';
import { htmlPage } from '../../../support/page.ts';

test.each<[string, string | undefined, [number, string | undefined][]]>([
  ['Only 1.299,00 € today', 'de', [[1299, 'EUR']]],
  [
    'EUR 20, was EUR 25',
    'en',
    [
      [20, 'EUR'],
      [25, 'EUR'],
    ],
  ],
  [
    'US$5 or $ 6',
    'en-CA',
    [
      [5, 'USD'],
      [6, 'CAD'],
    ],
  ],
  ['$ 6', 'en', [[6, undefined]]],
  ['1 990 ₽', 'ru', [[1990, 'RUB']]],
  ['399 kr', 'sv', [[399, 'SEK']]],
  ['12 990 Ft', 'hu', [[12_990, 'HUF']]],
  ['a ladder of 6 Ft for ALL 20', 'en', []],
  ['12,345円', 'ja', [[12_345, 'JPY']]],
])('in "%s" (%s)', (text, language, amounts) => {
  const page = htmlPage(`<p>${text}</p>`);
  const found = amountsIn(page.root, () => false, language);
  expect(found.map(({ value, currency }) => [value, currency])).toEqual(amounts);
});
