/** What a page may not do in the markdown made of it: run, link to code, or pose as something else. */
import { runScenarios } from './run-scenarios.ts';
import type { Scenario } from './scenario.ts';

/** The whole body of a page, and exactly the markdown it becomes. */
function written(name: string, html: string, markdown: string): Scenario {
  return {
    name,
    site: { '/': `<base href="http://site.test/">${html}` },
    options: { onlyMainContent: false },
    expect: { document: { markdown } },
  };
}

const link = (href: string): string => `<p>See <a href="${href}">this</a>.</p>`;

/** Schemes that lead nowhere: the text stays, the link does not. */
const deadLinks: readonly (readonly [what: string, href: string])[] = [
  ['javascript:', 'javascript:alert(1)'],
  ['javascript: in capitals', 'JaVaScRiPt:alert(1)'],
  ['javascript: after a space', ' javascript:alert(1)'],
  ['javascript: after control characters', '&#1;&#31;javascript:alert(1)'],
  ['javascript: with a tab in it', 'java&#9;script:alert(1)'],
  ['javascript: with line breaks in it', 'java&#10;scr&#13;ipt:alert(1)'],
  ['javascript: in entities', '&#106;&#x61;vascript&colon;alert(1)'],
  ['javascript: that is a comment', 'javascript://host/%0aalert(1)'],
  ['javascript: that is no URL', 'javascript://[/%0aalert(1)'],
  ['vbscript:', 'vbscript:msgbox(1)'],
  ['data: with a page', 'data:text/html,<script>alert(1)</script>'],
  ['data: with a drawing', 'data:image/svg+xml,<svg onload=alert(1)>'],
  ['blob:', 'blob:http://site.test/x'],
  ['file:', 'file:///etc/passwd'],
  ['a program of the reader', 'ms-msdt:/id PCWDiagnostic'],
  ['view-source: around javascript:', 'view-source:javascript:alert(1)'],
];

/** What a reader of markdown makes a link without being told. It takes a backslash for a part of it. */
const bareLinks: readonly string[] = [
  'https://a.test/',
  'HTTP://a.test/?q=1',
  'ftp://a.test/',
  'www.a.test/',
  'b@a.test',
  'mailto:b@a.test',
  'see (https://a.test/(',
];

