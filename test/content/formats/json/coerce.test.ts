import { describe, expect, test } from 'vitest';
import { coerceBoolean } from '../../../../src/extract/values/booleans.ts';
import { dateReader, textLocale, utcDateTime } from '../../../../src/extract/values/dates.ts';
import { coerceNumber, unitNamed } from '../../../../src/extract/values/numbers.ts';
import { coerce } from '../../../../src/extract/heuristics/coerce.ts';
import { type JsonSchema, shapesOf } from '../../../../src/extract/schema/json-schema.ts';
import { cpuTime } from '../../../support/cpu-time.ts';

function to(
  schema: JsonSchema,
  raw: string | number | boolean,
  name = 'value',
  language = 'en',
): unknown {
  const shapeOf = shapesOf(schema);
  const baseUrl = 'https://fixture.test/dir/page';
  return coerce(raw, {
    name,
    shape: shapeOf(schema),
    shapeOf,
    locale: textLocale(language),
    baseUrl,
  });
}

describe('numbers', () => {
  const number = (text: string, language?: string, unit?: string): number | undefined =>
    coerceNumber(text, { language, unit: unit === undefined ? undefined : unitNamed(unit) });

  test.each([
    ['42', 42],
    ['1,299.00', 1299],
    ['1.299,00', 1299],
    ['1 299,50 €', 1299.5],
    ['1\u202f299\u00a0€', 1299],
    ['CHF 1’299.50', 1299.5],
    ['1,234,567', 1_234_567],
    ['1.234.567', 1_234_567],
    ['12,34,567.80', 1_234_567.8],
    ['$1,299', 1299],
    ['USD1299', 1299],
    ['€ 12,5', 12.5],
    ['0.125', 0.125],
    ['0,125', 0.125],
    ['-12.5', -12.5],
    ['−3', -3],
    ['(-$5.20)', -5.2],
    ['about 20', 20],
    ['4.5 out of 5 stars', 4.5],
    ['4.5/5', 4.5],
    ['15 %', 15],
    ['1.2k followers', 1200],
    ['3M', 3_000_000],
    ['2.5 million', 2_500_000],
    ['١٢٣', 123],
    ['４２', 42],
    ['12 (of 30)', 12],
    ['3 boxes 5', 3],
    ['.85 €', 0.85],
    ['$.75', 0.75],
    ['-.5', -0.5],
    [',85 €', 0.85],
    ['No.5', 5],
    ['Rs.500', 500],
    ['2.799,-', 2799],
    ['€ 2.799,–', 2799],
    ['1.490,- Ft', 1490],
    ['2 799,- Kč', 2799],
    ["CHF 1'299.–", 1299],
    ['20.--', 20],
    ['$129. 95', 129.95],
    ['148, 99 TL', 148.99],
    ['£ 39 .95', 39.95],
    ['129 , 95 €', 129.95],
    ['1.234, 50 €', 1234.5],
    ['Php39.00', 39],
    ['AED69.00', 69],
    ['Rp27.500', 27_500],
    ['Rp. 27.500,00', 27_500],
    ['１，２９９円', 1299],
  ])('%s is %d', (text, value) => {
    expect(number(text)).toBe(value);
  });

  test.each([
    ['1.299', 'de', 1299],
    ['1.299', 'en', 1.299],
    ['1,299', 'de', 1.299],
    ['1,299', 'en-US', 1299],
    ['1.299', 'de-CH', 1299],
    ['1.299 €', undefined, 1299],
    ['1,299', undefined, 1299],
    ['1.299', undefined, 1.299],
    ['Rp 27.500', undefined, 27_500],
    ['Rp 27.500', 'en', 27_500],
    ['27.500 IDR', undefined, 27_500],
    ['75.000 ₫', undefined, 75_000],
    ['75.000đ', 'en', 75_000],
    ['75,000 VND', 'vi', 75_000],
    ['1.490 Ft', undefined, 1490],
    ['1.490 Ft', 'hu', 1490],
    ['1.490 Ft', 'en', 1.49],
    ['₩12.000', 'en', 12_000],
    ['¥21,000', 'de', 21_000],
    ['$1.190', undefined, 1190],
    ['R$ 1.299', undefined, 1299],
    ['1.299 kr', undefined, 1299],
    ['$3.459', 'en', 3.459],
    ['1,459 €', 'de', 1.459],
    ['KWD 1.250', undefined, 1.25],
    ['0.850 ₫', undefined, 0.85],
    ['2.500', 'pt-BR', 2500],
    ['2,500', 'es-MX', 2500],
    ['0.250', 'de', 0.25],
  ])('%s in %s is %d', (text, language, value) => {
    expect(number(text, language)).toBe(value);
  });

  test.each([
    '',
    'none',
    '10–20',
    '10 - 20',
    '$10 to $20',
    '10 x 20 cm',
    '10 kg – 12 kg',
    'A4',
    'RTX4090',
    'free',
    '1.2.2020',
    '10:30',
    '1/2 cup',
    '1 h 30 min',
    '5 ft 10 in',
    'P1D',
  ])('%s is no number', (text) => {
    expect(number(text)).toBeUndefined();
  });

  test.each([
    ['1.5 kg', 'g', 1500],
    ['850 g', 'kg', 0.85],
    ['12 oz', 'g', 340.194277],
    ['2 lbs', 'kg', 0.90718474],
    ['21,5 cm', 'mm', 215],
    ['PT1H30M', 'minutes', 90],
    ['1 hour 20 minutes', 'min', 80],
    ['1 h 30 min', 'hours', 1.5],
    ['90', 'min', 90],
  ])('%s in %s is %d', (text, unit, value) => {
    expect(number(text, 'en', unit)).toBeCloseTo(value, 6);
  });

  test('a unit of another kind is no answer', () => {
    expect(number('3 litres', 'en', 'kg')).toBeUndefined();
    expect(number('3 m', 'en', 'minutes')).toBeUndefined();
    expect(number('1-inch: 4.5 lb', 'en', 'kg')).toBeUndefined();
  });

  test('integers have no fraction, limits hold', () => {
    expect(to({ type: 'integer' }, '4.0')).toBe(4);
    expect(to({ type: 'integer' }, '4.5')).toBeUndefined();
    expect(to({ type: 'number', maximum: 5 }, '9')).toBeUndefined();
    expect(to({ type: 'number' }, Number.NaN)).toBeUndefined();
    expect(to({ type: 'number' }, true)).toBeUndefined();
  });
});

