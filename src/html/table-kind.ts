/** What a table is for: data or layout, and which of its rows are headers. */
import { type DomElement, isElement, isText } from './dom.ts';
import { nodesOf } from './nodes.ts';
import type { GridCell, GridRow, TableGrid } from './table-grid.ts';

/**
 * True for tables that only place things: those that say so, those of one cell, and those without
 * any header whose cells hold page structure, long text, or stand in one row or column.
 */
export function isLayoutTable(table: DomElement, grid: TableGrid): boolean {
  const role = table.getAttribute('role');
  if (role === 'presentation' || role === 'none') return true;
  if (grid.cells.length <= 1) return true;
  if (role === 'table' || role === 'grid' || grid.caption !== undefined || grid.headRows > 0) {
    return false;
  }
  if (grid.cells.some((cell) => cell.isHeader)) return false;
  return grid.width === 1 || grid.rows.length === 1 || grid.cells.some(holdsStructure);
}

/**
 * How many rows at the start are headers: those of `thead`, else rows of `th` only, else a first
 * row of `td` that looks like one.
 */
export function countHeaderRows(grid: TableGrid): number {
  if (grid.headRows > 0) return grid.headRows < grid.rows.length ? grid.headRows : 1;
  let count = 0;
  while (count < grid.rows.length && isHeaderRow(grid.rows[count] ?? [])) count++;
  // A table of headers only has one row of them.
  if (count === grid.rows.length) return Math.min(count, 1);
  return count > 0 || grid.cells.some((cell) => cell.isHeader)
    ? count
    : Number(startsWithNames(grid));
}

const structure = new Set(
  'article aside blockquote footer form h1 h2 h3 h4 h5 h6 header hr iframe main nav pre section table video'.split(
    ' ',
  ),
);

/** More text than this is an article rather than a value, more blocks a part of a page. */
const maxValueLength = 1000;
const maxValueBlocks = 4;

function holdsStructure(cell: GridCell): boolean {
  let length = 0;
  let blocks = 0;
  for (const node of nodesOf(cell.element)) {
    if (isText(node)) length += node.data.trim().length;
    else if (isElement(node)) {
      if (structure.has(node.localName)) return true;
      if (node.localName === 'div' || node.localName === 'p') blocks++;
    }
    if (length > maxValueLength || blocks > maxValueBlocks) return true;
  }
  return false;
}

function isHeaderRow(row: GridRow): boolean {
  let headers = 0;
  for (const cell of row) {
    if (cell === undefined) continue;
    if (cell.isHeader) headers++;
    else if (textOf(cell) !== '') return false;
  }
  return headers > 0;
}

/** Names in the first row: bold or called a heading, or words above columns of numbers. */
function startsWithNames(grid: TableGrid): boolean {
  const [first, ...others] = grid.rows.slice(0, 8);
  if (first === undefined || others.length === 0 || first.length < grid.width) return false;
  const names = first.map((cell) => (cell === undefined ? '' : textOf(cell)));
  if (names.some((name) => name === '' || name.length > 60)) return false;
  if (new Set(names).size < names.length) return false;
  if (first.every((cell) => cell !== undefined && isMarkedAsName(cell, textOf(cell)))) return true;
  if (others.length < 2 || names.some(isNumeric)) return false;
  return names.some((_name, column) =>
    others.every((row) => row[column] !== undefined && isNumeric(textOf(row[column]))),
  );
}

/** The pattern takes time with the square of the length. */
function isNumeric(text: string): boolean {
  return text.length <= longestNumber && numeric.test(text);
}

const longestNumber = 200;

const numeric = /^[^\p{L}\d]*\d[^\p{L}]*\p{L}{0,3}[^\p{L}\d]*$/u;

function isMarkedAsName(cell: GridCell, name: string): boolean {
  const { element } = cell;
  const names = `${element.className} ${element.parentElement?.className ?? ''}`;
  if (/\b(?:t?head(?:er|ing)?|th)\b/i.test(names)) return true;
  let inner = element.firstElementChild;
  while (inner !== null && !/^(?:b|strong)$/.test(inner.localName)) inner = inner.firstElementChild;
  return inner !== null && (inner.textContent ?? '').trim() === name;
}

function textOf(cell: GridCell): string {
  return (cell.element.textContent ?? '').trim();
}
