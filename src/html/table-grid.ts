/** A table as a grid of slots, with spans resolved: the HTML standard's table model, within bounds. */
import { type DomElement, type DomNode, isElement, isText } from './dom.ts';

/** A cell. It stands in every slot it covers. */
export interface GridCell {
  readonly element: DomElement;
  /** True for `th`. */
  readonly isHeader: boolean;
}

/** A row of slots, as long as its last cell reaches. */
export type GridRow = readonly (GridCell | undefined)[];

/** A table: head, bodies and foot, in the order in which browsers show them. */
export interface TableGrid {
  readonly caption: DomElement | undefined;
  readonly rows: readonly GridRow[];
  /** Slots of the longest row. */
  readonly width: number;
  /** Every cell once, in document order of its part. */
  readonly cells: readonly GridCell[];
  /** How many rows at the start are in a `thead`. */
  readonly headRows: number;
  /** What stands in the table outside of any cell; browsers show it before the table. */
  readonly strays: readonly DomNode[];
}

/** The limits of browsers, and one for all slots that are there only because of spans. */
const maxColumnSpan = 1000;
const maxRowSpan = 65_534;
const maxSpannedSlots = 200_000;

/**
 * Reads the rows of a table, not those of tables inside. Columns and rows in which no cell begins
 * are left out. Spans end with their row group, and early where they would fill a huge grid.
 */
export function readTableGrid(table: DomElement): TableGrid {
  const parts: Parts = { caption: undefined, head: [], body: [], foot: [], strays: [] };
  collectRows(table, 'body', parts);
  const groups = [...parts.head, ...parts.body, ...parts.foot];
  const placed = placeCells(groups);
  const rows = withoutEmptyColumns(placed.rows);
  const headRows = parts.head.reduce((sum, group) => sum + group.filter(hasCells).length, 0);
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  const { caption, strays } = parts;
  return { caption, rows, width, cells: placed.cells, headRows, strays };
}

/** The cells of a row, in order. */
type SourceRow = DomElement[];

interface Parts {
  caption: DomElement | undefined;
  readonly head: SourceRow[][];
  readonly body: SourceRow[][];
  readonly foot: SourceRow[][];
  readonly strays: DomNode[];
}

type Section = 'head' | 'body' | 'foot';

const sections: Readonly<Record<string, Section>> = { thead: 'head', tbody: 'body', tfoot: 'foot' };
const columnsAndCode = new Set(['col', 'colgroup', 'script', 'style', 'template']);

function collectRows(parent: DomElement, section: Section, parts: Parts): void {
  let looseCells: SourceRow | undefined;
  for (let child = parent.firstChild; child !== null; child = child.nextSibling) {
    if (!isElement(child)) {
      if (isText(child) && /\S/.test(child.data)) parts.strays.push(child);
      continue;
    }
    const name = child.localName;
    if (columnsAndCode.has(name)) continue;
    if (name !== 'td' && name !== 'th') looseCells = undefined;
    if (name === 'caption') parts.caption ??= child;
    else if (Object.hasOwn(sections, name)) {
      const inner = sections[name] ?? section;
      parts[inner].push([]);
      collectRows(child, inner, parts);
      parts[inner].push([]);
    } else if (name === 'tr') addRow(parts[section], collectCells(child, parts, []));
    else if (name === 'td' || name === 'th') {
      if (looseCells === undefined) addRow(parts[section], (looseCells = []));
      looseCells.push(child);
    } else if (name === 'form' || holdsRows(child)) collectRows(child, section, parts);
    else parts.strays.push(child);
  }
}

function addRow(groups: SourceRow[][], row: SourceRow): void {
  const group = groups.at(-1);
  if (group === undefined) groups.push([row]);
  else group.push(row);
}

/** Parsers leave wrappers in tables that browsers would move out. */
function holdsRows(element: DomElement): boolean {
  return /^(?:tr|td|th|tbody)$/.test(element.firstElementChild?.localName ?? '');
}

function collectCells(row: DomElement, parts: Parts, cells: SourceRow): SourceRow {
  for (let child = row.firstChild; child !== null; child = child.nextSibling) {
    if (isText(child) && /\S/.test(child.data)) parts.strays.push(child);
    if (!isElement(child) || columnsAndCode.has(child.localName)) continue;
    if (child.localName === 'td' || child.localName === 'th') cells.push(child);
    else if (child.localName === 'form' || holdsRows(child)) collectCells(child, parts, cells);
    else parts.strays.push(child);
  }
  return cells;
}

interface Placed {
  readonly rows: (GridCell | undefined)[][];
  readonly cells: GridCell[];
}

/** A cell that reaches down from a row above. */
interface Reaching {
  readonly cell: GridCell;
  /** The first row of the group that it does not reach. */
  readonly until: number;
}

function placeCells(groups: readonly SourceRow[][]): Placed {
  const placed: Placed = { rows: [], cells: [] };
  let spare = maxSpannedSlots;
  for (const group of groups) {
    let reaching: (Reaching | undefined)[] = [];
    for (const [index, source] of group.entries()) {
      if (!hasCells(source)) continue;
      if (spare <= 0) reaching = [];
      while (reaching.length > 0 && (reaching.at(-1)?.until ?? 0) <= index) reaching.pop();
      const row = placeRow(source, index, reaching, spare > 0, placed.cells);
      spare -= row.length - source.length;
      placed.rows.push(row);
    }
  }
  return placed;
}

function placeRow(
  source: SourceRow,
  index: number,
  reaching: (Reaching | undefined)[],
  withSpans: boolean,
  cells: GridCell[],
): (GridCell | undefined)[] {
  const row: (GridCell | undefined)[] = [];
  const reachingAt = (column: number): GridCell | undefined => {
    const entry = reaching[column];
    return entry !== undefined && entry.until > index ? entry.cell : undefined;
  };
  for (const element of source) {
    for (let above = reachingAt(row.length); above; above = reachingAt(row.length)) row.push(above);
    const cell: GridCell = { element, isHeader: element.localName === 'th' };
    cells.push(cell);
    const columns = withSpans ? span(element, 'colspan', maxColumnSpan) || 1 : 1;
    const rows = withSpans ? span(element, 'rowspan', maxRowSpan) || maxRowSpan : 1;
    for (let column = 0; column < columns; column++) {
      if (rows > 1) reaching[row.length] = { cell, until: index + rows };
      row.push(cell);
    }
  }
  while (row.length < reaching.length) row.push(reachingAt(row.length));
  return row;
}

/** 0 stands for "to the end"; what is no number is 1. */
function span(cell: DomElement, name: string, limit: number): number {
  const value = cell.getAttribute(name);
  const parsed = value === null ? NaN : Number.parseInt(value, 10);
  return Number.isNaN(parsed) || parsed < 0 ? 1 : Math.min(parsed, limit);
}

function hasCells(row: SourceRow): boolean {
  return row.length > 0;
}

/** Columns that exist only because of spans say nothing. */
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
