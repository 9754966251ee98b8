/** Finds tables without lines: rows whose cells are aligned in columns. */
import { type Cell, type Column, textOf as plainText } from './blocks.ts';
import { segmentOf, type SegmentRow, splitAtGaps } from './page-layout.ts';
import { firstWordWidth, isCodeLine, joinedText, type Vocabulary } from './line-text.ts';
import { boxAround, gapsOf, median, type Ruling, type Segment } from './geometry.ts';
import type { BlockContext } from './paragraphs.ts';
import { isLoneMarker } from './list-markers.ts';
import { cellText, withHeader } from './ruled-tables.ts';

const limits = {
  columns: 20,
  longestTerm: 40, // characters
  shortestSentence: 12, // characters of the shortest definition that is a sentence
};

interface TableGroup {
  readonly table: readonly (readonly Cell[])[];
  readonly columns: readonly Column[];
  /** True for terms with a definition beside each. */
  readonly isDefinitions: boolean;
}

/** Rows that form lines of text, or a table. */
export type RowGroup = { readonly lines: readonly Segment[] } | TableGroup;

/** Distances between columns, in multiples of the font size. */
interface Spacing {
  readonly margin: number;
  /** How far continuation lines of a cell may extend beyond its column. */
  readonly slack: number;
  /** True for gaps as narrow as between words of a text: a table needs more evidence. */
  readonly isNarrow: boolean;
}

const wide: Spacing = { margin: 0.85, slack: 2, isNarrow: false };
const narrow: Spacing = { margin: 0.12, slack: 0.3, isNarrow: true };

/** Groups the rows of a region. `rulings` are the horizontal lines of the page. */
export function groupRows(
  rows: readonly SegmentRow[],
  rulings: readonly Ruling[],
  { body, words }: BlockContext,
): RowGroup[] {
  const coarse = rows.map((_, at) => joinMarkers(rows, at, body.size));
  const split = rows.map((row) => (hasLeader(row) ? row : row.flatMap(splitAtGaps)));
  const fine = split.map((_, at) => joinMarkers(split, at, body.size));
  const groups: RowGroup[] = [];
  let lines: Segment[] = [];
  for (let at = 0; at < rows.length;) {
    const found = tableAt({ rows: coarse, fine, at }, rulings, words);
    if (found !== undefined) {
      const { end, ...table } = found;
      if (lines.length > 0) groups.push({ lines });
      lines = [];
      groups.push(table);
      at = end;
    } else {
      lines.push(segmentOf((coarse[at] ?? []).flatMap(({ runs }) => runs)));
      at += 1;
    }
  }
  if (lines.length > 0) groups.push({ lines });
  return groups;
}

/** The table that begins at a row, and the row after it; undefined without one. */
function tableAt(
  { rows, fine, at }: { rows: readonly SegmentRow[]; fine: readonly SegmentRow[]; at: number },
  rulings: readonly Ruling[],
  words: Vocabulary,
): (TableGroup & { readonly end: number }) | undefined {
  const wideEnd = endOfTable(rows, at, rulings, wide);
  const narrowEnd = endOfTable(fine, at, rulings, narrow);
  const isNarrow = narrowEnd !== undefined && narrowEnd >= (wideEnd ?? 0);
  const end = isNarrow ? narrowEnd : wideEnd;
  if (end === undefined) return undefined;
  const inside = (isNarrow ? fine : rows).slice(at, end);
  const columns = columnsOf(inside.filter(isTableRow), isNarrow ? narrow : wide);
  const table = tableOf(inside, columns, words);
  if (table === undefined) return undefined;
  const isRuled = rulings.some(
    ({ at: y }) => y > baselineOf(inside[0] ?? []) && y < baselineOf(inside.at(-1) ?? []),
  );
  return isRuled || !areDefinitions(table)
    ? { table: withHeader(table), columns, isDefinitions: false, end }
    : { table, columns, isDefinitions: true, end };
}

