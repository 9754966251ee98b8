import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cleanPage, fingerprintPage } from '../../../src/content/clean/index.ts';
import {
  findRepeated,
  readBlocks,
  readFingerprints,
} from '../../../src/content/clean/site-boilerplate.ts';
import type { CleanOptions } from '../../../src/core/model/request.ts';
import { blockLines, defaults, htmlPage } from './page.ts';

const whole: CleanOptions = { ...defaults, onlyMainContent: false };

/** What the pages have in common, as a crawl of them would learn it. */
function common(...sources: string[]): Set<number> {
  const lists = sources.map((source) => new Set(fingerprintPage(htmlPage(source), whole)));
  const [first = new Set<number>(), ...others] = lists;
  return new Set([...first].filter((one) => others.every((list) => list.has(one))));
}

/** The lines of a page without what it has in common with another one. */
function without(other: string, source: string, options: CleanOptions = whole): string[] {
  const page = htmlPage(source);
  cleanPage(page, { ...options, repeated: common(other, source) });
  return blockLines(page.root);
}

const siteFile = (path: string): string =>
  readFileSync(new URL(`../../../fixtures/sites/${path}`, import.meta.url), 'utf8');

const own = (text: string): string =>
  `<h1>${text}</h1><p>These words about ${text} are its own.</p>`;
const promotion =
  '<div><h3>Winter lectures</h3><p>Six evenings, six instruments, one stove that works.</p></div>';

describe('blocks that repeat', () => {
  it('are removed with their headings, wherever they stand among the others', () => {
    expect(without(own('a') + promotion, promotion + own('b'))).toEqual([
      'b',
      'These words about b are its own.',
    ]);
  });

  it('are recognised by text and targets, not by classes, ids and white space', () => {
    const plain =
      '<ul><li><a href="/x">One</a><li><a href="/y">Two</a><li><a href="/z">Three</a></ul>';
    const dressed =
      '<ul id="m" class="open">\n<li class="on"> <a href="https://site.test/x">One</a>\n<li><a href="y">Two</a><li><a href="/z">Three </a></ul>';
    expect(without(plain + own('a'), dressed + own('b'))).toHaveLength(2);
  });

  it('stay when a link in them leads elsewhere', () => {
    const menu = (target: string): string =>
      `<p>Read the whole story of this in our archive <a href="${target}">here</a></p>`;
    expect(without(menu('/a') + own('a'), menu('/b') + own('b'))).toHaveLength(3);
  });

  it('are the same when a link for sharing names the page it stands on', () => {
    const share = (page: string): string =>
      `<p><a href="https://share.test/?u=${page}">Tell your friends about this page</a> and whoever else reads</p>`;
    expect(without(share('a') + own('a'), share('b') + own('b'))).toHaveLength(2);
  });

  it('stay when an image in them is another one', () => {
    const card = (image: string): string =>
      `<div><img src="${image}.png"><b>In stock, delivered within two days</b></div>`;
    const page = htmlPage(card('b') + own('b'));
    cleanPage(page, { ...whole, repeated: common(card('a') + own('a'), card('b') + own('b')) });
    expect(page.root.querySelector('img')).not.toBeNull();
  });

  it('are entries of a menu that differs by the page it is on', () => {
    const menu = (here: number): string =>
      `<ul>${['Alpha', 'Beta', 'Gamma'].map((name, n) => (n === here ? `<li>${name}</li>` : `<li><a href="/${name}">${name}</a></li>`)).join('')}</ul>`;
    expect(without(menu(0) + own('a'), menu(1) + own('b'))).toEqual([
      'Alpha',
      'Beta',
      'b',
      'These words about b are its own.',
    ]);
  });

  it('leave a list in the content alone when the same list stands in a sidebar elsewhere', () => {
    const list =
      '<ul><li><a href="/1">First</a></li><li><a href="/2">Second</a></li><li><a href="/3">Third</a></li></ul>';
    const home = `<div><div>${own('home')}${list}</div></div><div>${list}</div>`;
    const page = `<div><div>${own('page')}</div></div><div>${list}</div>`;
    expect(without(page, home)).toEqual([
      'home',
      'These words about home are its own.',
      'First',
      'Second',
      'Third',
    ]);
  });

  it.each([
    ['a heading', '<h2>A heading that stands on every page of this site</h2>'],
    ['the name of a field', '<div><div>Weight with packaging</div></div>'],
    [
      'a definition',
      '<dl><dt>Weight</dt><dd><p>As much as a hundred elephants, and not less</p></dd></dl>',
    ],
    [
      'a cell',
      '<table><tr><th>Unit</th><td><p>Kilometres and hours, as everywhere on this site</p></td></tr></table>',
    ],
    ['code', '<pre><div>const client = createClient({ network: { allow: [] } });</div></pre>'],
  ])('are not %s by itself', (_, block) => {
    const page = htmlPage(block + own('b'));
    const before = page.root.textContent;
    cleanPage(page, { ...whole, repeated: common(block + own('a'), block + own('b')) });
    expect(page.root.textContent).toBe(before);
  });

  it('take a box along that has nothing else in it, with its heading', () => {
    const box = (here: string): string =>
      `<div><h4>Lately</h4><div><p>The first of the sentences that stand here.</p></div><div><i>${here}</i></div></div>`;
    const full = without(box('') + own('a'), `${box('')}<hr>${own('b')}`);
    expect(full).toEqual(['b', 'These words about b are its own.']);
    expect(without(box('x') + own('a'), box('y') + own('b'))).toEqual([
      'Lately',
      'y',
      'b',
      'These words about b are its own.',
    ]);
  });
});

