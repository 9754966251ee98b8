/** The methods of v1 of the SDK, in the caller's own process. */
import type { InferSchema, StandardSchema } from '../../extract/schema/compile-schema.ts';
import type { Job } from '../../core/jobs/job.ts';
import { toDocument } from './document.ts';
import { IdempotencyKeys } from './idempotency-keys.ts';
import { batchOptions, crawlArguments, extractOptions, mapOptions } from './job-parameters.ts';
import {
  cancelJob,
  type CrawlErrorsResponse,
  crawlJob,
  documentPages,
  errorsOf,
  extraction,
  type ExtractResponse as ExtractState,
  extractStatus,
  finalStatus,
  jobLink,
  pageJob,
  statusOf,
} from './job-status.ts';
import { type FirecrawlClientOptions, openClient, type OpenedClient } from './page-client.ts';
import { scrapeOptions } from './scrape-parameters.ts';
import {
  badRequest,
  type JobKind,
  notAvailable,
  requireText,
  sdkCode,
  SdkError,
  withSdkErrors,
} from './sdk-error.ts';
import { search } from './search.ts';
import { UnavailableV1Methods } from './unavailable.ts';
import { CrawlWatcher } from './v1-crawl-watcher.ts';
import {
  type ActionsResult,
  type CrawlStatusResponse,
  type ErrorResponse,
  type FirecrawlDocument,
  type ScrapeResponse,
  toV1Document,
  v1Status,
} from './v1-document.ts';
import {
  type Action,
  type CrawlParams,
  type ExtractParams,
  type MapParams,
  type ScrapeParams,
  type SearchParams,
  v2Crawl,
  v2Map,
  v2Scrape,
  type V1Webhook,
} from './v1-parameters.ts';

/** The answer to the start of a job. */
export interface StartedJob {
  success: true;
  id: string;
  url: string;
  /** Entries that are not URLs, if there are any. */
  invalidURLs?: string[];
}

/** The result of an extraction. */
export interface ExtractResponse<T = unknown> {
  success: boolean;
  data: T;
  error?: string;
  warning?: string;
  /** The pages that values are from, if `showSources` was given. */
  sources?: string[];
}

/** The result of a search. */
export interface SearchResponse {
  success: boolean;
  data: FirecrawlDocument<undefined>[];
  warning?: string;
}

type Inferred<Schema> = Schema extends StandardSchema ? InferSchema<Schema> : unknown;

/**
 * The methods of v1 with their parameters and results. Failures reject with `SdkError`; `statusCode` is its status.
 * Pages with an error status are documents.
 *
 * @example const { markdown } = await app.v1.scrapeUrl('https://example.com', { formats: ['markdown'] });
 */
export class FirecrawlAppV1 extends UnavailableV1Methods {
  /** As given; no effect. */
  apiKey: string;
  /** As given; no effect. */
  apiUrl: string;
  readonly #opened: OpenedClient;
  readonly #keys = new IdempotencyKeys();

  /** Options, as those of `Firecrawl`. `v1` of a `Firecrawl` uses its client. */
  constructor(options: FirecrawlClientOptions = {}) {
    super();
    this.apiKey = options.apiKey ?? '';
    this.apiUrl = options.apiUrl ?? '';
    this.#opened = openClient(options);
  }

  /** One page as a document. */
  scrapeUrl<
    Schema extends StandardSchema = StandardSchema,
    Actions extends Action[] | undefined = undefined,
  >(
    url: string,
    params?: ScrapeParams<Schema, Actions>,
  ): Promise<
    | ScrapeResponse<Inferred<Schema>, Actions extends Action[] ? ActionsResult : never>
    | ErrorResponse
  >;
  scrapeUrl(url: string, params?: ScrapeParams): Promise<object> {
    return withSdkErrors(async () => {
      const options = scrapeOptions(v2Scrape(params));
      const document = toDocument(
        await this.#opened.client.scrape(requireText('URL', url), options),
      );
      const wantsExtract = (params?.formats ?? []).includes('extract');
      const extract = wantsExtract ? { extract: document.json } : {};
      return { success: true, ...toV1Document(document), ...extract };
    });
  }

