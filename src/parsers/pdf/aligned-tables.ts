/** Tables without lines: rows whose parts stand below each other. */
import type { Cell, Column } from './blocks.ts';
import type { Row } from './columns.ts';
import { isCodeLine } from './code-text.ts';
import { boxAround, median, type Ruling, type Segment } from './geometry.ts';
import type { Vocabulary } from './line-text.ts';
import type { BlockContext } from './paragraphs.ts';
import { isLoneMarker } from './list-marker.ts';
import { cellText, withHeader } from './ruled-tables.ts';
import { segmentOf } from './segments.ts';

interface TableGroup {
  readonly table: readonly (readonly Cell[])[];
  readonly columns: readonly Column[];
}

/** Rows that are lines of text, or a table. */
export type RowGroup = { readonly lines: readonly Segment[] } | TableGroup;

const maxColumns = 20;

/** Groups the rows of a region. `rulings` are the horizontal lines of the page. */
export function groupRows(
  rows: readonly Row[],
  rulings: readonly Ruling[],
  { body, words }: BlockContext,
): RowGroup[] {
  const clean = rows.map((row) => joinMarkers(row, body.size));
  const groups: RowGroup[] = [];
  let lines: Segment[] = [];
  for (let at = 0; at < clean.length;) {
    const found = tableAt(clean, at, rulings, words);
    if (found !== undefined) {
      const { table, columns, end } = found;
      if (lines.length > 0) groups.push({ lines });
      lines = [];
      groups.push({ table, columns });
      at = end;
    } else {
      lines.push(segmentOf((clean[at] ?? []).flatMap(({ runs }) => runs)));
      at += 1;
    }
  }
  if (lines.length > 0) groups.push({ lines });
  return groups;
}

/** The table that begins at a row, and the row after it; undefined where none does. */
function tableAt(
  rows: readonly Row[],
  start: number,
  rulings: readonly Ruling[],
  words: Vocabulary,
): (TableGroup & { readonly end: number }) | undefined {
  const end = endOfTable(rows, start, rulings);
  if (end === undefined) return undefined;
  const inside = rows.slice(start, end);
  const columns = columnsOf(inside.filter(isTableRow));
  const table = tableOf(inside, columns, words);
  return table === undefined ? undefined : { table, columns, end };
}

/** A bullet belongs to the text after it, however far that is; dots lead to a page number. */
function joinMarkers(row: Row, bodySize: number): Row {
  const [first, second, ...others] = row;
  if (row.some(isLeader) || isHeading(row, bodySize))
    return [segmentOf(row.flatMap(({ runs }) => runs))];
  if (first === undefined || second === undefined || !isLoneMarker(first)) return row;
  if (second.left - first.right > second.size * 5) return row;
  return [segmentOf([...first.runs, ...second.runs]), ...others];
}

/** Larger text, or a number and bold text. */
function isHeading(row: Row, bodySize: number): boolean {
  if (row.length > 1 && row.every(({ size }) => size > bodySize * 1.1)) return true;
  const runs = row.flatMap((segment) => segment.runs);
  return (
    row.length === 2 &&
    /^\d+(?:\.\d+)*\.?$/.test(textOf(row[0])) &&
    runs.every(({ font }) => font.isBold)
  );
}

function textOf(segment: Segment | undefined): string {
  return (segment?.runs ?? [])
    .map(({ text }) => text)
    .join('')
    .trim();
}

function isLeader({ runs }: Segment): boolean {
  return runs.some(({ text }) => /(?:\. ?){5}|…{2}/.test(text));
}

/** The row after the table that begins here; undefined where none does. */
function endOfTable(
  rows: readonly Row[],
  start: number,
  rulings: readonly Ruling[],
): number | undefined {
  const first = rows[start];
  if (first === undefined || !isTableRow(first)) return undefined;
  const byRules = endByRules(rows, start, rulings);
  if (byRules !== undefined) return byRules;
  const full = [first];
  let columns = columnsOf(full);
  let lastFull = start;
  for (let end = start + 1; end < rows.length; end += 1) {
    const [row, before] = [rows[end], rows[end - 1]];
    if (row === undefined || before === undefined) break;
    const gap = baselineOf(row) - baselineOf(before);
    if (gap > (row[0]?.size ?? 10) * 3) break;
    if (isTableRow(row)) {
      lastFull = end;
      full.push(row);
      columns = columnsOf(full);
    } else if (row.length > 1 || !fitsColumn(row, columns)) break;
    if (columns.length < 2) break;
  }
  const needed = columns.length > 2 ? 2 : 3;
  if (columns.length < 2 || columns.length > maxColumns || full.length < needed) return undefined;
  const cells = full.reduce((sum, row) => sum + row.length, 0);
  if (cells < full.length * columns.length * 0.6) return undefined;
  return lastFull + 1;
}

