import { describe, expect, it } from 'vitest';
import {
  compileUrlPattern,
  regExpOfGlob,
  type UrlPattern,
} from '../../../src/core/frontier/url-pattern.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const matches = (pattern: UrlPattern, url: string, onFullUrl = false): boolean =>
  compileUrlPattern(pattern, onFullUrl).matches(new URL(url, 'http://site.test'));

describe('a glob', () => {
  it.each<[string, string, readonly string[], readonly string[]]>([
    ['/blog/**', '^/blog/', ['/blog/a', '/blog/a/b'], ['/blogs/a', '/x/blog/a']],
    ['/docs/*', '^/docs/[^/]*$', ['/docs/a', '/docs/'], ['/docs/a/b', '/docs']],
    ['/docs/*/edit', '^/docs/[^/]*/edit$', ['/docs/a/edit'], ['/docs/a/b/edit']],
    ['*.html', '\\.html$', ['/a.html', '/b/c.html'], ['/a.htmlx', '/ahtml']],
    ['**/*.pdf', '/[^/]*\\.pdf$', ['/a.pdf', '/b/c.pdf'], ['/a.pdf/b']],
    ['**', '.*', ['/', '/a'], []],
    ['/a/**/z', '^/a/(?:.*/)?z$', ['/a/z', '/a/b/c/z'], ['/a/bz']],
    ['/img*.{png,jp?g}', '^/img[^/]*\\.(?:png|jp[^/]g)$', ['/img1.png'], ['/img/1.png']],
  ])('%s is %s as a regular expression', (glob, source, like, unlike) => {
    expect(regExpOfGlob(glob, false)).toBe(source);
    for (const path of like) expect([path, matches(source, path)]).toEqual([path, true]);
    for (const path of unlike) expect([path, matches(source, path)]).toEqual([path, false]);
  });

  it('of a whole URL begins with its scheme', () => {
    expect(regExpOfGlob('https://a.test/*', true)).toBe('^https://a\\.test/[^/]*$');
    expect(regExpOfGlob('/a/*', true)).toBe('/a/[^/]*$');
  });

  it.each(['/blog/.*', '^/blog/*', '/a*$', '/(a)*', '/a', '\\d*', '[a-z]*', '/a/.*?/b'])(
    '%s is none',
    (pattern) => {
      expect(regExpOfGlob(pattern, false)).toBeUndefined();
    },
  );

  it('is never a RegExp or a function', () => {
    expect(regExpOfGlob(/\/blog\/*/, false)).toBeUndefined();
    expect(regExpOfGlob(() => true, false)).toBeUndefined();
  });
});

describe('compileUrlPattern', () => {
  it.each<[UrlPattern, string, boolean]>([
    ['^/blog/', '/blog/a', true],
    ['^/blog/', '/news/blog/a', false],
    ['blog', '/news/blog/a', true],
    ['\\.html$', '/a.html?x=1', true],
    [/^\/BLOG/i, '/blog', true],
    [/^\/a$/gy, '/a', true],
    ['^/(?!private).*', '/public', true],
    ['^/(?!private).*', '/private/x', false],
    [(url) => url.searchParams.has('page'), '/x?page=2', true],
  ])('%s on %s is %s', (pattern, url, expected) => {
    expect(matches(pattern, url)).toBe(expected);
  });

  it('can be asked about the whole URL', () => {
    expect(matches('page=2$', '/x?page=2', true)).toBe(true);
    expect(matches('page=2$', '/x?page=2')).toBe(false);
  });

  it('takes nested repeats in linear time', () => {
    const before = cpuTime();
    expect(matches('^/blog/(a+)+$', `/blog/${'a'.repeat(5000)}!`)).toBe(false);
    expect(cpuTime() - before).toBeLessThan(1000);
  });

  it.each(['(', '[a', '*a', '^/(?!x)(a+)+$', '^/(?!b)(\\d+)*$'])(
    'refuses %s with a reason',
    (pattern) => {
      expect(() => compileUrlPattern(pattern, false)).toThrow(/\S/);
    },
  );
});
