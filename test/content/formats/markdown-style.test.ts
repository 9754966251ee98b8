/** The options of markdown, beyond the cases in fixtures/pages/markdown: links, images, handlers. */
import { readdirSync, readFileSync } from 'node:fs';
import { createClient, type MarkdownHandler, memoryStore, scrape } from 'pagewright';
import { describe, expect, it } from 'vitest';
import { normalize } from '../../../src/content/clean/normalize/index.ts';
import { chunks } from '../../../src/content/formats/chunks/index.ts';
import { runFormat } from '../../../src/content/formats/run-format.ts';
import type { MarkdownOptions } from '../../../src/content/markdown/markdown-options.ts';
import { toMarkdown } from '../../../src/content/markdown/to-markdown.ts';
import { watchThreads } from '../../core/page/heavy-page.ts';
import { cpuTime } from '../../support/cpu-time.ts';
import { markdownReaders } from '../../support/markdown-readers.ts';
import { memoryWeb } from '../../support/memory-web.ts';
import { context } from '../../support/page.ts';
import { defaults, htmlPage } from '../clean/page.ts';

const url = 'https://site.test/';
const folder = new URL('../../../fixtures/pages/markdown/', import.meta.url);

function convert(html: string, options: MarkdownOptions): string {
  const page = htmlPage(html, url);
  normalize.apply(page, defaults);
  return toMarkdown(page, options);
}

async function markdownOf(
  html: string,
  options: Parameters<typeof styled>[0],
): Promise<{ markdown: string; warning?: string }> {
  return scrape({ html, url }, { formats: [styled(options)], onlyMainContent: false });
}

const styled = (options: MarkdownOptions): { type: 'markdown' } & MarkdownOptions => ({
  type: 'markdown',
  ...options,
});

describe('links', () => {
  // Readers without footnotes take a link after the label of one for its URL.
  const pages = readdirSync(folder).filter((name) => name !== 'footnotes-of-an-encyclopedia');

  it.each(['commonmark', 'markdown-it with linkify', 'micromark with GFM'])(
    'are the same as references and inline, read by %s',
    (name) => {
      const render = markdownReaders[name] ?? String;
      for (const page of pages) {
        const html = readFileSync(new URL(`${page}/page.html`, folder), 'utf8');
        const inline = render(convert(html, {})).trim();
        expect(render(convert(html, { links: 'reference' })).trim(), page).toBe(inline);
      }
    },
  );

  it('get numbers that no text of the page has in brackets', () => {
    const html =
      '<p><a href="/a">a</a> [1] <span>[<i></i>2]</span> <img src="/i.png" alt="[3]"> <math alttext="x[4]"></math></p>' +
      '<a href="/b"><b>[5]</b></a>';
    expect(convert(html, { links: 'reference' })).toBe(
      '[a][6] [1] [2] ![\\[3\\]](https://site.test/i.png) $x[4]$\n\n[**\\[5\\]**][7]\n\n' +
        '[6]: https://site.test/a\n[7]: https://site.test/b',
    );
  });

  it.each<[string, MarkdownOptions, string]>([
    ['[<img alt="1">] <a href="/a">a</a>', { images: 'alt' }, '[1] [a][2]'],
    ['[<img class="emoji" src="/1.png" alt="1">] <a href="/a">a</a>', {}, '[1] [a][2]'],
    ['<x-a></x-a> <a href="/a">a</a>', { handlers: { 'x-a': () => '[1]' } }, '[1] [a][2]'],
    ['<p><a href="/a">a</a><p>[x][1] [x][2]', {}, '[a][3]\n\n[x][1] [x][2]'],
  ])('get numbers that nothing written has in brackets: %s', (html, options, expected) => {
    const text = convert(html, { ...options, links: 'reference' });
    expect(text.replace(/\n\n\[\d+\]: [^\n]*$/, '')).toBe(expected);
  });

  it('are numbered, and cut into passages, in linear time', async () => {
    const many = (count: number): string =>
      Array.from({ length: count }, (_, at) => `<p><a href="/${at}">x${at}</a>`).join('');
    const started = cpuTime();
    const text = toMarkdown(htmlPage(many(100_000), url), { links: 'reference' });
    expect(text.endsWith('\n[100000]: https://site.test/99999')).toBe(true);
    const page = htmlPage(many(10_000), url);
    const passages = await runFormat(chunks, page, { links: 'reference' }, context);
    expect(passages.at(-1)?.text.endsWith('\n[10000]: https://site.test/9999')).toBe(true);
    expect(cpuTime() - started).toBeLessThan(6000);
  });

  it('are only their words as text, and pictures nothing', () => {
    for (const page of readdirSync(folder)) {
      const html = readFileSync(new URL(`${page}/page.html`, folder), 'utf8');
      const read = markdownReaders['commonmark'] ?? String;
      const found = read(convert(html, { links: 'text', images: 'none' }));
      expect(found, page).not.toMatch(/<img/);
      // A footnote is a definition for readers that know none.
      if (!page.startsWith('footnote')) expect(found, page).not.toMatch(/<a /);
    }
  });
});