  /** Results of the search engine, each with its document if `scrapeOptions` name formats. */
  search(
    query: string,
    params: SearchParams | Record<string, unknown> = {},
  ): Promise<SearchResponse> {
    return withSdkErrors(async () => {
      const { filter, lang: _, scrapeOptions: page, limit = 5, ...same } = params;
      if (filter !== undefined) throw notAvailable('filter', 'write it into the query');
      const scraped = v2Scrape(page as object | undefined);
      const hasFormats = Array.isArray(scraped['formats']);
      const options = { ...same, limit, ...(hasFormats ? { scrapeOptions: scraped } : {}) };
      const { web = [], warning } = await search(this.#opened.client, query, options);
      const data = web.map(toV1Document);
      return { success: true, data, ...(warning === undefined ? {} : { warning }) };
    });
  }

  /** Crawls a site. Rejects when the crawl failed or was cancelled. */
  crawlUrl(
    url: string,
    params?: CrawlParams,
    _pollInterval?: number,
    idempotencyKey?: string,
  ): Promise<CrawlStatusResponse | ErrorResponse> {
    return withSdkErrors(() => completed(this.#crawl(url, params, idempotencyKey), 'crawl'));
  }

  /** Starts a crawl. It runs in this process. */
  asyncCrawlUrl(
    url: string,
    params?: CrawlParams,
    idempotencyKey?: string,
  ): Promise<StartedJob | ErrorResponse> {
    return withSdkErrors(() => started(this.#crawl(url, params, idempotencyKey), 'crawl'));
  }

  /**
   * A crawl with documents: all with `getAllData`, else from `skip`, or from the `skip` of the link `next`, on and
   * at most `limit`.
   */
  checkCrawlStatus(
    id?: string,
    getAllData = false,
    nextURL?: string,
    skip?: number,
    limit?: number,
  ): Promise<CrawlStatusResponse | ErrorResponse> {
    return this.#status('crawl', { id, getAllData, nextURL, skip, limit });
  }

  /** The failed pages of a crawl, and the URLs that robots.txt disallows. */
  checkCrawlErrors(id: string): Promise<CrawlErrorsResponse | ErrorResponse> {
    return withSdkErrors(() => errorsOf(pageJob(this.#opened.client, id)), id);
  }

  /** Stops a crawl or batch. The result is what the service gives, not what the types of the SDK say. */
  cancelCrawl(id: string): Promise<{ success: boolean; status: 'cancelled' | 'ended' }> {
    return withSdkErrors(async () => {
      const success = await cancelJob(pageJob(this.#opened.client, id));
      return { success, status: success ? 'cancelled' : 'ended' };
    }, id);
  }

  /** Starts a crawl and watches it. */
  crawlUrlAndWatch(
    url: string,
    params?: CrawlParams,
    idempotencyKey?: string,
  ): Promise<CrawlWatcher> {
    return withSdkErrors(() => new CrawlWatcher(this.#crawl(url, params, idempotencyKey)));
  }

  /** The URLs of a site. */
  mapUrl(
    url: string,
    params?: MapParams,
  ): Promise<{ success: true; links?: string[] } | ErrorResponse> {
    return withSdkErrors(async () => {
      const options = mapOptions(v2Map(params));
      const { links } = await this.#opened.client.map(requireText('URL', url), options);
      return { success: true, links: links.map((link) => link.url) };
    });
  }

  /** Scrapes a list of pages. Rejects when the batch failed or was cancelled. */
  batchScrapeUrls(
    urls: string[],
    params?: ScrapeParams,
    _pollInterval?: number,
    idempotencyKey?: string,
    webhook?: V1Webhook,
    ignoreInvalidURLs?: boolean,
    maxConcurrency?: number,
  ): Promise<CrawlStatusResponse | ErrorResponse> {
    const job = { webhook, ignoreInvalidURLs, maxConcurrency };
    return withSdkErrors(() => completed(this.#batch(urls, params, job, idempotencyKey), 'batch'));
  }

  /** Starts a batch. It runs in this process. */
  asyncBatchScrapeUrls(
    urls: string[],
    params?: ScrapeParams,
    idempotencyKey?: string,
    webhook?: V1Webhook,
    ignoreInvalidURLs?: boolean,
  ): Promise<StartedJob | ErrorResponse> {
    const job = { webhook, ignoreInvalidURLs };
    return withSdkErrors(() => started(this.#batch(urls, params, job, idempotencyKey), 'batch'));
  }

  /** Starts a batch and watches it. */
  batchScrapeUrlsAndWatch(
    urls: string[],
    params?: ScrapeParams,
    idempotencyKey?: string,
    webhook?: V1Webhook,
    ignoreInvalidURLs?: boolean,
  ): Promise<CrawlWatcher> {
    const job = { webhook, ignoreInvalidURLs };
    return withSdkErrors(() => new CrawlWatcher(this.#batch(urls, params, job, idempotencyKey)));
  }

  /** A batch with documents; the arguments are those of `checkCrawlStatus`. */
  checkBatchScrapeStatus(
    id?: string,
    getAllData = false,
    nextURL?: string,
    skip?: number,
    limit?: number,
  ): Promise<CrawlStatusResponse | ErrorResponse> {
    return this.#status('batch', { id, getAllData, nextURL, skip, limit });
  }

  /** The pages of a batch that failed. */
  checkBatchScrapeErrors(id: string): Promise<CrawlErrorsResponse | ErrorResponse> {
    return this.checkCrawlErrors(id);
  }

  /** Extracts data. Rejects when the extraction failed or was cancelled. */
  extract<Schema extends StandardSchema = StandardSchema>(
    urls?: string[],
    params?: ExtractParams<Schema | object>,
  ): Promise<ExtractResponse<Inferred<Schema>> | ErrorResponse>;
  extract(urls?: string[], params?: ExtractParams): Promise<ExtractResponse> {
    return withSdkErrors(async () => {
      const job = this.#opened.client.extract(v1Extract(urls, params));
      const { data, sources, warning } = await job;
      const pages = [...new Set(Object.values(sources).flat())];
      return {
        success: true,
        data,
        ...(warning === undefined ? {} : { warning }),
        ...(params?.showSources === true ? { sources: pages } : {}),
      };
    });
  }

  /** Starts an extraction; `getExtractStatus` has its data. */
  asyncExtract(
    urls: string[],
    params?: ExtractParams,
    idempotencyKey?: string,
  ): Promise<(ExtractResponse & { id: string }) | ErrorResponse> {
    return withSdkErrors(() => {
      const options = v1Extract(urls, params);
      const start = () => this.#opened.client.extract(options);
      return { success: true, id: this.#keys.once(idempotencyKey, start).id, data: undefined };
    });
  }

  /** An extraction with its data so far, or at its end. */
  getExtractStatus(jobId: string): Promise<ExtractState> {
    return withSdkErrors(() => extractStatus(extraction(this.#opened.client, jobId), true), jobId);
  }

  #crawl(url: string, params: CrawlParams | undefined, key: string | undefined): Job<object> {
    const given = crawlArguments(url, v2Crawl(url, params));
    return this.#keys.once(key, () => this.#opened.client.crawl(...given));
  }

  #batch(
    urls: string[],
    params: ScrapeParams | undefined,
    options: object,
    key: string | undefined,
  ): Job<object> {
    if (!Array.isArray(urls) || urls.length === 0) throw badRequest('URLs list cannot be empty');
    const given = batchOptions({ ...options, options: v2Scrape(params) });
    return this.#keys.once(key, () => this.#opened.client.batchScrape(urls, given));
  }

  #status(kind: JobKind, page: PageOfStatus): Promise<CrawlStatusResponse> {
    const { id, getAllData, nextURL } = page;
    return withSdkErrors(async () => {
      const job = pageJob(this.#opened.client, id);
      if (getAllData) return v1Status(await statusOf(job, kind));
      if (nextURL !== undefined && !URL.canParse(nextURL)) {
        throw badRequest('nextURL: expected the link `next` of a status');
      }
      const linked = nextURL === undefined ? 0 : Number(new URL(nextURL).searchParams.get('skip'));
      const { skip = linked, limit = 100 } = page;
      if (!(Number.isInteger(limit) && limit > 0)) throw badRequest('limit must be positive');
      for await (const { progress, data, next } of documentPages(job, skip, limit)) {
        const link = next === undefined ? null : jobLink(kind, job.id, next, 'v1');
        return v1Status(crawlJob(progress, data, link));
      }
      throw badRequest(`skip: ${skip} cannot be read`);
    }, id);
  }
}

interface PageOfStatus {
  readonly id: string | undefined;
  readonly getAllData: boolean;
  readonly nextURL: string | undefined;
  readonly skip: number | undefined;
  readonly limit: number | undefined;
}

/** The end of a job; rejects unless it has completed. */
async function completed(job: Job<object>, kind: JobKind): Promise<CrawlStatusResponse> {
  const final = v1Status(await finalStatus(job, kind));
  if (final.status === 'completed') return final;
  const [first] = job.errors();
  const why = first === undefined ? '' : `. ${first.error}`;
  const message = `The job failed or was stopped. Status: ${final.status}${why}`;
  const code = first === undefined ? undefined : sdkCode(first.code);
  throw new SdkError(message, 500, code, undefined, job.id);
}

function started(job: Job<object>, kind: JobKind): StartedJob {
  const { id } = job;
  const invalid = 'invalidURLs' in job ? (job.invalidURLs as readonly string[]) : [];
  const answer: StartedJob = { success: true, id, url: jobLink(kind, id, undefined, 'v1') };
  return invalid.length === 0 ? answer : { ...answer, invalidURLs: [...invalid] };
}

function v1Extract(urls: string[] | undefined, params: ExtractParams | undefined): object {
  const { scrapeOptions: page, ...same } = params ?? {};
  const fetching = page === undefined ? {} : { scrapeOptions: v2Scrape(page) };
  return extractOptions({ ...same, ...fetching, urls });
}
