/** Reads comma-separated values (RFC 4180), with all common separators, as a table. */
import { escapeText } from '../../content/html/serialize.ts';
import type { FileContent, ReadFile } from '../../content/parsers/file-parser.ts';
import { readSource } from '../../content/parsers/text-page.ts';
import {
  cellLimit,
  cutWarning,
  isNumber,
  mostRows,
  type TableCell,
  writeTable,
} from './table-writer.ts';
import { HtmlBudget } from './html-writer.ts';

/** The first row is the header of the table. */
export const readCsvFile: ReadFile = async (snapshot, context): Promise<FileContent> => {
  const { source, warnings } = await readSource(snapshot, context, 'text');
  const separator = separatorOf(source, context.mediaType);
  const text = source.replace(/^sep=[^\r\n]\r?\n/i, '');
  const cells = cellLimit(context.limits);
  const { rows, isCut } = readCsv(text, separator, mostRows, cells);
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const numeric = numericColumns(rows, width);
  const table = rows.map((row, index) =>
    row.map((value, column): TableCell => {
      const html = escapeText(value.trim()).replace(/\r\n?|\n/g, '<br>');
      return { html, align: index > 0 && numeric.has(column) ? 'right' : undefined };
    }),
  );
  return {
    html: writeTable(table, 1, new HtmlBudget(context.limits.text * 2)),
    warnings: isCut ? [...warnings, cutWarning('The file', rows.length, cells)] : warnings,
  };
};

/** Columns with only numbers below their name. */
function numericColumns(rows: readonly (readonly string[])[], width: number): ReadonlySet<number> {
  const numeric = new Set<number>();
  const body = rows.slice(1, 1001);
  for (let column = 0; column < Math.min(width, 1000); column += 1) {
    const values = body.map((row) => row[column]?.trim() ?? '').filter((value) => value !== '');
    if (values.length > 0 && values.every(isNumber)) numeric.add(column);
  }
  return numeric;
}

// Rows of comma-separated values (RFC 4180), with all common separators.

/** The values of a file. */
interface CsvRows {
  readonly rows: string[][];
  /** True when there were more rows or values than were read. */
  readonly isCut: boolean;
}

const separators = [',', ';', '\t', '|'] as const;

const sampleLines = 20; // lines from which the separator is detected

/**
 * Reads at most `mostRows` rows and `mostValues` values. A quoted value may contain separators, line
 * ends and doubled quotes; a quote in the middle of a value is part of it. Rows without any text are
 * left out.
 */
function readCsv(text: string, separator: string, mostRows: number, mostValues: number): CsvRows {
  const rows: string[][] = [];
  let row: string[] = [];
  let values = 0;
  let at = 0;
  const endRow = (): void => {
    if (row.some((value) => value.trim() !== '')) {
      rows.push(row);
      values += row.length;
    }
    row = [];
  };
  while (at < text.length) {
    if (rows.length >= mostRows || values + row.length >= mostValues) return { rows, isCut: true };
    const [value, next] =
      text[at] === '"' ? quotedValue(text, at, separator) : plainValue(text, at, separator);
    row.push(value);
    at = next;
    if (text[at] === separator) {
      at += 1;
      if (at >= text.length) row.push('');
    } else {
      endRow();
      if (text[at] === '\r' && text[at + 1] === '\n') at += 1;
      at += 1;
    }
  }
  endRow();
  return { rows, isCut: false };
}

function plainValue(text: string, start: number, separator: string): [value: string, end: number] {
  let end = start;
  for (; end < text.length; end += 1) {
    const character = text[end];
    if (character === separator || character === '\n' || character === '\r') break;
  }
  return [text.slice(start, end), end];
}

/** An unclosed quote belongs to its value, which ends with the line. */
function quotedValue(text: string, start: number, separator: string): [string, number] {
  const parts: string[] = [];
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return plainValue(text, start, separator);
    parts.push(text.slice(from, quote));
    if (text[quote + 1] !== '"') {
      // Text after the closing quote, which the standard forbids, is part of the value.
      const [rest, end] = plainValue(text, quote + 1, separator);
      return [parts.join('') + rest.trimEnd(), end];
    }
    parts.push('"');
    from = quote + 2;
  }
}

/** The separator with the most even rows in the first lines. Spreadsheets may name it in a first line: `sep=;`. */
function separatorOf(text: string, mediaType: string): string {
  const [, declared] = /^sep=([^\r\n])\r?\n/i.exec(text) ?? [];
  if (declared !== undefined) return declared;
  if (mediaType.includes('tab-separated')) return '\t';
  const sample = text.slice(0, 50_000);
  let best = ',';
  let bestScore = 0;
  for (const separator of separators) {
    const { rows } = readCsv(sample, separator, sampleLines, 10_000);
    // The last row of the sample may be truncated.
    const counted = rows.length > 1 && text.length > sample.length ? rows.slice(0, -1) : rows;
    const widths = counted.map((row) => row.length);
    const width = widths[0] ?? 1;
    if (width < 2) continue;
    const score = width * (widths.filter((one) => one === width).length / widths.length) ** 2;
    if (score > bestScore * 1.001) [best, bestScore] = [separator, score];
  }
  return best;
}