describe('alternative texts', () => {
  it.each([
    ['<img alt=red><img alt=blue>dot', 'red blue dot'],
    ['a<img alt=red>, (<img alt=blue>) <img alt=green>.', 'a red, (blue) green.'],
    ['<b>a</b><img alt="Red."><b>Blue</b>', '**a** Red. **Blue**'],
    ['<code>a</code><img alt=red><code>b</code>', '`a` red `b`'],
    ['<a href="/a"><img alt=red></a><a href="/b"><img alt=blue></a>', 'red blue'],
    [
      '<table><tr><th>a<th>b<tr><td><img alt=red><img alt=blue><td>c</table>',
      '| a | b |\n| --- | --- |\n| red blue | c |',
    ],
  ])('do not touch words: %s', (html, expected) => {
    expect(convert(html, { images: 'alt', links: 'text' })).toBe(expected);
  });
});

describe('chunks with references', () => {
  it('have the definitions that they use, within maxTokens', async () => {
    const words = Array.from(
      { length: 200 },
      (_, at) => `Sentence ${at} has a <a href="/page/${at % 50}">link to page ${at % 50}</a>.`,
    );
    const html = `<h1>T</h1><p>${words.join(' ')}</p><table><tr><th>a<th>b${words.map((word) => `<tr><td>${word}<td>x`).join('')}</table>`;
    const page = htmlPage(html, url);
    const passages = await runFormat(chunks, page, { links: 'reference', maxTokens: 128 }, context);
    expect(passages.length).toBeGreaterThan(20);
    const whole = toMarkdown(page, { links: 'reference' });
    for (const { text, start, end, tokens } of passages) {
      expect(tokens).toBeLessThanOrEqual(128);
      expect(text).toContain(whole.slice(start, end).slice(-20));
      const used = new Set([...text.matchAll(/\]\[(\d+)\]/g)].map(([, number]) => number));
      const defined = [...text.matchAll(/^\[(\d+)\]: /gm)].map(([, number]) => number);
      expect(new Set(defined)).toEqual(used);
      expect(defined).toHaveLength(used.size);
    }
  });

  it('keep their ids while only the numbers of links change', async () => {
    const idsOf = async (html: string): Promise<string[]> => {
      const page = htmlPage(html, url);
      const found = await runFormat(chunks, page, { links: 'reference', maxTokens: 32 }, context);
      return found.map(({ id }) => id);
    };
    const end = '<h1>Two</h1><p>The last words, with <a href="/b">another link</a> in them.</p>';
    const before = await idsOf(`<h1>One</h1><p>Some words.</p>${end}`);
    const after = await idsOf(`<h1>One</h1><p>Some <a href="/a">words</a>.</p>${end}`);
    expect(after.at(-1)).toBe(before.at(-1));
    expect(after[0]).not.toBe(before[0]);
  });
});

