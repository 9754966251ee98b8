/** Finds tables with drawn cells: crossing lines form a grid, and the text in it its cells. */
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';
import type { Cell, Column } from './blocks.ts';
import type { Box, Ruling, Rulings, Segment, TextRun } from './geometry.ts';
import { textOfLines, type Vocabulary } from './line-text.ts';
import { cutRun, rowsOf, segmentOf, segmentsOf } from './page-layout.ts';

const limits = {
  near: 3, // points: lines closer than this meet, or are the same
  cells: 10_000,
  grids: 100,
  openRow: 60, // points: height of a row above the first line or below the last one
};

/** A table, with its area. */
export interface PositionedTable {
  readonly box: Box;
  readonly rows: readonly (readonly Cell[])[];
  readonly columns: readonly Column[];
  readonly runs: readonly TextRun[];
}

/** The ruled tables of a page. */
export function ruledTables(
  runs: readonly TextRun[],
  rulings: Rulings,
  words: Vocabulary,
): PositionedTable[] {
  const tables: PositionedTable[] = [];
  for (const grid of gridsOf(rulings).slice(0, limits.grids)) {
    const inside = runs.filter((run) => isIn(run, grid));
    const table = inside.length === 0 ? undefined : tableOf(grid, inside, words);
    if (table !== undefined) tables.push(table);
  }
  return tables;
}

interface Grid extends Rulings, Box {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
}

/** Groups of lines that cross each other, directly or through others. */
function gridsOf({ horizontal, vertical }: Rulings): Grid[] {
  const across = merged(horizontal);
  const down = merged(vertical);
  const group = [...across, ...down].map((_, index) => index);
  const find = (index: number): number => {
    let at = index;
    while (group[at] !== undefined && group[at] !== at) {
      const parent: number = group[at] ?? at;
      group[at] = group[parent] ?? parent;
      at = parent;
    }
    return at;
  };
  for (const [i, h] of across.entries()) {
    for (const [j, v] of down.entries()) {
      const isCrossing =
        v.at >= h.start - limits.near &&
        v.at <= h.end + limits.near &&
        h.at >= v.start - limits.near &&
        h.at <= v.end + limits.near;
      if (isCrossing) group[find(i)] = find(across.length + j);
    }
  }
  const grids = new Map<number, { horizontal: Ruling[]; vertical: Ruling[] }>();
  const gridOf = (index: number): { horizontal: Ruling[]; vertical: Ruling[] } =>
    getOrInsert(grids, find(index), () => ({ horizontal: [], vertical: [] }));
  for (const [i, ruling] of across.entries()) gridOf(i).horizontal.push(ruling);
  for (const [j, ruling] of down.entries()) gridOf(across.length + j).vertical.push(ruling);
  return [...grids.values()].flatMap((grid) => {
    const ys = distinct([...grid.horizontal.map(({ at }) => at), ...openEnds(grid)]);
    const left = Math.min(...grid.horizontal.map(({ start }) => start));
    const right = Math.max(...grid.horizontal.map(({ end }) => end));
    // A table may be open at its sides.
    const xs = distinct([...grid.vertical.map(({ at }) => at), left, right]);
    if (grid.vertical.length === 0 || ys.length < 2 || xs.length < 2) return [];
    // A single column is a frame around text.
    if (xs.length < 3) return [];
    if ((xs.length - 1) * (ys.length - 1) > limits.cells) return [];
    const [top = 0, bottom = 0] = [ys[0], ys.at(-1)];
    return [{ ...grid, xs, ys, left, right, top, bottom }];
  });
}

/** The ends of vertical lines that reach beyond the horizontal ones: a table may be open above and below. */
function openEnds({ horizontal, vertical }: Rulings): number[] {
  const heights = horizontal.map(({ at }) => at);
  const [top, bottom] = [Math.min(...heights), Math.max(...heights)];
  const above = Math.min(...vertical.map(({ start }) => start));
  const below = Math.max(...vertical.map(({ end }) => end));
  return [
    ...(top - above < limits.openRow ? [above] : []),
    ...(below - bottom < limits.openRow ? [below] : []),
  ].filter(Number.isFinite);
}

/** Merges the pieces of each line. */
function merged(rulings: readonly Ruling[]): Ruling[] {
  const sorted = [...rulings].sort((a, b) => a.at - b.at || a.start - b.start);
  const lines: { at: number; start: number; end: number }[] = [];
  for (const ruling of sorted) {
    const same = lines
      .slice(-40)
      .find(
        (line) =>
          Math.abs(line.at - ruling.at) < limits.near / 2 &&
          ruling.start <= line.end + limits.near &&
          ruling.end >= line.start - limits.near,
      );
    if (same === undefined) lines.push({ ...ruling });
    else {
      same.start = Math.min(same.start, ruling.start);
      same.end = Math.max(same.end, ruling.end);
    }
  }
  return lines.slice(0, 1500);
}

