/** Tables that show the lines of a file beside their numbers. */
import type { DomElement } from '../../html/dom.ts';
import type { TableGrid } from '../../html/table-grid.ts';
import { isGutter } from './code-text.ts';

/** True when the first row has a cell of line numbers and one of code. */
export function isCodeTable(table: DomElement, grid: TableGrid): boolean {
  if (/(?:^|\s)lntable(?:\s|$)/.test(table.className)) return true;
  const row = grid.rows[0];
  if (row === undefined || row.length < 2 || !row.some((cell) => cell && isGutter(cell.element))) {
    return false;
  }
  return row.some(
    (cell) =>
      cell !== undefined &&
      (/(?:^|[\s-])code(?:[\s-]|$)/.test(cell.element.className) ||
        /^(?:pre|code)$/.test(cell.element.firstElementChild?.localName ?? '')),
  );
}
