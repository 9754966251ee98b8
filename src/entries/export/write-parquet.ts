/** Documents as a Parquet table: one row a document, one column a metadata field or format. */
import type { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { PlainDocument } from '../../core/model/document.ts';
import { loadPackage } from '../../core/runtime/optional-packages.ts';
import { type Documents, type DocumentSink, writeAll } from './document-sink.ts';
import { columnsFor, sizeOf, type TableCell, type TableColumn } from './document-table.ts';
import { createFile, type OpenFile } from './open-file.ts';

const mostRows = 1000; // of a row group, which is held in memory
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
  #columns: readonly TableColumn[] = [];
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
        data: [] as TableCell[],
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

function load(): Promise<Parquet> {
  return loadPackage(
    'Writing a Parquet file',
    'hyparquet-writer',
    () => import('hyparquet-writer'),
  );
}
