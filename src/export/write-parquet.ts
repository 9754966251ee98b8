/** Documents as a Parquet table: one row a document, one column a metadata field or format. */
import type { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { PlainDocument } from '../model/document.ts';
import { loadPackage } from '../optional-packages.ts';
import { type Documents, type DocumentSink, writeAll } from './document-sink.ts';
import { plainJson } from './jsonl.ts';
import { createFile, type OpenFile } from './open-file.ts';

/** A row group is held in memory: rows and characters at most. */
const mostRows = 1000;

const mostCharacters = 8_000_000;

/**
 * Writes a row for each document: url, sourceURL, title, description, language, statusCode, contentType,
 * markdown, html, links, depth, parentUrl, cachedAt, warning, metadata, then a column for each other
 * format; values other than text are JSON. The package `hyparquet-writer` has to be installed. Returns the number
 * of documents; rejects with `MISSING_DEPENDENCY`, with `STORAGE`.
 *
 * @example await writeParquet(crawl('https://example.com'), 'site.parquet');
 */
export async function writeParquet(documents: Documents, file: string): Promise<number> {
  return writeAll(documents, () => parquetSink(file));
}

/** Opens the file. */
export async function parquetSink(path: string): Promise<DocumentSink> {
  const parquet = await load();
  return new ParquetSink(parquet, await createFile(path));
}

type Parquet = typeof import('hyparquet-writer');

class ParquetSink implements DocumentSink {
  readonly #parquet: Parquet;
  readonly #file: OpenFile;
  readonly #bytes: ByteWriter;
  #columns: readonly ParquetColumn[] = [];
  #writer: ParquetWriter | undefined;
  /** The rows of the next group. */
  #waiting: PlainDocument[] = [];
  #characters = 0;

  constructor(parquet: Parquet, file: OpenFile) {
    this.#parquet = parquet;
    this.#file = file;
    this.#bytes = new parquet.ByteWriter();
  }

  async write(document: PlainDocument): Promise<void> {
    this.#waiting.push(document);
    this.#characters += sizeOf(document);
    if (this.#waiting.length >= mostRows || this.#characters >= mostCharacters) {
      await this.#writeGroup();
    }
  }

  async finish(): Promise<void> {
    const writer = await this.#writeGroup();
    await writer.finish();
    await this.#flush();
    await this.#file.finish();
  }

  abandon(): Promise<void> {
    return this.#file.abandon();
  }

  async #writeGroup(): Promise<ParquetWriter> {
    const documents = this.#waiting;
    this.#writer ??= this.#begin(documents);
    this.#waiting = [];
    this.#characters = 0;
    if (documents.length === 0) return this.#writer;
    await this.#writer.write({
      columnData: this.#columns.map(({ name, cell }) => ({ name, data: documents.map(cell) })),
      rowGroupSize: documents.length,
    });
    await this.#flush();
    return this.#writer;
  }

  /** The first rows decide the columns. */
  #begin(documents: readonly PlainDocument[]): ParquetWriter {
    this.#columns = columnsFor(documents);
    const schema = this.#parquet.schemaFromColumnData({
      columnData: this.#columns.map(({ name, type }) => ({
        name,
        type,
        data: [] as ParquetCell[],
      })),
    });
    return new this.#parquet.ParquetWriter({
      writer: this.#bytes,
      schema,
      createdBy: 'pagewright',
    });
  }

  async #flush(): Promise<void> {
    await this.#file.write(this.#bytes.getBytes());
    this.#bytes.index = 0;
  }
}

/** An estimate: most of a document is text. */
function sizeOf(document: PlainDocument): number {
  let characters = 500;
  for (const value of Object.values(document)) {
    characters += typeof value === 'string' ? value.length : 0;
    if (Array.isArray(value)) characters += value.length * 100;
  }
  return characters;
}

function load(): Promise<Parquet> {
  return loadPackage(
    'Writing a Parquet file',
    'hyparquet-writer',
    () => import('hyparquet-writer'),
  );
}

// The columns of a table of documents, and the values in them.

/** A value of a cell; undefined is null. */
type ParquetCell = string | number | Date | undefined;

/** A column. */
interface ParquetColumn {
  readonly name: string;
  readonly type: 'STRING' | 'INT32' | 'TIMESTAMP';
  readonly cell: (document: PlainDocument) => ParquetCell;
}

/** Columns of every table, in this order; links, metadata and other fields are JSON. */
const fixed: readonly ParquetColumn[] = [
  ...['url', 'sourceURL', 'title', 'description', 'language'].map(factColumn),
  { name: 'statusCode', type: 'INT32', cell: ({ metadata }) => integer(metadata.statusCode) },
  factColumn('contentType'),
  fieldColumn('markdown'),
  fieldColumn('html'),
  fieldColumn('links'),
  { name: 'depth', type: 'INT32', cell: ({ metadata }) => integer(metadata.depth) },
  factColumn('parentUrl'),
  { name: 'cachedAt', type: 'TIMESTAMP', cell: ({ metadata }) => time(metadata.cachedAt) },
  { name: 'warning', type: 'STRING', cell: ({ warning }) => warning },
  fieldColumn('metadata'),
];

/** Most columns for further formats; formats above the limit go into the last column. */
const mostFormats = 64;

/**
 * The columns of a table with these first documents: a parquet file names its columns at its start.
 * Fields that only later documents have go into the last column, `more`, as JSON.
 */
function columnsFor(documents: readonly PlainDocument[]): readonly ParquetColumn[] {
  const taken = new Set([...fixed.map(({ name }) => name), 'more']);
  const formats = new Set(documents.flatMap((document) => Object.keys(document)));
  const own = [...formats].filter((name) => !taken.has(name)).slice(0, mostFormats);
  const known = new Set([...own, ...ownFields]);
  const more = (document: PlainDocument): ParquetCell => {
    const rest = Object.entries(document).filter(([name]) => !known.has(name));
    const object = Object.fromEntries(rest);
    return rest.length === 0 ? undefined : plainJson(object, document.metadata.url);
  };
  return [...fixed, ...own.map(fieldColumn), { name: 'more', type: 'STRING', cell: more }];
}

/** Fields of a document that have a column of the same name. */
const ownFields = ['markdown', 'html', 'links', 'warning', 'metadata'] as const;

/** A text of the metadata. */
function factColumn(name: string): ParquetColumn {
  const cell = ({ metadata }: PlainDocument): ParquetCell => {
    const value = metadata[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { name, type: 'STRING', cell };
}

/** A format: text as it is, everything else as JSON. */
function fieldColumn(name: string): ParquetColumn {
  const cell = (document: PlainDocument): ParquetCell => {
    const value = document[name];
    if (value === undefined || value === null || typeof value === 'string')
      return value ?? undefined;
    return plainJson(value, document.metadata.url);
  };
  return { name, type: 'STRING', cell };
}

function integer(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 31
    ? value
    : undefined;
}

function time(value: unknown): Date | undefined {
  const date = new Date(typeof value === 'string' ? value : NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