runScenarios([
  ...bareLinks.map((link) =>
    written(
      `a tag right after ${link} is text`,
      `<p>${link}&lt;img src=x onerror=alert(1)&gt;</p>`,
      `${link}&lt;img src=x onerror=alert(1)>`,
    ),
  ),
  ...bareLinks.map((link) =>
    written(
      `code right after ${link} begins as code`,
      `<p>${link}<code>&lt;img src=x onerror=alert(1)&gt;</code></p>`,
      `${link} \`<img src=x onerror=alert(1)>\``,
    ),
  ),
  written(
    'a tag after a bare link and bold text is text',
    '<p>https://a.test/<b>b&lt;script&gt;</b></p>',
    'https://a.test/**b&lt;script>**',
  ),
  written(
    'a tag after a bare link and a link is text',
    '<p>https://a.test/<a href="/x">b&lt;script&gt;</a></p>',
    'https://a.test/[b&lt;script>](http://site.test/x)',
  ),
  written(
    'a tag in alternative text after a bare link is text',
    '<p>https://a.test/<img src="/x.png" alt="&lt;script&gt;"></p>',
    'https://a.test/ ![&lt;script>](http://site.test/x.png)',
  ),
  written(
    'an autolink that begins in an autolink is text',
    '<p>&lt;javascript://a.test/%0aalert(1)&lt;b&gt;</p>',
    '\\<javascript://a.test/%0aalert(1)&lt;b>',
  ),
  written(
    'a tag after a bare link in a heading and in a cell is text',
    '<h2>https://a.test/&lt;b&gt;</h2><table><tr><th>www.a.test/&lt;b&gt;<th>c<tr><td>d<td>e</table>',
    '## https://a.test/&lt;b>\n\n| www.a.test/&lt;b> | c |\n| --- | --- |\n| d | e |',
  ),
  written(
    'a tag after a bare link and a blank keeps its backslash',
    '<p>https://a.test/ &lt;b&gt;</p>',
    'https://a.test/ \\<b>',
  ),
  ...deadLinks.map(([what, href]) =>
    written(`a link to ${what} is text`, link(href.replaceAll('"', '&quot;')), 'See this.'),
  ),
  written(
    'a link to a message, a call and another protocol stays',
    '<p><a href="mailto:a@b.test">m</a> <a href="tel:+1">t</a> <a href="ftp://b.test/">f</a></p>',
    '[m](mailto:a@b.test) [t](tel:+1) [f](ftp://b.test/)',
  ),
  written(
    'an image that is a script is its alternative text',
    '<p><img src="javascript:x" alt="pic"> a</p>',
    'pic a',
  ),
  written(
    'a frame that is a script is nothing',
    '<p>a</p><iframe src="javascript:alert(1)" title="t"></iframe>',
    'a',
  ),
  written(
    'a frame with a page of its own is nothing',
    '<p>a</p><iframe srcdoc="<script>alert(1)</script>"></iframe>',
    'a',
  ),
  written(
    'a video that is a data URL is nothing',
    '<p>a</p><video src="data:text/html,x"></video>',
    'a',
  ),
  written(
    'a tag in text is text',
    '<p>a &lt;script&gt;alert(1)&lt;/script&gt; b</p>',
    'a \\<script>alert(1)\\</script> b',
  ),
  written(
    'a tag in text that begins a line is text',
    '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>',
    '\\<script>alert(1)\\</script>',
  ),
  written('a tag in text that never ends is text', '<p>&lt;script src=x</p>', '\\<script src=x'),
  written(
    'a tag that only browsers know is text',
    '<p>&lt;basefont =&gt; &lt;img src=x onerror=alert(1)&gt;</p>',
    '\\<basefont => \\<img src=x onerror=alert(1)>',
  ),
  written(
    'a tag across bold text is text',
    '<p>&lt;img src=x onerror=alert(1) x="a&gt;b<b>c</b>"&gt;</p>',
    '\\<img src=x onerror=alert(1) x="a>b**c**">',
  ),
  written(
    'a tag across the text of a link is text',
    '<p>&lt;img src=x onerror=alert(1) x="<a href="/x" title="&gt;">y</a></p>',
    '\\<img src=x onerror=alert(1) x="[y](http://site.test/x ">")',
  ),
  written(
    'a tag across an image is text',
    '<p><img src="/x.png" alt="&lt;img src=x onerror=alert(1) a=&quot;" title="&gt;"> "&gt;</p>',
    '![&lt;img src=x onerror=alert(1) a="](http://site.test/x.png ">") ">',
  ),
  written(
    'a tag across code is text',
    '<p>&lt;img src=x onerror=alert(1) x="<code>"&gt;</code></p>',
    '\\<img src=x onerror=alert(1) x="`">`',
  ),
  written(
    'a tag across a line break is text',
    '<p>&lt;img src=x<br>onerror=alert(1)&gt;</p>',
    '\\<img src=x  \nonerror=alert(1)>',
  ),
  written(
    'a tag across elements that vanish is text',
    '<p>&lt;<span></span>script<span></span>&gt;</p>',
    '\\<script>',
  ),
  written(
    'a tag with invisible letters in it is text',
    '<p>&lt;&#x200b;scr&#x202e;ipt&gt;</p>',
    '\\<script>',
  ),
  written('a comment in text is text', '<p>a &lt;!-- b --&gt; c</p>', 'a \\<!-- b --> c'),
  written(
    'a declaration in text is text',
    '<p>&lt;!DOCTYPE html&gt; &lt;?php ?&gt; &lt;![CDATA[x]]&gt;</p>',
    '\\<!DOCTYPE html> \\<?php ?> \\<![CDATA[x]]>',
  ),
  written(
    'an autolink in text is text',
    '<p>&lt;javascript:alert(1)&gt;</p>',
    '\\<javascript:alert(1)>',
  ),
  written(
    'a link of markdown in text is text',
    '<p>[x](javascript:alert(1))</p>',
    '\\[x](javascript:alert(1))',
  ),
  written(
    'a link of markdown across elements is text',
    '<p>[x<b>]</b>(javascript:alert(1))</p>',
    '\\[x](javascript:alert(1))',
  ),
  written(
    'an image of markdown in text is text',
    '<p>![x](javascript:alert(1))</p>',
    '!\\[x](javascript:alert(1))',
  ),
  written(
    'a definition in text is text',
    '<p>[x]: javascript:alert(1)</p><p>[x]</p>',
    '\\[x]: javascript:alert(1)\n\n[x]',
  ),
  written(
    'a definition after a line break is text',
    '<p>a<br>[x]: javascript:alert(1)</p><p>[x]</p>',
    'a  \n\\[x]: javascript:alert(1)\n\n[x]',
  ),
  written(
    'a definition in a quote is text',
    '<blockquote>[x]: javascript:alert(1)</blockquote><p>[x]</p>',
    '> \\[x]: javascript:alert(1)\n\n[x]',
  ),
  written(
    'a definition in a list is text',
    '<ul><li>[x]: javascript:alert(1)</ul><p>[x]</p>',
    '- \\[x]: javascript:alert(1)\n\n[x]',
  ),
  written(
    'a note is not a definition for readers without notes',
    '<p>a<sup><a href="#n">1</a></sup></p><ol><li id="n">javascript:alert(1)</li></ol>',
    'a[^1]\n\n[^1]: javascript: alert(1)',
  ),
  written(
    'a note of code is not a definition either',
    '<p>a<sup><a href="#n">1</a></sup></p><ol><li id="n"><pre>&lt;script&gt;</pre></li></ol>',
    'a[^1]\n\n[^1]:\n\n    ```\n    <script>\n    ```',
  ),
  written(
    'brackets in the text of a link do not end it',
    '<p><a href="/x">a](javascript:alert(1)) b</a></p>',
    '[a\\]\\(javascript:alert(1)) b](http://site.test/x)',
  ),
  written(
    'a link in the text of a link is no link for marked, which drops backslashes of brackets there',
    '<p><a href="/x">![a](javascript:alert(1)) b</a></p>',
    '[!\\[a\\]\\(javascript:alert(1)) b](http://site.test/x)',
  ),
  written(
    'a bracket right after a bare link is a reference: markdown-it takes the backslash for a part of the URL',
    '<p>a[[https://a.test/](javascript:alert(1))</p>',
    'a[[https://a.test/&#93;(javascript:alert(1))',
  ),
  written(
    'a wide space ends neither a link in angle brackets nor a value without quotes',
    '<p>&lt;javascript://b/%0aalert(1)\u3000> &lt;img src=x\u30001 onerror=alert(1)></p>',
    '\\<javascript://b/%0aalert(1)\u3000> \\<img src=x\u30001 onerror=alert(1)>',
  ),
  written(
    'code with a link in it does not join a bare link',
    '<p>https://a.test/<code>}[x](javascript:alert(1))</code></p>',
    'https://a.test/ `}[x](javascript:alert(1))`',
  ),
  written(
    'an image does not join a bare link',
    '<p>https://a.test/<img src="/x.png" alt="a"></p>',
    'https://a.test/ ![a](http://site.test/x.png)',
  ),
  written(
    'code with backticks that reads as the end of a link is written as HTML',
    '<p>[<code>``](javascript:alert(1))</code></p>',
    '\\[<code>``](javascript:alert(1))</code>',
  ),
  written(
    'brackets in alternative text do not end it',
    '<p><img src="/x.png" alt="a](javascript:alert(1))"></p>',
    '![a\\]\\(javascript:alert(1))](http://site.test/x.png)',
  ),
  written(
    'quotes in a title do not end it',
    '<p><a href="/x" title="a&quot;) <script>alert(1)</script>">b</a></p>',
    '[b](http://site.test/x "a\\") &lt;script>alert(1)&lt;/script>")',
  ),
  written(
    'line breaks in a title do not end it',
    '<p><a href="/x" title="a\n\n# b">c</a></p>',
    '[c](http://site.test/x "a # b")',
  ),
  written(
    'parentheses in a URL do not end it',
    '<p><a href="/x)[y](javascript:alert(1)">b</a></p>',
    '[b](<http://site.test/x)[y%5D(javascript:alert(1)>)',
  ),
  written(
    'brackets in a URL do not begin a link',
    '<p><a href="/](javascript:alert(1)">b</a></p>',
    '[b](<http://site.test/%5D(javascript:alert(1)>)',
  ),
  written(
    'angle brackets in a URL do not begin a tag',
    '<p><a href="/<script>alert(1)</script>">b</a></p>',
    '[b](http://site.test/%3Cscript%3Ealert(1)%3C/script%3E)',
  ),
  written(
    'angle brackets in a mail address do not begin a tag',
    '<p><a href="mailto:<script>x">b</a></p>',
    '[b](<mailto:%3Cscript%3Ex>)',
  ),
  written(
    'a line break in alternative text does not begin a block',
    '<p><img src="/x.png" alt="a\n\n# b"></p>',
    '![a # b](http://site.test/x.png)',
  ),
  written(
    'a backtick in text does not open the code after it',
    '<p>a ` b <code>&lt;script&gt;</code></p>',
    'a \\` b `<script>`',
  ),
  written(
    'backticks in code do not end it',
    '<p><code>a ` &lt;script&gt; `` b</code></p>',
    '```a ` <script> `` b```',
  ),
  written(
    'a fence in code does not end it',
    '<pre><code>a\n```\n&lt;script&gt;\n````\n</code></pre>',
    '`````\na\n```\n<script>\n````\n`````',
  ),
  written(
    'a fence of tildes in code does not end it',
    '<pre><code>a\n~~~\n&lt;script&gt;</code></pre>',
    '```\na\n~~~\n<script>\n```',
  ),
  written(
    'a language of code cannot add lines',
    '<pre><code class="language-a&#10;```&#10;&lt;script&gt;">b</code></pre>',
    '```a\nb\n```',
  ),
  written(
    'a bar in a cell does not end it',
    '<table><tr><th>a|b<th>c<tr><td>d\\|e<td><code>f|g</code></table>',
    '| a\\|b | c |\n| --- | --- |\n| d\\\\\\|e | `f\\|g` |',
  ),
  written(
    'a line break in a cell does not end the row',
    '<table><tr><th>a<th>b<tr><td>c<br># d<td><p>e<p>- f</table>',
    '| a | b |\n| --- | --- |\n| c<br># d | e<br>- f |',
  ),
  written(
    'a tag across cells is text',
    '<table><tr><th>&lt;img src=x<th>b<tr><td>onerror=alert(1)&gt;<td>c</table>',
    '| \\<img src=x | b |\n| --- | --- |\n| onerror=alert(1)> | c |',
  ),
  written(
    'a link across cells is text',
    '<table><tr><th>[a<th>b<tr><td>c](javascript:alert(1))<td>d</table>',
    '| [a | b |\n| --- | --- |\n| c\\](javascript:alert(1)) | d |',
  ),
  written(
    'code across cells is text',
    '<table><tr><th>a ` b<th>c<tr><td>d ` e<td><code>&lt;script&gt;</code></table>',
    '| a \\` b | c |\n| --- | --- |\n| d \\` e | `<script>` |',
  ),
  written(
    'a heading of several lines stays one',
    '<h1>a<br># b<p>&lt;script&gt;</h1>',
    '# a # b \\<script>',
  ),
  written(
    'text does not become a heading, a list, a quote or a rule',
    '<p># a</p><p>- b</p><p>&gt; c</p><p>---</p><p>1. d</p><p>+ e</p>',
    '\\# a\n\n\\- b\n\n\\> c\n\n\\---\n\n1\\. d\n\n\\+ e',
  ),
  written(
    'text after a line break does not become a block',
    '<p>a<br># b<br>- c<br>&gt; d<br>===<br>```</p>',
    'a  \n\\# b  \n\\- c  \n\\> d  \n\\===  \n\\`\\`\\`',
  ),
  written(
    'text does not become front matter',
    '<p>---<br>title: x<br>---</p><p>a</p>',
    '\\---  \ntitle: x  \n\\---\n\na',
  ),
  written(
    'text does not become a fence',
    '<p>```</p><p>&lt;script&gt;</p><p>~~~</p>',
    '\\`\\`\\`\n\n\\<script>\n\n\\~\\~\\~',
  ),
  written(
    'a formula is no way around',
    '<p>\\(&lt;script&gt;alert(1)&lt;/script&gt; [x](javascript:alert(1))\\)</p>',
    '$< script>alert(1)< /script> [x] (javascript:alert(1))$',
  ),
  written(
    'a formula does not open code',
    '<p>\\(a ` b\\) <code>&lt;script&gt;</code></p>',
    '$a \\lq  b$ `<script>`',
  ),
  written(
    'a formula on lines of its own holds no definition and no fence',
    '<math display="block"><annotation encoding="TeX">a\n&gt; [x]: javascript:alert(1)\n```</annotation></math><p>[x]</p>',
    '$$\na\n> [x] : javascript:alert(1)\n\\lq \\lq \\lq\n$$\n\n[x]',
  ),
  written(
    'a formula in a cell does not end it',
    '<table><tr><th>\\(|x|\\)<th>\\(\\|y\\|\\)<tr><td>a<td>b</table>',
    '| $\\vert x\\vert$ | $\\Vert y\\Vert$ |\n| --- | --- |\n| a | b |',
  ),
  written(
    'control characters are left out',
    '<p>a\u0001b\u0007c\u001b[31md\u007fe\u0085f\u009bg</p>',
    'abc[31mdefg',
  ),
  written(
    'control characters in code are left out',
    '<pre>a\u001b[2Jb\u0007</pre>',
    '```\na[2Jb\n```',
  ),
  written(
    'a NUL is left out, and its reference is a replacement character',
    '<p>a\u0000b &#0;c</p>',
    'ab \ufffdc',
  ),
  written(
    'text that is turned around is turned back',
    '<p>user\u202Enimda\u202C and \u2066x\u2069</p>',
    'usernimda and x',
  ),
  written(
    'code that is turned around is turned back',
    '<pre>if (a) { \u202E\u2066// only admins\u2069\u2066 }</pre>',
    '```\nif (a) { // only admins }\n```',
  ),
  written(
    'code in a line that is turned around is turned back',
    '<p><code>a\u202Eb</code></p>',
    '`ab`',
  ),
  written(
    'a title and an alternative text are turned back too',
    '<p><img src="/x.png" alt="a\u202Eb" title="c\u2067d"></p>',
    '![ab](http://site.test/x.png "cd")',
  ),
  written(
    'invisible words in tag characters are left out',
    '<p>Buy\u{E0020}\u{E0069}\u{E0067}\u{E006E}\u{E006F}\u{E0072}\u{E0065} now</p>',
    'Buy now',
  ),
  written(
    'the tags of a flag stay',
    '<p>\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}</p>',
    '\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}',
  ),
  written(
    'bytes hidden in a row of variation selectors are left out',
    '<p>\u{1F600}\uFE0F\u{E0101}\u{E0102}\u{E0103}!</p>',
    '\u{1F600}\uFE0F!',
  ),
  written(
    'zero-width spaces and soft hyphens are left out',
    '<p>pass\u200Bword hy\u00ADphen \u2060join\uFEFFed</p>',
    'password hyphen joined',
  ),
  written(
    'joiners of emoji and of Persian stay',
    '<p>\u{1F468}\u200D\u{1F4BB} می\u200Cخواهم</p>',
    '\u{1F468}\u200D\u{1F4BB} می\u200Cخواهم',
  ),
  {
    name: 'a text file is turned back, and its control characters are left out',
    site: {
      '/': {
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: `a\u202Eb \u009b31mred${' and so on'.repeat(20)}`,
      },
    },
    expect: { document: { markdown: /^ab 31mred/ } },
  },
  written('marks of direction stay', '<p>שלום\u200F (a)</p>', 'שלום\u200F (a)'),
  {
    name: 'a link that is no URL is its text',
    site: { '/': '<p>See <a href="//[::1">this</a>, <a href="http://[">that</a>.</p>' },
    expect: { document: { markdown: 'See this, that.' } },
  },
]);
