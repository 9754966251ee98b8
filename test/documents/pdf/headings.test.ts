/** Lines in bold that are headings, whichever fonts they mix. */
import { expect, test } from 'vitest';
import { textOf } from '../../../src/documents/pdf/blocks.ts';
import type { Segment, TextRun } from '../../../src/documents/pdf/geometry.ts';
import { blocksOfLines } from '../../../src/documents/pdf/paragraphs.ts';
import { segmentOf } from '../../../src/documents/pdf/page-layout.ts';

const body = {
  size: 10,
  isBold: false,
  isMono: false,
  headingSizes: [],
  lefts: [0, 0],
  labels: new Set<string>(),
} as const;
const context = { body, words: new Set<string>() };

/** Parts of a line with a space between: `**bold**`, `` `code` `` or plain. */
function line(baseline: number, ...parts: readonly string[]): Segment {
  let left = 50;
  const runs = parts.map((part, order): TextRun => {
    const text = part.replace(/^(?:\*\*|`)|(?:\*\*|`)$/g, '');
    const run: TextRun = {
      text,
      left,
      right: left + text.length * 5,
      baseline,
      size: 10,
      font: { isBold: part.startsWith('**'), isItalic: false, isMono: part.startsWith('`') },
      order,
      afterSpace: true,
      isArtifact: false,
    };
    left = run.right + 3;
    return run;
  });
  return segmentOf(runs);
}

function firstBlock(...parts: readonly string[]): string | undefined {
  const text = 'The lamp of the pier is lit by the keeper at dusk, whatever the weather is,';
  const lines = [line(100, ...parts), line(112, text), line(124, text), line(136, 'and at dawn.')];
  const [first] = blocksOfLines(lines, context);
  return first !== undefined && 'content' in first
    ? `${first.kind}: ${textOf(first.content)}`
    : first?.kind;
}

test('code in a bold line leaves it a heading', () => {
  expect(firstBlock('**2.4 Data files of lamps (**', '`*.lamp`', '**)**')).toBe(
    'heading: 2.4 Data files of lamps ( *.lamp )',
  );
});

test('bold words before code, or before the text of a paragraph, make no heading', () => {
  expect(firstBlock('**Lamp:**', '`lamps --all --keeper`')).toMatch(/^paragraph: Lamp/);
  expect(firstBlock('**ROT47**', '`!-~`', '`P`', '`-~ !-`')).toMatch(/^paragraph: ROT47/);
  expect(firstBlock('`lamps`', '**are of all the keepers**')).toMatch(/^paragraph: lamps/);
  expect(firstBlock('**The lamps of all piers**', 'are lit.')).toMatch(/^paragraph: The lamps/);
  expect(
    firstBlock('**The lamps of the pier with**', '`lamps`', 'are lit by the keeper at dusk in all'),
  ).toMatch(/^paragraph: The lamps/);
});

/** Lines below each other, each with its left edge and its parts. */
function segmentsOf(lines: readonly (readonly [left: number, ...parts: string[]])[]): Segment[] {
  return lines.map(([left, ...parts], at) => {
    const { runs } = line(100 + at * 12, ...parts);
    return segmentOf(
      runs.map((run) => ({ ...run, left: run.left + left, right: run.right + left })),
    );
  });
}

/** The blocks of lines as `heading: text`; each line has its left edge and its parts. */
function blocksOf(
  lines: readonly (readonly [left: number, ...parts: string[]])[],
  own: object = {},
): string[] {
  const page = { ...context, body: { ...body, ...own }, left: 50 };
  return blocksOfLines(segmentsOf(lines), page).map((block) =>
    'content' in block ? `${block.kind}: ${textOf(block.content)}` : block.kind,
  );
}

const definition = 'the lamp of the pier is lit by the keeper at dusk, whatever the weather';
const end = 'is, and at dawn it is out again.';

