/** Currencies by code and sign; what a page leaves open stays open. */
import { expect, test } from 'vitest';
import {
  currencyCode,
  currencyIn,
  currencyOfSymbol,
  currencySymbols,
} from '../../../src/content/text/currency.ts';

test.each<[string, string | undefined]>([
  ['eur', 'EUR'],
  [' USD ', 'USD'],
  ['RMB', 'CNY'],
  ['€', 'EUR'],
  ['zł', 'PLN'],
  ['XXX', undefined],
  ['QQQ', undefined],
  ['$', undefined],
  ['kr', undefined],
  ['euros', undefined],
  ['constructor', undefined],
])('%s stands for %s', (text, code) => {
  expect(currencyCode(text, 'en')).toBe(code);
});

test.each<[string, string | undefined, string | undefined]>([
  ['$', 'en-US', 'USD'],
  ['$', 'es_MX', 'MXN'],
  // Arabic and Catalan are no Argentina and no Canada.
  ['$', 'ar', undefined],
  ['$', 'ca', undefined],
  ['¥', 'ja', 'JPY'],
  ['¥', 'zh-Hans-CN', 'CNY'],
  ['¥', undefined, undefined],
  ['kr', 'da', 'DKK'],
  ['kr', 'en-SE', 'SEK'],
  ['Ft', 'hu', 'HUF'],
  ['Ft', 'en', undefined],
  ['US$', undefined, 'USD'],
  ['XY$', 'en-US', undefined],
])('the sign %s on a page in %s is %s', (sign, language, code) => {
  expect(currencyOfSymbol(sign, language)).toBe(code);
});

test.each<[string, string | undefined]>([
  ['1.299,00 €', 'EUR'],
  ['20 CHF', 'CHF'],
  // A sign says more than three capitals.
  ['TOP 5 €', 'EUR'],
  ['AR$ 500', undefined],
  ['Skruv 5 kr', 'SEK'],
  ['Skruv', undefined],
])('%s names %s', (text, code) => {
  expect(currencyIn(text, 'sv')).toBe(code);
});

test('a longer sign is found before the one that it ends in', () => {
  const at = (sign: string): number => currencySymbols.indexOf(sign);
  for (const longer of ['US$', 'CA$', 'AU$', 'R$']) expect(at(longer)).toBeLessThan(at('$'));
});
