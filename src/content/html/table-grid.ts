/**
 * Reads a table as a grid of slots with resolved spans (the HTML standard's table model, within bounds), and
 * detects layout tables and header rows.
 */
import { type DomElement, type DomNode, isElement, isText, nextNode, nodesOf } from './dom.ts';

const limits = {
  columnSpan: 1000, // the limit of browsers
  rowSpan: 65_534, // the limit of browsers
  spannedSlots: 200_000, // slots that exist only because of spans
  valueLength: 1000, // characters; a longer text is an article rather than a value
  valueBlocks: 4, // more are a part of a page
  longestNumber: 200, // characters
};

/** A cell; it appears in every slot that it covers. */
export interface GridCell {
  readonly element: DomElement;
  /** True for `th`. */
  readonly isHeader: boolean;
}

/** A row of slots, as long as its last cell reaches. */
export type GridRow = readonly (GridCell | undefined)[];

/** A table: head, bodies and foot, in display order. */
export interface TableGrid {
  readonly caption: DomElement | undefined;
  readonly rows: readonly GridRow[];
  /** Slots of the longest row. */
  readonly width: number;
  /** Every cell once, in document order of its part. */
  readonly cells: readonly GridCell[];
  /** The number of first rows that are in a `thead`. */
  readonly headRows: number;
  /** Content of the table outside of any cell; browsers display it before the table. */
  readonly strays: readonly DomNode[];
}

/**
 * Reads the rows of a table, not of nested tables. Columns and rows in which no cell begins are left out.
 * Spans end with their row group, and early if they would fill a huge grid.
 */
export function readTableGrid(table: DomElement): TableGrid {
  const parts: TableParts = { caption: undefined, head: [], body: [], foot: [], strays: [] };
  collectRows(table, parts);
  const groups = [...parts.head, ...parts.body, ...parts.foot];
  const grid = layOutCells(groups);
  const rows = withoutEmptyColumns(grid.rows);
  const headRows = parts.head.reduce((sum, group) => sum + group.filter(hasCells).length, 0);
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  const { caption, strays } = parts;
  return { caption, rows, width, cells: grid.cells, headRows, strays };
}

/** The cells of a row, in order. */
type SourceRow = DomElement[];

interface TableParts {
  caption: DomElement | undefined;
  readonly head: SourceRow[][];
  readonly body: SourceRow[][];
  readonly foot: SourceRow[][];
  readonly strays: DomNode[];
}

type TableSection = 'head' | 'body' | 'foot';

const sections: Readonly<Record<string, TableSection>> = {
  thead: 'head',
  tbody: 'body',
  tfoot: 'foot',
};

const columnsAndCode = new Set(['col', 'colgroup', 'script', 'style', 'template']);

/** Where the search for rows continues after a nested element. */
interface RowSearch {
  readonly next: DomNode | null;
  readonly section: TableSection;
  looseCells: SourceRow | undefined;
  /** True for a section, whose rows form a group. */
  readonly endsGroup: boolean;
}

function collectRows(table: DomElement, parts: TableParts): void {
  const around: RowSearch[] = [];
  let search: RowSearch = { next: null, section: 'body', looseCells: undefined, endsGroup: false };
  for (let child = table.firstChild; ;) {
    while (child === null) {
      if (search.endsGroup) parts[search.section].push([]);
      child = search.next;
      const outer = around.pop();
      if (outer === undefined) return;
      search = outer;
    }
    const inner = readPart(child, search, parts);
    if (inner === undefined) {
      child = child.nextSibling;
      continue;
    }
    around.push(search);
    const next: DomNode | null = child.nextSibling;
    search = { next, section: inner, looseCells: undefined, endsGroup: isSection(child) };
    if (search.endsGroup) parts[inner].push([]);
    child = child.firstChild;
  }
}

