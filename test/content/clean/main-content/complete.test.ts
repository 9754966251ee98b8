import { describe, expect, it } from 'vitest';
import { complete } from '../../../../src/content/clean/main-content/complete.ts';
import { IndexSet } from '../../../../src/content/clean/main-content/index-set.ts';
import { readPageFacts } from '../../../../src/content/clean/main-content/page-facts.ts';
import { readParagraphs } from '../../../../src/content/clean/main-content/paragraphs.ts';
import { htmlPage } from '../page.ts';

/** What is kept when the paragraphs with the word "chosen" were chosen. */
function kept(body: string, title = ''): string[] {
  const head = `<head><title>${title}</title></head>`;
  const { root, document, source, url } = htmlPage(`${head}<body>${body}</body>`);
  const page = readParagraphs(root, readPageFacts(document, source, url));
  const textOf = (index: number): string => page.blocks[index]?.element.textContent ?? '';
  const chosen = page.paragraphs
    .map(({ block }) => block.index)
    .filter((index) => textOf(index).includes('chosen'));
  const indexes = new IndexSet(page.blocks.length, chosen);
  complete(page, indexes);
  return page.paragraphs
    .map(({ block }) => block.index)
    .filter((index) => indexes.has(index))
    .map(textOf);
}

describe('complete', () => {
  it('keeps code between paragraphs that are kept', () => {
    const code = '<pre>npm i</pre><pre>npm t</pre>';
    expect(kept(`<p>chosen 1</p>${code}<p>chosen 2</p>`)).toHaveLength(4);
    expect(kept(`<p>chosen 1</p>${code}<p>other</p>`)).toEqual(['chosen 1']);
    expect(kept(`${code}<p>chosen 1</p>`)).toEqual(['chosen 1']);
  });

  it('drops a list of which few entries were chosen, unless they are sentences', () => {
    const list = (chosen: number, rest = ''): string => {
      const words = Array.from({ length: 6 }, (_, at) => (at < chosen ? 'chosen' : 'other'));
      return `<p>chosen.</p><ul>${words.map((word, at) => `<li>${word} ${at}${rest}</li>`).join('')}</ul>`;
    };
    expect(kept(list(2))).toEqual(['chosen.']);
    expect(kept(list(3))).toHaveLength(4);
    expect(kept(list(2, ' of those who came to see the harbour in May'))).toHaveLength(3);
  });

  it('keeps the questions that an article states whole if some were chosen', () => {
    const faq = (type: string, chosen = ''): string => {
      const items = [1, 2, 3].map(
        (at) =>
          `<h3>Is gate ${at} open?</h3><p>${at === 1 ? chosen : ''} It is, for as long as there is light on the water ${at}.</p>`,
      );
      const about = `<script type="application/ld+json">{"@type":["Article","${type}"]}</script>`;
      return `${about}<p>chosen.</p>${items.join('')}`;
    };
    expect(kept(faq('FAQPage', 'chosen'))).toHaveLength(7);
    expect(kept(faq('FAQPage'))).toEqual(['chosen.']);
    expect(kept(faq('WebPage', 'chosen'))).not.toContain('Is gate 2 open?');
  });

  it('leaves buttons out of a list that is kept as one', () => {
    const items = ['a', 'b', 'c'].map(
      (name) => `<li><p>chosen ${name}</p><p><a href="/${name}">Buy</a></p></li>`,
    );
    expect(kept(`<ul>${items.join('')}</ul>`)).toEqual(['chosen a', 'chosen b', 'chosen c']);
  });

  it('keeps a heading with its text where others of its level are kept', () => {
    const text = 'chosen: a sentence that is long enough to count as the text of this section.';
    const section = (heading: string, rest = text): string => `<h2>${heading}</h2><p>${rest}</p>`;
    const before = `<p>${text}</p>${section('chosen heading')}`;
    expect(kept(before + section('Acme'))).toContain('Acme');
    expect(kept(before + section('Acme', 'What others read.'))).not.toContain('Acme');
    expect(kept(`<p>${text}</p>${section('Acme')}`)).not.toContain('Acme');
  });

  it('keeps the title of the page, not the name of the site above it', () => {
    const site = '<h1><a href="../index.html">chosen site</a></h1>';
    const both = kept(`${site}<h1>Page</h1><p>chosen 1</p>`, 'Page — chosen site');
    expect(both).toEqual(['Page', 'chosen 1']);
    expect(kept(`${site}<p>chosen 1</p>`)).toEqual(['chosen site', 'chosen 1']);
  });

  it('keeps a title once', () => {
    const title = '<h1>chosen title</h1>';
    const titles = kept(`${title}<p>chosen 1</p>${title}<p>chosen 2</p>`, 'chosen title');
    expect(titles).toEqual(['chosen title', 'chosen 1', 'chosen 2']);
    expect(kept(`${title}<h2>chosen title</h2><p>chosen 1</p>`, 'chosen title')).toHaveLength(2);
    expect(kept(`${title}<p>chosen 1</p><h2>chosen title</h2><p>chosen 2</p>`)).toHaveLength(4);
  });

  it('keeps a table between sentences that are kept', () => {
    const table = '<table><tr><th>Pier</th><td>3</td></tr><tr><th>Quay</th><td>4</td></tr></table>';
    const text = 'chosen: a sentence that is long enough to count as text.';
    expect(kept(`<p>${text}</p>${table}<p>${text}!</p>`)).toHaveLength(6);
    expect(kept(`<p>${text}</p>${table}<p>another</p>`)).toHaveLength(1);
    expect(kept(`<p>chosen</p>${table}<p>${text}</p>`)).toHaveLength(2);
  });
});