describe('the other formats', () => {
  const html = `<h1>Tides</h1><p>Spring <a href="/tides">tides</a> rise by six metres <img src="/a.png" alt="A pier"> today.</p>`;

  it('read the markdown without options', async () => {
    const highlights = { type: 'highlights', query: 'tides' } as const;
    const plain = await scrape({ html, url }, { formats: ['markdown', highlights] });
    const short = await scrape(
      { html, url },
      { formats: [styled({ links: 'text', images: 'none' }), highlights] },
    );
    expect(short.highlights).toEqual(plain.highlights);
    expect(Object.keys(short).sort()).toEqual(Object.keys(plain).sort());
    expect(short.markdown).toBe('# Tides\n\nSpring tides rise by six metres today.');
    const [found] = short.highlights;
    expect(plain.markdown.slice(found?.start ?? 0, found?.end ?? 0)).toBe(found?.text);
  });

  it('compare what they compared before', async () => {
    const storage = memoryStore();
    const page = { body: html, headers: { 'content-type': 'text/html' } };
    await using client = createClient({ storage, engines: [memoryWeb({ [url]: page })] });
    const formats = (options: MarkdownOptions) => [styled(options), 'changeTracking'] as const;
    const statusOf = async (options: MarkdownOptions): Promise<string | undefined> =>
      (await client.scrape(url, { formats: formats(options) })).changeTracking?.changeStatus;
    expect(await statusOf({})).toBe('new');
    expect(await statusOf({ links: 'text' })).toBe('same');
    expect(await statusOf({ links: 'reference', images: 'alt' })).toBe('same');
  });

  it('take the options: modelText', async () => {
    const { modelText } = await scrape(
      { html, url },
      { formats: [{ type: 'modelText', links: 'text', images: 'none' }] },
    );
    expect(modelText).toBe('# Tides\n\nSpring tides rise by six metres today.');
  });

  it('warn of a page without content, not of one whose content the options leave out', async () => {
    const picture = await markdownOf('<p><img src="/a.png"></p>', { images: 'none' });
    expect(picture.markdown).toBe('');
    expect(picture.warning).toBeUndefined();
    const empty = await markdownOf('<p> </p>', { images: 'none' });
    expect(empty.warning).toBe('The page has no content.');
  });
});

