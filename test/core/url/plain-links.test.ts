import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeUrl } from '../../../src/core/url/normalize-url.ts';
import { PlainLinks } from '../../../src/core/url/links.ts';

const base = 'https://site.test:8443/docs/page.html?a=1';

describe('PlainLinks', () => {
  it('resolves paths and URLs of the same origin', () => {
    const links = new PlainLinks(base);
    for (const path of ['/', '/a', '/a/', '/docs/s001/page-1_2~3.tar.gz']) {
      expect(links.resolve(path)).toBe(`https://site.test:8443${path}`);
      expect(links.resolve(`https://site.test:8443${path}`)).toBe(`https://site.test:8443${path}`);
    }
  });

  it.each([
    '',
    'a',
    '//other.test/a',
    '/a//b',
    '/./a',
    '/a/../b',
    '/a/..',
    '/.a',
    '/a b',
    '/%61',
    '/a?b',
    '/a#b',
    '/a\\b',
    ' /a',
    '/a\n',
    '/ä',
    'https://site.test:8443',
    'https://site.test:84431/a',
    'https://site.test/a',
    'HTTPS://site.test:8443/a',
    `/${'a'.repeat(2000)}`,
  ])('leaves %j to be parsed', (href) => {
    expect(new PlainLinks(base).resolve(href)).toBeUndefined();
  });

  it.each(['', 'about:blank', 'file:///a/b', 'https://user:word@site.test/', 'data:,a'])(
    'resolves nothing against %j',
    (odd) => {
      expect(new PlainLinks(odd).resolve('/a')).toBeUndefined();
    },
  );

  it('gives what parsing gives', () => {
    const href = fc.stringMatching(
      /^(?:https:\/\/site\.test:8443)?[/a.~_-]{0,12}[\w/.%?#:@\\ -]{0,12}$/,
    );
    fc.assert(
      fc.property(href, (one) => {
        const plain = new PlainLinks(base).resolve(one);
        if (plain === undefined) return;
        const parsed = new URL(one, base);
        expect(plain).toBe(parsed.href);
        expect(plain).toBe(normalizeUrl(parsed, {}));
      }),
      { numRuns: 2000 },
    );
  });
});
