/** Documents as JSON Lines, to a file and back. */
import { createReadStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { PlainDocument } from '../../core/model/document.ts';
import {
  parseExportOptions,
  type ReadJsonlOptions,
  type WriteJsonlOptions,
} from '../../core/options/export-options.ts';
import { type Documents, type DocumentSink, isDocument, writeAll } from './document-sink.ts';
import { appendToFile, type OpenFile, openTarget } from './open-file.ts';
import { cannotRead, damaged } from './storage-error.ts';

/**
 * Writes a line of JSON for each document. The file appears when all are written; after a failure it
 * is as it was before. A stream is written with backpressure and not ended. Returns the number of
 * documents; rejects with `STORAGE`.
 *
 * @example await writeJsonl(crawl('https://example.com'), 'pages.jsonl');
 */
export async function writeJsonl(
  documents: Documents,
  file: string | Writable,
  options: WriteJsonlOptions = {},
): Promise<number> {
  const { append } = parseExportOptions('writeJsonl', options);
  return writeAll(documents, async () => {
    if (append && typeof file === 'string') return jsonlSink(await appendToFile(file));
    return jsonlSink(await openTarget(file));
  });
}

/**
 * Writes an array of JSON, a document a line, as `writeJsonl()` writes lines. Only one document is in memory.
 *
 * @example await writeJson(job.documents({ path: '^/docs/' }), 'docs.json');
 */
export async function writeJson(documents: Documents, file: string | Writable): Promise<number> {
  return writeAll(documents, async () => jsonArraySink(await openTarget(file)));
}

/** Writes lines to an open file. */
export function jsonlSink(file: OpenFile): DocumentSink {
  return {
    write: async (document) => file.write(`${plainJson(document, document.metadata.url)}\n`),
    finish: () => file.finish(),
    abandon: () => file.abandon(),
  };
}

/** Writes an array to an open file, a document a line. */
export function jsonArraySink(file: OpenFile): DocumentSink {
  let before = '[\n';
  return {
    write: async (document) => {
      await file.write(before + plainJson(document, document.metadata.url));
      before = ',\n';
    },
    finish: async () => {
      await file.write(before === ',\n' ? '\n]\n' : '[]\n');
      await file.finish();
    },
    abandon: () => file.abandon(),
  };
}

// Documents from a file of JSON lines.

const maxLineBytes = 256 * 1024 * 1024; // less than Node's longest string, more than any document

/**
 * The documents of a file written by `writeJsonl()`, one after the other. Rejects with `STORAGE` if
 * the file cannot be read, and names the line without a document.
 *
 * @example for await (const page of readJsonl('pages.jsonl')) console.log(page.metadata.url);
 */
export function readJsonl(
  file: string,
  options: ReadJsonlOptions = {},
): AsyncIterableIterator<PlainDocument> {
  const { skipDamaged } = parseExportOptions('readJsonl', options);
  return readDocuments(file, skipDamaged);
}

async function* readDocuments(
  file: string,
  skipDamaged: boolean,
): AsyncGenerator<PlainDocument, void, undefined> {
  let number = 0;
  for await (const line of linesOf(file)) {
    number += 1;
    const text = line.bytes.toString().replace(/^\ufeff/, '');
    if (text.trim() === '') continue;
    const document = parsedDocument(text);
    if (document !== undefined) yield document;
    else if (!skipDamaged) throw damaged(`${file}, line ${number}`, complaint(line));
  }
}

interface JsonLine {
  readonly bytes: Buffer;
  /** False at the end of a file without a final line feed. */
  readonly isEnded: boolean;
}

/** The lines of a file, or of `chunks` of that name. Splits at line feeds only: JSON may contain other line ends. */
export async function* linesOf(
  file: string,
  chunks: AsyncIterable<Buffer> = createReadStream(file),
): AsyncGenerator<JsonLine, void, undefined> {
  let parts: Buffer[] = [];
  let size = 0;
  const keep = (part: Buffer): void => {
    parts.push(part);
    size += part.length;
    if (size > maxLineBytes) throw damaged(file, `has a line of more than ${maxLineBytes} bytes.`);
  };
  try {
    for await (const chunk of chunks) {
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        keep(chunk.subarray(start, end));
        yield { bytes: Buffer.concat(parts, size), isEnded: true };
        parts = [];
        size = 0;
        start = end + 1;
      }
      keep(chunk.subarray(start));
    }
  } catch (error) {
    throw cannotRead(file, error);
  }
  if (size > 0) yield { bytes: Buffer.concat(parts, size), isEnded: false };
}

function parsedDocument(text: string): PlainDocument | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isDocument(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function complaint({ isEnded }: JsonLine): string {
  const what = isEnded ? 'holds no document.' : 'is cut off.';
  return `${what} Leave such lines out with skipDamaged: true.`;
}

// A document as JSON, whatever its values.

/**
 * One line. Dates are ISO 8601, bytes `data:` URIs, maps objects, sets lists, big integers strings.
 * Throws `BAD_REQUEST` for a value without JSON, such as one that contains itself.
 */
export function plainJson(value: unknown, url: string): string {
  try {
    return JSON.stringify(value, plainValue);
  } catch (error) {
    const message = `The document of ${url} cannot be written as JSON: ${(error as Error).message} A format or hook of your own must return plain data.`;
    throw new PagewrightError('BAD_REQUEST', message, { url, cause: error });
  }
}

/** `toJSON` may have replaced `value`: a Buffer has one. */
function plainValue(this: unknown, key: string, value: unknown): unknown {
  const held = (this as Readonly<Record<string, unknown>>)[key];
  if (held instanceof Uint8Array) {
    const bytes = Buffer.from(held.buffer, held.byteOffset, held.byteLength);
    return `data:application/octet-stream;base64,${bytes.toString('base64')}`;
  }
  if (held instanceof Map) return Object.fromEntries(held);
  if (held instanceof Set) return [...held];
  return typeof value === 'bigint' ? String(value) : value;
}
