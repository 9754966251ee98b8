/** Tables of the structure tree: it names rows and cells; how far a cell goes is seen on the page. */
import type { Cell, Inline } from './blocks.ts';
import type { Box } from './geometry.ts';

/** A cell before its place among the columns is known. */
export interface TaggedCell {
  readonly content: readonly Inline[];
  readonly isHeader: boolean;
  /** Where its text is; undefined for an empty one. */
  readonly box: Box | undefined;
}

const maxColumns = 200;

/** Rows of cells; those that are short of cells have some that go on to the right, or down to them. */
export function placeCells(rows: readonly (readonly TaggedCell[])[]): Cell[][] {
  const count = Math.min(Math.max(0, ...rows.map((row) => row.length)), maxColumns);
  const starts = columnStarts(rows, count);
  const placed: { cells: { cell: TaggedCell; column: number; columns: number; rows: number }[] }[] =
    [];
  for (const row of rows) {
    const columns = columnsFor(row.slice(0, maxColumns), starts, count);
    const cells = row.slice(0, maxColumns).map((cell, at) => {
      const column = columns[at] ?? at;
      const next = columns[at + 1] ?? count;
      return { cell, column, columns: Math.max(1, next - column), rows: 1 };
    });
    const [first] = cells;
    const above = placed.at(-1)?.cells[0];
    // Rows that begin further right stand beside a cell that goes down to them.
    if (first !== undefined && first.column > 0 && above !== undefined) {
      const owner = placed.findLast(({ cells: [one] }) => one?.column === 0)?.cells[0];
      if (owner !== undefined) owner.rows += 1;
    }
    placed.push({ cells });
  }
  return placed.map(({ cells }) =>
    cells.map(({ cell, columns, rows: down }) => ({
      content: cell.content,
      isHeader: cell.isHeader,
      columns,
      rows: down,
    })),
  );
}

/** Where the cells of rows that have them all begin. */
function columnStarts(rows: readonly (readonly TaggedCell[])[], count: number): number[] {
  return Array.from({ length: count }, (_, column) =>
    Math.min(
      ...rows
        .filter((row) => row.length === count)
        .map((row) => row[column]?.box?.left ?? Infinity),
    ),
  );
}

/** The column of each cell: the one that begins closest to it, and each further right than the last. */
function columnsFor(
  row: readonly TaggedCell[],
  starts: readonly number[],
  count: number,
): number[] {
  if (row.length >= count) return row.map((_, at) => at);
  const columns: number[] = [];
  for (const [at, { box }] of row.entries()) {
    const least = (columns.at(-1) ?? -1) + 1;
    const most = count - (row.length - at);
    let best = least;
    if (box !== undefined) {
      for (let column = least; column <= most; column += 1) {
        const distance = Math.abs((starts[column] ?? Infinity) - box.left);
        if (distance < Math.abs((starts[best] ?? Infinity) - box.left)) best = column;
      }
    }
    columns.push(best);
  }
  return columns;
}