/** Joins a bullet with the text after it, at any distance; joins dot leaders with their page number. */
function joinMarkers(rows: readonly SegmentRow[], at: number, bodySize: number): SegmentRow {
  const row = rows[at] ?? [];
  const [first, second, ...others] = row;
  if (hasLeader(row) || isHeading(rows, at, bodySize))
    return [segmentOf(row.flatMap(({ runs }) => runs))];
  if (first === undefined || second === undefined || !isLoneMarker(first)) return row;
  if (second.left - first.right > second.size * 5) return row;
  return [segmentOf([...first.runs, ...second.runs]), ...others];
}

/** True for larger text, or a number and bold text. Rows of a table with numbers may be larger, too. */
function isHeading(rows: readonly SegmentRow[], at: number, bodySize: number): boolean {
  const row = rows[at] ?? [];
  if (row.length > 1 && row.every(({ size }) => size > bodySize * 1.1)) {
    return ![rows[at - 1] ?? [], rows[at + 1] ?? []].some(
      (other) => hasNumbers(other) && (other.length === row.length || hasNumbers(row)),
    );
  }
  const runs = row.flatMap((segment) => segment.runs);
  return (
    row.length === 2 &&
    /^\d+(?:\.\d+)*\.?$/.test(textOf(row[0])) &&
    runs.every(({ font }) => font.isBold)
  );
}

function hasNumbers(row: SegmentRow): boolean {
  return row.slice(1).filter(isNumeric).length > 1;
}

function textOf(segment: Segment | undefined): string {
  return joinedText(segment?.runs ?? []);
}

/** True for a number with sign and unit, or a dash in its place. */
function isNumeric(segment: Segment | undefined): boolean {
  return numeric.test(textOf(segment));
}