function distinct(values: readonly number[]): number[] {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.filter((value, at) => at === 0 || value - (sorted[at - 1] ?? 0) > limits.near);
}

function isIn({ left, right, baseline, size }: TextRun, box: Box): boolean {
  const [x, y] = [(left + right) / 2, baseline - size * 0.3];
  return x > box.left && x < box.right && y > box.top && y < box.bottom;
}

function tableOf(
  grid: Grid,
  runs: readonly TextRun[],
  words: Vocabulary,
): PositionedTable | undefined {
  const { xs, ys } = grid;
  const cells = runsByCell(grid, runs);
  const taken = new Set<string>();
  const rows: Cell[][] = [];
  let filled = 0;
  for (let row = 0; row + 1 < ys.length; row += 1) {
    const out: Cell[] = [];
    for (let column = 0; column + 1 < xs.length; column += 1) {
      if (taken.has(`${row} ${column}`)) continue;
      const span = spanAt(grid, row, column);
      const inside: TextRun[] = [];
      for (let y = row; y < row + span.rows; y += 1) {
        for (let x = column; x < column + span.columns; x += 1) {
          // Overlapping cells belong to a drawing.
          if (taken.has(`${y} ${x}`)) return undefined;
          taken.add(`${y} ${x}`);
          inside.push(...(cells.get(`${y} ${x}`) ?? []));
        }
      }
      if (inside.length > 0) filled += 1;
      out.push({ content: cellText(inside, words), isHeader: false, ...span });
    }
    rows.push(out);
  }
  if (filled < 2) return undefined;
  const { left, right, top, bottom } = grid;
  const columns = xs.slice(1).map((x, at) => ({ left: xs[at] ?? x, right: x }));
  return { box: { left, right, top, bottom }, rows: withHeader(rows), columns, runs };
}

/** The span of a cell, up to the next line. */
function spanAt(
  { xs, ys, vertical, horizontal }: Grid,
  row: number,
  column: number,
): { columns: number; rows: number } {
  const between = (values: readonly number[], at: number): number =>
    ((values[at] ?? 0) + (values[at + 1] ?? 0)) / 2;
  const isCut = (lines: readonly Ruling[], at: number, across: number): boolean =>
    lines.some(
      (line) => Math.abs(line.at - at) <= limits.near && line.start < across && line.end > across,
    );
  let columns = 1;
  while (
    column + columns + 1 < xs.length &&
    !isCut(vertical, xs[column + columns] ?? 0, between(ys, row))
  ) {
    columns += 1;
  }
  let rows = 1;
  while (
    row + rows + 1 < ys.length &&
    !Array.from({ length: columns }, (_, at) => column + at).some((at) =>
      isCut(horizontal, ys[row + rows] ?? 0, between(xs, at)),
    )
  ) {
    rows += 1;
  }
  return { columns, rows };
}

function runsByCell({ xs, ys, vertical }: Grid, runs: readonly TextRun[]): Map<string, TextRun[]> {
  const cells = new Map<string, TextRun[]>();
  for (const run of runs.flatMap((one) => cutAtLines(one, vertical))) {
    const column = lastAtMost(xs, (run.left + run.right) / 2);
    const row = lastAtMost(ys, run.baseline - run.size * 0.3);
    getOrInsert(cells, `${row} ${column}`, () => []).push(run);
  }
  return cells;
}

/** Splits a run at vertical lines: cells at most a space apart are one run in the text. */
function cutAtLines(run: TextRun, vertical: readonly Ruling[]): readonly TextRun[] {
  const { words = [], left, right, baseline, size } = run;
  if (words.length < 2) return [run];
  const y = baseline - size * 0.3;
  const lines = vertical.filter(
    ({ at, start, end }) => at > left && at < right && start < y && end > y,
  );
  if (lines.length === 0) return [run];
  const before = words.map((word) => {
    const middle = (word.left + word.right) / 2;
    return lines.filter(({ at }) => at < middle).length;
  });
  const cuts = before.flatMap((count, at) => (at > 0 && count !== before[at - 1] ? [at] : []));
  return cutRun(run, cuts);
}

function lastAtMost(values: readonly number[], value: number): number {
  let at = 0;
  while (at + 2 < values.length && (values[at + 1] ?? 0) <= value) at += 1;
  return at;
}

/** The text of a cell, line by line. */
export function cellText(runs: readonly TextRun[], words: Vocabulary): Cell['content'] {
  const lines = rowsOf(segmentsOf(runs)).map((row) =>
    segmentOf(row.flatMap((one: Segment) => one.runs)),
  );
  return textOfLines(lines, words);
}

/** Turns the first of several rows into the header, whose text is not bold. */
export function withHeader(rows: readonly (readonly Cell[])[]): (readonly Cell[])[] {
  return rows.map((row, at) =>
    at === 0 && rows.length > 1
      ? row.map((cell) => ({
          ...cell,
          isHeader: true,
          content: cell.content.map((part) => ({ ...part, isBold: false })),
        }))
      : row,
  );
}
