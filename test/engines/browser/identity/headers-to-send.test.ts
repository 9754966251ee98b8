/** What of the caller's headers a request gets, without a browser. */
import { describe, expect, test } from 'vitest';
import { cookiesOf } from '../../../../src/engines/browser/identity/add-cookies.ts';
import { headersToSend } from '../../../../src/engines/browser/identity/apply-headers.ts';

describe('which headers a request gets', () => {
  const given = { authorization: 'a', 'x-secret': '1' };
  const request = { url: 'http://shop.test/', resourceType: 'Document', headers: { Accept: '*' } };
  test('credentials do not go from https to http', () => {
    expect(headersToSend(given, 'https://shop.test/', request)).toEqual({
      Accept: '*',
      'x-secret': '1',
    });
  });
  test('hosts of strangers under one public suffix are strangers', () => {
    const other = { ...request, url: 'https://mallory.github.io/' };
    expect(headersToSend(given, 'https://alice.github.io/', other)).toBeUndefined();
  });
  test('theirs replace the browser’s', () => {
    const url = 'http://shop.test/';
    expect(headersToSend({ accept: 'a' }, url, request)).toEqual({ accept: 'a' });
  });
});

test('pairs of a Cookie header become cookies of the site', () => {
  const cookies = cookiesOf(
    'a=1; b = x=y ;junk; =no; __Host-c=3',
    new URL('https://www.shop.test/p'),
  );
  expect(cookies.map(({ name, value, domain, url }) => [name, value, domain ?? url])).toEqual([
    ['a', '1', '.shop.test'],
    ['b', 'x=y', '.shop.test'],
    ['__Host-c', '3', 'https://www.shop.test'],
  ]);
  expect(cookies.every(({ secure, httpOnly }) => secure === true && httpOnly === true)).toBe(true);
});
