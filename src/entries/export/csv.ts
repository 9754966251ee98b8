/** Documents as CSV (RFC 4180), in UTF-8. */
import type { Writable } from 'node:stream';
import type { PlainDocument } from '../../core/model/document.ts';
import { parseExportOptions, type WriteCsvOptions } from '../../core/options/export-options.ts';
import { type Documents, type DocumentSink, writeAll } from './document-sink.ts';
import { fieldColumn, fixedColumns, sizeOf, type TableCell } from './document-table.ts';
import { plainJson } from './jsonl.ts';
import { type OpenFile, openTarget } from './open-file.ts';

const limits = {
  rows: 100, // the first documents decide the columns: this many
  characters: 8_000_000, // or this many characters
  keys: 100, // columns for the fields of an object; larger ones are JSON
};

/**
 * Writes a row of CSV for each document: facts of its metadata, then its formats. An object has a column for each of
 * its fields, such as `json.price`; other values are JSON. The first 100 documents decide the columns. The file is
 * written as by `writeJsonl()`.
 *
 * @example await writeCsv(job.documents({ label: 'product' }), 'products.csv');
 */
export async function writeCsv(
  documents: Documents,
  file: string | Writable,
  options: WriteCsvOptions = {},
): Promise<number> {
  const { escapeFormulas } = parseExportOptions('writeCsv', options);
  return writeAll(documents, async () => csvSink(await openTarget(file), escapeFormulas));
}

/** Writes rows to an open file. */
export function csvSink(file: OpenFile, escapeFormulas = true): DocumentSink {
  return new CsvSink(file, escapeFormulas);
}

/** A row, with its line end. */
export function csvRow(cells: readonly TableCell[], escapeFormulas = true): string {
  return `${cells.map((cell) => cellText(cell, escapeFormulas)).join(',')}\r\n`;
}

/** A spreadsheet takes a text that begins like this for a formula, which may send the sheet away. */
const formula = /^[=+\-@\t\r]/;
const plainNumber = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

function cellText(cell: TableCell, escapeFormulas: boolean): string {
  const plain = cell instanceof Date ? cell.toISOString() : String(cell ?? '');
  const isFormula = escapeFormulas && formula.test(plain) && !plainNumber.test(plain);
  const text = isFormula ? `'${plain}` : plain;
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

interface CsvColumn {
  readonly name: string;
  readonly cell: (document: PlainDocument) => TableCell;
}

class CsvSink implements DocumentSink {
  readonly #file: OpenFile;
  readonly #escapeFormulas: boolean;
  #columns: readonly CsvColumn[] | undefined;
  /** Documents before the columns are known. */
  #first: PlainDocument[] = [];
  #characters = 0;

  constructor(file: OpenFile, escapeFormulas: boolean) {
    this.#file = file;
    this.#escapeFormulas = escapeFormulas;
  }

  async write(document: PlainDocument): Promise<void> {
    if (this.#columns !== undefined) return this.#writeRow(this.#columns, document);
    this.#first.push(document);
    this.#characters += sizeOf(document);
    if (this.#first.length >= limits.rows || this.#characters >= limits.characters)
      await this.#begin();
  }

  async finish(): Promise<void> {
    if (this.#columns === undefined) await this.#begin();
    await this.#file.finish();
  }

  abandon(): Promise<void> {
    return this.#file.abandon();
  }

  async #begin(): Promise<void> {
    const first = this.#first;
    this.#first = [];
    const columns = csvColumns(first);
    this.#columns = columns;
    await this.#writeCells(columns.map(({ name }) => name));
    for (const document of first) await this.#writeRow(columns, document);
  }

  #writeRow(columns: readonly CsvColumn[], document: PlainDocument): Promise<void> {
    return this.#writeCells(columns.map(({ cell }) => cell(document)));
  }

  #writeCells(cells: readonly TableCell[]): Promise<void> {
    return this.#file.write(csvRow(cells, this.#escapeFormulas));
  }
}

/** Columns of every file. A format has columns if the first documents have it. */
const facts: readonly CsvColumn[] = fixedColumns.filter(
  ({ name }) => !['markdown', 'html', 'links', 'metadata'].includes(name),
);

/** The columns of a file that begins with these documents. Other fields of later documents are JSON in `more`. */
function csvColumns(first: readonly PlainDocument[]): CsvColumn[] {
  const names = new Set(first.flatMap((document) => Object.keys(document)));
  for (const name of ['metadata', 'warning', 'more']) names.delete(name);
  const keys = new Map([...names].map((name) => [name, keysOf(name, first)]));
  const fields = [...keys].flatMap(([name, own]) =>
    own === undefined ? [fieldColumn(name)] : own.map((key) => keyColumn(name, key)),
  );
  const more = (document: PlainDocument): TableCell => {
    const rest = Object.entries(document).flatMap(([name, value]) => restOf(name, value, keys));
    return rest.length === 0
      ? undefined
      : plainJson(Object.fromEntries(rest), document.metadata.url);
  };
  return [...facts, ...fields, { name: 'more', cell: more }];
}

/** The names in a field that is an object, or nothing, in all of these documents. */
function keysOf(name: string, documents: readonly PlainDocument[]): string[] | undefined {
  const values = documents.map((document) => document[name] ?? undefined);
  const objects = values.filter(isPlainObject);
  const keys = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  const others = values.filter((value) => value !== undefined).length - objects.length;
  return objects.length > 0 && others === 0 && keys.length <= limits.keys ? keys : undefined;
}

function keyColumn(name: string, key: string): CsvColumn {
  return {
    name: `${name}.${key}`,
    cell: (document) => {
      const value = document[name];
      const held = isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
      if (held === undefined || held === null) return undefined;
      return typeof held === 'string' ? held : plainJson(held, document.metadata.url);
    },
  };
}

/** The part of a field that has no column. */
function restOf(
  name: string,
  value: unknown,
  keys: ReadonlyMap<string, readonly string[] | undefined>,
): [string, unknown][] {
  if (name === 'metadata' || name === 'warning' || (value ?? undefined) === undefined) return [];
  const own = keys.get(name);
  if (own === undefined) return keys.has(name) ? [] : [[name, value]];
  if (!isPlainObject(value)) return [[name, value]];
  const rest = Object.entries(value).filter(([key]) => !own.includes(key));
  return rest.length === 0 ? [] : [[name, Object.fromEntries(rest)]];
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || prototype === Object.prototype;
}
