/** Documents as a table. */
import type { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { MissingDependencyError } from '../errors.ts';
import type { PlainDocument } from '../model/document.ts';
import { type Documents, type DocumentSink, writeAll } from './document-sink.ts';
import { createFile, type OpenFile } from './open-file.ts';
import { type Cell, type Column, columnsFor } from './parquet-columns.ts';

/** A row group is what is held in memory: rows and characters at most. */
const mostRows = 1000;
const mostCharacters = 8_000_000;

/**
 * Writes a row for each document: url, sourceURL, title, description, language, statusCode, contentType,
 * markdown, html, links, depth, parentUrl, cachedAt, warning, metadata, then a column for each other
 * format; what is no text is JSON. The package `hyparquet-writer` has to be installed. Gives the number
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
  #columns: readonly Column[] = [];
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

  /** The first rows say which columns there are. */
  #begin(documents: readonly PlainDocument[]): ParquetWriter {
    this.#columns = columnsFor(documents);
    const schema = this.#parquet.schemaFromColumnData({
      columnData: this.#columns.map(({ name, type }) => ({ name, type, data: [] as Cell[] })),
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

/** About: what a document holds is mostly text. */
function sizeOf(document: PlainDocument): number {
  let characters = 500;
  for (const value of Object.values(document)) {
    characters += typeof value === 'string' ? value.length : 0;
    if (Array.isArray(value)) characters += value.length * 100;
  }
  return characters;
}

async function load(): Promise<Parquet> {
  try {
    return await import('hyparquet-writer');
  } catch (error) {
    throw new MissingDependencyError('hyparquet-writer', 'Writing a parquet file', error);
  }
}
