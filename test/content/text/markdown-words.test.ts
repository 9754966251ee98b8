import { expect, test } from 'vitest';
import { markdownWords } from '../../../src/content/text/markdown-inline.ts';

test.each<[markdown: string, words: string]>([
  ['plain  words\n here', 'plain words here'],
  ['**bold** _not_ snake_case 2 * 3 ~~gone~~', 'bold not snake_case 2 * 3 gone'],
  ['a [link](http://a.test/b_(c) "title") and ![picture](x.png)', 'a link and picture'],
  ['[a **b**](<c>) [ref][1] note[^1]', 'a b() ref1 note'],
  ['`code_1 *x*` and \\*stars\\* \\[x\\]', 'code_1 *x* and *stars* [x]'],
  ['a &amp; b &lt;c&gt; &#8364; &#x20ac; &unknown; AT&T', 'a & b <c> € € &unknown; AT&T'],
  ['x<sup>2</sup><br>y <https://a.test/b> 1 < 2', 'x2 y https://a.test/b 1 < 2'],
  ['', ''],
])('%j', (markdown, words) => {
  expect(markdownWords(markdown)).toBe(words);
});

test.each([
  '[',
  '](',
  '](a',
  '<a',
  '`',
  '`a',
  '_',
  '*',
  '\\',
  '&',
  '&a',
  '](\\(',
  '![',
  '[^a',
  '](a "',
])('a million characters of %j take no second each', { timeout: 10_000 }, (unit) => {
  expect(typeof markdownWords(unit.repeat(1_000_000 / unit.length))).toBe('string');
});
