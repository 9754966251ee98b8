/** A file or folder that documents are written to. */
import { jsonlSink } from '../export/write-jsonl.ts';
import { llmsTxtSink } from '../export/write-llms-txt.ts';
import { markdownFolder } from '../export/write-markdown-folder.ts';
import { parquetSink } from '../export/write-parquet.ts';
import { warcSink } from '../export/write-warc.ts';
import type { DocumentSink } from '../export/document-sink.ts';
import { createFile } from '../export/open-file.ts';
import { type OutputKind, outputKind } from './output-kind.ts';

/** What is said about it. */
export interface OutputDetails {
  /** In place of what the name says. */
  readonly outputFormat?: OutputKind | undefined;
  /** A folder for each host. */
  readonly byHost: boolean;
  readonly relativeLinks?: boolean | undefined;
}

/** Opens it. */
export async function openDocumentOutput(
  path: string,
  { outputFormat, byHost, relativeLinks = false }: OutputDetails,
): Promise<DocumentSink> {
  switch (outputKind(path, outputFormat)) {
    case 'markdown':
      return markdownFolder(path, { byHost, relativeLinks, contents: false });
    case 'jsonl':
      return jsonlSink(await createFile(path));
    case 'parquet':
      return parquetSink(path);
    case 'warc':
      return warcSink(path);
    case 'llms':
      return llmsTxtSink(path, { full: true });
  }
}
