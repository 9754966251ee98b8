/** One sheet of a workbook as a table. */
import type { CellObject, DenseWorkSheet, Range, WorkSheet } from '@e965/xlsx';
import { escapeAttribute, escapeText } from '../../../html/escape.ts';
import { isSafeUrl } from '../../../url/safe-url.ts';
import type { HtmlBudget } from '../writing/html-budget.ts';
import { looksLikeNames, type TableCell, writeTable } from '../writing/table-writer.ts';
import { cutWarning, mostColumns, mostRows } from './sheet-limits.ts';

type Xlsx = typeof import('@e965/xlsx');

/** What was read of a sheet. */
export interface SheetTable {
  readonly html: string;
  /** Cells that were written. */
  readonly cells: number;
  readonly warning: string | undefined;
}

/** Where the cells of a sheet are that say something. */
interface Extent {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** Writes at most `most` cells. Empty rows and columns around the content are left out. */
export function readSheet(
  xlsx: Xlsx,
  sheet: WorkSheet,
  name: string,
  most: number,
  budget: HtmlBudget,
): SheetTable {
  const rows = rowsOf(sheet);
  const extent = extentOf(rows);
  const warningAt = (row: number): string => cutWarning(`The sheet "${name}"`, row, most);
  const isTooWide = widthOf(rows) > mostColumns;
  if (extent === undefined) {
    return { html: '', cells: 0, warning: isTooWide ? warningAt(rows.length) : undefined };
  }
  const { top, left, right } = extent;
  const width = right - left + 1;
  const bottom = Math.min(extent.bottom, top + Math.floor(most / width) - 1);
  const hiddenRows = new Set<number>();
  sheet['!rows']?.forEach((row, index) => {
    if ((row as { hidden?: boolean } | undefined)?.hidden === true) hiddenRows.add(index);
  });
  const merges = mergesOf(sheet['!merges'] ?? [], { ...extent, bottom });
  const table: TableCell[][] = [];
  for (let row = top; row <= bottom; row += 1) {
    if (isBlank(rows[row]) || hiddenRows.has(row)) {
      if (!merges.rows.has(row)) continue;
    }
    const line: TableCell[] = [];
    for (let column = left; column <= right; column += 1) {
      if (merges.covered.has(row * mostColumns + column)) continue;
      const merge = merges.first.get(row * mostColumns + column);
      const cell = cellOf(rows[row]?.[column]);
      // Many cells may show one long text.
      budget.spend(cell.html);
      line.push({ ...cell, ...merge });
    }
    table.push(line);
  }
  const isCut = bottom < extent.bottom || rows.length > mostRows || isTooWide;
  const fullRange: unknown = sheet['!fullref'];
  const isLonger =
    typeof fullRange === 'string' && xlsx.utils.decode_range(fullRange).e.r >= mostRows;
  return {
    html: writeTable(
      table,
      table.length > 1 && looksLikeNames(table[0] ?? [], table[1]) ? 1 : 0,
      budget,
    ),
    cells: table.length * width,
    warning: isCut || isLonger ? warningAt(bottom + 1) : undefined,
  };
}

/** Sheets without cells have no rows, whatever the type says. */
function rowsOf(sheet: WorkSheet): Rows {
  return (sheet as Partial<DenseWorkSheet>)['!data'] ?? [];
}

type Rows = readonly (readonly (CellObject | undefined)[] | undefined)[];

function extentOf(rows: Rows): Extent | undefined {
  let extent: Extent | undefined;
  rows.slice(0, mostRows).forEach((cells, row) => {
    cells?.slice(0, mostColumns).forEach((cell, column) => {
      if (textOf(cell) === '') return;
      extent = {
        top: extent?.top ?? row,
        bottom: row,
        left: Math.min(extent?.left ?? column, column),
        right: Math.max(extent?.right ?? column, column),
      };
    });
  });
  return extent;
}

function widthOf(rows: Rows): number {
  return rows.reduce((most, cells) => Math.max(most, cells?.length ?? 0), 0);
}

function isBlank(cells: Rows[number]): boolean {
  return cells === undefined || !cells.some((cell) => textOf(cell) !== '');
}

interface Merges {
  /** By row and column: row times 1000 plus column. */
  readonly first: ReadonlyMap<number, Pick<TableCell, 'columns' | 'rows'>>;
  readonly covered: ReadonlySet<number>;
  /** Rows that some cell from above reaches into. */
  readonly rows: ReadonlySet<number>;
}

/** Merged cells within the extent. Those that overlap others are not merged. */
function mergesOf(ranges: readonly Range[], { top, bottom, left, right }: Extent): Merges {
  const first = new Map<number, Pick<TableCell, 'columns' | 'rows'>>();
  const covered = new Set<number>();
  const rows = new Set<number>();
  for (const { s: start, e: end } of ranges) {
    const last = { row: Math.min(end.r, bottom), column: Math.min(end.c, right) };
    const key = start.r * mostColumns + start.c;
    const isInside = start.r >= top && start.c >= left && start.r <= bottom && start.c <= right;
    if (!isInside || covered.has(key) || first.has(key)) continue;
    const size = { columns: last.column - start.c + 1, rows: last.row - start.r + 1 };
    // A merge over a whole sheet is a mistake, and would cost a place for every cell.
    if (covered.size + size.columns * size.rows > 500_000) continue;
    first.set(key, size);
    for (let row = start.r; row <= last.row; row += 1) {
      if (row > start.r) rows.add(row);
      for (let column = start.c; column <= last.column; column += 1) {
        const one = row * mostColumns + column;
        if (one !== key) covered.add(one);
      }
    }
  }
  return { first, covered, rows };
}

function cellOf(cell: CellObject | undefined): TableCell {
  const text = escapeText(textOf(cell)).replace(/\r\n?|\n/g, '<br>');
  const target = cell?.l?.Target;
  const isNumeric = cell?.t === 'n' || cell?.t === 'd';
  return {
    html:
      target !== undefined && text !== '' && !target.startsWith('#') && isSafeUrl(target)
        ? `<a href="${escapeAttribute(target)}">${text}</a>`
        : text,
    align: isNumeric ? 'right' : undefined,
  };
}

/** What the sheet shows, else the value. */
function textOf(cell: CellObject | undefined): string {
  if (cell === undefined || cell.t === 'z') return '';
  const { w: shown, v: value } = cell;
  if (shown !== undefined) return shown.trim();
  if (value instanceof Date) return value.toISOString();
  return value === undefined ? '' : String(value).trim();
}
