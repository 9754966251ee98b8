/** Where a crawl puts its pages. */
import type { Document, FormatInput } from '../index.ts';
import type { DocumentSink } from '../export/document-sink.ts';

/** A page of a crawl; which formats it has, the command line decides. */
export type CrawledPage = Document<readonly FormatInput[]>;

/** An open place for pages. */
export interface PageSink {
  /** What it is, for the summary: `docs/`, `pages.jsonl`, `stdout`. */
  readonly name: string;
  /** Resolves when the page is written: the crawl waits for it. */
  write(page: CrawledPage): Promise<void>;
  /** With `keep` what was written is there afterwards; without it a file does not appear. */
  close(keep: boolean): Promise<void>;
}

/** A file or folder that is whole or not there. After a page that it did not take it is not kept. */
export function fileSink(name: string, sink: DocumentSink): PageSink {
  let isBroken = false;
  const attempt = async (work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      isBroken = true;
      await sink.abandon();
      throw error;
    }
  };
  return {
    name,
    write: (page) => attempt(sink.write(page)),
    async close(keep) {
      if (isBroken) return;
      if (keep) await attempt(sink.finish());
      else await sink.abandon();
    },
  };
}
