/** What of the caller's headers a request gets, without a browser. */
import { describe, expect, test } from 'vitest';
import {
  cookiesOf,
  headersToSend,
} from '../../../../src/browser/chromium/identity/apply-headers.ts';

describe('which headers a request gets', () => {
  const given = { authorization: 'a', 'x-secret': '1' };
  const request = { url: 'http://shop.test/', resourceType: 'Document', headers: { Accept: '*' } };
  test.each(['same-origin', 'same-site'] as const)('none goes from https to http, %s', (scope) => {
    expect(headersToSend(given, 'https://shop.test/', request, scope)).toBeUndefined();
  });
  test.each([
    ['http://shop.test:8080/', undefined],
    ['http://www.shop.test/', undefined],
    ['https://shop.test/', { Accept: '*', ...given }],
  ])('of http://shop.test/ goes to %s: %j', (url, sent) => {
    const other = { ...request, url };
    expect(headersToSend(given, 'http://shop.test/', other, 'same-origin')).toEqual(sent);
    expect(headersToSend(given, 'http://shop.test/', other, 'same-site')).toEqual({
      Accept: '*',
      ...given,
    });
  });
  test('hosts of strangers under one public suffix are strangers', () => {
    const other = { ...request, url: 'https://mallory.github.io/' };
    expect(headersToSend(given, 'https://alice.github.io/', other, 'same-site')).toBeUndefined();
  });
  test('theirs replace the browser’s', () => {
    const url = 'http://shop.test/';
    expect(headersToSend({ accept: 'a' }, url, request, 'same-origin')).toEqual({ accept: 'a' });
  });
});

test('pairs of a Cookie header become cookies of the host, or of the site', () => {
  const cookies = cookiesOf(
    'a=1; b = x=y ;junk; =no; __Host-c=3',
    new URL('https://www.shop.test/p'),
    'same-site',
  );
  expect(cookies.map(({ name, value, domain, url }) => [name, value, domain ?? url])).toEqual([
    ['a', '1', '.shop.test'],
    ['b', 'x=y', '.shop.test'],
    ['__Host-c', '3', 'https://www.shop.test'],
  ]);
  const [own] = cookiesOf('a=1', new URL('https://www.shop.test/p'), 'same-origin');
  expect([own?.domain, own?.url]).toEqual([undefined, 'https://www.shop.test']);
  expect(cookies.every(({ secure, httpOnly }) => secure === true && httpOnly === true)).toBe(true);
});
