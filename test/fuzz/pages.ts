/** Pages to fuzz with: fixtures put together and damaged, tags in any order, trees, random bytes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { mutate, mutations, soup } from './mutations.ts';

const fixtures = new URL('../../fixtures/', import.meta.url);

/** HTML fixtures that are small enough to read thousands of times. */
const files: readonly Buffer[] = readdirSync(fixtures, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.html'))
  .sort()
  .map((path) => readFileSync(join(fixtures.pathname, path)))
  .filter(({ length }) => length < 12_000);

const tokens = [
  '<',
  '>',
  '</',
  '/>',
  '"',
  "'",
  '`',
  '=',
  '&',
  ';',
  '&amp',
  '&#0;',
  '&#x110000;',
  '&lt;',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<!doctype html>',
  '<?xml?>',
  '\0',
  '\ufffd',
  '\u202e',
  '\u2066',
  '\u200b',
  '\ufeff',
  '<a href="javascript:alert(1)">',
  '<a href=" java\nscript:x">',
  '<a href="&#106;avascript:x">',
  '</a>',
  '<a href="vbscript:x">',
  '<a href="data:text/html,x">',
  '<a href="//other.test/a)b(c">',
  '<a href="/x y">',
  '<a href="https://user:pass@other.test/">',
  '<a href="#">',
  '<a href="https://[">',
  '<a href="<b>">',
  '<a>',
  '<a href="blob:x">',
  '<a href="JAVASCRIPT&colon;x">',
  '](javascript:x)',
  '[x]: javascript:x\n',
  '<javascript:x>',
  '<area href="javascript:x">',
  '<iframe src="javascript:x">',
  '<img src="javascript:x" alt="](javascript:y)">',
  '<base href="https://other.test/d/">',
  '<base href="javascript:">',
  '<base href="data:,">',
  '<base target="x">',
  '<img src="/i.png" alt="a]b|c">',
  '<img srcset="a 1x, b 2x">',
  '<img src="data:image/png;base64,AAAA">',
  '<svg>',
  '<table>',
  '<tr>',
  '<td colspan=99999 rowspan=0>',
  '<td>',
  '<th>',
  '</table>',
  '<caption>',
  '</td>',
  '<ul>',
  '<ol start="-999999999999">',
  '<li>',
  '</ul>',
  '<dl>',
  '<dt>',
  '<dd>',
  '<pre>',
  '<code>',
  '</code>',
  '</pre>',
  '```\n',
  '~~~',
  '<p>',
  '</p>',
  '<div>',
  '</div>',
  '<h1>',
  '</h1>',
  '<blockquote>',
  '<br>',
  '<b>',
  '</b>',
  '<em>',
  '</em>',
  '<sup>',
  '<ruby><rt>',
  '<math><mfrac>',
  '<details>',
  '<summary>',
  '<title>',
  '</title>',
  '<textarea>',
  '<select><option>',
  '<noscript>',
  '<template>',
  '<script>',
  '</script>',
  '<style>',
  '</style>',
  '<plaintext>',
  '<xmp>',
  '<form>',
  '<input value=x>',
  '<p hidden>',
  '<div style="display:none">',
  '<div aria-hidden=true>',
  '<main>',
  '<article>',
  '<nav>',
  '<footer>',
  '</main>',
  '<script type="application/ld+json">{"__proto__":{"polluted":1},"@type":"Product","name":"x"}</script>',
  '<script type="application/ld+json">[{"@graph":[',
  '<script type="application/ld+json">{"@id":"#a","b":{"@id":"#a"}}</script>',
  '<meta name="__proto__" content="polluted">',
  '<meta name="statusCode" content="999">',
  '<meta name="url" content="x">',
  '<meta property="og:__proto__" content="x">',
  '<meta property="og:image:url" content="javascript:x">',
  '<meta name="constructor" content="x">',
  '<meta name="sourceURL" content="x">',
  '<meta name="engine" content="x">',
  '<meta http-equiv="refresh" content="0;url=javascript:x">',
  '<meta charset="utf-16">',
  '<link rel=canonical href="javascript:x">',
  '<div itemscope itemtype="https://schema.org/Product">',
  '<span itemprop="__proto__">',
  '<span itemprop="a b c">',
  '<div itemscope itemref="a b" id="a">',
  '<div vocab="https://schema.org/" typeof="Product" property="__proto__">',
  '<a href="#fn1" id="r1"><sup>1</sup></a>',
  '<li id="fn1">',
  '<a href="#r1">↩</a>',
  '|',
  '\\',
  '*',
  '_',
  '#',
  '- ',
  '1. ',
  '<x-y>',
  '<template shadowrootmode=open>',
  '<slot>',
  '<a b=1 b=2>',
  `<p ${'x=1 '.repeat(50)}>`,
  '\r\n\r\n',
  '\t',
  ' ',
];

/** Pages of valid and of broken HTML, a few kilobytes each: a character a byte, so that a failure can be read. */
export const page: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 5, arbitrary: splicedFixtures() },
    { weight: 4, arbitrary: soup(tokens, 60).map((text) => Buffer.from(text)) },
    { weight: 2, arbitrary: deepPage() },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)) },
  )
  .map((bytes) => bytes.toString('latin1'));

/** The beginning of one fixture and the end of another, damaged. */
function splicedFixtures(): fc.Arbitrary<Buffer> {
  const file = fc.constantFrom(...files);
  const part = fc.nat(100);
  return fc
    .tuple(file, file, part, part, fc.boolean(), mutations(tokens, 8))
    .map(([one, other, until, from, isWhole, changes]) => {
      const head = one.subarray(0, Math.floor((one.length * until) / 100));
      const tail = other.subarray(Math.floor((other.length * from) / 100));
      return mutate(isWhole ? one : Buffer.concat([head, tail]), changes);
    });
}

/** The same few tags in each other, up to hundreds of levels, perhaps closed again. */
function deepPage(): fc.Arbitrary<Buffer> {
  const names = [
    'div',
    'table',
    'tr',
    'td',
    'ul',
    'li',
    'ol',
    'blockquote',
    'a',
    'b',
    'em',
    'p',
    'span',
    'dl',
    'dd',
    'h2',
    'pre',
    'code',
    'details',
    'svg',
    'math',
    'font',
    'form',
    'button',
    'sup',
    'select',
    'template',
  ];
  return fc
    .record({
      cycle: fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }),
      times: fc.integer({ min: 1, max: 150 }),
      text: fc.constantFrom('x', '', ' a b ', '*_`', '<img src=i.png>', '1'),
      isClosed: fc.boolean(),
    })
    .map(({ cycle, times, text, isClosed }) => {
      const open = cycle
        .map((name) => `<${name}${name === 'a' ? ' href="/a"' : ''}>${text}`)
        .join('');
      const close = cycle
        .toReversed()
        .map((name) => `${text}</${name}>`)
        .join('');
      return Buffer.from(open.repeat(times) + (isClosed ? close.repeat(times) : ''));
    });
}