describe('dates', () => {
  test.each([
    ['2026-03-04', undefined, '2026-03-04'],
    ['2026-03-04T23:30:00+02:00', undefined, '2026-03-04'],
    ['2026/3/4', undefined, '2026-03-04'],
    ['2026年3月4日', 'ja', '2026-03-04'],
    ['March 4, 2026', 'en', '2026-03-04'],
    ['Mar. 4th 2026', 'en', '2026-03-04'],
    ['Wed, 04 Mar 2026 10:00:00 GMT', undefined, '2026-03-04'],
    ['Published: 4 March 2026', 'en', '2026-03-04'],
    ['4. März 2026', 'de-AT', '2026-03-04'],
    ['4 mars 2026', 'fr', '2026-03-04'],
    ['1er février 2026', 'fr', '2026-02-01'],
    ['4 de marzo de 2026', 'es', '2026-03-04'],
    ['4 марта 2026', 'ru', '2026-03-04'],
    ['4 marca 2026', 'pl', '2026-03-04'],
    ['Sept 9, 2026', 'en', '2026-09-09'],
    ['04.03.2026', undefined, '2026-03-04'],
    ['25/12/2026', 'en', '2026-12-25'],
    ['12/25/2026', undefined, '2026-12-25'],
    ['03/04/2026', 'en-US', '2026-03-04'],
    ['03/04/2026', 'en-GB', '2026-04-03'],
    ['03/04/2026', 'fr', '2026-04-03'],
    ['Tue Mar 07 09:30:00 2017', 'en', '2017-03-07'],
    ['Wed Oct 10 20:19:24 +0000 2018', 'en', '2018-10-10'],
    ['07-Mar-17', 'en', '2017-03-07'],
    ['14 Aug 01', 'en', '2001-08-14'],
    ['20170307', 'en', '2017-03-07'],
    ['20170307T093000Z', 'en', '2017-03-07'],
    ['17.11.14 um 20:15 Uhr', 'de', '2014-11-17'],
    ['24.11.98', undefined, '1998-11-24'],
    ['5.3.21', 'cs', '2021-03-05'],
    ['7/3/17', 'fr', '2017-03-07'],
    ['3/7/17', 'en-US', '2017-03-07'],
    ['17/03/07', 'ja', '2017-03-07'],
    ['14 अगस्त 2001', 'hi', '2001-08-14'],
    ['१४ अगस्त २००१', 'hi', '2001-08-14'],
    ['14 আগস্ট 2001', 'bn', '2001-08-14'],
    ['14 ஆகஸ்ட் 2001', 'ta', '2001-08-14'],
    ['14 ส.ค. 2544', 'th', '2001-08-14'],
    ['14 สิงหาคม 2544', 'th', '2001-08-14'],
    ['5 Tháng 1 2015', 'vi', '2015-01-05'],
    ['ngày 5 tháng 1 năm 2015', 'vi', '2015-01-05'],
    ['١٤ أغسطس ٢٠٠١', 'ar', '2001-08-14'],
    ['14 באוגוסט 2001', 'he', '2001-08-14'],
    ['2001 m. rugpjūčio 14 d.', 'lt', '2001-08-14'],
    ['2001. gada 14. augusts', 'lv', '2001-08-14'],
    ['14 აგვისტო, 2001', 'ka', '2001-08-14'],
    ['05/05/2026', 'en', '2026-05-05'],
  ])('%s in %s is %s', (text, language, date) => {
    expect(dateReader(language)(text)?.date).toBe(date);
  });

  test.each([
    ['03/04/2026', 'en'],
    ['03/04/2026', undefined],
    ['2026-02-30', undefined],
    ['31 June 2026', 'en'],
    ['13/13/2026', 'de'],
    ['March 2026', 'en'],
    ['yesterday', 'en'],
    ['4 Smarch 2026', 'en'],
    ['7/3/17', 'en'],
    ['10.12.14', 'en'],
    ['version 1.2.10', 'de'],
    ['192.168.10.12', 'de'],
    ['1.299,50', 'de'],
    ['4 March 12:30', 'en'],
  ])('%s in %s is no date', (text, language) => {
    expect(dateReader(language)(text)).toBeUndefined();
  });

  test('a wrong language tag does no harm', () => {
    expect(dateReader('not a tag!')('4 March 2026')?.date).toBe('2026-03-04');
    expect(dateReader('x-klingon')('03/04/2026')?.date ?? 'open').toBeTypeOf('string');
  });

  test.each([
    ['2026-03-04T10:30:00+02:00', '2026-03-04T08:30:00Z'],
    ['2026-03-04 10:30 UTC', '2026-03-04T10:30:00Z'],
    ['2026-03-04T10:30:15.250Z', '2026-03-04T10:30:15Z'],
    ['March 4, 2026 at 10:30 pm GMT', '2026-03-04T22:30:00Z'],
    ['2026-03-04T10:30:00-0500', '2026-03-04T15:30:00Z'],
    ['2026-03-04', '2026-03-04T00:00:00Z'],
  ])('%s is the instant %s', (text, instant) => {
    const parsed = dateReader('en')(text);
    expect(parsed && utcDateTime(parsed)).toBe(instant);
  });

  test('a local time is an instant nowhere; a schema whose pattern allows local times takes it', () => {
    const text = '2026-03-04T10:30:00';
    expect(to({ type: 'string', format: 'date-time' }, text)).toBeUndefined();
    const local = {
      type: 'string',
      format: 'date-time',
      pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:]+$',
    };
    expect(to(local, text)).toBe(text);
    expect(to({ type: 'string' }, text)).toBe(text);
  });
});

