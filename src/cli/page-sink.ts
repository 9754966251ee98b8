/** Where a crawl puts its pages. */
import type { Document, FormatInput } from '../index.ts';

/** A page of a crawl; which formats it has, the command line decides. */
export type CrawledPage = Document<readonly FormatInput[]>;

/** An open place for pages. */
export interface PageSink {
  /** What it is, for the summary: `docs/`, `pages.jsonl`, `stdout`. */
  readonly name: string;
  /** Resolves when the page is written: the crawl waits for it. */
  write(page: CrawledPage): Promise<void>;
  close(): Promise<void>;
}