test.each<[what: string, lines: [number, ...string[]][], first: string]>([
  [
    'a term',
    [
      [0, '**lamp**'],
      [30, definition],
      [30, end],
    ],
    'paragraph: lamp',
  ],
  [
    'an option',
    [
      [0, '**--lamp=height**'],
      [30, definition],
    ],
    'paragraph: --lamp=height',
  ],
  [
    'a heading',
    [
      [0, '**Lamps**'],
      [0, definition],
      [0, end],
    ],
    'heading: Lamps',
  ],
  [
    'a heading above an indented first line',
    [
      [0, '**Lamps**'],
      [15, definition],
      [0, end],
    ],
    'heading: Lamps',
  ],
  [
    'a numbered heading',
    [
      [0, '**2.1 Lamps**'],
      [30, definition],
      [30, end],
    ],
    'heading: 2.1 Lamps',
  ],
  [
    'a heading left of all text',
    [
      [-20, '**LAMPS**'],
      [10, definition],
      [10, end],
    ],
    'heading: LAMPS',
  ],
  [
    'a heading above code',
    [
      [0, '**Lamps**'],
      [30, '`light(lamp)`'],
      [30, '`dim(lamp)`'],
    ],
    'heading: Lamps',
  ],
])('a bold line: %s', (_, lines, first) => {
  expect(blocksOf(lines)[0]).toBe(first);
});

test('a label that repeats in the file is no heading', () => {
  const lines: [number, ...string[]][] = [
    [0, '**Remark**'],
    [0, definition],
  ];
  expect(blocksOf(lines, { labels: new Set(['Remark']) })[0]).toBe('paragraph: Remark');
  expect(blocksOf(lines)[0]).toBe('heading: Remark');
});

test('titles of boxes, captions and numbers of pages are no headings', () => {
  const first = (...parts: readonly string[]): string | undefined =>
    blocksOf([
      [0, ...parts],
      [0, definition],
    ])[0];
  for (const text of ['Note', 'WARNING', 'Tip 3', 'Figure 2 Lamps', 'Table 1: Oil', 'xii']) {
    expect(first(`**${text}**`)).toBe(`paragraph: ${text}`);
  }
  for (const text of ['Notes', 'Tables', 'Figures of speech', 'Tips for keepers']) {
    expect(first(`**${text}**`)).toBe(`heading: ${text}`);
  }
  const boxed: [number, ...string[]][] = [
    [0, definition],
    [30, '**Of the keeper**'],
    [30, definition],
    [0, definition],
  ];
  expect(blocksOf(boxed).join('\n')).toContain('paragraph: Of the keeper');
});

test('terms below each other share the definition below them', () => {
  const lines: [number, ...string[]][] = [
    [0, '**lamp**'],
    [0, '**lantern**'],
    [0, '**light**'],
    [30, definition],
    [30, end],
  ];
  expect(blocksOf(lines).slice(0, 3)).toEqual([
    'paragraph: lamp',
    'paragraph: lantern',
    'paragraph: light',
  ]);
});

test('where headings are left of the text, bold lines at its edge are none', () => {
  const lines: [number, ...string[]][] = [
    [-40, '**LAMPS**'],
    [0, definition],
    [0, end],
    [-25, '**Oil**'],
    [0, definition],
    [0, end],
    [0, '**wick**'],
    [0, definition],
    [0, end],
  ];
  const levels = (hanging?: number): unknown[] =>
    blocksOfLines(segmentsOf(lines), { ...context, left: 50, hanging }).flatMap((block) =>
      block.kind === 'heading' ? [`${block.level} ${textOf(block.content)}`] : [],
    );
  expect(levels(10)).toEqual(['1 LAMPS', '2 Oil']);
  expect(levels()).toEqual(['1 LAMPS', '1 Oil', '1 wick']);
});

test('code may be larger than the words of its line', () => {
  const { runs } = line(100, 'The keeper has', '`the_lamps_of_the_pier()`', 'at dusk.');
  const larger = runs.map((run) => (run.font.isMono ? { ...run, size: 12 } : run));
  const sized = { ...context, body: { ...body, headingSizes: [12] } };
  expect(blocksOfLines([segmentOf(larger)], sized)[0]?.kind).toBe('paragraph');
});
