/** Tables as records: headers, rows and the words above them. */
import { type DomElement, isElement } from '../../content/html/dom.ts';
import {
  countHeaderRows,
  type GridCell,
  type GridRow,
  readTableGrid,
} from '../../content/html/table-grid.ts';
import { labelText } from '../facts/element-text.ts';

/** A table with its surrounding words. */
export interface DataTable {
  /** The caption, or the nearest heading before the table. */
  readonly caption: string;
  /** The texts of the header rows by column; without a header, the texts of the first row. */
  readonly headers: readonly string[];
  /** The cells below the header by column; a spanning cell is in every column it covers. */
  readonly rows: readonly (readonly (DomElement | undefined)[])[];
  /** The cells of every row, each once, headers included. */
  readonly cells: readonly (readonly DomElement[])[];
}

const maxTables = 1000;

/** The tables at and below `root` that have at least one row, in document order. */
export function readTables(root: DomElement): DataTable[] {
  const tables: DataTable[] = [];
  const inside = root.querySelectorAll('table');
  for (const table of root.localName === 'table' ? [root, ...inside] : inside) {
    const grid = readTableGrid(table);
    if (grid.rows.length === 0) continue;
    const headerRows = Math.max(1, countHeaderRows(grid));
    const rows = grid.rows.map((row) => Array.from(row, (cell) => cell?.element));
    tables.push({
      caption: grid.caption === undefined ? headingBefore(table) : labelText(grid.caption),
      headers: headersOf(grid.rows.slice(0, headerRows), grid.width),
      // A cell across the whole table is a heading between rows, not a row.
      rows: rows.slice(headerRows).filter((row) => row.length === 1 || new Set(row).size > 1),
      cells: rows.map((row) => [...new Set(row)].filter((cell) => cell !== undefined)),
    });
    if (tables.length >= maxTables) break;
  }
  return tables;
}

/** The heading right before an element, or before one of its nearest ancestors. */
function headingBefore(element: DomElement): string {
  let around: DomElement | null = element;
  for (let level = 0; level < 3 && around !== null; level += 1) {
    let before = around.previousSibling;
    for (let steps = 0; before !== null && steps < 10; steps += 1) {
      if (isElement(before)) {
        if (/^h[1-6]$/.test(before.localName)) return labelText(before);
        if (/^(table|ul|ol|dl)$/.test(before.localName)) return '';
      }
      before = before.previousSibling;
    }
    around = around.parentElement;
  }
  return '';
}

/** With several header rows, a column's name joins all of its headers, from the top. */
function headersOf(rows: readonly GridRow[], width: number): string[] {
  const columns = Array.from({ length: width }, () => new Set<GridCell>());
  for (const row of rows) {
    for (const [column, cell] of row.entries()) if (cell !== undefined) columns[column]?.add(cell);
  }
  return columns.map((cells) =>
    Array.from(cells, ({ element }) => labelText(element))
      .join(' ')
      .trim(),
  );
}
