/** The class of the SDK: the methods of v2, in the caller's own process. */
import type { BatchJob } from '../../core/jobs/batch-job.ts';
import { type Document, toDocument } from './document.ts';
import { IdempotencyKeys } from './idempotency-keys.ts';
import {
  batchOptions,
  type BatchScrapeOptions,
  crawlArguments,
  type CrawlOptions,
  type ExtractOptions,
  extractOptions,
  type MapOptions,
  mapOptions,
  parseArguments,
  type ParseFile,
  type ParseOptions,
  type WaitOptions,
} from './job-parameters.ts';
import {
  activeCrawls,
  type ActiveCrawlsResponse,
  type BatchScrapeJob,
  type BatchScrapeResponse,
  cancelJob,
  checkTimeout,
  type CrawlErrorsResponse,
  type CrawlJob,
  type CrawlResponse,
  errorsOf,
  extraction,
  type ExtractResponse,
  extractStatus,
  finalStatus,
  jobLink,
  pageJob,
  type PaginationConfig,
  statusOf,
  within,
} from './job-status.ts';
import { type FirecrawlClientInput, openClient, type OpenedClient } from './page-client.ts';
import { type DocumentOf, type ScrapeOptions, scrapeOptions } from './scrape-parameters.ts';
import { badRequest, notAvailable, requireText, withSdkErrors } from './sdk-error.ts';
import { search, type SearchData, type SearchRequest, type SearchResultWeb } from './search.ts';
import { UnavailableMethods, UnavailableResearch } from './unavailable.ts';
import { Watcher, type WatcherOptions } from './watcher.ts';

/** The URLs of a site. */
export interface MapData {
  links: SearchResultWeb[];
  /** Sources that could not be read. */
  warning?: string;
}

/**
 * The class, methods, parameters and results of `@mendable/firecrawl-js` 4, in your own process: no key, no
 * service, no queue. Methods that only the service has reject, and say so. Every rejection is an `SdkError`.
 *
 * @example
 * import Firecrawl from 'pagewright/firecrawl';
 *
 * await using app = new Firecrawl();
 * const { markdown } = await app.scrape('https://example.com', { formats: ['markdown'] });
 */
export class Firecrawl extends UnavailableMethods implements AsyncDisposable {
  readonly #opened: OpenedClient;
  readonly #keys = new IdempotencyKeys();
  /** Extractions whose sources are requested. */
  readonly #sourced = new WeakSet<object>();

  /** A key, or options. Throws `BAD_REQUEST` for wrong ones. */
  constructor(options: FirecrawlClientInput = {}) {
    super();
    this.#opened = openClient(options);
  }

