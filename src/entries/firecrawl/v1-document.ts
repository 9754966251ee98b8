/** Documents and results in the shape of v1 of the SDK. */
import type { ActionResults } from '../../browser/actions/index.ts';
import type { DocumentMetadata } from './document.ts';
import type { CrawlJob } from './job-status.ts';

/** The results of actions. */
export type ActionsResult = Pick<ActionResults, 'screenshots' | 'scrapes' | 'javascriptReturns'>;

/** A page. */
export interface FirecrawlDocument<T = unknown, Actions extends ActionsResult = never> {
  url?: string;
  markdown?: string;
  html?: string;
  rawHtml?: string;
  links?: string[];
  /** The same as `json`, for the format `extract`. */
  extract?: T;
  json?: T;
  screenshot?: string;
  metadata?: DocumentMetadata & { keywords?: string };
  actions: Actions;
  changeTracking?: V1ChangeTracking;
  title?: string;
  description?: string;
}

/** How a page differs from its last scrape. */
interface V1ChangeTracking {
  previousScrapeAt: string | null;
  changeStatus: 'new' | 'same' | 'changed' | 'removed';
  visibility: 'visible' | 'hidden';
  diff?: { text: string; json: { files: DiffFile[] } };
  json?: unknown;
}

interface DiffFile {
  from: string | null;
  to: string | null;
  chunks: {
    content: string;
    changes: {
      type: string;
      normal?: boolean;
      ln?: number;
      ln1?: number;
      ln2?: number;
      content: string;
    }[];
  }[];
}

/** The result of `scrapeUrl`. */
export interface ScrapeResponse<
  T = unknown,
  Actions extends ActionsResult = never,
> extends FirecrawlDocument<T, Actions> {
  success: true;
  warning?: string;
  error?: string;
}

/** What the types of v1 have beside each result. Here failures reject. */
export interface ErrorResponse {
  success: false;
  error: string;
}

/** The status of a crawl or batch. */
export interface CrawlStatusResponse {
  success: true;
  status: CrawlJob['status'];
  completed: number;
  total: number;
  creditsUsed: number;
  /** While the job runs, as if it ended now. */
  expiresAt: Date;
  /** The link to the next documents; absent when the job has ended and these are the last. */
  next?: string;
  data: FirecrawlDocument<undefined>[];
}

/** The document of v1. */
export function toV1Document(document: object): FirecrawlDocument<undefined> {
  // The types of v1 say of `json` and `actions` what only the call knows.
  return { ...document } as FirecrawlDocument<undefined>;
}

/** The status of v1. */
export function v1Status(job: CrawlJob): CrawlStatusResponse {
  const { status, completed, total, creditsUsed = 0, expiresAt, next, data } = job;
  return {
    success: true,
    status,
    completed,
    total,
    creditsUsed,
    expiresAt: new Date(expiresAt),
    ...(typeof next === 'string' ? { next } : {}),
    data: data.map(toV1Document),
  };
}
