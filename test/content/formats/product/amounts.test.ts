/** Prices, currencies, availability and item numbers as pages write them. */
import { describe, expect, test } from 'vitest';
import { type PriceRange, isPrice, readPriceRange } from '../../../../src/extract/values/money.ts';
import { availabilityOf, conditionOf } from '../../../../src/extract/product/offer-terms.ts';
import { gtinOf } from '../../../../src/extract/product/attributes.ts';

describe('a written price', () => {
  test.each<[string, string | undefined, PriceRange]>([
    ['1.299,00 €', 'de', { low: 1299, high: 1299, currency: 'EUR' }],
    ['1.299 €', 'de', { low: 1299, high: 1299, currency: 'EUR' }],
    ['1.299,- €', undefined, { low: 1299, high: 1299, currency: 'EUR' }],
    ['1 299,95 €', 'fr', { low: 1299.95, high: 1299.95, currency: 'EUR' }],
    ["CHF 1'299.–", 'de-CH', { low: 1299, high: 1299, currency: 'CHF' }],
    ['₹1,29,999', 'en-IN', { low: 129_999, high: 129_999, currency: 'INR' }],
    ['$1,299.00', 'en-US', { low: 1299, high: 1299, currency: 'USD' }],
    ['$1,299.00', 'en', { low: 1299, high: 1299 }],
    ['US$ 5', 'en', { low: 5, high: 5, currency: 'USD' }],
    ['R$ 49,90', 'pt-BR', { low: 49.9, high: 49.9, currency: 'BRL' }],
    ['$1,299.00 - $1,499.00', 'en-CA', { low: 1299, high: 1499, currency: 'CAD' }],
    ['10 €–20 €', 'de', { low: 10, high: 20, currency: 'EUR' }],
    ['10 to 20 EUR', 'en', { low: 10, high: 20, currency: 'EUR' }],
    ['ab 20,50 €', 'de', { low: 20.5, currency: 'EUR' }],
    ['From £9', 'en', { low: 9, currency: 'GBP' }],
    ['１２，３４５円', 'ja', { low: 12_345, high: 12_345, currency: 'JPY' }],
    ['399 kr', 'sv', { low: 399, high: 399, currency: 'SEK' }],
    ['-5', 'en', { low: -5, high: -5 }],
  ])('%s in %s is read', (text, language, amounts) => {
    expect(readPriceRange(text, language)).toEqual(amounts);
  });

  test.each([
    ['two numbers side by side', '$20 $15'],
    ['a price per quantity', '5 € (2 € / 100 g)'],
    ['a discount', '-20 %'],
    ['a range that goes down', '20 € - 10 €'],
    ['no number', 'on request'],
    ['a sentence', `only 5 € ${'today '.repeat(50)}`],
    ['nothing', ''],
  ])('%s is none', (_, text) => {
    expect(readPriceRange(text, 'en')).toBeUndefined();
  });

  test('is not negative, not endless and at most a trillion', () => {
    expect([0, 0.01, 1e12].map(isPrice)).toEqual([true, true, true]);
    expect([-0.01, NaN, Infinity, 1e13].map(isPrice)).toEqual([false, false, false, false]);
  });
});

describe('availability', () => {
  test.each([
    ['http://schema.org/InStock', 'InStock'],
    ['https://schema.org/PreOrder', 'PreOrder'],
    ['in stock', 'InStock'],
    ['oos', 'OutOfStock'],
    ['available for order', 'BackOrder'],
    ['Auf Lager', 'InStock'],
    ['Épuisé', 'OutOfStock'],
    ['SOLD OUT', 'SoldOut'],
    ['constructor', undefined],
    ['https://evil.test/Whatever', undefined],
  ])('of %s is %s', (text, name) => {
    expect(availabilityOf(text)).toBe(name);
  });
});

test('a condition is a name of schema.org', () => {
  const given = ['https://schema.org/UsedCondition', 'new', 'shiny'];
  expect(given.map(conditionOf)).toEqual(['Used', 'New', undefined]);
});

test('an item number is one only with its check digit', () => {
  expect(['4006381333931', '978-3-16-148410-0', '0 36000 29145 2', '96385074'].map(gtinOf)).toEqual(
    ['4006381333931', '9783161484100', '036000291452', '96385074'],
  );
  expect(['4006381333930', '0000000000000', '12345', 'abc', ''].map(gtinOf)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
