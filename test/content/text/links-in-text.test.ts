import { describe, expect, test } from 'vitest';
import { linksInText } from '../../../src/content/text/markdown-inline.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const plain = (text: string): string[] =>
  [...linksInText(text, { markdown: false })].map(({ href }) => href);
const markdown = (text: string): string[] =>
  [...linksInText(text, { markdown: true })].map(({ href, text: words }) =>
    words === undefined ? href : `${words}=${href}`,
  );

describe('bare URLs', () => {
  test.each([
    ['See http://e.test/a.', ['http://e.test/a']],
    ['(see https://e.test/a?b=c), and', ['https://e.test/a?b=c']],
    ['https://e.test/wiki/A_(b)', ['https://e.test/wiki/A_(b)']],
    ['(https://e.test/wiki/A_(b))!', ['https://e.test/wiki/A_(b)']],
    ['<http://e.test/a> "http://e.test/b"', ['http://e.test/a', 'http://e.test/b']],
    ['{"url":"http://e.test/a","next":"http://e.test/b"}', ['http://e.test/a', 'http://e.test/b']],
    ['http://e.test/a,https://e.test/b,c', ['http://e.test/a', 'https://e.test/b,c']],
    ['HTTP://E.test/', ['HTTP://E.test/']],
    ['xhttp://e.test/ and ftp://e.test/ and www.e.test', []],
    ['http:// and http:///', []],
    ['**http://e.test/a**', ['http://e.test/a']],
  ])('%j has %j', (text, expected) => {
    expect(plain(text)).toEqual(expected);
  });

  test('markdown links are not read where there is no markdown', () => {
    expect(plain('[a](/b)')).toEqual([]);
  });
});

describe('markdown', () => {
  test.each([
    ['[a b](/c "title") and [d](<e.md>)', ['a b=/c', 'd=e.md']],
    ['[](http://e.test/a)', ['http://e.test/a']],
    ['[w](https://e.test/A_(b))', ['w=https://e.test/A_(b)']],
    ['![alt](/a.png) [b](/c)', ['b=/c']],
    ['[1]: /a "title"\n  [two]: <http://e.test/b>', ['/a', 'http://e.test/b']],
    ['[a](/b) then http://e.test/c. [d](/e)', ['a=/b', 'http://e.test/c', 'd=/e']],
    ['an array [0, 1) and a call f[0](x)', []],
  ])('%j has %j', (text, expected) => {
    expect(markdown(text)).toEqual(expected);
  });
});

test.each([
  ['brackets', '['.repeat(200_000)],
  ['open links', '[a]('.repeat(100_000)],
  ['images', '!['.repeat(100_000)],
  ['parentheses', `http://e.test/${'('.repeat(100_000)}${')'.repeat(200_000)}`],
  ['nested targets', `[a](b${'(c)'.repeat(100_000)}`],
  ['dots', `http://e.test/${'.'.repeat(300_000)}`],
  ['schemes', 'http://'.repeat(100_000)],
  ['spaces', `[a](${' '.repeat(300_000)}`],
  ['many URLs', 'http://e.test/a '.repeat(30_000)],
])('endless %s cost little time', (_, text) => {
  const started = cpuTime();
  plain(text);
  markdown(text);
  expect(cpuTime() - started).toBeLessThan(1_000);
});
