/** The chunks format, beyond the cases in fixtures/pages/chunks. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalize } from '../../../src/content/clean/normalize/index.ts';
import {
  type Chunk,
  type ChunkOptions,
  chunks,
} from '../../../src/content/formats/chunks/index.ts';
import { markdown } from '../../../src/content/formats/markdown.ts';
import { runFormat } from '../../../src/content/formats/run-format.ts';
import { formatConformance } from '../../../src/entries/testing/format-conformance.ts';
import { estimateTokens } from '../../../src/content/text/estimate-tokens.ts';
import { readMarkdownBlocks } from '../../../src/content/text/markdown-blocks.ts';
import { defaults } from '../clean/page.ts';
import { context, htmlPage, textPage } from '../../support/page.ts';

const folder = fileURLToPath(new URL('../../../fixtures/pages/chunks/', import.meta.url));
const cases = readdirSync(folder).sort();

const source = (name: string): string => readFileSync(`${folder}${name}/page.html`, 'utf8');

/** The passages of a text in markdown, with the options checked as those of a caller are. */
async function cut(text: string, options: ChunkOptions = {}): Promise<Chunk[]> {
  return await runFormat(chunks, textPage(text), chunks.parseOptions?.({ ...options }), context);
}

const bare = (text: string): string => text.replace(/\s+/g, '');
const textsOf = (found: readonly Chunk[]): string[] => found.map(({ text }) => text);
/** The parts of a table without the header that each of them repeats. */
const withoutRepeatedHeaders = (texts: readonly string[]): string[] => {
  const headerOf = (text: string): string =>
    /^(?:> )*\|.*\n(?:> )*\|[ |:-]+\n/.exec(text)?.[0] ?? '';
  return texts.map((text, index) => {
    const header = headerOf(text);
    return header === headerOf(texts[index - 1] ?? '') ? text.slice(header.length) : text;
  });
};
const sentence = 'The water rises by six metres at the outer wall of the port. ';

describe('whatever the page', () => {
  const markdownFolder = fileURLToPath(
    new URL('../../../fixtures/pages/markdown/', import.meta.url),
  );
  const pages = [
    ...cases.map(source),
    ...readdirSync(markdownFolder).map((name) =>
      readFileSync(`${markdownFolder}${name}/page.html`, 'utf8'),
    ),
    ...['docs/docs/guides/retention.html', 'blog/en/rye-bread.html'].map((path) =>
      readFileSync(new URL(`../../../fixtures/sites/${path}`, import.meta.url), 'utf8'),
    ),
  ];

  test.each([512, 64, 16])(
    'all of the markdown is in passages of at most %i tokens, in order, once',
    async (maxTokens) => {
      for (const html of pages) {
        const page = htmlPage(html);
        const whole = await markdown.run(page, undefined, context);
        const found = await runFormat(chunks, page, { maxTokens }, context);
        const joined = bare(withoutRepeatedHeaders(textsOf(found)).join('\n'));
        // A quote that is cut begins again with its mark.
        const given = /^\s*>/m.test(whole) ? withoutQuotes(bare(whole)) : bare(whole);
        expect(/^\s*>/m.test(whole) ? withoutQuotes(joined) : joined).toBe(given);
        for (const chunk of found) expectSize(chunk, maxTokens);
        for (const block of whole.match(/^(?:```[^]*?^```$|(?:\|.*\n?)+)/gm) ?? []) {
          // A table may be cut between its rows.
          const parts = block.startsWith('|') ? block.trim().split('\n') : [block.trim()];
          for (const text of parts) {
            expect(found.filter((chunk) => chunk.text.includes(text)).length, text).toBeGreaterThan(
              0,
            );
          }
        }
      }
    },
  );

  test('any text is in the passages, and sizes are kept, also with an exact count', async () => {
    const line = fc.constantFrom(
      ...['# One', '## Two', '### Three', 'Text. More text! And more? Yes', 'word '.repeat(40)],
      ...['- item', '  - inner item', '1. first', '> quote', '> - in a quote', '', '', '---'],
      ...['```js', '```', 'let a = 1;', '    indented', '| a | b |', '| --- | --- |', '| 1 | 2 |'],
      ...['$$', 'x^2', '[^1]: note', '    more', '<table>', '</table>', 'x'.repeat(90), '漢字。'],
      ...['Setext', '===', '* [a. b](c)', '\ttab', '> ```', '<pre>'],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 40 }),
        fc.integer({ min: 16, max: 60 }),
        fc.boolean(),
        async (lines, maxTokens, isExact) => {
          const text = lines.join('\n');
          const countTokens = (part: string): number => Math.ceil(part.length / 3);
          const options = isExact ? { maxTokens, countTokens } : { maxTokens };
          const found = await cut(text, options);
          expect(withoutQuotes(bare(textsOf(found).join('\n')))).toBe(withoutQuotes(bare(text)));
          for (const chunk of found) {
            expectSize(chunk, maxTokens, isExact ? countTokens : estimateTokens);
          }
        },
      ),
      { numRuns: 2000, seed: 4 },
    );
  });

  /** More only where one table or block of code has more. */
  function expectSize(
    { text, tokens }: Chunk,
    maxTokens: number,
    count: (text: string) => number = estimateTokens,
  ): void {
    expect(tokens).toBe(count(text));
    expect(text.trim()).not.toBe('');
    if (tokens <= maxTokens) return;
    const blocks = readMarkdownBlocks(text).filter(({ kind }) => kind !== 'heading');
    expect([text, blocks.map(({ kind }) => kind)]).toEqual([
      text,
      [expect.stringMatching(/^(?:code|table)$/)],
    ]);
  }

  const withoutQuotes = (text: string): string => text.replaceAll('>', '');
});

