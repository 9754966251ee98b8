import { describe, expect, test } from 'vitest';
import type { ListRow } from '../../../src/browser/actions/in-page/scrolled-list.ts';
import { RowSequence } from '../../../src/browser/actions/scroll-to-end.ts';

/** Rows of one height from a place on. */
function rows(keys: readonly string[], top: number, height = 10, id = 0): ListRow[] {
  return keys.map((key, at) => ({
    id: id + at,
    key,
    top: top + at * height,
    left: 0,
    height,
    isPinned: false,
  }));
}

function idsOf(...looks: readonly (readonly ListRow[])[]): number[] {
  const sequence = new RowSequence();
  for (const look of looks) sequence.add(look);
  return sequence.ids;
}

describe('rows that are seen part by part', () => {
  test('overlapping parts give each row once', () => {
    const ids = idsOf(rows(['a', 'b', 'c'], 0), rows(['b', 'c', 'd'], 10, 10, 1));
    expect(ids).toEqual([0, 1, 2, 3]);
  });

  test('equal rows are told apart by their places', () => {
    const same = ['x', 'x', 'x', 'x'];
    expect(idsOf(rows(same, 0), rows(same, 20, 10, 2), rows(same, 60, 10, 6))).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
  });

  test('rows whose places moved are told by their content', () => {
    const first = rows(['a', 'b', 'c', 'd'], 0);
    expect(idsOf(first, rows(['c', 'd', 'e'], 55, 10, 2))).toEqual([0, 1, 2, 3, 4]);
    expect(idsOf(first, rows(['c', 'd', 'e'], 3, 10, 2))).toEqual([0, 1, 2, 3, 4]);
  });

  test('a row that has loaded takes the place of its placeholder', () => {
    const ids = idsOf(rows(['a', '…', '…'], 0), rows(['b', 'c', 'd'], 10, 10, 11));
    expect(ids).toEqual([0, 11, 12, 13]);
  });

  test('the order is that of the places: lines first, then columns', () => {
    const [a, b, c] = rows(['a', 'b', 'c'], 0) as [ListRow, ListRow, ListRow];
    expect(idsOf([{ ...c, left: 0 }, { ...b, top: 0, left: 50 }, a])).toEqual([0, 1, 2]);
  });

  test('what sticks to an edge is kept once', () => {
    const head = { ...rows(['head'], 0, 10, 99)[0]!, isPinned: true };
    const second = { ...head, id: 100, top: 20 };
    expect(
      idsOf([head, ...rows(['a', 'b'], 10)], [second, ...rows(['b', 'c'], 20, 10, 1)]),
    ).toEqual([99, 0, 1, 2]);
  });

  test('looking back changes nothing', () => {
    const all = rows(['a', 'b', 'c', 'd', 'e'], 0);
    expect(idsOf(all, all.slice(1, 3), all)).toEqual([0, 1, 2, 3, 4]);
  });
});
