import { describe, expect, test } from 'vitest';
import { isCodeUrl, isSafeUrl, withoutCredentials } from '../../../src/core/url/links.ts';

describe('isSafeUrl', () => {
  test.each([
    'http://a.test/',
    'HTTPS://a.test',
    'mailto:a@b.test',
    'tel:+1',
    '/a',
    '#b',
    'a:b'.slice(1),
    '//a.test',
    '',
  ])('%j is safe', (url) => expect(isSafeUrl(url)).toBe(true));

  test.each([
    'javascript:f()',
    ' \u0001JavaScript:f()',
    'java\tscr\nipt:f()',
    'vbscript:f()',
    'data:text/html,x',
    'blob:http://a.test/1',
    'file:///etc/passwd',
    'ms-msdt:/id',
    'view-source:http://a.test/',
  ])('%j is not', (url) => expect(isSafeUrl(url)).toBe(false));
});

test('identifiers of any scheme are no code', () => {
  expect(['isbn:1', 'tag:a', 'urn:x', 'javascript:f()', 'data:,x'].filter(isCodeUrl)).toEqual([
    'javascript:f()',
    'data:,x',
  ]);
});

test('credentials are taken out of http and https URLs only', () => {
  expect(withoutCredentials('http://user:pass@a.test/?to=b@c')).toBe('http://a.test/?to=b@c');
  expect(withoutCredentials('https://user@a.test')).toBe('https://a.test');
  expect(withoutCredentials('http://a.test/@b')).toBe('http://a.test/@b');
  expect(withoutCredentials('mailto:a@b.test')).toBe('mailto:a@b.test');
});