describe('chunks', () => {
  /** The passages of HTML as it is read from a site. */
  const read = async (html: string, options: ChunkOptions = {}): Promise<Chunk[]> => {
    const page = htmlPage(html);
    normalize.apply(page, defaults);
    return runFormat(chunks, page, chunks.parseOptions?.({ ...options }), context);
  };
  const long = `<p>${sentence.repeat(12)}</p>`;
  const anchors = (found: readonly Chunk[]): string[] =>
    found.map(({ anchor }) => anchor.replace('http://example.test/docs/page', ''));

  test.each([
    [
      'Sphinx',
      `<section id="usage"><span id="old-usage"></span><span id="index-1"></span><h2>Usage<a class="headerlink" href="#usage" title="Link">¶</a></h2>${long}</section>`,
      '#usage',
    ],
    [
      'Sphinx before docutils 0.18',
      `<div class="section" id="usage"><span id="x"></span><h2>Usage<a class="headerlink" href="#usage">¶</a></h2>${long}</div>`,
      '#usage',
    ],
    [
      'DocBook',
      `<div class="sect1" id="usage"><div class="titlepage"><div><div><h2 class="title">Usage</h2></div></div></div>${long}</div>`,
      '#usage',
    ],
    [
      'DocBook with an anchor in the title',
      `<div class="sect1"><div class="titlepage"><div><div><h2 class="title"><a name="usage"></a>Usage</h2></div></div></div>${long}</div>`,
      '#usage',
    ],
    ['a target before', `<span id="usage"></span>\n<h2>Usage</h2>${long}`, '#usage'],
    [
      'a link beside',
      `<div><h2>Usage</h2><a class="anchor" href="#usage">#</a></div>${long}`,
      '#usage',
    ],
    [
      'a box that begins with a picture',
      `<div id="usage"><img src="a.png" alt="A"><h2>Usage</h2></div>${long}`,
      '#top',
    ],
  ])('anchors of %s', async (_, html, anchor) => {
    const found = await read(`<h1 id="top">Guide</h1>${long}${html}`, { maxTokens: 200 });
    expect(anchors(found).at(-1)).toBe(anchor);
  });

  test('a term with an id opens a passage, and the text after the list is under the heading again', async () => {
    const found = await read(
      `<h2 id="api">Functions</h2>${long}
      <dl><dt id="f.dump"><b>f.</b>dump<em>(obj, fp)</em><a class="headerlink" href="#f.dump">¶</a></dt><dd><p>Writes.</p><p>All of it.</p></dd></dl>
      <dl><dt id="f.load">f.load<em>(fp)</em></dt><dt id="f.read">f.read(fp)</dt><dd>Reads.</dd><dt>plain</dt><dd>No id.</dd></dl>
      <dl><dt id="f.Coder">class f.Coder</dt><dd><p>Codes.</p><dl><dt id="f.Coder.run">run()</dt><dd>Runs.</dd></dl></dd></dl>
      <p>Afterwards <b>more</b> about functions.</p>`,
      { maxTokens: 200 },
    );
    expect(found.map(({ headingPath }) => headingPath.join(' > '))).toEqual([
      'Functions',
      'Functions > f.dump(obj, fp)',
      'Functions > f.load(fp)',
      'Functions > class f.Coder',
      'Functions > class f.Coder > run()',
      'Functions',
    ]);
    expect(anchors(found)).toEqual([
      '#api',
      '#f.dump',
      '#f.load',
      '#f.Coder',
      '#f.Coder.run',
      '#api',
    ]);
    expect(found[1]?.text).toBe('**f.dump(*obj, fp*)**: Writes.\n\nAll of it.');
    expect(found.at(-1)?.text).toBe('Afterwards **more** about functions.');
  });

  test('ids are unique, and the same while the text is', async () => {
    const html = (first: string): string =>
      `<h2>A</h2>${first}<h2>A</h2>${long}<p><a href="/x;jsessionid=${first.length}">x</a></p>`;
    const idsOf = (found: readonly Chunk[]): string[] => found.map(({ id }) => id);
    const [one, other] = [await read(html(long)), await read(html(`<p>New.</p>${long}`))];
    expect(new Set(idsOf(one)).size).toBe(one.length);
    expect(one.map(({ number }) => number)).toEqual(one.map((_, index) => index));
    const twice = await read(`<h2>A</h2>${long}<h2>A</h2>${long}`);
    expect(new Set(idsOf(twice)).size).toBe(2);
    expect(idsOf(other)[0]).not.toBe(idsOf(one)[0]);
    expect(idsOf(other).slice(1)).toEqual(idsOf(one).slice(1));
    for (const id of idsOf(one))
      expect(id).toMatch(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/);
  });

  test.each([{ maxTokens: 64 }, { maxTokens: 64, overlap: 20 }])(
    'the offsets lead to the passage in the markdown: %o',
    async (options) => {
      const rows = Array.from({ length: 60 }, (_, at) => `| ${at} | row ${at} |`).join('\n');
      const text = `# A\n\n${sentence.repeat(20)}\n\n## B\n\n- one\n- ${sentence}\n\n| a | b |\n| --- | --- |\n${rows}\n\n> ${sentence.repeat(9)}\n\nEnd.\n`;
      const found = await cut(text, options);
      let end = 0;
      for (const chunk of found) {
        const part = text.slice(chunk.start, chunk.end);
        expect(bare(chunk.text).replace(/^>/, '').endsWith(bare(part).replace(/^>/, ''))).toBe(
          true,
        );
        expect(part.trim()).toBe(part);
        expect(chunk.end).toBeGreaterThan(end);
        if (!('overlap' in options)) {
          expect(text.slice(end, chunk.start).trim()).toBe('');
          if (!/^[|>]/.test(chunk.text)) expect(chunk.text).toBe(part);
        }
        end = chunk.end;
      }
      expect(text.slice(end).trim()).toBe('');
    },
  );

  test('thousands of terms end soon', async () => {
    const terms = Array.from(
      { length: 5000 },
      (_, at) => `<dt id="t${at}">t${at}</dt><dd>Same.</dd>`,
    );
    const found = await read(`<h1>T</h1><dl>${terms.join('')}</dl><p>End`);
    expect(found).toHaveLength(5001);
    const nested = `${'<dl><dt id="a">a</dt><dd>'.repeat(200)}x`;
    expect((await read(nested)).length).toBeGreaterThan(0);
  });

  test('cuts a long section into parts of about the same size', async () => {
    const found = await cut(`# A\n\n${`${sentence}\n\n`.repeat(22)}`, { maxTokens: 100 });
    const sizes = found.map(({ tokens }) => tokens);
    expect(sizes.length).toBe(Math.ceil(estimateTokens(`${sentence}\n\n`.repeat(22)) / 100));
    expect(Math.min(...sizes)).toBeGreaterThan(70);
  });

  test('cuts before a heading rather than in a section, even where more would fit', async () => {
    const body = sentence.repeat(3);
    const found = await cut(`# A\n\n${body}\n\n## B\n\n${body}\n\n## C\n\n${body}`, {
      maxTokens: 100,
    });
    expect(found.map(({ headingPath }) => headingPath.join('/'))).toEqual(['A', 'A/B', 'A/C']);
  });

  test('keeps a heading with its text even where the text has to be cut for it', async () => {
    const body = sentence.repeat(4).trim();
    const found = await cut(`## Heights at the outer wall\n\n${body}`, {
      maxTokens: estimateTokens(body),
    });
    expect(found).toHaveLength(2);
    expect(found[0]?.text).toMatch(/^## Heights at the outer wall\n\nThe water/);
  });

  test('repeats no more than `overlap`, counted in `maxTokens`, and no code', async () => {
    const code = '```\nread(gauge)\n```';
    const text = `${sentence.repeat(12)}\n\n${code}\n\n${sentence.repeat(12)}`;
    const found = await cut(text, { maxTokens: 80, overlap: 30 });
    expect(found.length).toBeGreaterThan(4);
    expect(textsOf(found).join().split('read(gauge)')).toHaveLength(2);
    for (const [index, { text: passage, tokens }] of found.entries()) {
      expect(tokens).toBeLessThanOrEqual(80);
      const before = found[index - 1]?.text ?? '';
      if (before.endsWith('```') || before === '') continue;
      expect(before).toContain(passage.slice(0, sentence.length - 1));
    }
  });

  test('counts with the function given', async () => {
    const countTokens = (text: string): number => text.length;
    const found = await cut(sentence.repeat(8), { maxTokens: 150, countTokens });
    expect(found.map(({ text }) => text.length)).toEqual(found.map(({ tokens }) => tokens));
    expect(Math.max(...found.map(({ tokens }) => tokens))).toBeLessThanOrEqual(150);
  });

  test('cuts one endless word, and leaves pairs of code units whole', async () => {
    const found = await cut('\u{1f30a}'.repeat(500), { maxTokens: 16 });
    expect(found.length).toBeGreaterThan(20);
    expect(textsOf(found).join('')).toBe('\u{1f30a}'.repeat(500));
    for (const { text } of found) expect(text).toMatch(/^(?:\u{1f30a})+$/u);
  });

  test('keeps words whole that fit, however small the passages are', async () => {
    const text = 'Unquestionably representative observations notwithstanding heterogeneity. ';
    const countTokens = (part: string): number => part.trim().split(/\s+/).length;
    const found = await cut(text.repeat(10).replaceAll('.', ','), { maxTokens: 16, countTokens });
    expect(found.length).toBeGreaterThan(2);
    const words = new Set(found.flatMap((chunk) => chunk.text.split(/[\s,]+/)).filter(Boolean));
    expect([...words].sort()).toEqual(text.replace('.', '').trim().split(' ').sort());
  });

  test.each([NaN, -1, Infinity, '3', undefined, Promise.resolve(3)])(
    'countTokens that gives %o is refused',
    async (tokens) => {
      const countTokens = (): number => tokens as number;
      await expect(cut(sentence, { countTokens })).rejects.toThrow(
        /^countTokens: expected a number of at least 0, got /,
      );
    },
  );

  test('puts what stood below a list item at the margin', async () => {
    const item = `  - ${sentence.trim()}\n`;
    const found = await cut(`- ${sentence.trim()}\n${item.repeat(6)}`, { maxTokens: 48 });
    expect(found.length).toBeGreaterThan(1);
    for (const { text } of found) expect(text).toMatch(/^- The/);
  });

  test('leaves a code file in one passage, and an empty page without any', async () => {
    const code = `\`\`\`js\n${'call();\n\n# no heading\n'.repeat(200)}\`\`\``;
    expect(textsOf(await cut(code))).toEqual([code]);
    expect(await cut('  \n')).toEqual([]);
    expect(await runFormat(chunks, htmlPage(''), undefined, context)).toEqual([]);
  });

  test('leaves a table whose header is most of a passage as it is', async () => {
    const table = `| ${'long '.repeat(30)} |\n| --- |\n${'| a |\n'.repeat(50)}`.trim();
    expect(textsOf(await cut(table, { maxTokens: 32 }))).toEqual([table]);
  });

  test('keeps the fragment of a page that its URL names, and drops any other', async () => {
    const page = (url: string): ReturnType<typeof htmlPage> => ({ ...htmlPage('<p>Text.'), url });
    const anchorAt = async (url: string): Promise<string | undefined> =>
      (await runFormat(chunks, page(url), undefined, context))[0]?.anchor;
    expect(await anchorAt('https://example.test/a#part')).toBe('https://example.test/a');
    expect(await anchorAt('https://example.test/#/users/7')).toBe('https://example.test/#/users/7');
  });

  test.each<[Record<string, unknown>, RegExp]>([
    [{ maxTokens: 15 }, /maxTokens: expected number to be >=16, got 15/],
    [{ maxTokens: 100.5 }, /maxTokens: .*, got 100.5$/],
    [{ maxTokens: '100' }, /maxTokens/],
    [{ maxTokens: 100, overlap: 51 }, /overlap: expected an integer from 0 to half of maxTokens/],
    [{ overlap: -1 }, /overlap/],
    [{ countTokens: 'gpt' }, /countTokens: expected a function/],
    [{ maxToken: 100 }, /unknown option "maxToken"; did you mean "maxTokens"/],
  ])('%o is refused', (options, message) => {
    expect(() => chunks.parseOptions?.(options)).toThrow(message);
  });

  test.each<[string, string]>([
    ['headings', '# a\n\n'.repeat(50_000)],
    ['headings in a text', '# a\n\nb\n\n'.repeat(30_000)],
    ['list items', '- a\n'.repeat(60_000)],
    [
      'nested list items',
      `${Array.from({ length: 300 }, (_, n) => `${'  '.repeat(n)}- a`).join('\n')}\n`.repeat(4),
    ],
    ['quote marks', `${'>'.repeat(2000)} a\n`.repeat(100)],
    ['open brackets', '[a. '.repeat(60_000)],
    ['one line without an end', 'word '.repeat(60_000)],
    ['one word without an end', 'x'.repeat(400_000)],
    ['unclosed tables', '<table>\n\na\n\n'.repeat(20_000)],
    ['fences', '```\n'.repeat(60_000)],
    ['a fence that closes with a million marks', `${'`'.repeat(300_000)}\na`],
    ['rows', `| a |\n| - |\n${'| b |\n'.repeat(60_000)}`],
    ['dashes', `|${'-'.repeat(300_000)}x\n${'| b |\n'.repeat(2_000)}`],
    ['underscores', '_'.repeat(300_000)],
    ['backslashes', '# \\'.repeat(100_000)],
    ['white space', `a${' \n'.repeat(200_000)}b`],
  ])('a text of nothing but %s ends soon', { timeout: 20_000 }, async (_, text) => {
    const found = await cut(text, { maxTokens: 32, overlap: 8 });
    expect(found.length).toBeGreaterThan(0);
  });

  test.each(formatConformance(chunks))('$name', ({ run }) => run());
});
