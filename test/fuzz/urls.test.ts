/** Fuzzes reading, resolving and comparing URLs: src/core/url. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { PagewrightError } from '../../src/core/runtime/errors.ts';
import { fingerprint } from '../../src/core/url/fingerprint.ts';
import { normalizeUrl, parseUrl, resolveLink } from '../../src/core/url/normalize-url.ts';
import { fuzzTest } from './fuzz-test.ts';
import { soup } from './mutations.ts';

const pieces = [
  'http:',
  'HTTPS:',
  'https://',
  '//',
  '/',
  '\\',
  '@',
  ':',
  '#',
  '?',
  '%',
  '%2e',
  '..',
  '.',
  ';',
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'blob:',
  'ftp:',
  'tel:1',
  'about:blank',
  'mailto:',
  'example.test',
  'www.',
  'localhost',
  '127.1',
  '0x7f.1',
  '[::1]',
  '[::ffff:1.2.3.4]',
  'xn--',
  '1',
  'user:secretword@',
  ':secretword@',
  'ⓔx.test',
  'ｅ．test',
  'ß',
  'ü',
  '☃',
  '\u202e',
  '\u00ad',
  '\ufeff',
  '\t',
  '\n',
  '\r',
  ' ',
  '\0',
  '\ud800',
  ':80',
  ':443',
  ':99999',
  '%zz',
  '%C3%BC',
  '%41',
  '&',
  '=',
  '#/route',
  '#!/x',
  'index.html',
  ';jsessionid=1',
  'utm_source=x',
  'gclid=1',
  '+',
  '%20',
  'b',
  'a',
];
const text = fc.oneof(
  { weight: 4, arbitrary: soup(pieces, 12) },
  { weight: 2, arbitrary: soup(pieces, 12).map((rest) => `http://example.test${rest}`) },
  { weight: 1, arbitrary: fc.webUrl({ withFragments: true, withQueryParameters: true }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);

fuzzTest(
  'what a caller types becomes one absolute URL without credentials, or an error that tells none',
  { runs: 2_000, share: 3 },
  fc.property(text, (input) => {
    let url: URL;
    try {
      url = parseUrl(input);
    } catch (error) {
      expect(error).toBeInstanceOf(PagewrightError);
      const { code, message, url: told = '' } = error as PagewrightError;
      expect(['INVALID_URL', 'UNSUPPORTED_PROTOCOL']).toContain(code);
      const [, rest = 'secretword'] =
        /^(?:https?:)?[/\\]{2}[^/\\?#\s]*secretword@(.*)/is.exec(input.trim()) ?? [];
      if (!rest.includes('secretword')) expect(`${message} ${told}`).not.toContain('secretword');
      return;
    }
    expectCanonical(normalizeUrl(url, {}));
  }),
);

fuzzTest(
  'a link resolves to a canonical http or https URL, or to nothing',
  { runs: 2_000, share: 3 },
  fc.property(text, fc.webUrl(), (href, base) => {
    const url = resolveLink(href, base);
    if (url !== undefined) expectCanonical(normalizeUrl(url, {}));
    expect(() => resolveLink(href, 'about:blank')).not.toThrow();
  }),
);

fuzzTest(
  'spellings that a server does not see have one fingerprint',
  { runs: 1_500, share: 2 },
  fc.property(
    text,
    fc.record({ ignoreQueryParameters: fc.boolean(), deduplicateSimilarURLs: fc.boolean() }),
    (input, options) => {
      const url = resolveLink(input, 'http://example.test/a/b');
      if (url === undefined) return;
      const key = fingerprint(url.href, options);
      expect(fingerprint(normalizeUrl(url, {}), options)).toBe(key);
      const other = new URL(url);
      other.username = 'someone';
      other.search += other.search === '' ? 'utm_source=x' : '&gclid=1';
      if (!/^#!?\/./.test(other.hash)) other.hash = 'part';
      expect(fingerprint(other.href, options)).toBe(key);
    },
  ),
);

/** The one spelling: reading it again changes nothing. */
function expectCanonical(normal: string): void {
  const again = new URL(normal);
  expect(again.protocol).toMatch(/^https?:$/);
  expect(again.username + again.password).toBe('');
  expect(again.hostname).not.toBe('');
  expect(normalizeUrl(again, {})).toBe(normal);
  // A link to a host with an empty label resolves; a caller may not type it.
  if (!/^\.|\.\./.test(again.hostname)) expect(normalizeUrl(parseUrl(normal), {})).toBe(normal);
}
