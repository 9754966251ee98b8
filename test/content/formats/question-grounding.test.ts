/** Numbers and addresses that a model says and its source does not. */
import { describe, expect, it } from 'vitest';
import { GroundingSource } from '../../../src/content/formats/with-model/grounding.ts';

const unbacked = (said: string, source: string): string[] =>
  new GroundingSource(source, 'en').unsupported(said);

describe('what the source does not have', () => {
  it.each([
    ['10.99', 'It costs 99.10 for 10 pieces.', '10.99'],
    ['5 EUR', 'It costs 12.50 EUR.', '5'],
    ['12 EUR', 'It costs 12.50 EUR.', '12'],
    ['5 EUR', 'It costs 5.000 EUR.', '5'],
    ['299 EUR', 'It costs 1 299 EUR.', '299'],
    ['version 1.2', 'version 1.2.3', '1.2'],
    ['7', 'See [the list](/pages/7).', '7'],
    ['１２ EUR', 'It costs 13 EUR.', '12'],
    ['١٢ EUR', 'It costs 13 EUR.', '12'],
    ['1,200', 'Rooms of 1\n200 chairs', '1,200'],
    ['Write to sales@evil.test.', 'Write to sales@shop.test.', 'sales@evil.test'],
    ['a@shop.test', 'aa@shop.test, a@shop.test.evil', 'a@shop.test'],
    ['See www.evil.test', 'See www.shop.test', 'www.evil.test'],
    ['See //evil.test/x!', 'See //shop.test/x', '//evil.test/x'],
    ['ｗｗｗ．evil．test', 'See www.shop.test', 'www.evil.test'],
    ['https://shop.test', 'https://shop.test.evil/', 'https://shop.test'],
    ['https://shop.test/a', 'https://shop.test/A', 'https://shop.test/a'],
  ])('%s of %s', (said, source, missing) => {
    expect(unbacked(said, source)).toEqual([missing]);
  });
});

describe('what it has, written otherwise', () => {
  it.each([
    ['1,299', 'It costs 1.299,00 EUR.'],
    ["1'299.00", 'It costs 1299 EUR.'],
    ['1 299,00', 'It costs **1,299**.00 or $1,299.'],
    ['12,34,567', 'It is 1234567.'],
    ['12.5', 'It is 12,50.'],
    ['0.5', 'It is 0,500.'],
    ['12', 'It is １２ or ١٢.'],
    ['१२', 'It is 12.'],
    ['20 m²', 'It has 20 sqm.'],
    ['2 days', 'It takes two days.'],
    ['5 March 2025', 'Since 05.03.2025.'],
    ['05.03.2025', 'Since 2025-03-05.'],
    ['rooms 3 and 4', 'The rooms 1,2,3,4 are free.'],
    ['room 5 200 chairs', 'In room 5, there are 200 chairs.'],
    ['Mail a_b@Shop.test.', 'Mail [us](mailto:a\\_b@shop.test).'],
    ['www.shop.test', 'See https://www.shop.test/.'],
    ['see //shop.test/x', 'See [it](https://shop.test/x).'],
    ['https://Shop.test', 'See <https://shop.test/>.'],
  ])('%s of %s', (said, source) => {
    expect(unbacked(said, source)).toEqual([]);
  });

  it.each(['0', '1 000', '.,', '1.', 'a@', '//', 'www.', '１，', ' 123'])(
    'is found in linear time: a megabyte of "%s"',
    (unit) => {
      const text = `${unit.repeat(1_000_000 / unit.length)}a`;
      expect(Array.isArray(unbacked(text, text))).toBe(true);
    },
  );
});
