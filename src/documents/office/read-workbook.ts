/** Reads workbooks (.xlsx, .xls and similar), each sheet as a table with a heading. */
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import type { CellObject, DenseWorkSheet, Range, WorkBook, WorkSheet } from '@e965/xlsx';
import { zipSync } from 'fflate';
import { loadPackage } from '../../core/runtime/optional-packages.ts';
import { escapeAttribute, escapeText } from '../../content/html/serialize.ts';
import { isSafeUrl } from '../../core/url/links.ts';
import type { FileContent, FileContext, ReadFile } from '../../content/parsers/file-parser.ts';
import { readZip } from '../archives/read-zip.ts';
import { unreadable } from '../unreadable.ts';
import {
  cellLimit,
  cutWarning,
  areColumnNames,
  mostColumns,
  mostRows,
  type TableCell,
  writeTable,
} from './table-writer.ts';
import { HtmlBudget } from './html-writer.ts';

type Xlsx = typeof import('@e965/xlsx');

/**
 * Values as displayed: dates, percentages and money in their formats, formulas as their results.
 * Hidden sheets are left out, with a warning. Throws `MISSING_DEPENDENCY` without the
 * package that reads them.
 */
export const readWorkbook: ReadFile = async ({ body }, context): Promise<FileContent> => {
  const { limits } = context;
  const xlsx = await load();
  const { bytes, charts } = harmless(body, context);
  const book = quietly(() => open(xlsx, bytes));
  const budget = new HtmlBudget(limits.text);
  const warnings: string[] =
    charts === 0 ? [] : [`Charts were left out: ${charts}. Their values are in the sheets.`];
  let cells = cellLimit(limits);
  const parts: string[] = [];
  const hidden: string[] = [];
  for (const [index, name] of book.SheetNames.entries()) {
    if ((book.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0) {
      hidden.push(`"${name}"`);
      continue;
    }
    const sheet: WorkSheet | undefined = book.Sheets[name];
    if (sheet === undefined) continue;
    const table = readSheet(xlsx, sheet, name, cells, budget);
    cells -= table.cells;
    if (table.warning !== undefined) warnings.push(table.warning);
    parts.push(`<h2>${escapeText(name)}</h2>${table.html}`);
  }
  if (hidden.length > 0) warnings.push(`Hidden sheets were left out: ${hidden.join(', ')}.`);
  return { ...propertiesOf(book), html: parts.join(''), warnings };
};

/** Runs the library without its console, which writes parts of broken files to stdout and stderr. */
function quietly<Result>(read: () => Result): Result {
  const { console } = globalThis;
  globalThis.console = new Console(new Writable({ write: (_chunk, _encoding, done) => done() }));
  try {
    return read();
  } finally {
    globalThis.console = console;
  }
}

/** Parts of the archives that are workbooks: Office Open XML, OpenDocument. */
const workbookPart = /^\/?(?:\[content_types\]\.xml|content\.xml|meta-inf\/manifest\.xml)$/i;

/** Unneeded parts; the sheets of a binary workbook (.xlsb) are `.bin` too. */
const useless =
  /^\/?index(?:\/|\.zip$|\.xml)|(?:^|\/)(?:media|embeddings|drawings|charts|activeX|ctrlProps|printerSettings)\/|(?:^|\/)vbaProject[^/]*\.bin$/i;

/** Charts on sheets, in both generations of the format. */
const chartPart = /^\/?xl\/charts\/chart(?:ex)?\d*\.xml$/i;

interface HarmlessBook {
  readonly bytes: Uint8Array;
  /** Number of charts. */
  readonly charts: number;
}

/**
 * Unpacks an archive within the byte budget, and repacks it uncompressed. Pictures and macros are
 * left out.
 */
function harmless(body: Uint8Array, { limits, unpacking }: FileContext): HarmlessBook {
  // Any archive, whatever its declared type: "PK".
  if (body[0] !== 0x50 || body[1] !== 0x4b) return { bytes: body, charts: 0 };
  const zip = readZip(body, { totalBytes: limits.bodyBytes, budget: unpacking });
  if (!zip.names.some((name) => workbookPart.test(name))) {
    throw unreadable('The workbook', 'the archive has none in it');
  }
  const files: Record<string, Uint8Array> = Object.create(null) as Record<string, Uint8Array>;
  for (const name of zip.names) {
    if (useless.test(name)) continue;
    // The library that packs them would misread this name.
    if (name.includes('__proto__')) continue;
    const content = zip.read(name);
    if (content !== undefined) files[name] = withFarRowsDeclared(content);
  }
  const charts = zip.names.filter((name) => chartPart.test(name)).length;
  return { bytes: zipSync(files, { level: 0 }), charts };
}

function open(xlsx: Xlsx, bytes: Uint8Array): WorkBook {
  try {
    return xlsx.read(bytes, {
      type: 'array',
      dense: true,
      cellHTML: false,
      cellFormula: false,
      // Without this option, hidden rows are not reported. In a file without styles, it makes the library throw and
      // catch at each cell, which takes 60 µs.
      cellStyles: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('/styles.xml'),
      sheetRows: mostRows + 1,
    });
  } catch (error) {
    const message = error instanceof Error ? error.message.slice(0, 200) : 'it is damaged';
    const reason = /password|encrypt/i.test(message) ? 'it is encrypted with a password' : message;
    throw unreadable('The workbook', reason, error);
  }
}

function propertiesOf({ Props: props }: WorkBook): Omit<FileContent, 'html'> {
  return {
    title: propertyText(props?.Title),
    author: propertyText(props?.Author),
    description: propertyText(props?.Comments) ?? propertyText(props?.Subject),
    keywords: propertyText(props?.Keywords),
    publishedTime: timeOf(props?.CreatedDate),
    modifiedTime: timeOf(props?.ModifiedDate),
  };
}

/** In a broken file, the library's "text" may be another type. */
function propertyText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function timeOf(value: unknown): string | undefined {
  const time = value instanceof Date ? value : new Date(typeof value === 'string' ? value : '');
  // The epoch of old files is the year 1601.
  return time.getTime() > 0 ? time.toISOString() : undefined;
}

function load(): Promise<Xlsx> {
  return loadPackage('Reading a workbook', '@e965/xlsx', () => import('@e965/xlsx'));
}

// One sheet of a workbook as a table.

/** A sheet as a table. */
interface SheetTable {
  readonly html: string;
  /** Number of cells written. */
  readonly cells: number;
  readonly warning: string | undefined;
}

/** The range of a sheet's non-empty cells. */
interface SheetExtent {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** Writes at most `most` cells. Empty rows and columns around the content are left out. */
function readSheet(
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
      // Many cells may repeat one long text.
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
      table.length > 1 && areColumnNames(table[0] ?? [], table[1]) ? 1 : 0,
      budget,
    ),
    cells: table.length * width,
    warning: isCut || isLonger ? warningAt(bottom + 1) : undefined,
  };
}

