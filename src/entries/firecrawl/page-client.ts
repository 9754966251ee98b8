/** The client behind an instance: made from its options, or brought by the caller. */
import { z } from 'zod';
import type { JobSummary } from '../../client-jobs.ts';
import { createClient } from '../../client.ts';
import type { BatchJob } from '../../core/jobs/batch-job.ts';
import type { ExtractJob } from '../../core/jobs/extract-job.ts';
import type { Job } from '../../core/jobs/job.ts';
import type { MapResult } from '../../map.ts';
import type { ClientOptions } from '../../core/options/client-options.ts';
import type { SearchResult } from '../../search.ts';
import { check } from '../../core/checks/check.ts';

/** The methods of a client that are used here: every `Client` has them, whatever its formats. */
export interface PageClient {
  scrape(url: string, options: object): Promise<object>;
  parse(content: Uint8Array | ArrayBuffer | string, options: object): Promise<object>;
  crawl(url: string, options: object): Job<object>;
  batchScrape(urls: readonly string[], options: object): BatchJob<object>;
  map(url: string, options: object): Promise<MapResult>;
  search(query: string, options: object): Promise<SearchResult<object>>;
  extract(options: object): ExtractJob<unknown, boolean>;
  previewCrawl(url: string, prompt: string): Promise<object>;
  readonly jobs: {
    get(id: string): Job<object> | BatchJob<object> | ExtractJob<unknown, boolean>;
    list(): Promise<JobSummary[]>;
  };
  close(): Promise<void>;
}

/** Options of the class. Those of the SDK are accepted and have no effect: there is no service. */
export interface FirecrawlClientOptions {
  /** No effect: nothing is asked for a key. */
  apiKey?: string | null | undefined;
  /** No effect: no service is called. */
  apiUrl?: string | null | undefined;
  /** No effect: `timeout` of a call is for its page. */
  timeoutMs?: number | undefined;
  /** No effect: `retries` of a call are for its pages. */
  maxRetries?: number | undefined;
  /** No effect. */
  backoffFactor?: number | undefined;
  /**
   * A client, which its maker closes, or the options of `createClient()`: storage, model, search engine, browser,
   * proxy.
   * @default a client without options
   */
  client?: PageClient | ClientOptions | undefined;
}

/** Options, or a key, which has no effect. */
export type FirecrawlClientInput = FirecrawlClientOptions | string;

/** The client, and whether it is the instance's own. */
export interface OpenedClient {
  readonly client: PageClient;
  readonly isOwn: boolean;
}

/** Checks the options of the class. Throws `ValidationError`. */
export function openClient(input: FirecrawlClientInput): OpenedClient {
  const options = typeof input === 'string' ? {} : input;
  const { client } = check('Firecrawl', optionsSchema, options);
  if (isClient(client)) return { client, isOwn: false };
  return { client: createClient(client), isOwn: true };
}

const optionsSchema = z.strictObject({
  apiKey: z.string().nullish(),
  apiUrl: z.string().nullish(),
  timeoutMs: z.number().optional(),
  maxRetries: z.number().optional(),
  backoffFactor: z.number().optional(),
  client: z
    .custom<PageClient | ClientOptions>(
      (value) => typeof value === 'object' && value !== null,
      'expected a client, or the options of createClient()',
    )
    .optional(),
} satisfies Record<keyof FirecrawlClientOptions, z.ZodType>);

function isClient(value: PageClient | ClientOptions | undefined): value is PageClient {
  return value !== undefined && 'scrape' in value && typeof value.scrape === 'function';
}