describe('booleans, lists of values, texts', () => {
  test.each([
    ['https://schema.org/InStock', true],
    ['http://schema.org/OutOfStock', false],
    ['PreOrder', false],
    ['Yes', true],
    ['nein', false],
    ['✓', true],
    ['In stock (12 pieces)', true],
    ['Out of stock until May', false],
    ['Currently unavailable.', false],
    ['3 left in the whole world', true],
    ['maybe', undefined],
    ['', undefined],
  ])('%s is %s', (text, value) => {
    expect(coerceBoolean(text, 'inStock')).toBe(value);
  });

  test('enums and constants are found in any case and spelling, and nothing else is', () => {
    const sizes = { enum: ['small', 'X-Large', 3, null] };
    expect(to(sizes, ' SMALL ')).toBe('small');
    expect(to(sizes, 'x large')).toBe('X-Large');
    expect(to(sizes, '3')).toBe(3);
    expect(to(sizes, 'null')).toBeUndefined();
    expect(to(sizes, 'medium')).toBeUndefined();
    expect(to({ enum: ['in_stock', 'out_of_stock'] }, 'https://schema.org/InStock')).toBe(
      'in_stock',
    );
  });

  test('texts are on one line, and short enough', () => {
    expect(to({ type: 'string' }, '  a\n\u00a0 b ')).toBe('a b');
    expect(to({ type: 'string' }, ' ')).toBeUndefined();
    expect(to({ type: 'string', maxLength: 3 }, 'abcd')).toBeUndefined();
    expect(to({ type: 'string', pattern: '^[A-Z]+-\\d+$' }, 'sku 4')).toBeUndefined();
    expect(to({ type: 'string', pattern: '(' }, 'a')).toBe('a');
    expect(to({ type: 'string' }, 'https://schema.org/NewCondition')).toBe('NewCondition');
    expect(to({ type: 'string' }, 7)).toBe('7');
  });

  test('URLs are absolute and never scripts', () => {
    const url = { type: 'string', format: 'uri' };
    expect(to(url, '../a?b=1')).toBe('https://fixture.test/a?b=1');
    expect(to(url, 'javascript:alert(1)')).toBeUndefined();
    expect(to(url, 'two words')).toBeUndefined();
    expect(to({ type: 'string' }, '/a.png', 'imageUrl')).toBe('https://fixture.test/a.png');
    expect(to({ type: 'string' }, '/a.png', 'path')).toBe('/a.png');
    expect(to({ type: 'string' }, 'https://a.test/me', 'author')).toBeUndefined();
    expect(to({ type: 'string', format: 'email' }, 'Write to <a@b.test>')).toBe('a@b.test');
    expect(to({ type: 'string', format: 'email' }, 'nobody')).toBeUndefined();
  });

  test('of a union the strict type wins where the whole text fits it', () => {
    const union = { type: ['string', 'number', 'boolean', 'null'] };
    expect(to(union, '12')).toBe(12);
    expect(to(union, '12 pieces')).toBe('12 pieces');
    expect(to(union, 'true')).toBe(true);
    expect(to(union, 4)).toBe(4);
    expect(to({}, 4)).toBe(4);
  });

  test('long and strange texts take no time', () => {
    const start = cpuTime();
    for (const text of [
      '9'.repeat(100_000),
      '1,'.repeat(50_000),
      '@'.repeat(100_000),
      'a'.repeat(200_000),
      '4 a '.repeat(50_000),
    ]) {
      for (const schema of [
        { type: 'number' },
        { type: 'string', format: 'date' },
        { type: 'string', format: 'email' },
        { type: 'boolean' },
        { type: 'string', format: 'uri' },
      ]) {
        to(schema, text);
      }
    }
    expect(cpuTime() - start).toBeLessThan(2000);
  });
});
