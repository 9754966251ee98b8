/** Documents as JSON, one a line. */
import type { Writable } from 'node:stream';
import { parseExportOptions, type WriteJsonlOptions } from '../options/export-options.ts';
import { type Documents, type DocumentSink, writeAll } from './document-sink.ts';
import { appendToFile, createFile, type OpenFile, openStream } from './open-file.ts';
import { plainJson } from './plain-json.ts';

/**
 * Writes a line of JSON for each document. The file is there when all are written; where that fails it
 * is as it was before. A stream is written to at its pace and not ended. Gives the number of
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
    if (typeof file !== 'string') return jsonlSink(openStream(file));
    return jsonlSink(append ? await appendToFile(file) : await createFile(file));
  });
}

/** Lines in an open file. */
export function jsonlSink(file: OpenFile): DocumentSink {
  return {
    write: async (document) => file.write(`${plainJson(document, document.metadata.url)}\n`),
    finish: () => file.finish(),
    abandon: () => file.abandon(),
  };
}
