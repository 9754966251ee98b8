import { expect, test } from 'vitest';
import { pathScope } from '../../../src/core/url/path-kind.ts';

test.each([
  ['/blogs/', '/blogs/', true],
  ['/blogs/', '/blogs/a', true],
  ['/blogs/', '/blogs/a/b.html', true],
  ['/blogs/', '/blogs', false],
  ['/blogs/', '/other-parent/blog-1', false],
  ['/blogs/', '/blogsearch', false],
  ['/blogs/', '/', false],
  ['/blogs/', '/a/blogs/b', false],
  ['/blogs', '/blogs', true],
  ['/blogs', '/blogs/', true],
  ['/blogs', '/blogs/a', true],
  ['/blogs', '/blogsearch', false],
  ['/blogs', '/blogs.html', false],
  ['/blogs/a.html', '/blogs/a.html', true],
  ['/blogs/a.html', '/blogs/b', true],
  ['/blogs/a.html', '/blogs/deep/c', true],
  ['/blogs/a.html', '/other/', false],
  ['/docs/v1.10', '/docs/v1.10/intro', true],
  ['/docs/v1.10', '/docs/v2.0', false],
  ['/.well-known', '/other', false],
  ['/', '/anything', true],
  ['/index.html', '/anything', true],
  ['/caf%c3%a9/', '/caf%C3%A9/a', true],
  ['/%7euser/', '/~user/a', true],
])('a crawl from %s and %s: %s', (start, candidate, inside) => {
  const admits = pathScope(new URL(start, 'http://example.test'));
  expect(admits(new URL(candidate, 'http://example.test'))).toBe(inside);
});

test('the query of neither URL matters', () => {
  const admits = pathScope(new URL('http://example.test/blogs?page=1'));
  expect(admits(new URL('http://example.test/blogs/a?next=/b.html'))).toBe(true);
});