/** Three lines of one length or more, above, in and below the rows. */
function endByRules(
  rows: readonly Row[],
  start: number,
  rulings: readonly Ruling[],
): number | undefined {
  const { left, right, top, size } = { ...boxAround(rows[start] ?? []), size: 10 };
  const head = rulings.find(
    ({ at, start: from, end }) =>
      at < top + size * 0.3 && at > top - size * 1.5 && from < left + size && end > right - size,
  );
  if (head === undefined) return undefined;
  const same = rulings
    .filter(
      ({ at, start: from, end }) =>
        at >= head.at && Math.abs(from - head.start) < 4 && Math.abs(end - head.end) < 4,
    )
    .map(({ at }) => at)
    .sort((a, b) => a - b);
  const bottom = same.at(-1) ?? 0;
  if (same.length < 3) return undefined;
  let end = start;
  while (end < rows.length && baselineOf(rows[end] ?? []) < bottom + 1) end += 1;
  const inside = rows.slice(start, end).filter(isTableRow);
  return inside.length >= 2 && columnsOf(inside).length >= 2 ? end : undefined;
}

function isTableRow(row: Row): boolean {
  return row.length > 1 && !row.every(isCodeLine);
}

function baselineOf(row: Row): number {
  return row[0]?.baseline ?? 0;
}

/** Where cells stand: what overlaps is one column. */
function columnsOf(rows: readonly Row[]): Column[] {
  const parts = rows.flat().sort((a, b) => a.left - b.left);
  const columns: { left: number; right: number }[] = [];
  for (const { left, right, size } of parts) {
    const last = columns.at(-1);
    if (last !== undefined && left < last.right + size * 0.85) {
      last.right = Math.max(last.right, right);
    } else columns.push({ left, right });
  }
  return columns;
}

function fitsColumn(row: Row, columns: readonly Column[]): boolean {
  const [part] = row;
  if (part === undefined || isCodeLine(part)) return false;
  const at = columns.findIndex(
    ({ left, right }) => part.left > left - 3 && part.right < right + part.size * 2,
  );
  // Below the first column may be a paragraph as well.
  return at > 0;
}

function tableOf(
  rows: readonly Row[],
  columns: readonly Column[],
  words: Vocabulary,
): readonly (readonly Cell[])[] | undefined {
  const gaps = rows.slice(1).map((row, at) => baselineOf(row) - baselineOf(rows[at] ?? []));
  const leading = median(gaps);
  const cells: Segment[][][] = [];
  for (const [at, row] of rows.entries()) {
    const placed: Segment[][] = columns.map(() => []);
    for (const part of row) placed[columnAt(columns, part)]?.push(part);
    const before = cells.at(-1);
    const gap = at === 0 ? Infinity : baselineOf(row) - baselineOf(rows[at - 1] ?? []);
    const goesOn = placed[0]?.length === 0 && gap <= leading * 1.1;
    if (before !== undefined && goesOn) {
      for (const [index, parts] of placed.entries()) before[index]?.push(...parts);
    } else cells.push(placed);
  }
  if (cells.length < 2) return undefined;
  return withHeader(
    cells.map((row) =>
      row.map((parts) => ({
        content: cellText(
          parts.flatMap(({ runs }) => runs),
          words,
        ),
        isHeader: false,
        columns: 1,
        rows: 1,
      })),
    ),
  );
}

function columnAt(columns: readonly Column[], { left, right }: Segment): number {
  const overlap = (column: Column): number =>
    Math.min(column.right, right) - Math.max(column.left, left);
  let best = 0;
  for (const [at, column] of columns.entries()) {
    if (overlap(column) > overlap(columns[best] ?? column)) best = at;
  }
  return best;
}