it('keeps sentences that are set as a heading over what is not kept', () => {
  const over = (text: string): string[] => kept(`<p>chosen</p><h4>${text}</h4><p>Read on</p>`);
  const text = `${'For forty years we have sold what people make. '.repeat(3)}All is chosen.`;
  expect(over(text)).toEqual(['chosen', text]);
  expect(over(`<a href="/about">${text}</a>`)).toEqual(['chosen']);
  expect(over('chosen by hand')).toEqual(['chosen']);
});

it('keeps the values of a short row with its name', () => {
  const name = 'chosen: a card of the harbour with a photo and a date';
  const row = (value: string): string =>
    `<tr><td><p>${name}</p></td><td><p>${value}</p></td><td><p>${value}</p></td></tr>`;
  const table = (value: string): string =>
    `<table><tr><td><h3>Other</h3></td></tr>${row(value)}${row(value)}</table>`;
  expect(kept(table('✓'))).toEqual([name, '✓', '✓', name, '✓', '✓']);
  expect(kept(table('<a href="/x">✓</a>'))).toEqual([name, name]);
  expect(kept(table('A text of another column. '.repeat(9)))).toEqual([name, name]);
});

describe('copies', () => {
  const card = '<h3>chosen: the harbour opens</h3><p>chosen: it shelters the fleet.</p>';
  const other = '<p>chosen: another text that stands between them on the page.</p>';

  it('right behind the text are dropped', () => {
    expect(kept(`<div>${card}</div><div>${card}</div><div>${card}</div>`)).toHaveLength(2);
    expect(kept(`<div>${card}</div>${other}<div>${card}</div>`)).toHaveLength(5);
  });

  it('in an element for one kind of screen are dropped, wherever it is', () => {
    expect(kept(`${card}${other.repeat(3)}<div class="show-mobile">${card}</div>`)).toEqual(
      kept(`${card}${other.repeat(3)}`),
    );
  });

  it('in a quotation of an earlier post are dropped, with who said it', () => {
    const quote =
      '<blockquote><p>chosen: Ada said</p><p>chosen: it shelters the fleet.</p></blockquote>';
    const body = `${card}${other}${quote}<p>chosen reply</p>`;
    expect(kept(body)).toHaveLength(6);
    const forum = `<div itemtype="https://schema.org/DiscussionForumPosting">${body}</div>`;
    expect(kept(forum)).toHaveLength(4);
    expect(kept(forum.replace('chosen: it shelters', 'chosen: the pier shelters'))).toHaveLength(6);
  });

  it.each(['is-not-stacked-on-mobile', 'col-md-6', 'text-desktop-left'])(
    'in a box of the layout are kept: %s',
    (name) => {
      const box = `<div class="${name}">${card}</div>`;
      expect(kept(`${card}${other.repeat(3)}${box}`)).toHaveLength(7);
    },
  );

  it.each([
    ['lines of a poem', '<p>chosen: row, row, row your boat</p>'.repeat(2), 2],
    ['code', '<pre>chosen: npm install the-library</pre>'.repeat(2), 2],
    ['short texts', '<div><p>chosen: yes</p></div>'.repeat(2), 2],
    ['cells', `<table>${'<tr><td>chosen: the same value in it</td></tr>'.repeat(3)}</table>`, 3],
    [
      'boxes in cells',
      `<table><tr>${'<td><div>chosen: the same value</div></td>'.repeat(2)}</tr></table>`,
      2,
    ],
  ])('of %s are kept', (_, body, count) => {
    expect(kept(body)).toHaveLength(count);
  });
});