describe('handlers', () => {
  const note: MarkdownHandler = ({ name, attributes, text, markdown }) => ({
    block: `> **${name} ${attributes['kind'] ?? ''}** (${text.length})\n>\n> ${markdown}`,
  });

  it('write elements as blocks or in the line', async () => {
    const html =
      '<ul><li>One <x-icon name="ok">y</x-icon> two<x-note kind="tip">A <b>bold</b> <a href="/l">link</a></x-note></li></ul><table><tr><th>a<th>b<tr><td><x-note kind="c">d</x-note><td>e</table>';
    const icon: MarkdownHandler = ({ attributes }) => `:${attributes['name'] ?? ''}:`;
    const { markdown } = await markdownOf(html, {
      links: 'reference',
      handlers: { 'x-note': note, 'x-icon': icon },
    });
    expect(markdown).toBe(
      '- One :ok: two\n\n  > **x-note tip** (11)\n  >\n  > A **bold** [link][1]\n\n' +
        '| a | b |\n| --- | --- |\n| > **x-note c** (1) > > d | e |\n\n[1]: https://site.test/l',
    );
  });

  it('leave an element as it is with undefined, or out with an empty text', async () => {
    const html = '<div class="ad">Buy</div><div><p>Text</p></div><h2>H</h2><p>end</p>';
    const div: MarkdownHandler = ({ attributes }) =>
      attributes['class'] === 'ad' ? '' : undefined;
    const { markdown } = await markdownOf(html, { handlers: { div, h2: () => undefined } });
    expect(markdown).toBe('Text\n\n## H\n\nend');
  });

  it('write what is in each other once, and no link in a link', () => {
    const html = `${'<x-a>'.repeat(150)}<b>end</b>${'</x-a>'.repeat(150)}`;
    let calls = 0;
    const count: MarkdownHandler = ({ markdown }) => `(${(calls += 1)}${markdown}`;
    const text = convert(html, { handlers: { 'x-a': count } });
    expect(calls).toBe(100);
    expect(text).toMatch(/\*\*end\*\*$/);
    const linked = convert('<a href="/a">x <x-a><a2 href="/b">y</a2></x-a></a>', {
      handlers: {
        'x-a': ({ markdown }) => markdown,
        a2: () => 'z',
      },
    });
    expect(linked).toBe('[x z](https://site.test/a)');
  });

  it('get the text of code with its lines, and code and tables as they are written', () => {
    const texts: string[] = [];
    const keep: MarkdownHandler = ({ text, markdown }) => {
      texts.push(text);
      return { block: markdown };
    };
    const html = '<pre>\n\n  a  b\n    c\n</pre><table><tr><th>a<th>b<tr><td>c<td>d</table>';
    expect(convert(html, { handlers: { pre: keep, table: keep } })).toBe(convert(html, {}));
    expect(texts[0]).toBe('  a  b\n    c');
  });

  it('write a text for a block as a block', () => {
    const html =
      '<p>a</p><p>b</p>c<div class="ad">x</div>d<h2>e</h2><table><tr><th>1<th>2<tr><td>f<p>g<td>h</table>';
    const same: MarkdownHandler = ({ text }) => text;
    expect(convert(html, { handlers: { p: same, div: () => '', h2: same } })).toBe(
      'a\n\nb\n\nc\n\nd\n\ne\n\n| 1 | 2 |\n| --- | --- |\n| f<br>g | h |',
    );
  });

  it.each<[string, unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('no notes');
      },
      'no notes',
    ],
    ['returns a promise', () => Promise.reject(new Error('late')), 'it returned a promise'],
    [
      'returns what is like a promise',
      () => ({ block: '', then: () => undefined }),
      'it returned a promise',
    ],
    ['returns a number', () => 7, 'expected markdown, { block: markdown } or undefined, got 7'],
    ['returns null', () => null, 'got null'],
    [
      'reads the markdown and returns nothing',
      ({ markdown }: { markdown: string }) => (markdown === '' ? '' : undefined),
      'it read the markdown of the element',
    ],
  ])('are HOOK_FAILED with their name where one %s', async (_, handler, message) => {
    const handlers = { 'x-note': handler as MarkdownHandler };
    await expect(markdownOf('<x-note>a</x-note>', { handlers })).rejects.toMatchObject({
      code: 'HOOK_FAILED',
      message: expect.stringMatching(
        /^The markdown handler "x-note" threw for https:\/\/site.test\/: /,
      ) as string,
    });
    await expect(markdownOf('<x-note>a</x-note>', { handlers })).rejects.toThrow(message);
  });

  it('are called on this thread for a heavy page, which other options send to a worker', async () => {
    const html = `<p><x-note>a</x-note> <a href="/l">link</a></p>${'<p>filler</p>'.repeat(30_000)}`;
    using threads = watchThreads();
    const short = await markdownOf(html, { links: 'text' });
    expect(short.markdown).toMatch(/^a link\n/);
    expect(threads.started).toBe(1);
    const own = await markdownOf(html, { handlers: { 'x-note': () => '**b**' } });
    expect(own.markdown).toMatch(/^\*\*b\*\* \[link\]/);
  });
});

describe('wrong options', () => {
  it.each<[Readonly<Record<string, unknown>>, string]>([
    [{ links: 'none' }, 'links: expected one of "inline"|"text"|"reference", got "none"'],
    [{ images: true }, 'images: expected one of "inline"|"alt"|"none", got true'],
    [{ link: 'text' }, 'unknown option "link"; did you mean "links"?'],
    [{ handlers: { 'x-note': 'b' } }, 'handlers.x-note: expected a function'],
    [{ handlers: { '<b>': () => '' } }, 'expected the name of an element'],
    [{ handlers: { P: () => '' } }, 'handlers.P: expected the name of an element in lower case'],
    [{ handlers: { td: () => '' } }, 'handlers.td: expected an element that is written by itself'],
    [{ handlers: { li: () => '' } }, 'handlers.li: expected an element that is written by itself'],
    [{ handlers: { constructor: () => '' } }, 'handlers: expected record, got { constructor'],
  ])('%j are BAD_REQUEST', async (options, message) => {
    for (const type of ['markdown', 'chunks', 'modelText']) {
      const formats = [{ type, ...options } as unknown as 'markdown'];
      await expect(scrape({ html: '', url }, { formats })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining(`formats[0]: ${type}: `) as string,
      });
      await expect(scrape({ html: '', url }, { formats })).rejects.toThrow(message);
    }
  });
});
