/** Documents from a file of JSON lines. */
import { createReadStream } from 'node:fs';
import type { PlainDocument } from '../model/document.ts';
import { parseExportOptions, type ReadJsonlOptions } from '../options/export-options.ts';
import { isDocument } from './is-document.ts';
import { cannotRead, damaged } from './storage-error.ts';

/** Bytes of a line: less than the longest string of Node, and more than any document. */
const maxLineBytes = 256 * 1024 * 1024;

/**
 * The documents of a file that `writeJsonl()` wrote, one after the other. Rejects with `STORAGE` when
 * the file cannot be read, and names the line that holds no document.
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
    const document = parsed(text);
    if (document !== undefined) yield document;
    else if (!skipDamaged) throw damaged(`${file}, line ${number}`, complaint(line));
  }
}

interface Line {
  readonly bytes: Buffer;
  /** False for the end of a file without a line end. */
  readonly isEnded: boolean;
}

/** By line feed only: other line ends may stand inside of JSON. */
async function* linesOf(file: string): AsyncGenerator<Line, void, undefined> {
  let parts: Buffer[] = [];
  let size = 0;
  const keep = (part: Buffer): void => {
    parts.push(part);
    size += part.length;
    if (size > maxLineBytes) throw damaged(file, `has a line of more than ${maxLineBytes} bytes.`);
  };
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
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

function parsed(text: string): PlainDocument | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isDocument(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function complaint({ isEnded }: Line): string {
  const what = isEnded ? 'holds no document.' : 'is cut off.';
  return `${what} Leave such lines out with skipDamaged: true.`;
}