  /** One page as a document. Also pages with an error status are documents. */
  scrape<Options extends ScrapeOptions>(
    url: string,
    options: Options,
  ): Promise<DocumentOf<Options>>;
  scrape(url: string, options?: ScrapeOptions): Promise<Document>;
  /** Calls of the tool catalogue are refused. */
  scrape(request: { readonly alexandria: unknown }): Promise<never>;
  scrape(url: unknown, options?: ScrapeOptions): Promise<Document> {
    return withSdkErrors(async () => {
      if (typeof url === 'object')
        throw notAvailable('alexandria', 'there is no catalogue of tools');
      const target = requireText('URL', url);
      return toDocument(await this.#opened.client.scrape(target, scrapeOptions(options)));
    });
  }

  /** A file that you hold as a document. No request is sent. */
  parse<Options extends ParseOptions>(
    file: ParseFile,
    options: Options,
  ): Promise<DocumentOf<Options>>;
  parse(file: ParseFile, options?: ParseOptions): Promise<Document>;
  parse(file: ParseFile, options?: ParseOptions): Promise<Document> {
    return withSdkErrors(async () => {
      const given = await parseArguments(file, options);
      return toDocument(await this.#opened.client.parse(...given));
    });
  }

  /** Results of the client's search engine, with their documents if `scrapeOptions` are given. */
  search(query: string, request: Omit<SearchRequest, 'query'> = {}): Promise<SearchData> {
    return withSdkErrors(() => search(this.#opened.client, query, request));
  }

  /** The URLs of a site. */
  map(url: string, options?: MapOptions): Promise<MapData> {
    return withSdkErrors(async () => {
      const site = requireText('URL', url);
      const { links, warning } = await this.#opened.client.map(site, mapOptions(options));
      return {
        links: links.map(({ url: link, title, description }) => ({
          url: link,
          ...(title === undefined ? {} : { title }),
          ...(description === undefined ? {} : { description }),
        })),
        ...(warning === undefined ? {} : { warning }),
      };
    });
  }

  /** Starts a crawl. It runs in this process: keep it alive until the crawl has ended. */
  startCrawl(url: string, options?: CrawlOptions): Promise<CrawlResponse> {
    return withSdkErrors(() => {
      const { id } = this.#opened.client.crawl(...crawlArguments(url, options));
      return { id, url: jobLink('crawl', id) };
    });
  }

  /** A crawl with its documents so far. */
  getCrawlStatus(jobId: string, pagination?: PaginationConfig): Promise<CrawlJob> {
    return this.#status(jobId, 'crawl', pagination);
  }

  /** Stops a crawl; false if it had ended before. */
  cancelCrawl(jobId: string): Promise<boolean> {
    return withSdkErrors(() => cancelJob(pageJob(this.#opened.client, jobId)), jobId);
  }

  /** Crawls a site, and resolves at the end, however it ended. Rejects with `JobTimeoutError` after `timeout` seconds. */
  crawl(url: string, options?: CrawlOptions & WaitOptions): Promise<CrawlJob> {
    return withSdkErrors(async () => {
      checkTimeout(options?.timeout);
      const { id } = await this.startCrawl(url, options);
      return finalStatus(pageJob(this.#opened.client, id), 'crawl', options?.timeout);
    });
  }

  /** The failed pages of a crawl, and the URLs that robots.txt disallows. */
  getCrawlErrors(crawlId: string): Promise<CrawlErrorsResponse> {
    return withSdkErrors(() => errorsOf(pageJob(this.#opened.client, crawlId)), crawlId);
  }

  /** The crawls of this client that are running. */
  getActiveCrawls(): Promise<ActiveCrawlsResponse> {
    return withSdkErrors(async () => ({
      success: true,
      crawls: await activeCrawls(this.#opened.client),
    }));
  }

  /** The crawl options that the client's model derives from a sentence. */
  crawlParamsPreview(url: string, prompt: string): Promise<Record<string, unknown>> {
    return withSdkErrors(async () => {
      const target = requireText('URL', url);
      const instruction = requireText('Prompt', prompt);
      return { url: target, ...(await this.#opened.client.previewCrawl(target, instruction)) };
    });
  }

  /** Starts a batch, or adds URLs to one that runs. It runs in this process. */
  startBatchScrape(urls: string[], options?: BatchScrapeOptions): Promise<BatchScrapeResponse> {
    return withSdkErrors(() => {
      const { appendToId, idempotencyKey } = options ?? {};
      if (!Array.isArray(urls) || urls.length === 0) throw badRequest('URLs list cannot be empty');
      if (appendToId !== undefined) return this.#append(appendToId, urls, options?.options);
      const own = batchOptions(options);
      return this.#keys.once(idempotencyKey, () =>
        batchResponse(this.#opened.client.batchScrape(urls, own)),
      );
    });
  }

  /** A batch with its documents so far, in the order of its URLs. */
  getBatchScrapeStatus(jobId: string, pagination?: PaginationConfig): Promise<BatchScrapeJob> {
    return this.#status(jobId, 'batch', pagination);
  }

  /** The pages of a batch that failed. */
  getBatchScrapeErrors(jobId: string): Promise<CrawlErrorsResponse> {
    return this.getCrawlErrors(jobId);
  }

  /** Stops a batch; false if it had ended before. */
  cancelBatchScrape(jobId: string): Promise<boolean> {
    return this.cancelCrawl(jobId);
  }

  /** Scrapes a list of pages, and resolves at the end. Rejects with `JobTimeoutError` after `timeout` seconds. */
  batchScrape(urls: string[], options?: BatchScrapeOptions & WaitOptions): Promise<BatchScrapeJob> {
    return withSdkErrors(async () => {
      checkTimeout(options?.timeout);
      const { id } = await this.startBatchScrape(urls, options);
      return finalStatus(pageJob(this.#opened.client, id), 'batch', options?.timeout);
    });
  }

  /** Starts an extraction. */
  startExtract(options: ExtractOptions): Promise<ExtractResponse> {
    return withSdkErrors(() => {
      const job = this.#opened.client.extract(extractOptions(options));
      if (options.showSources === true) this.#sourced.add(job);
      return { success: true, id: job.id };
    });
  }

  /** An extraction with its data so far, or at its end. */
  getExtractStatus(jobId: string): Promise<ExtractResponse> {
    return withSdkErrors(() => {
      const job = extraction(this.#opened.client, jobId);
      return extractStatus(job, this.#sourced.has(job));
    }, jobId);
  }

  /** Extracts data, and resolves at the end or after `timeout` seconds, with the state that it has then. */
  extract(options: ExtractOptions & WaitOptions): Promise<ExtractResponse> {
    return withSdkErrors(async () => {
      checkTimeout(options.timeout);
      const { id = '' } = await this.startExtract(options);
      const ended = extraction(this.#opened.client, id).then(
        () => undefined,
        () => undefined,
      );
      const late = new Error();
      await within(ended, options.timeout, () => late).catch((error: unknown) => {
        if (error !== late) throw error;
      });
      return this.getExtractStatus(id);
    });
  }

  /** Watches a crawl or batch. */
  watcher(jobId: string, options?: WatcherOptions): Watcher {
    return new Watcher(() => pageJob(this.#opened.client, jobId), jobId, options);
  }

  /** The index of papers is refused. */
  get research(): InstanceType<typeof UnavailableResearch> {
    return new UnavailableResearch();
  }

  /** Version 1 of the API is refused. */
  get v1(): never {
    throw notAvailable('v1', 'the methods of the class are version 2');
  }

  /** An older name of `scrape`. */
  scrapeUrl(url: string, options?: ScrapeOptions): Promise<Document> {
    return this.scrape(url, options);
  }

  /** An older name of `crawl`. */
  crawlUrl(url: string, options?: CrawlOptions & WaitOptions): Promise<CrawlJob> {
    return this.crawl(url, options);
  }

  /** An older name of `startCrawl`. */
  asyncCrawlUrl(url: string, options?: CrawlOptions): Promise<CrawlResponse> {
    return this.startCrawl(url, options);
  }

  /** An older name of `getCrawlStatus`. */
  checkCrawlStatus(jobId: string, pagination?: PaginationConfig): Promise<CrawlJob> {
    return this.getCrawlStatus(jobId, pagination);
  }

  /** An older name of `getCrawlErrors`. */
  checkCrawlErrors(crawlId: string): Promise<CrawlErrorsResponse> {
    return this.getCrawlErrors(crawlId);
  }

  /** An older name of `map`. */
  mapUrl(url: string, options?: MapOptions): Promise<MapData> {
    return this.map(url, options);
  }

  /** An older name of `batchScrape`. */
  batchScrapeUrls(
    urls: string[],
    options?: BatchScrapeOptions & WaitOptions,
  ): Promise<BatchScrapeJob> {
    return this.batchScrape(urls, options);
  }

  /** An older name of `startBatchScrape`. */
  asyncBatchScrapeUrls(urls: string[], options?: BatchScrapeOptions): Promise<BatchScrapeResponse> {
    return this.startBatchScrape(urls, options);
  }

  /** An older name of `getBatchScrapeStatus`. */
  checkBatchScrapeStatus(jobId: string, pagination?: PaginationConfig): Promise<BatchScrapeJob> {
    return this.getBatchScrapeStatus(jobId, pagination);
  }

  /** An older name of `getBatchScrapeErrors`. */
  checkBatchScrapeErrors(jobId: string): Promise<CrawlErrorsResponse> {
    return this.getBatchScrapeErrors(jobId);
  }

  /** Ends running jobs and releases every socket, unless the client is one that you passed. The SDK has no such method. */
  async close(): Promise<void> {
    if (this.#opened.isOwn) await this.#opened.client.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #status(jobId: string, kind: 'crawl' | 'batch', pages?: PaginationConfig): Promise<CrawlJob> {
    return withSdkErrors(() => statusOf(pageJob(this.#opened.client, jobId), kind, pages), jobId);
  }

  #append(id: string, urls: string[], options: object | undefined): BatchScrapeResponse {
    if (options !== undefined) {
      throw badRequest('options: URLs that are added with appendToId have those of the batch');
    }
    const job = pageJob(this.#opened.client, id);
    if (!isBatch(job)) throw badRequest(`appendToId: job ${id} is not a batch of this client`);
    job.add(urls);
    return batchResponse(job);
  }
}

function isBatch(job: object): job is BatchJob<object> {
  return 'add' in job;
}

function batchResponse({ id, invalidURLs }: BatchJob<object>): BatchScrapeResponse {
  const answer = { id, url: jobLink('batch', id) };
  return invalidURLs.length === 0 ? answer : { ...answer, invalidURLs: [...invalidURLs] };
}