/** Reads a child of a table or section. Returns the section of the rows inside of it, if it may have any. */
function readPart(child: DomNode, search: RowSearch, parts: TableParts): TableSection | undefined {
  if (!isElement(child)) {
    if (isText(child) && /\S/.test(child.data)) parts.strays.push(child);
    return undefined;
  }
  const name = child.localName;
  if (columnsAndCode.has(name)) return undefined;
  if (name !== 'td' && name !== 'th') search.looseCells = undefined;
  if (name === 'caption') parts.caption ??= child;
  else if (isSection(child)) return sections[name];
  else if (name === 'tr') addRow(parts[search.section], collectCells(child, parts));
  else if (name === 'td' || name === 'th') {
    if (search.looseCells === undefined) addRow(parts[search.section], (search.looseCells = []));
    search.looseCells.push(child);
  } else if (name === 'form' || holdsRows(child)) return search.section;
  else parts.strays.push(child);
  return undefined;
}

function isSection(node: DomNode): boolean {
  return isElement(node) && Object.hasOwn(sections, node.localName);
}

function addRow(groups: SourceRow[][], row: SourceRow): void {
  const group = groups.at(-1);
  if (group === undefined) groups.push([row]);
  else group.push(row);
}

/** Changed trees, and trees from other parsers, may have wrappers in tables. A nested table has its own rows. */
function holdsRows(element: DomElement): boolean {
  if (element.localName === 'table') return false;
  return /^(?:tr|td|th|tbody)$/.test(element.firstElementChild?.localName ?? '');
}

function collectCells(row: DomElement, parts: TableParts): SourceRow {
  const cells: SourceRow = [];
  for (let node = row.firstChild; node !== null;) {
    let isWrapper = false;
    if (isText(node) && /\S/.test(node.data)) parts.strays.push(node);
    if (isElement(node) && !columnsAndCode.has(node.localName)) {
      if (node.localName === 'td' || node.localName === 'th') cells.push(node);
      else if (node.localName === 'form' || holdsRows(node)) isWrapper = true;
      else parts.strays.push(node);
    }
    node = nextNode(node, row, !isWrapper);
  }
  return cells;
}

interface LaidOutCells {
  readonly rows: (GridCell | undefined)[][];
  readonly cells: GridCell[];
}

/** A cell that spans down from a row above. */
interface ReachingCell {
  readonly cell: GridCell;
  /** The first row of the group that it does not reach. */
  readonly until: number;
}

function layOutCells(groups: readonly SourceRow[][]): LaidOutCells {
  const grid: LaidOutCells = { rows: [], cells: [] };
  const spare = { slots: limits.spannedSlots };
  for (const group of groups) {
    let reaching: (ReachingCell | undefined)[] = [];
    for (const [index, source] of group.entries()) {
      if (!hasCells(source)) continue;
      if (spare.slots <= 0) reaching = [];
      while (reaching.length > 0 && (reaching.at(-1)?.until ?? 0) <= index) reaching.pop();
      const row = layOutRow(source, index, reaching, spare, grid.cells);
      grid.rows.push(row);
    }
  }
  return grid;
}

function layOutRow(
  source: SourceRow,
  index: number,
  reaching: (ReachingCell | undefined)[],
  spare: { slots: number },
  cells: GridCell[],
): (GridCell | undefined)[] {
  const row: (GridCell | undefined)[] = [];
  const reachingAt = (column: number): GridCell | undefined => {
    const entry = reaching[column];
    return entry !== undefined && entry.until > index ? entry.cell : undefined;
  };
  for (const element of source) {
    for (let above = reachingAt(row.length); above; above = reachingAt(row.length)) {
      spare.slots -= 1;
      row.push(above);
    }
    const cell: GridCell = { element, isHeader: element.localName === 'th' };
    cells.push(cell);
    const withSpans = spare.slots > 0;
    const columns = withSpans ? spanOf(element, 'colspan', limits.columnSpan) || 1 : 1;
    const rows = withSpans ? spanOf(element, 'rowspan', limits.rowSpan) || limits.rowSpan : 1;
    spare.slots -= columns - 1;
    for (let column = 0; column < columns; column++) {
      if (rows > 1) reaching[row.length] = { cell, until: index + rows };
      row.push(cell);
    }
  }
  spare.slots -= Math.max(reaching.length - row.length, 0);
  while (row.length < reaching.length) row.push(reachingAt(row.length));
  return row;
}

/** 0 means "to the end"; anything but a number is 1. */
function spanOf(cell: DomElement, name: string, limit: number): number {
  const value = cell.getAttribute(name);
  const parsed = value === null ? NaN : Number.parseInt(value, 10);
  return Number.isNaN(parsed) || parsed < 0 ? 1 : Math.min(parsed, limit);
}

