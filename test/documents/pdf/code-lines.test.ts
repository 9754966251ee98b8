/** Lines of code: signs in other fonts, lines that go on below, terms in the font of code, indents. */
import { expect, test } from 'vitest';
import { textOf } from '../../../src/documents/pdf/blocks.ts';
import type { Segment, TextRun } from '../../../src/documents/pdf/geometry.ts';
import { regionsOf, segmentOf } from '../../../src/documents/pdf/page-layout.ts';
import { blocksOfLines } from '../../../src/documents/pdf/paragraphs.ts';

const body = {
  size: 10,
  isBold: false,
  isMono: false,
  headingSizes: [],
  lefts: [50, 50],
  labels: new Set<string>(),
} as const;

/** The n-th line from x on; code between backticks, and `_` for a gap of one letter. */
function line(n: number, x: number, ...parts: readonly string[]): Segment {
  let left = x;
  const runs: TextRun[] = [];
  for (const [order, part] of parts.entries()) {
    const isMono = part.startsWith('`');
    const text = part.replace(/^`|`$|^_+/g, '');
    left += 6 * (/^_*/.exec(part)?.[0].length ?? 0);
    const right = left + text.length * 6;
    const font = { isBold: false, isItalic: false, isMono };
    const place = { left, right, baseline: 100 + n * 12, size: 10, order: n * 10 + order };
    runs.push({ text, ...place, font, afterSpace: false, isArtifact: false });
    left = right;
  }
  return segmentOf(runs);
}

function blocksOf(...lines: readonly Segment[]): string[] {
  return blocksOfLines(lines, { body, words: new Set(), left: 50 }).map((block) => {
    if ('content' in block) return `${block.kind}: ${textOf(block.content)}`;
    return block.kind === 'code' ? `code: ${block.text}` : block.kind;
  });
}

const prose = 'The keeper of the pier lights the lamp at dusk, and it burns until the sun is';

test('a sign in another font is part of the code around it', () => {
  expect(
    blocksOf(line(0, 50, '`light("lamp`', '\\', '`n");`'), line(1, 50, '`dim();`', '_→', '`_1`')),
  ).toEqual(['code: light("lamp\\n");\ndim(); →_1']);
  expect(blocksOf(line(0, 50, '`light()`', ' or ', '`dim()`'))[0]).toMatch(/^paragraph/);
});

test('an arrow after a line of code joins the line below', () => {
  const lines = [
    line(0, 50, '`lamp --oil=1,`', '_←', '-'),
    line(1, 62, '`2 --wick`', '__←', '-'),
    line(2, 62, '`--pier`'),
    line(3, 50, '`keeper`'),
  ];
  expect(blocksOf(...lines)).toEqual(['code: lamp --oil=1,2 --wick --pier\nkeeper']);
  const spaced = [line(0, 50, '`a`', '_←-'), line(1, 62, '`b`', '_←-'), line(2, 68, '`c`')];
  expect(blocksOf(...spaced)).toEqual(['code: ab c']);
  expect(blocksOf(line(0, 50, 'See ', '`lamp.`', '←-'), line(1, 50, '`test`'))).toEqual([
    'paragraph: See lamp.test',
  ]);
});

test('code with its definition below it is a term', () => {
  const definition = [line(1, 80, prose), line(2, 80, 'up.')];
  expect(blocksOf(line(0, 50, '`--lamp`'), ...definition)[0]).toBe('paragraph: --lamp');
  expect(blocksOf(line(0, 50, '`-l`'), line(1, 50, '`--lamp`'), line(2, 80, prose))).toEqual([
    'paragraph: -l',
    'paragraph: --lamp',
    `paragraph: ${prose}`,
  ]);
  // The first line of a paragraph is indented.
  expect(blocksOf(line(0, 50, '`light()`'), line(1, 62, prose), line(2, 50, 'up.'))[0]).toBe(
    'code: light()',
  );
  expect(blocksOf(line(0, 50, '`light()`'), line(3, 80, prose))[0]).toBe('code: light()');
});

test('lines of code with indents are no columns', () => {
  const inner = [2, 3, 4, 5, 6, 7].map((n) => line(n, 200, '`lamp;`'));
  const outer = [0, 1, 8, 9].map((n) => line(n, 50, '`pier {`'));
  const all = [...outer.slice(0, 2), ...inner, ...outer.slice(2)];
  expect(regionsOf(all)).toHaveLength(1);
  // The same lines beside each other, one side after the other in the file.
  const left = [0, 1, 2, 3, 4, 5].map((n) => line(n, 50, 'lamps'));
  const right = [0, 1, 2, 3, 4, 5].map((n) => {
    const { runs } = line(n, 200, 'piers');
    return segmentOf(runs.map((run) => ({ ...run, order: run.order + 1000 })));
  });
  expect(regionsOf([...left, ...right])).toHaveLength(2);
});
