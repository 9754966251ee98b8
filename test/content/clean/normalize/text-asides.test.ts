import { expect, test } from 'vitest';
import { markdownOf } from '../page.ts';

const sentence = 'The old harbour was closed for eleven months while the walls were repaired.';
const article = (html: string): string =>
  `<main><article><h1>Harbour</h1><p>${sentence} ${sentence}</p>${html}<p>${sentence.repeat(6)}</p></article></main>`;

test.each([
  [
    'footnotes of docutils',
    '<p>Cork<a class="footnote-reference brackets" href="#id2" id="id1" role="doc-noteref"><span class="fn-bracket">[</span>1<span class="fn-bracket">]</span></a> floats.</p><aside class="footnote-list brackets"><aside class="footnote brackets" id="id2" role="doc-footnote"><span class="label"><span class="fn-bracket">[</span><a role="doc-backlink" href="#id1">1</a><span class="fn-bracket">]</span></span><p>The note about cork.</p></aside></aside>',
    '[^1]: The note about cork.',
  ],
  [
    'a topic',
    '<aside class="topic"><p class="topic-title">Corks</p><p>The note about cork.</p></aside>',
    '**Corks**\n\nThe note about cork.',
  ],
  [
    'a sidebar of the text',
    '<aside class="sidebar"><p class="sidebar-title">Corks</p><p>The note about cork.</p></aside>',
    '**Corks**\n\nThe note about cork.',
  ],
  [
    'a list of notes beside the text',
    '<div><div><p>Cork floats.<sup>1</sup></p></div><aside><ol start="1"><li>The note about cork.</li></ol></aside></div>',
    'The note about cork.',
  ],
  [
    'a note that begins with its number',
    '<p>Cork floats.<sup>3</sup></p><aside><p><sup>3</sup> The note about cork.</p></aside>',
    'The note about cork.',
  ],
  [
    'a note of Writerside',
    '<aside class="prompt" data-type="tip" data-title=""><p>The note about cork.</p></aside>',
    '> [!TIP]\n> The note about cork.',
  ],
  [
    'citations',
    '<aside class="citation" id="r1" role="doc-biblioentry"><span class="label">Ash26</span><p>The note about cork.</p></aside>',
    'The note about cork.',
  ],
])('%s', (_, html, markdown) => {
  for (const onlyMainContent of [true, false])
    expect(markdownOf(article(html), { onlyMainContent })).toContain(markdown);
});

test('other asides stand beside the text', () => {
  const aside =
    '<aside class="sidebar"><h3>GONE</h3><ol><li><a href="/a">GONE</a></li></ol></aside>';
  expect(markdownOf(article('') + aside)).not.toContain('GONE');
});
