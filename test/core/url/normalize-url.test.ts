import { describe, expect, test } from 'vitest';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import { normalizeUrl, parseUrl, resolveLink } from '../../../src/core/url/normalize-url.ts';

function errorOf(input: string): PagewrightError {
  try {
    parseUrl(input);
  } catch (error) {
    if (error instanceof PagewrightError) return error;
  }
  throw new Error(`${input} was accepted`);
}

describe('parseUrl', () => {
  test.each([
    ['http://example.test/a', 'http://example.test/a'],
    ['  HTTPS://Example.TEST/A  ', 'https://example.test/A'],
    ['example.test/a', 'http://example.test/a'],
    ['localhost:3000', 'http://localhost:3000/'],
    ['localhost:3000?q=1', 'http://localhost:3000/?q=1'],
    ['127.0.0.1:80/x', 'http://127.0.0.1/x'],
    ['[::1]:3000/x', 'http://[::1]:3000/x'],
    ['//host/x', 'http://host/x'],
    ['bücher.test', 'http://xn--bcher-kva.test/'],
    ['http:example.test', 'http://example.test/'],
    ['example.test/a:b', 'http://example.test/a:b'],
    ['example.test?next=https://other.test', 'http://example.test/?next=https://other.test'],
  ])('reads %j as %j', (input, expected) => {
    expect(parseUrl(input).href).toBe(expected);
  });

  test.each([
    ['', 'empty'],
    ['   ', 'empty'],
    ['/a/b', 'relative'],
    ['./a', 'relative'],
    ['?q=1', 'relative'],
    ['#top', 'relative'],
    ['http://', 'no host'],
    ['hello world', 'space'],
    ['http://example.test:99999/', '99999'],
    ['example.test:80x', '80x'],
    ['http://a..test/', 'empty label'],
    ['http://exa<mple/', 'not valid'],
  ])('refuses %j as INVALID_URL and says what is wrong', (input, reason) => {
    const error = errorOf(input);
    expect(error.code).toBe('INVALID_URL');
    expect(error.message).toContain(reason);
    expect(error.message).toContain(JSON.stringify(input));
  });

  test.each([
    'mailto:a@b.test',
    'ftp://example.test/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'tel:0123456',
    'about:blank',
  ])('refuses %j as UNSUPPORTED_PROTOCOL', (input) => {
    const error = errorOf(input);
    expect(error.code).toBe('UNSUPPORTED_PROTOCOL');
    expect(error.message).toContain(input);
  });

  test('keeps passwords and endless input out of its messages', () => {
    const error = errorOf('http://user:secret@exa mple.test/');
    expect(JSON.stringify(error)).not.toContain('secret');
    expect(errorOf(`ftp://${'x'.repeat(100_000)}`).message.length).toBeLessThan(500);
  });
});

describe('resolveLink', () => {
  const base = 'https://example.test/docs/a.html?q=1';

  test.each([
    ['b.html', 'https://example.test/docs/b.html'],
    ['../x', 'https://example.test/x'],
    ['//other.test/x', 'https://other.test/x'],
    ['?page=2', 'https://example.test/docs/a.html?page=2'],
    ['#part', 'https://example.test/docs/a.html?q=1#part'],
    [' /a\n/b\t ', 'https://example.test/a/b'],
    ['HTTP://Other.test', 'http://other.test/'],
    ['http:/other.test/x', 'http://other.test/x'],
    ['ht\ntp://other.test/', 'http://other.test/'],
    ['a:b', undefined],
    ['', undefined],
    ['   ', undefined],
    ['mailto:a@b.test', undefined],
    ['tel:1', undefined],
    ['JavaScript:void(0)', undefined],
    ['java\tscript:void(0)', undefined],
    ['data:text/html,<a>', undefined],
    ['http://', undefined],
    ['http://exa mple/', undefined],
    ['https://example.test:99999/', undefined],
  ])('resolves %j to %j', (href, expected) => {
    expect(resolveLink(href, base)?.href).toBe(expected);
  });

  test('has no answer for relative links without a usable base', () => {
    expect(resolveLink('/a', 'about:blank')).toBeUndefined();
    expect(resolveLink('https://example.test/', 'about:blank')?.href).toBe('https://example.test/');
    expect(resolveLink('/a', 'nonsense')).toBeUndefined();
  });
});

describe('normalizeUrl', () => {
  test.each([
    ['http://Example.test', 'http://example.test/'],
    ['http://example.test:80/a', 'http://example.test/a'],
    ['https://example.test:443/a', 'https://example.test/a'],
    ['https://example.test:8443/a', 'https://example.test:8443/a'],
    ['http://example.test/a/./b/../c', 'http://example.test/a/c'],
    ['http://example.test/a#part', 'http://example.test/a'],
    ['http://example.test/a#', 'http://example.test/a'],
    ['http://example.test/#/', 'http://example.test/'],
    ['http://example.test/#/users/7', 'http://example.test/#/users/7'],
    ['http://example.test/#!/users', 'http://example.test/#!/users'],
    ['http://example.test/#section/2', 'http://example.test/'],
    ['http://example.test/?', 'http://example.test/'],
    ['http://user:secret@example.test/a', 'http://example.test/a'],
    ['http://example.test/%7euser/%2f%c3%a9', 'http://example.test/~user/%2F%C3%A9'],
    ['http://example.test/é?ü=ö', 'http://example.test/%C3%A9?%C3%BC=%C3%B6'],
    ['http://example.test/100%', 'http://example.test/100%'],
    ['http://example.test/?b=2&a=1', 'http://example.test/?b=2&a=1'],
  ])('makes %j %j', (input, expected) => {
    expect(normalizeUrl(new URL(input), {})).toBe(expected);
  });

  test('drops the query where it is not wanted, and keeps the route', () => {
    const url = new URL('http://example.test/a?b=1#/route');
    expect(normalizeUrl(url, { ignoreQueryParameters: true })).toBe('http://example.test/a#/route');
  });

  test('leaves a normalised URL as it is', () => {
    for (const url of ['http://example.test/%2525', 'http://example.test/a%20b?c=%2B']) {
      const once = normalizeUrl(new URL(url), {});
      expect(normalizeUrl(new URL(once), {})).toBe(once);
    }
  });
});