const numeric =
  /^(?:[-–—]|[-–−+±(]?\s?\p{Sc}?\s?[-−]?\d[\d.,:'’/\s]*\)?\s?(?:%|\p{Sc}|\p{L}{1,3}\.?)?)$/u;

/** True for a dot leader before a page number, in one run or in many. */
function hasLeader(row: SegmentRow): boolean {
  const runs = row.flatMap((segment) => segment.runs);
  if (!runs.some(({ text }) => /^\.$|\.\s?\.|…{2}/.test(text))) return false;
  const texts = runs.sort((a, b) => a.left - b.left).map(({ text }) => text);
  return /(?:\.\s*){5}|…{2}/.test(texts.join(' '));
}

/** The row after the table that begins here; undefined without a table. */
function endOfTable(
  rows: readonly SegmentRow[],
  start: number,
  rulings: readonly Ruling[],
  spacing: Spacing,
): number | undefined {
  const first = rows[start];
  if (first === undefined || !isTableRow(first)) return undefined;
  const byRules = endByRules(rows, start, rulings, spacing);
  if (byRules !== undefined) return byRules;
  const full = [first];
  let columns = columnsOf(full, spacing);
  let lastFull = start;
  let leading = Infinity;
  for (let end = start + 1; end < rows.length; end += 1) {
    const [row, before] = [rows[end], rows[end - 1]];
    if (row === undefined || before === undefined) break;
    const gap = baselineOf(row) - baselineOf(before);
    if (gap > (row[0]?.size ?? 10) * 3) break;
    if (isTableRow(row)) {
      const more = columnsOf([...full, row], spacing);
      if (spacing.isNarrow && !areDistinct([...full, row], more)) break;
      lastFull = end;
      full.push(row);
      columns = more;
    } else {
      // A table row may have only its first cell; a paragraph is further away.
      const isBelow = full.length > 1 && columns.length > 2 && full.at(-1) === before;
      const isFirst = isBelow && gap < leading * 1.2 && isInFirst(row, columns);
      if (row.length > 1 || !(isFirst || fitsColumn(row, columns, spacing))) break;
    }
    if (columns.length < 2 || (columns.length > limits.columns && full.length > 3)) break;
    leading = Math.min(leading, gap);
  }
  const needed = columns.length > 2 && !spacing.isNarrow ? 2 : 3;
  if (columns.length < 2 || columns.length > limits.columns || full.length < needed)
    return undefined;
  const cells = full.reduce((sum, row) => sum + row.length, 0);
  if (cells < full.length * columns.length * 0.6) return undefined;
  const isTable = !spacing.isNarrow || isGrid(rows.slice(start, lastFull + 1), columns);
  return isTable ? lastFull + 1 : undefined;
}

function isInFirst([part]: SegmentRow, [column]: readonly Column[]): boolean {
  if (part === undefined || column === undefined || isCodeLine(part)) return false;
  const slack = part.size * 0.3;
  return Math.abs(part.left - column.left) < slack && part.right < column.right + slack;
}

/** True if each segment of a row is in its own column. */
function areDistinct(rows: readonly SegmentRow[], columns: readonly Column[]): boolean {
  return rows.every(
    (row) => new Set(row.map((part) => columnAt(columns, part))).size === row.length,
  );
}

/** True if close segments are cells: each column is aligned, or has only numbers. */
function isGrid(rows: readonly SegmentRow[], columns: readonly Column[]): boolean {
  const cells = columns.map((): GridCell[] => []);
  for (const row of rows.slice(1)) {
    for (const [at, part] of row.entries()) {
      cells[columnAt(columns, part)]?.push({ part, before: row[at - 1]?.right });
    }
  }
  const [first = [], ...others] = cells;
  const isColumn = (column: readonly GridCell[]): boolean =>
    column.length > 1 && hasWords(column) && (areNumbers(column) || isAligned(column));
  if (!others.every(isColumn)) return false;
  const firsts = new Set(rows.map(([part]) => textOf(part)));
  if (firsts.size === 1) return false;
  // The segments before them may have equal widths by chance, but only in a few columns.
  const sure = others.filter((column) => areNumbers(column) || hasDifferentGaps(column));
  if (sure.length * 2 < others.length) return false;
  const all = others.flat();
  const no = all.filter(({ part }) => isCodeLine(part) || /[,;]$/.test(textOf(part)));
  if (no.length * 2 > all.length) return false;
  if (others.length > 1) return true;
  // Labels, terms and code have aligned text beside them, too.
  const isList = first.filter(({ part }) => isLabel(part)).length * 2 > first.length;
  const isShort = rows.every((row) => isTableRow(row) && textOf(row.at(-1)).length <= 30);
  return !isList && (areNumbers(all) || isShort);
}

/** A cell, and the right edge of the previous cell. */
interface GridCell {
  readonly part: Segment;
  readonly before: number | undefined;
}

/** Aligned bullets, colons and dots are not a column. */
function hasWords(cells: readonly GridCell[]): boolean {
  const texts = cells.map(({ part }) => textOf(part));
  const words = texts.filter((text) => /[\p{L}\p{N}]/u.test(text) || numeric.test(text));
  return Math.max(words.length, new Set(texts).size) * 2 > cells.length;
}

function hasDifferentGaps(cells: readonly GridCell[]): boolean {
  const gaps = cells.flatMap(({ part, before }) =>
    before === undefined ? [] : part.left - before,
  );
  const size = cells[0]?.part.size ?? 10;
  return gaps.length < 2 || Math.max(...gaps) - Math.min(...gaps) > size * 0.1;
}

/** True if most cells share their left edge, right edge or center. */
function isAligned(cells: readonly GridCell[]): boolean {
  const size = cells[0]?.part.size ?? 10;
  const edges = [
    cells.map(({ part }) => part.left),
    cells.map(({ part }) => part.right),
    cells.map(({ part }) => (part.left + part.right) / 2),
  ];
  return edges.some((positions) => {
    const usual = median(positions);
    const tolerance = Math.max(0.5, size * 0.08);
    const same = positions.filter((position) => Math.abs(position - usual) <= tolerance);
    return same.length >= cells.length * 0.8;
  });
}

function areNumbers(cells: readonly GridCell[]): boolean {
  return cells.filter(({ part }) => isNumeric(part)).length >= cells.length * 0.8;
}

function isLabel(part: Segment): boolean {
  return label.test(textOf(part)) || isCodeLine(part);
}

/** The start of a list item or a bibliography entry. */
const label = /^(?:[[(].{1,12}[\])]|.{1,6}[.):]|[^\p{L}\p{N}])$/u;

/** Three or more lines of equal length, above, in and below the rows. */
function endByRules(
  rows: readonly SegmentRow[],
  start: number,
  rulings: readonly Ruling[],
  spacing: Spacing,
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
  const columns = columnsOf(inside, spacing);
  if (inside.length < 2 || columns.length < 2) return undefined;
  const isTable = !spacing.isNarrow || (areDistinct(inside, columns) && isGrid(inside, columns));
  return isTable ? end : undefined;
}

function isTableRow(row: SegmentRow): boolean {
  return row.length > 1 && !row.every(isCodeLine);
}

function baselineOf(row: SegmentRow): number {
  return row[0]?.baseline ?? 0;
}

/** Columns of overlapping cells. */
function columnsOf(rows: readonly SegmentRow[], { margin }: Spacing): Column[] {
  const parts = rows.flat().sort((a, b) => a.left - b.left);
  const columns: { left: number; right: number }[] = [];
  for (const { left, right, size } of parts) {
    const last = columns.at(-1);
    if (last !== undefined && left < last.right + size * margin) {
      last.right = Math.max(last.right, right);
    } else columns.push({ left, right });
  }
  return withHeads(columns, rows);
}

/**
 * A header cell may be at the other end of its column than the cells below: both are one column. This applies
 * to numbers, and to the columns beside them if each then has a header.
 */
function withHeads(
  columns: readonly Column[],
  [head = [], ...body]: readonly SegmentRow[],
): Column[] {
  const hasHead = (column: Column): boolean => partsIn(head, column).length > 0;
  if (body.length < 2 || columns.every(hasHead)) return [...columns];
  const kinds = columns.map((column) => {
    const below = body.flatMap((row) => partsIn(row, column));
    return {
      ...column,
      isHead: hasHead(column),
      isBody: below.length > 0,
      isNumeric: below.every(isNumeric),
    };
  });
  const merged = (isAny: boolean): Column[] => {
    const out: (typeof kinds)[number][] = [];
    for (const column of kinds) {
      const last = out.at(-1);
      const [one, other] = last?.isHead === true ? [last, column] : [column, last];
      const isPair = one.isHead && !one.isBody && other?.isHead === false && other.isBody;
      if (isPair && last !== undefined && (isAny || other.isNumeric)) {
        out[out.length - 1] = { ...other, isHead: true, left: last.left, right: column.right };
      } else out.push(column);
    }
    return out.map(({ left, right }) => ({ left, right }));
  };
  const all = merged(true);
  const hasNumbersBelow = kinds.slice(1).some(({ isBody, isNumeric }) => isBody && isNumeric);
  const most = Math.max(...body.map((row) => row.length));
  const isWhole = hasNumbersBelow && all.length === head.length && all.length === most;
  return isWhole ? all : merged(false);
}

function partsIn(row: SegmentRow, { left, right }: Column): SegmentRow {
  return row.filter((part) => part.left < right && part.right > left);
}

function fitsColumn(row: SegmentRow, columns: readonly Column[], { slack }: Spacing): boolean {
  const [part] = row;
  if (part === undefined || isCodeLine(part)) return false;
  const at = columns.findIndex(
    ({ left, right }) => part.left > left - 3 && part.right < right + part.size * slack,
  );
  // Text below the first column may as well be a paragraph.
  return at > 0;
}

function tableOf(
  rows: readonly SegmentRow[],
  columns: readonly Column[],
  words: Vocabulary,
): readonly (readonly Cell[])[] | undefined {
  const leading = median(gapsOf(rows.flatMap((row) => row[0] ?? [])));
  const cells: Segment[][][] = [];
  for (const [at, row] of rows.entries()) {
    const byColumn: Segment[][] = columns.map(() => []);
    for (const part of row) byColumn[columnAt(columns, part)]?.push(part);
    const before = cells.at(-1);
    const gap = at === 0 ? Infinity : baselineOf(row) - baselineOf(rows[at - 1] ?? []);
    // A number does not continue on the next line.
    const isRow =
      byColumn.some((parts, index) => areBothNumbers(before?.[index], parts)) ||
      isNewRow(before, byColumn, columns);
    const goesOn = byColumn[0]?.length === 0 && gap <= leading * 1.1 && !isRow;
    if (before !== undefined && goesOn) {
      for (const [index, parts] of byColumn.entries()) before[index]?.push(...parts);
    } else cells.push(byColumn);
  }
  if (cells.length < 2) return undefined;
  return cells.map((row) =>
    row.map((parts) => ({
      content: cellText(
        parts.flatMap(({ runs }) => runs),
        words,
      ),
      isHeader: false,
      columns: 1,
      rows: 1,
    })),
  );
}

/** True for a row without its first cell: it has several others, and one does not continue the cell above. */
function isNewRow(
  before: readonly (readonly Segment[])[] | undefined,
  byColumn: readonly (readonly Segment[])[],
  columns: readonly Column[],
): boolean {
  const filled = byColumn.flatMap(([part], index) => (part === undefined ? [] : [{ part, index }]));
  if (filled.length < 2 || filled.length < columns.length - 1) return false;
  return filled.some(({ part, index }) => {
    const above = before?.[index]?.at(-1);
    if (above === undefined) return true;
    const room = (columns[index]?.right ?? 0) - above.right;
    return room > firstWordWidth(textOf(part), part) + part.size * 0.5;
  });
}

/** True for terms beside sentences: a table has names above its columns, or values in them. */
function areDefinitions(rows: readonly (readonly Cell[])[]): boolean {
  if (areTerms(rows)) return true;
  const pairs = rows.map((row) => row.map(({ content }) => plainText(content).trim()));
  const isSentence = (text = ''): boolean =>
    text.length >= limits.shortestSentence && /[.!?:;。]["'”’)]*$/u.test(text) && /\s/.test(text);
  const sentences = pairs.filter(([, definition]) => isSentence(definition));
  return (
    pairs.every(({ length }) => length === 2) &&
    isSentence(pairs[0]?.[1]) &&
    sentences.length >= pairs.length * 0.6 &&
    pairs.every(([term = '']) => term.length <= limits.longestTerm && !numeric.test(term))
  );
}

/** True for terms in bold beside plain text, or for names with their kind: `[Function]`. */
function areTerms(rows: readonly (readonly Cell[])[]): boolean {
  if (!rows.every(({ length }) => length === 2)) return false;
  const isKind = ([, kind]: readonly Cell[]): boolean =>
    /^\[[^\]]+\]$/u.test(plainText(kind?.content ?? []).trim());
  if (rows.every(isKind)) return true;
  return rows.every(([term, definition]) => {
    const parts = term?.content.filter(({ text }) => /[\p{L}\p{N}]/u.test(text)) ?? [];
    const [start] = definition?.content ?? [];
    const text = plainText(definition?.content ?? []).trim();
    return (
      parts.length > 0 &&
      parts.every(({ isBold, isMono }) => isBold && !isMono) &&
      start?.isBold === false &&
      !start.isMono &&
      /\s/.test(text)
    );
  });
}

function areBothNumbers(
  before: readonly Segment[] | undefined,
  parts: readonly Segment[],
): boolean {
  return before?.at(-1) !== undefined && isNumeric(before.at(-1)) && isNumeric(parts[0]);
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