function hasCells(row: SourceRow): boolean {
  return row.length > 0;
}

/** Removes columns that exist only because of spans. */
function withoutEmptyColumns(rows: (GridCell | undefined)[][]): readonly GridRow[] {
  const used: boolean[] = [];
  let width = 0;
  const seen = new Set<GridCell>();
  for (const row of rows) {
    width = Math.max(width, row.length);
    for (const [column, cell] of row.entries()) {
      if (cell === undefined || seen.has(cell)) continue;
      seen.add(cell);
      used[column] = true;
    }
  }
  if (used.filter(Boolean).length === width) return rows;
  return rows.map((row) => row.filter((_cell, column) => used[column]));
}

// Detects layout tables and header rows.

/**
 * True for layout tables: those with `role=presentation` or a single cell, and those without headers
 * that have cells with page structure or long text, or one row or column only.
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
 * The number of leading header rows: rows of `thead`, else rows of only `th`, else a first row of `td` that
 * reads like one.
 */
export function countHeaderRows(grid: TableGrid): number {
  if (grid.headRows > 0) return grid.headRows < grid.rows.length ? grid.headRows : 1;
  let count = 0;
  while (count < grid.rows.length && isHeaderRow(grid.rows[count] ?? [])) count++;
  // In a table of only header cells, just the first row counts.
  if (count === grid.rows.length) return Math.min(count, 1);
  return count > 0 || grid.cells.some((cell) => cell.isHeader)
    ? count
    : Number(startsWithNames(grid));
}

const structuralElements = new Set(
  'article aside blockquote footer form h1 h2 h3 h4 h5 h6 header hr iframe main nav pre section table video'.split(
    ' ',
  ),
);

function holdsStructure(cell: GridCell): boolean {
  let length = 0;
  let blocks = 0;
  for (const node of nodesOf(cell.element)) {
    if (isText(node)) length += node.data.trim().length;
    else if (isElement(node)) {
      if (structuralElements.has(node.localName)) return true;
      if (node.localName === 'div' || node.localName === 'p') blocks++;
    }
    if (length > limits.valueLength || blocks > limits.valueBlocks) return true;
  }
  return false;
}

function isHeaderRow(row: GridRow): boolean {
  let headers = 0;
  for (const cell of row) {
    if (cell === undefined) continue;
    if (cell.isHeader) headers++;
    else if (textOfCell(cell) !== '') return false;
  }
  return headers > 0;
}

/** Names in the first row: bold or named as a heading, or words above columns of numbers. */
function startsWithNames(grid: TableGrid): boolean {
  const [first, ...others] = grid.rows.slice(0, 8);
  if (first === undefined || others.length === 0 || first.length < grid.width) return false;
  const names = first.map((cell) => (cell === undefined ? '' : textOfCell(cell)));
  if (names.some((name) => name === '' || name.length > 60)) return false;
  if (new Set(names).size < names.length) return false;
  if (first.every((cell) => cell !== undefined && isMarkedAsName(cell, textOfCell(cell))))
    return true;
  if (others.length < 2 || names.some(isNumeric)) return false;
  return names.some((_name, column) =>
    others.every((row) => row[column] !== undefined && isNumeric(textOfCell(row[column]))),
  );
}

/** The pattern takes quadratic time. */
function isNumeric(text: string): boolean {
  return text.length <= limits.longestNumber && numericPattern.test(text);
}

const numericPattern = /^[^\p{L}\d]*\d[^\p{L}]*\p{L}{0,3}[^\p{L}\d]*$/u;

function isMarkedAsName(cell: GridCell, name: string): boolean {
  const { element } = cell;
  const names = `${element.className} ${element.parentElement?.className ?? ''}`;
  if (/\b(?:t?head(?:er|ing)?|th)\b/i.test(names)) return true;
  let inner = element.firstElementChild;
  while (inner !== null && !/^(?:b|strong)$/.test(inner.localName)) inner = inner.firstElementChild;
  return inner !== null && (inner.textContent ?? '').trim() === name;
}

function textOfCell(cell: GridCell): string {
  return (cell.element.textContent ?? '').trim();
}
