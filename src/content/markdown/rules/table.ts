/** `table`. */
import type { DomElement } from '../../html/dom.ts';
import {
  countHeaderRows,
  type GridCell,
  type GridRow,
  isLayoutTable,
  readTableGrid,
  type TableGrid,
} from '../../html/table-grid.ts';
import type { Emitter, MarkdownRule } from '../emitter.ts';

/**
 * A GFM table; its caption is a bold line before it. Of layout tables, the content of the cells is written; a
 * table in a cell becomes one line per row.
 *
 * GFM has no spans: a cell that spans rows is repeated in each row, so that every row can be read alone (long
 * text only once); a cell that spans columns is in the first column, in a header in each column. A table
 * without a header gets an empty one; entirely empty columns and rows are dropped.
 */
export const table: MarkdownRule = (element, out) => {
  const grid = readTableGrid(element);
  out.flush();
  for (const stray of grid.strays) out.visit(stray);
  out.boundary();
  if (out.inCell) writeLines(grid, out);
  else if (isLayoutTable(element, grid) || !writeTable(grid, out)) dissolve(grid, out);
};

function dissolve(grid: TableGrid, out: Emitter): void {
  if (grid.caption !== undefined) out.paragraph(grid.caption);
  for (const cell of grid.cells) out.paragraph(cell.element);
}

function writeLines(grid: TableGrid, out: Emitter): void {
  if (grid.caption !== undefined) out.paragraph(grid.caption);
  const seen = new Set<GridCell>();
  for (const row of grid.rows) {
    out.boundary();
    for (const cell of row) {
      if (cell === undefined || seen.has(cell)) continue;
      seen.add(cell);
      out.children(cell.element);
      if (!out.run.endsWithBreak) out.run.space();
    }
  }
  out.boundary();
}

const maxRepeated = 200; // characters of a cell that are repeated in every row it spans
const maxPadded = 100_000; // slots; larger tables are not padded, which GFM does not require

/** False if the table has only one column of values, or none. */
function writeTable(grid: TableGrid, out: Emitter): boolean {
  const headerRows = countHeaderRows(grid);
  const rows = readTexts(grid, headerRows, out);
  const columns = usedColumns(rows, grid.width);
  if (columns.length === 0 || (columns.length === 1 && headerRows === 0)) return false;
  const lines = rows
    .filter((row, index) => index < headerRows || row.some((text) => text !== ''))
    .map((row) => usedCells(row, columns));
  const header = headerRows > 0 ? (lines.shift() ?? []) : columns.map(() => '');
  const marks = columns.map((column) => alignment(grid, headerRows, column));
  const padded = lines.length * columns.length <= maxPadded;
  if (grid.caption !== undefined) writeCaption(grid.caption, out);
  out.block(
    [header, marks, ...lines]
      .map((row, index) => tableLine(row, padded || index < 2 ? columns.length : 0))
      .join('\n'),
  );
  return true;
}

function writeCaption(caption: DomElement, out: Emitter): void {
  out.run.wrap({ kind: 'strong' }, () => out.children(caption));
  out.flush();
}

function readTexts(grid: TableGrid, headerRows: number, out: Emitter): string[][] {
  const texts = new Map<GridCell, string>();
  for (const cell of grid.cells) texts.set(cell, out.cell(cell.element));
  return grid.rows.map((row, index) =>
    row.map((cell, column) => {
      const text = cell === undefined ? '' : (texts.get(cell) ?? '');
      const isHeader = index < headerRows;
      if (cell === undefined || (row[column - 1] === cell && !(isHeader && !isWholeRow(row))))
        return '';
      const isRepeated = grid.rows[index - 1]?.[column] === cell;
      return isRepeated && (isHeader || text.length > maxRepeated) ? '' : text;
    }),
  );
}

function isWholeRow(row: GridRow): boolean {
  return row.every((cell) => cell === row[0]);
}

function usedColumns(rows: readonly (readonly string[])[], width: number): number[] {
  const used = new Set<number>();
  for (const row of rows) {
    for (const [column, text] of row.entries()) if (text !== '') used.add(column);
  }
  return Array.from({ length: width }, (_, column) => column).filter((column) => used.has(column));
}

/** The alignment of the header cell, or else of the first cell below it. */
function alignment(grid: TableGrid, headerRows: number, column: number): string {
  for (const row of [0, Math.max(headerRows, 1)]) {
    const cell = grid.rows[row]?.[column]?.element;
    const side = cell && alignmentOf(cell);
    if (side === 'center') return ':---:';
    if (side === 'right') return '---:';
    if (side === 'left') return ':---';
  }
  return '---';
}

function alignmentOf(cell: DomElement): string | undefined {
  const style = /text-align:\s*(left|center|right)/.exec(cell.getAttribute('style') ?? '')?.[1];
  if (style !== undefined) return style;
  const attribute = cell.getAttribute('align')?.toLowerCase();
  if (attribute === 'left' || attribute === 'center' || attribute === 'right') return attribute;
  return /(?:^|[\s-])(?:text|align)-(left|center|right)(?:\s|$)/.exec(cell.className)?.[1];
}

function usedCells(row: readonly string[], columns: readonly number[]): string[] {
  const cells: string[] = [];
  for (const column of columns) {
    if (column >= row.length) break;
    cells.push(row[column] ?? '');
  }
  return cells;
}

function tableLine(cells: readonly string[], width: number): string {
  const missing = width > cells.length ? ' |'.repeat(width - cells.length) : '';
  return `| ${cells.join(' | ')} |${missing}`;
}
