/** The tables format: every data table of the page as values. */
import {
  type DomElement,
  type DomNode,
  elementsOf,
  isElement,
  isText,
  visitBelow,
} from '../html/dom.ts';
import {
  countHeaderRows,
  type GridCell,
  isLayoutTable,
  readTableGrid,
  type TableGrid,
} from '../html/table-grid.ts';
import { oneLine } from '../text/plain-text.ts';
import { builtInModule, type Format } from './format.ts';

const limits = {
  heading: 1_000, // characters: a heading is repeated at every table below
  repeated: 5_000_000,
  slots: 1_000_000, // tables with more slots are not padded to a rectangle
};

/** A data table. */
export interface Table {
  /** The caption of the table, or of the figure around it. */
  caption?: string;
  /** One name per column; several header rows are joined by a space. Empty when there is no header. */
  headers: string[];
  /** The texts of the other rows. A cell that spans rows or columns is repeated in each of them. */
  rows: string[][];
  /** The headings above the table, from the outermost to the nearest. */
  headingPath: string[];
}

/** Data tables in document order; tables in cells are entries of their own, layout tables are left out. */
export const tables: Format<'tables', Table[], undefined> = {
  name: 'tables',
  needs: 'content',
  showsContent: true,
  worker: builtInModule,
  run: (page) => (page.kind === 'html' ? readTables(page.root) : []),
};

function readTables(root: DomElement): Table[] {
  const found: Table[] = [];
  const headings: string[] = [];
  const spare: SpareSlots = { characters: limits.repeated };
  for (const element of elementsOf(root)) {
    const level = headingLevel(element);
    if (level !== undefined) {
      headings.length = level - 1;
      headings[level - 1] = cellText(element, limits.heading);
    } else if (element.localName === 'table') {
      const table = readTable(element, spare);
      if (table !== undefined) found.push({ ...table, headingPath: headings.filter(Boolean) });
    }
  }
  return found;
}

/** Reads the tag or the role; ARIA defaults to level 2. */
function headingLevel(element: DomElement): number | undefined {
  const byTag = /^h([1-6])$/.exec(element.localName)?.[1];
  if (byTag !== undefined) return Number(byTag);
  if (element.getAttribute('role') !== 'heading') return undefined;
  const level = Number(element.getAttribute('aria-level') ?? 2);
  return Number.isInteger(level) ? Math.min(Math.max(level, 1), 6) : 2;
}

/** The budget of a whole page for repeating cells that span; beyond it their text appears once. */
interface SpareSlots {
  characters: number;
}

function readTable(element: DomElement, spare: SpareSlots): Omit<Table, 'headingPath'> | undefined {
  const grid = readTableGrid(element);
  if (isLayoutTable(element, grid)) return undefined;
  const texts = new Map<GridCell, string>();
  for (const cell of grid.cells) texts.set(cell, cellText(cell.element));
  const seen = new Set<GridCell>();
  const textIn = (cell: GridCell | undefined): string => {
    const text = (cell && texts.get(cell)) ?? '';
    if (cell === undefined || text === '') return '';
    if (seen.has(cell) && (spare.characters -= text.length) < 0) return '';
    seen.add(cell);
    return text;
  };
  const all = grid.rows.map((row) => row.map(textIn));
  const headerRows = countHeaderRows(grid);
  const headers = headerRows === 0 ? [] : joinHeaders(all.slice(0, headerRows), grid);
  const rows = all.slice(headerRows).filter((row) => row.some((text) => text !== ''));
  if (rows.length === 0 && headers.every((name) => name === '')) return undefined;
  for (const row of rows) fillUp(row, grid);
  const caption = grid.caption === undefined ? figureCaption(element) : cellText(grid.caption);
  return caption === '' ? { headers, rows } : { caption, headers, rows };
}

/** The caption of the figure around the table, its first or last child; or ``. */
function figureCaption(table: DomElement): string {
  let around = table.parentElement;
  if (around?.localName === 'div') around = around.parentElement;
  if (around?.localName !== 'figure') return '';
  let last = around.lastChild;
  if (!isElement(last)) last = last?.previousSibling ?? null;
  const ends = [around.firstElementChild, last].filter(isElement);
  const caption = ends.find(({ localName }) => localName === 'figcaption');
  return caption === undefined ? '' : cellText(caption, limits.heading);
}

function joinHeaders(rows: readonly (readonly string[])[], grid: TableGrid): string[] {
  const columns = Array.from({ length: grid.width }, () => new Set<string>());
  for (const row of rows) {
    for (const [column, name] of row.entries()) if (name !== '') columns[column]?.add(name);
  }
  return columns.map((names) => [...names].join(' '));
}

function fillUp(row: string[], grid: TableGrid): void {
  if (grid.rows.length * grid.width > limits.slots) return;
  while (row.length < grid.width) row.push('');
}

const hiddenElements = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'svg',
  'table',
  'button',
]);

/**
 * The text of a cell or heading on one line, `limit` characters at most, with the alternative texts
 * of pictures, without nested tables.
 */
function cellText(element: DomElement, limit = Infinity): string {
  let text = '';
  const setApart = (node: DomNode): void => {
    if (isElement(node) && standsApart.has(node.localName)) text += ' ';
  };
  const open = (node: DomNode): boolean | undefined => {
    if (text.length > limit) return undefined;
    if (isText(node)) text += node.data;
    if (!isElement(node)) return false;
    if (node.localName === 'img') text += node.getAttribute('alt') ?? '';
    setApart(node);
    return !hiddenElements.has(node.localName);
  };
  visitBelow(element, open, setApart);
  return oneLine(text).slice(0, limit);
}

const standsApart = new Set(
  'br dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre td th tr ul'.split(' '),
);
