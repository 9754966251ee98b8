import { expect, test } from 'vitest';
import { markdownOf } from '../page.ts';

const text = (html: string): string => markdownOf(html, { onlyMainContent: false });
const code = 'let a = 1;\nlet b = 2;';
const block = `\`\`\`ts\n${code}\n\`\`\``;

test.each([
  [
    `<pre class="shiki"><div class="language-id">ts</div><div class="box"><code>${code}</code></div></pre>`,
  ],
  [`<pre><span class="lang">TS</span><button>Copy</button><code>${code}</code></pre>`],
  [`<pre><div>ts</div><code>${code}</code></pre>`],
  [`<pre><code>${code}</code><span class="code-lang">ts</span></pre>`],
  [
    `<pre><div class="code-header"><span>ts</span><span>Copy</span></div><code>${code}</code></pre>`,
  ],
  [`<div class="code-block" data-lang="ts">${code}</div>`],
  [`<div class="codeblock language-ts"><span>let</span> a = 1;\nlet b = 2;</div>`],
])('the language is no line of the code: %s', (html) => {
  expect(text(html)).toBe(block);
});

test('a label without a known language goes, the name of a file comes before the code', () => {
  expect(text(`<pre><div class="language-name">Plain words</div><code>${code}</code></pre>`)).toBe(
    `\`\`\`\n${code}\n\`\`\``,
  );
  expect(text(`<pre><div class="filename">app.ts</div><code>${code}</code></pre>`)).toBe(
    `app.ts\n\n\`\`\`\n${code}\n\`\`\``,
  );
});

test.each([
  ['highlight-text-html-basic', 'html'],
  ['highlight-source-css-scss', 'scss'],
  ['highlight-source-json-comments', 'json'],
  ['highlight-text-tex-latex', 'latex'],
  ['highlight-source-shell', 'shell'],
  ['highlight-source-viml', 'viml'],
])('scopes of highlighters: %s', (name, language) => {
  expect(text(`<div class="highlight ${name}"><pre>x</pre></div>`)).toBe(
    `\`\`\`${language}\nx\n\`\`\``,
  );
});

test('words of the code stay', () => {
  expect(text('<pre><span>go</span> <span>run</span></pre>')).toBe('```\ngo run\n```');
  expect(text('<div class="code-block" data-lang="js"><p>Text</p></div>')).toBe('Text');
});
