import { describe, expect, it } from 'vitest';
import { cutForModel, halvePart } from '../../../../src/extract/with-model/cut-for-model.ts';
import { estimateTokens } from '../../../../src/content/text/estimate-tokens.ts';

const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();

const words = (count: number, about: string): string =>
  Array.from({ length: count }, (_, at) => `Sentence ${at} is about ${about}.`).join(' ');

describe('cutting a page for a model', () => {
  it('leaves alone what fits', async () => {
    expect(await cutForModel('# One\n\nText', 100)).toEqual([
      { text: '# One\n\nText', headings: [], isRestOfTable: false },
    ]);
  });

  it.each([
    ['paragraphs', Array.from({ length: 60 }, (_, at) => words(3, `part ${at}`)).join('\n\n')],
    ['one paragraph', words(300, 'the same')],
    ['a list', Array.from({ length: 300 }, (_, at) => `- Entry ${at} of it`).join('\n')],
    [
      'code',
      `\`\`\`\n${Array.from({ length: 300 }, (_, at) => `line(${at});`).join('\n')}\n\`\`\``,
    ],
    ['a word without an end', 'abcdefgh'.repeat(1000)],
    ['emoji', '👩‍👩‍👧'.repeat(500)],
  ])('of %s nothing is lost, and every part fits', async (_, text) => {
    const parts = await cutForModel(text, 200);
    expect(parts.length).toBeGreaterThan(2);
    expect(squeezed(parts.map((part) => part.text).join(' ')).replaceAll(' ', '')).toBe(
      squeezed(text).replaceAll(' ', ''),
    );
    for (const part of parts) expect(estimateTokens(part.text)).toBeLessThanOrEqual(210);
  });

  it('begins a part with a heading where it can, and tells the headings above', async () => {
    const text = ['One', 'Two', 'Three', 'Four', 'Five', 'Six']
      .map((name) => `## ${name}\n\n${words(18, name)}`)
      .join('\n\n');
    const parts = await cutForModel(`# All\n\n${text}`, 250);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts.slice(1)) expect(part.text).toMatch(/^## /);
    expect(parts[1]?.headings[0]).toBe('All');
  });

  it.each([
    ['pipes', '| No | Name |\n| --- | --- |\n', (at: number) => `| ${at} | Name ${at} |\n`, ''],
    [
      'tags',
      '<table>\n<tr><th>No</th><th>Name</th></tr>\n',
      (at: number) => `<tr><td>${at}</td><td>Name ${at}</td></tr>\n`,
      '</table>',
    ],
  ])(
    'has the header of a table in %s in each part, and each row once',
    async (_, head, row, end) => {
      const rows = Array.from({ length: 200 }, (__, at) => row(at));
      const text = `Before.\n\n${head}${rows.join('')}${end}\n\nAfter.`;
      const parts = await cutForModel(text, 300);
      expect(parts.length).toBeGreaterThan(4);
      const all = parts.map((part) => part.text).join('\n');
      for (const one of rows) expect(all.split(one.trim()).length).toBe(2);
      for (const part of parts.filter(({ isRestOfTable }) => isRestOfTable)) {
        expect(part.text.startsWith(head.trim())).toBe(true);
      }
      expect(parts.filter(({ isRestOfTable }) => isRestOfTable).length).toBeGreaterThan(3);
    },
  );

  it('halves a part, but not a single row', async () => {
    const table = `| No |\n| --- |\n${Array.from({ length: 50 }, (_, at) => `| ${at} |`).join('\n')}`;
    const part = { text: table, headings: ['All'], isRestOfTable: true };
    const halves = await halvePart(part);
    expect(halves?.map(({ isRestOfTable }) => isRestOfTable)).toEqual([true, true]);
    expect(halves?.[1]?.headings).toEqual(['All']);
    expect(await halvePart({ ...part, text: 'word' })).toBeUndefined();
  });
});