/** Sheets without cells have no rows, despite the type. */
function rowsOf(sheet: WorkSheet): SheetRows {
  return (sheet as Partial<DenseWorkSheet>)['!data'] ?? [];
}

type SheetRows = readonly (readonly (CellObject | undefined)[] | undefined)[];

function extentOf(rows: SheetRows): SheetExtent | undefined {
  let extent: SheetExtent | undefined;
  rows.slice(0, mostRows).forEach((cells, row) => {
    cells?.slice(0, mostColumns).forEach((cell, column) => {
      if (cellText(cell) === '') return;
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

function widthOf(rows: SheetRows): number {
  return rows.reduce((most, cells) => Math.max(most, cells?.length ?? 0), 0);
}

function isBlank(cells: SheetRows[number]): boolean {
  return cells === undefined || !cells.some((cell) => cellText(cell) !== '');
}

interface MergedCells {
  /** By row and column: row times 1000 plus column. */
  readonly first: ReadonlyMap<number, Pick<TableCell, 'columns' | 'rows'>>;
  readonly covered: ReadonlySet<number>;
  /** Rows into which a cell from above extends. */
  readonly rows: ReadonlySet<number>;
}

/** Merged cells within the range. Overlapping ones are not merged. */
function mergesOf(
  ranges: readonly Range[],
  { top, bottom, left, right }: SheetExtent,
): MergedCells {
  const first = new Map<number, Pick<TableCell, 'columns' | 'rows'>>();
  const covered = new Set<number>();
  const rows = new Set<number>();
  for (const { s: start, e: end } of ranges) {
    const last = { row: Math.min(end.r, bottom), column: Math.min(end.c, right) };
    const key = start.r * mostColumns + start.c;
    const isInside = start.r >= top && start.c >= left && start.r <= bottom && start.c <= right;
    if (!isInside || covered.has(key) || first.has(key)) continue;
    const size = { columns: last.column - start.c + 1, rows: last.row - start.r + 1 };
    // A merge over a whole sheet is a mistake, and would cost memory for every cell.
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
  const text = escapeText(cellText(cell)).replace(/\r\n?|\n/g, '<br>');
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

/** The displayed text, else the value. */
function cellText(cell: CellObject | undefined): string {
  if (cell === undefined || cell.t === 'z') return '';
  const { w: displayed, v: value } = cell;
  if (displayed !== undefined) return displayed.trim();
  if (value instanceof Date) return value.toISOString();
  return value === undefined ? '' : String(value).trim();
}

// Rows of a sheet (SpreadsheetML) beyond the row limit.

/**
 * Declares the size in a sheet with such rows. The library skips them, and only reports it if the sheet's
 * declared size includes them, which many programs leave out. Other parts of a workbook are returned
 * unchanged.
 */
function withFarRowsDeclared(part: Uint8Array): Uint8Array {
  const bytes = Buffer.from(part.buffer, part.byteOffset, part.length);
  if (!bytes.includes('sheetData')) return part;
  const xml = bytes.toString('latin1');
  // The first of two sizes counts.
  const at = xml.search(/<(?:\w+:)?(?:dimension|sheetData)\b/);
  const row = farRow(xml);
  if (at < 0 || row === undefined) return part;
  const size = Buffer.from(`<dimension ref="A1:A${row}"/>`);
  return Buffer.concat([bytes.subarray(0, at), size, bytes.subarray(at)]);
}

/** The number of a row beyond the limit in which a cell has a value or a text. */
function farRow(xml: string): string | undefined {
  const nextContent = /<(?:\w+:)?(row|v|is)\b/g;
  for (const row of xml.matchAll(/<(?:\w+:)?row\s[^<>]*?\br=["'](\d{5,7})["']/g)) {
    if (Number(row[1]) <= mostRows) continue;
    nextContent.lastIndex = row.index + row[0].length;
    const next = nextContent.exec(xml)?.[1];
    if (next === 'v' || next === 'is') return row[1];
  }
  return undefined;
}
