/** Markdown of hostile pages, read by four renderers: what is text on the page stays text. */
import fc from 'fast-check';
import { parse } from 'pagewright';
import { expect, test } from 'vitest';
import { markdownLine } from '../../src/entries/export/markdown-links.ts';
import { dangersIn, markdownReaders } from '../support/markdown-readers.ts';
import { fuzzTest } from './fuzz-test.ts';
import { page } from './pages.ts';

// The renderers are not ours: micromark takes 13 s for some pages of 11 KB, so pages are cut.
const stall = Infinity;
const pageLength = 4_000;

/** What becomes a link without being told, and what stands where one may go on. */
const links: readonly string[] = [
  'https://a.test/',
  'http://a.test',
  'HTTPS://A.TEST/b',
  'ftp://a.test/',
  'www.a.test/',
  'WWW.a.test',
  'a@b.test',
  'mailto:a@b.test',
  'xmpp:a@b.test/',
  'a.test/',
  '//a.test/',
  'javascript://a.test/%0aalert(1)',
  'https://a.test/?a=b&amp;c=d',
  'https://a.test/(',
  'https://a.test/)',
  'https://[',
  'http:',
  'https:',
  '//',
];
/** Text that would be markup, and elements that put marks of markdown beside it. */
const marks: readonly string[] = [
  '&lt;img src=x onerror=alert(1)&gt;',
  '&lt;script&gt;',
  '&lt;/script&gt;',
  '&lt;b',
  '&lt;a href=javascript:alert(1)&gt;',
  '&lt;svg/onload=alert(1)&gt;',
  '&lt;!--',
  '--&gt;',
  '&lt;?',
  '&lt;![CDATA[',
  '&lt;javascript:alert(1)&gt;',
  '&lt;javascript://b/%0aalert(1)',
  '&lt;',
  '&gt;',
  '&amp;lt;',
  '"',
  "'",
  '`',
  '``',
  '\\',
  '*',
  '**',
  '_',
  '~',
  '~~',
  '!',
  '#',
  '|',
  '$',
  ':',
  ';',
  ',',
  '.',
  '?',
  '-',
  '=',
  '[',
  ']',
  '(',
  ')',
  '](javascript:alert(1))',
  '[x]: javascript:alert(1)',
  '[x](javascript:alert(1))',
  '[^1]',
  '{',
  '}',
  ' ',
  ' ',
  '\n',
  '&nbsp;',
  '\u3000',
  '\u200b',
  'a',
  'b',
  '<b>',
  '</b>',
  '<i>',
  '</i>',
  '<s>',
  '</s>',
  '<sub>',
  '</sub>',
  '<sup>',
  '</sup>',
  '<br>',
  '<q>',
  '</q>',
  '<u>',
  '</u>',
  '<code>',
  '</code>',
  '<code>&lt;script&gt;</code>',
  '<code>a b</code>',
  '<code>`</code>',
  '<code>&lt;img src=x onerror=alert(1)&gt;</code>',
  '<a href="/x">',
  '</a>',
  '<a href="javascript:alert(1)">',
  '<a href="https://c.test/<b>">',
  '<a title="&lt;b&gt;" href="/y">',
  '<img src="/i.png" alt="&lt;img src=x onerror=alert(1)&gt;">',
  '<img src="/j.png" alt="https://a.test/&lt;b&gt;" title="&lt;b&gt;">',
  '\\(x&lt;b&gt;\\)',
  '\\(\\)',
  '<p>',
  '</p>',
  '<li>',
  '<h2>',
  '</h2>',
  '<td>',
  '<tr>',
  '<table><tr><td>',
  '</table>',
  '<blockquote>',
  '<dt>',
  '<dd>',
  '<pre>',
  '</pre>',
  '<math><mi>x</mi></math>',
  '<span>',
  '</span>',
  '<wbr>',
  '<details><summary>',
  '<ruby>a<rt>b</ruby>',
];

/** Runs a page through the renderers; the failures, each with the markdown. */
async function dangersOf(source: string): Promise<readonly string[]> {
  const { markdown } = await parse(source, {
    url: 'https://s.test/',
    contentType: 'text/html; charset=utf-8',
    onlyMainContent: false,
    formats: ['markdown'],
  });
  return Object.entries(markdownReaders).flatMap(([name, read]) =>
    dangersIn(read(markdown)).map((danger) => `${name}: ${danger} in ${markdown}`),
  );
}

const piece = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...links) },
  { weight: 3, arbitrary: fc.constantFrom(...marks) },
);

fuzzTest(
  'text after bare links runs in no renderer',
  { runs: 1_500, share: 6, stall },
  fc.asyncProperty(fc.array(piece, { minLength: 2, maxLength: 12 }), async (pieces) => {
    expect(await dangersOf(`<p>${pieces.join('')}</p>`)).toEqual([]);
  }),
);

fuzzTest(
  'pages of every kind run in no renderer',
  { runs: 200, share: 4, stall },
  fc.asyncProperty(page, async (source) => {
    const text = Buffer.from(source.slice(0, pageLength), 'latin1').toString();
    expect(await dangersOf(text).catch(() => [])).toEqual([]);
  }),
);

fuzzTest(
  'lines of llms.txt run in no renderer',
  { runs: 500, share: 1, stall },
  fc.property(fc.array(piece, { minLength: 1, maxLength: 10 }), (pieces) => {
    const text = pieces.join('').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
    const markdown = `- [${markdownLine(text)}](https://a.test/): ${markdownLine(text)}\n`;
    for (const [name, read] of Object.entries(markdownReaders)) {
      expect(dangersIn(read(markdown)), `${name}: ${markdown}`).toEqual([]);
    }
  }),
);

test('what runs is found in every renderer', () => {
  for (const read of Object.values(markdownReaders)) {
    expect(dangersIn(read('a <img src=x onerror=alert(1)> [b](javascript:alert(1))'))).toEqual([
      'img[onerror]',
      'a[href=javascript:alert(1)]',
    ]);
  }
});