describe('a page that repeats', () => {
  const wall =
    '<main><h1>Sign in</h1><p>To read on, sign in with the address that you gave us.</p></main>';
  const menu = '<nav><a href="/1">One</a> <a href="/2">Two</a> <a href="/3">Three</a></nav>';

  it('stays whole when nothing of it would be left', () => {
    expect(without(menu + wall, menu + wall)).toContain(
      'To read on, sign in with the address that you gave us.',
    );
  });

  it('stays whole when nothing of its main element would be left', () => {
    const page = (own: string): string =>
      `${menu}<p>${own} is where you are now, dear reader.</p>${wall}`;
    expect(without(page('Alpha'), page('Beta'))).toHaveLength(4);
  });

  it('stays whole when a title is all that would be left', () => {
    const page = (title: string): string =>
      `${menu}<div><h1>${title}</h1><p>${'The same long article stands at many addresses of this site. '.repeat(20)}</p></div>`;
    expect(without(page('Alpha'), page('Beta'))).toHaveLength(3);
  });
});

describe('the main content', () => {
  it('is chosen as if nothing repeated, and then lacks what does', () => {
    const article = (topic: string): string =>
      `<ul><li><a href="/">Home</a></ul><article><h1>${topic}</h1>${`<p>Sentences about ${topic} follow one another, with commas, here.</p>`.repeat(6)}${promotion}</article>`;
    expect(without(article('a'), article('b'), defaults)).toEqual([
      'b',
      ...Array<string>(6).fill('Sentences about b follow one another, with commas, here.'),
    ]);
  });

  it('of a product is what it is without the option, less what stands on the other page too', () => {
    const [other, source] = ['halvors-climb-30', 'brightwick-storm-lantern'].map((name) =>
      siteFile(`shop/products/${name}.html`),
    ) as [string, string];
    const page = htmlPage(source);
    cleanPage(page, defaults);
    const lines = without(other, source, defaults);
    const removed = blockLines(page.root).filter((line) => !lines.includes(line));
    const elsewhere = new Set(blockLines(htmlPage(other).root));
    expect(lines).toContain('Brightwick Storm Lantern');
    expect(removed.filter((line) => !elsewhere.has(line))).toEqual([]);
    expect(lines.join()).not.toContain('Delivery in Ireland');
  });

  it('is the same as ever when nothing repeats', () => {
    const source = siteFile('blog/en/rye-bread.html');
    const lines = (options: CleanOptions): string[] => {
      const page = htmlPage(source);
      cleanPage(page, options);
      return blockLines(page.root);
    };
    expect(lines({ ...defaults, repeated: new Set([1, 2, 3]) })).toEqual(lines(defaults));
  });
});

describe('fingerprints', () => {
  it('are the same in every process', () => {
    expect(readFingerprints(htmlPage('<p>Some words</p>'))).toMatchInlineSnapshot(`
      [
        6961279578742329,
      ]
    `);
  });

  it('differ for words that differ in anything', () => {
    const words = Array.from({ length: 20_000 }, (_, n) => `<p>Word ${n}</p><div>Wrod ${n}</div>`);
    const all = words.flatMap((source) => readFingerprints(htmlPage(source)));
    expect(new Set(all).size).toBe(40_000);
  });

  it('are bounded in number', () => {
    const page = htmlPage(Array.from({ length: 9000 }, (_, n) => `<p>${n}</p>`).join(''));
    expect(readFingerprints(page)).toHaveLength(4000);
  });

  it('cost as much as the page is large, however it is nested', () => {
    const deep = htmlPage(`${'<div>'.repeat(400)}${'<p>words </p>'.repeat(40_000)}`);
    const blocks = readBlocks(deep.root, deep.baseUrl);
    expect(blocks).toHaveLength(40_401);
    expect(blocks[1]?.text).toBe(200_000);
    expect(findRepeated(deep, new Set(blocks.map(({ fingerprint }) => fingerprint))).size).toBe(1);
  });

  it('are read from an empty page too', () => {
    const page = htmlPage('');
    expect(readFingerprints(page)).toEqual([]);
    cleanPage(page, { ...whole, repeated: new Set([1]) });
    expect(blockLines(page.root)).toEqual([]);
  });
});
