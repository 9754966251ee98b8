/** Tables that a page breaks off. */
import { expect, test } from 'vitest';
import type { Block, Column } from '../../../src/documents/pdf/blocks.ts';
import { joinTables } from '../../../src/documents/pdf/file-html.ts';

function table(rows: readonly string[][], columns?: readonly Column[]): Block {
  const plain = { isBold: false, isItalic: false, isMono: false };
  return {
    kind: 'table',
    columns,
    rows: rows.map((row, at) =>
      row.map((text) => ({
        content: [{ ...plain, text }],
        isHeader: at === 0,
        columns: 1,
        rows: 1,
      })),
    ),
  };
}

function textsOf(block: Block | undefined): string[][] | undefined {
  if (block?.kind !== 'table') return undefined;
  return block.rows.map((row) =>
    row.map(({ content }) => content.map(({ text }) => text).join('')),
  );
}

const lamps = [
  ['Lamp', 'Height'],
  ['Pier', '12'],
];
const places = [
  { left: 50, right: 120 },
  { left: 130, right: 180 },
];
const moved = (by: number): Column[] =>
  places.map(({ left, right }) => ({ left: left + by, right: right + by }));
const wider = [places[0] ?? { left: 0, right: 0 }, { left: 150, right: 240 }];

test('a table goes on where the columns stand at the same places, whatever the margin', () => {
  const rest = [['Reef', '9']];
  const whole = [...lamps, ...rest];
  expect(textsOf(joinTables(table(lamps, places), table(rest, places)))).toEqual(whole);
  expect(textsOf(joinTables(table(lamps, places), table(rest, moved(20))))).toEqual(whole);
});

test('a table with as many columns at other places is another one', () => {
  expect(joinTables(table(lamps, places), table([['Glass', '2']], wider))).toBeUndefined();
});

test('a header that is repeated joins tables, and is left out', () => {
  const joined = joinTables(
    table(lamps, places),
    table(
      [
        ['Lamp', 'Height'],
        ['Reef', '9'],
      ],
      wider,
    ),
  );
  expect(textsOf(joined)).toEqual([...lamps, ['Reef', '9']]);
});

test('a tagged table with a header of its own is another one', () => {
  expect(
    joinTables(
      table(lamps),
      table([
        ['Month', 'Days'],
        ['May', '1'],
      ]),
    ),
  ).toBeUndefined();
});
