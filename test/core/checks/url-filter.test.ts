/** Parts, globs and RegExps as filters of whole URLs. */
import { describe, expect, test } from 'vitest';
import { urlFilter, urlTest } from '../../../src/core/checks/url-filter.ts';

const url = 'https://shop.example/api/v1/items?page=2&q=a+b';

describe('a filter fits', () => {
  test.each<[string | RegExp, boolean]>([
    ['/api/', true],
    ['items?page=2', true],
    ['q=a+b', true],
    ['/API/', false],
    ['/api/v2', false],
    ['https://shop.example/api/**', true],
    ['https://shop.example/api/*', false],
    ['https://shop.example/**/items?page=*', true],
    ['*/items?*', true],
    ['*/items', false],
    ['**/{items,prices}?page=2**', true],
    ['http://shop.example/**', false],
    ['(*', false],
    [/\/v\d\/items/, true],
    [/API/i, true],
    [/API/g, false],
    [/(?<=v1\/)items/, true],
  ])('%s: %s', (part, fits) => {
    const test = urlTest(urlFilter(part));
    expect([test(url), test(url)]).toEqual([fits, fits]);
  });

  test('only patterns that can be tested', () => {
    expect(() => urlFilter(' ')).toThrow('expected a part of a URL, a glob or a RegExp');
    expect(() => urlFilter(/^(?=(a+)+$)b/)).toThrow('takes too long on some inputs');
  });

  test('and is plain data, which says what the caller wrote', () => {
    const filter = urlFilter(/a/gi);
    expect(filter).toEqual({ shown: '/a/gi', source: 'a', flags: 'i' });
    expect(structuredClone(filter)).toEqual(filter);
  });
});
