import { expect, test } from 'vitest';
import { readableUrl } from '../../../src/core/url/readable-url.ts';

test.each([
  ['http://site.test/', ''],
  ['http://www.site.test/a-b_c/d.html', 'a b c d'],
  ['http://docs.site.test/guides/nightTrain.php', 'docs guides nightTrain night Train'],
  ['http://site.co.uk/HTMLParser', 'HTMLParser HTML Parser'],
  ['http://site.test/%E5%9C%B0%E5%9B%B3', '地図'],
  ['http://site.test/caf%E9/x', 'caf x'],
  ['http://site.test/a%2Fb?q=one+two&page=3#!/route', 'a b q one two page 3 route'],
  ['http://127.0.0.1:8080/a', 'a'],
  ['http://alice.github.io/a', 'a'],
  ['http://site.test/file.pdf', 'file pdf'],
])('%s says %j', (url, words) => {
  expect(readableUrl(url)).toBe(words);
});
