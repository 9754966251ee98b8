/** URLs as nobody should write them: what is fetched, what is refused, and that no password stays. */
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import {
  normalizeEscapes,
  normalizeUrl,
  parseUrl,
  resolveLink,
} from '../../../src/core/url/normalize-url.ts';

const base = 'https://example.test/docs/';

describe('a link', () => {
  test.each([
    // Credentials
    ['http://user:secret@h.test/a', 'http://h.test/a'],
    ['http://user@h.test/a', 'http://h.test/a'],
    ['//:secret@h.test/', 'https://h.test/'],
    ['http://h.test@other.test/', 'http://other.test/'],
    ['http://h.test:80@other.test/', 'http://other.test/'],
    ['http://a@b@c.test/', 'http://c.test/'],
    // Backslashes are slashes
    ['\\\\h.test\\a', 'https://h.test/a'],
    ['http:\\\\h.test\\a\\..\\b', 'http://h.test/b'],
    ['http://h.test\\@other.test/', 'http://h.test/@other.test/'],
    ['https:/\\h.test/a', 'https://h.test/a'],
    // Tabs and line ends are nothing
    ['h\tttp://h.\ntest/a\r', 'http://h.test/a'],
    ['/a\tb\n', 'https://example.test/ab'],
    ['\u0000\u001F http://h.test/ \u0000', 'http://h.test/'],
    // Names
    ['http://BÜCHER.test/', 'http://xn--bcher-kva.test/'],
    ['http://xn--bcher-kva.test/', 'http://xn--bcher-kva.test/'],
    ['http://faß.test/', 'http://xn--fa-hia.test/'],
    ['http://ｈ．ｔｅｓｔ/', 'http://h.test/'],
    ['http://h。test/', 'http://h.test/'],
    ['http://h\u00AD.test/', 'http://h.test/'],
    ['http://%68.test/', 'http://h.test/'],
    ['http://h.test./a', 'http://h.test./a'],
    ['http://☃.test/', 'http://xn--n3h.test/'],
    // Addresses: every spelling becomes the one that the network policy knows
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['http://2130706433/', 'http://127.0.0.1/'],
    ['http://0177.0.0.1/', 'http://127.0.0.1/'],
    ['http://１２７。0。0。1/', 'http://127.0.0.1/'],
    ['http://①②⑦.⓪.⓪.①/', 'http://127.0.0.1/'],
    ['http://127.1/', 'http://127.0.0.1/'],
    ['http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/'],
    ['http://[0:0:0:0:0:0:0:1]/', 'http://[::1]/'],
    // Ports
    ['http://h.test:080/', 'http://h.test/'],
    ['http://h.test:/', 'http://h.test/'],
    ['http://h.test:65535/', 'http://h.test:65535/'],
    ['http://h.test:0/', 'http://h.test:0/'],
    // Paths and queries
    ['/%00', 'https://example.test/%00'],
    ['/a\u0000b', 'https://example.test/a%00b'],
    ['/%2e%2E/%2e./a', 'https://example.test/a'],
    ['/../../../etc/passwd', 'https://example.test/etc/passwd'],
    ['/"<>`{}', 'https://example.test/%22%3C%3E%60%7B%7D'],
    ['/?q=\'"<>', 'https://example.test/?q=%27%22%3C%3E'],
    ['/\u202Egnp.exe', 'https://example.test/%E2%80%AEgnp.exe'],
    ['/\uD800', 'https://example.test/%EF%BF%BD'],
  ])('%j leads to %j', (href, expected) => {
    expect(resolveLink(href, base)?.href).toBe(expected);
  });

  test.each([
    'http://h test/',
    'http://h%00.test/',
    'http://h\u0000.test/',
    'http://h%2f.test/',
    'http://h%40other.test/',
    'http://[fe80::1%25eth0]/',
    'http://[fe80::1%eth0]/',
    'http://[::1',
    'http://::1/',
    'http://256.256.256.256/',
    'http://1.2.3.4.5/',
    'http://0x100000000/',
    'http://h.test:-1/',
    'http://h.test:65536/',
    'http://h.test:8o/',
    'http://\uFFFD.test/',
    'http://@/',
    'http://user@/a',
    'https://',
    'ws://h.test/',
    'blob:https://h.test/1',
    'view-source:https://h.test/',
    'feed:https://h.test/',
    ' java\nscript:alert(1)',
    'vbscript:x',
    `data:text/html,${'x'.repeat(1_000_000)}`,
    `/${'x'.repeat(65_536)}`,
  ])('%.60s is none', (href) => {
    expect(resolveLink(href, base)).toBeUndefined();
  });
});

describe('what a caller types', () => {
  test.each([
    ['http://user:secret@h.test/a', 'http://h.test/a'],
    ['user:secret@h.test', undefined],
    ['http:user:secret@h.test', 'http://h.test/'],
    ['http://user:sec ret@h.test/', 'http://h.test/'],
    ['http://user:secret@ho st.test/', undefined],
    ['http:\\\\user:secret@ho st', undefined],
    ['https:user:secret@', undefined],
    ['ftp://user:secret@h.test/', undefined],
    [`http://user:${'secret'.repeat(500)}@ho st/`, undefined],
    [`http://user:secret@h.test/${'x'.repeat(70_000)}`, undefined],
    ['user:secret@ho st', undefined],
    ['//user:secret@ho st', undefined],
  ])('%.50j gives no password away', (input, expected) => {
    let shown: string;
    try {
      shown = normalizeUrl(parseUrl(input), {});
      expect(shown).toBe(expected);
    } catch (error) {
      if (!(error instanceof PagewrightError)) throw error;
      expect(expected).toBeUndefined();
      shown = inspect(error, { depth: 9 }) + JSON.stringify(error);
    }
    expect(shown).not.toContain('secret');
  });

  test('has at most 65,536 characters', () => {
    const path = 'x'.repeat(65_536 - 'http://h.test/'.length);
    expect(parseUrl(`http://h.test/${path}`).pathname.length).toBe(path.length + 1);
    expect(() => parseUrl(`http://h.test/${path}x`)).toThrow(/65537 characters/);
  });

  test.each(['http://h.test:99999/', 'http://[::1', 'http://', 'https://%00/', '\u0000'])(
    '%j is refused as INVALID_URL',
    (input) => {
      expect(() => parseUrl(input)).toThrow(expect.objectContaining({ code: 'INVALID_URL' }));
    },
  );
});

describe('escapes', () => {
  test.each([
    ['/%7euser', '/~user'],
    ['/%41%2f%c3%a9', '/A%2F%C3%A9'],
    ['/%2541', '/%2541'],
    ['/%%32e', '/%%32e'],
    ['/%2%65', '/%2%65'],
    ['/%%41%42', '/%%41B'],
    ['/100%', '/100%'],
    ['/%zz%3', '/%zz%3'],
  ])('%s is %s, also when it is done twice', (text, expected) => {
    expect(normalizeEscapes(text)).toBe(expected);
    expect(normalizeEscapes(expected)).toBe(expected);
  });

  test('a normalised URL never gains a dot segment', () => {
    const url = new URL('http://h.test/a/%%32e%%32e/b');
    expect(new URL(normalizeUrl(url, {})).pathname).toBe('/a/%%32e%%32e/b');
  });
});
