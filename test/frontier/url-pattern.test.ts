import { describe, expect, it } from 'vitest';
import { compileUrlPattern, type UrlPattern } from '../../src/frontier/url-pattern.ts';
import { cpuTime } from '../support/cpu-time.ts';

const matches = (pattern: UrlPattern, url: string, onFullUrl = false): boolean =>
  compileUrlPattern(pattern, onFullUrl).matches(new URL(url, 'http://site.test'));

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
