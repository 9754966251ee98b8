/** Headings by the outline (bookmarks) of a file, whatever they look like. */
import { afterAll, expect, test } from 'vitest';
import { createClient } from '../../../src/client.ts';
import { pdfOf, streamOf } from '../../support/pdf-file.ts';

const client = createClient();
afterAll(() => client.close());

/** A line of a page: bold with `**`, with its size before `:`. */
type Line = string;

interface Entry {
  readonly title: string;
  /** From 0. */
  readonly page: number;
  readonly inner?: readonly Entry[];
}

/** A file with these lines on its pages, and this outline. */
function file(pages: readonly (readonly Line[])[], outline: readonly Entry[]): Uint8Array {
  const kids = pages.map((_, at) => `${5 + at * 2} 0 R`);
  const first = 5 + pages.length * 2;
  const objects: string[] = [''];
  const write = (entries: readonly Entry[], parent: number): string => {
    const numbers = entries.map(() => first + objects.push('') - 1);
    for (const [at, { title, page, inner = [] }] of entries.entries()) {
      const number = numbers[at] ?? 0;
      const next = numbers[at + 1] === undefined ? '' : `/Next ${numbers[at + 1]} 0 R`;
      objects[number - first] =
        `<</Title(${title})/Parent ${parent} 0 R/Dest[${kids[page]}/XYZ 0 580 0]${next}${write(inner, number)}>>`;
    }
    return numbers.length === 0
      ? ''
      : `/First ${numbers[0]} 0 R/Last ${numbers.at(-1)} 0 R/Count ${numbers.length}`;
  };
  objects[0] = `<</Type/Outlines${write(outline, first)}>>`;
  return pdfOf([
    `<</Type/Catalog/Pages 2 0 R${outline.length === 0 ? '' : `/Outlines ${first} 0 R`}>>`,
    `<</Type/Pages/Count ${pages.length}/Kids[${kids.join(' ')}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold>>',
    ...pages.flatMap((lines, at) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 600]/Contents ${6 + at * 2} 0 R/Resources<</Font<</F 3 0 R/B 4 0 R>>>>>>`,
      streamOf(lines.map(drawn).join('\n')),
    ]),
    ...objects,
  ]);
}

function drawn(line: Line, at: number): string {
  const [, size = '10', bold = '', text = ''] = /^(?:(\d+):)?(\*\*)?(.*)$/.exec(line) ?? [];
  return `BT /${bold === '' ? 'F' : 'B'} ${size} Tf 50 ${560 - at * 14} Td (${text}) Tj ET`;
}

async function markdownOf(...given: Parameters<typeof file>): Promise<string> {
  const { markdown } = await client.parse(file(...given), { url: 'https://harbour.test/a.pdf' });
  return markdown;
}

const prose = [
  'The lamp of the pier is lit by the keeper at dusk, whatever the weather is,',
  'and it burns until the sun is up.',
];

test('a title of the outline is a heading of its depth', async () => {
  const pages = [
    [
      '20:**Harbour rules',
      ...prose,
      '16:**1 Lamps',
      ...prose,
      '**Oil',
      ...prose,
      'Wicks',
      ...prose,
    ],
    ['16:**2 Ships', ...prose, '**3. Anchors', ...prose],
  ];
  const outline: Entry[] = [
    {
      title: 'Lamps',
      page: 0,
      inner: [{ title: 'Oil', page: 0, inner: [{ title: 'Wicks', page: 0 }] }],
    },
    { title: '2 Ships', page: 1, inner: [{ title: 'Anchors', page: 1 }] },
  ];
  const headings = (markdown: string): string[] => markdown.match(/^#.*$/gm) ?? [];
  expect(headings(await markdownOf(pages, outline))).toEqual([
    '# Harbour rules',
    '## 1 Lamps',
    '### Oil',
    '#### Wicks',
    '## 2 Ships',
    '### 3. Anchors',
  ]);
  expect(headings(await markdownOf(pages, []))).not.toContain('#### Wicks');
});

test('a title of several lines is one heading, and a title on another page is none', async () => {
  const pages = [
    ['**Of the lamps of the pier, and of', '**the oil that is in them', ...prose],
    [...prose, 'Ships', ...prose],
  ];
  const outline = [
    { title: 'Of the lamps of the pier, and of the oil that is in them', page: 0 },
    { title: 'Ships', page: 0 },
  ];
  const markdown = await markdownOf(pages, outline);
  expect(markdown).toMatch(
    /^#+ Of the lamps of the pier, and of the oil that is in them\n\nThe lamp/,
  );
  expect(markdown.match(/^#/gm)).toHaveLength(1);
});

test('where the outline has the bold lines, others are labels', async () => {
  const names = ['Lamps', 'Oil', 'Ships', 'Anchors'];
  const pages = names.map((name) => [`**${name}`, ...prose, ...prose]);
  const outline = names.map((title, page) => ({ title, page }));
  pages[0]?.push('**By the keeper', ...prose);
  const markdown = await markdownOf(pages, outline);
  expect(markdown.match(/^#.*$/gm)).toHaveLength(4);
  expect(markdown).toContain('\n\n**By the keeper**\n\n');
  expect((await markdownOf(pages, [])).match(/^#.*$/gm)).toHaveLength(5);
});

test('the word for the number of a chapter is above its title', async () => {
  const pages = [
    ['24:**Harbour rules'],
    ['**CHAPTER', '', '16:**ONE', '', '', '16:**LAMPS', '', ...prose, ...prose, ...prose],
  ];
  const markdown = await markdownOf(pages, [{ title: 'Lamps', page: 1 }]);
  expect(markdown).toContain('## LAMPS\n');
  expect(markdown).not.toMatch(/^#+ ONE/m);
});

test('of equal lines, the most prominent is the heading; a page number is not part of it', async () => {
  const pages = [['1', '16:**1 Lamps', 'Lamps', ...prose, ...prose]];
  const markdown = await markdownOf(pages, [{ title: '1 Lamps', page: 0 }]);
  expect(markdown.match(/^#.*$/gm)).toEqual(['# 1 Lamps']);
});

test('an outline that leads nowhere is none', async () => {
  const pages = [['**Lamps', ...prose]];
  const body = Buffer.from(file(pages, [{ title: 'Lamps', page: 0 }])).toString('latin1');
  const broken = body.replace(/\/Dest\[\d/, '/Dest[9');
  const { markdown } = await client.parse(Buffer.from(broken, 'latin1'), {
    url: 'https://harbour.test/a.pdf',
  });
  expect(markdown).toContain('# Lamps');
});
