/** createClient(): one isolated set of parts with the verbs bound to it; and the default client. */
import { randomInt } from 'node:crypto';
import type { Engine } from './engines/engine.ts';
import { httpEngine } from './engines/http.ts';
import { stealthEngine } from './engines/stealth.ts';
import { PagewrightError } from './errors.ts';
import { HostHealth } from './fetching/host-health.ts';
import type { Format } from './formats/format.ts';
import type { Document, FormatInput } from './formats/index.ts';
import type { InferSchema, SchemaInput } from './formats/json/schema.ts';
import { ExtractJob } from './jobs/extract-job.ts';
import { Job } from './jobs/job.ts';
import type { JobSetting } from './jobs/job-status.ts';
import type { MapResult } from './map.ts';
import { defaultCosts } from './model/costs.ts';
import { defaultLimits } from './network/limits.ts';
import { createNetworkPolicy } from './network/policy.ts';
import { type ClientOptions, parseClientOptions } from './options/client-options.ts';
import { type CrawlOptions, parseCrawlOptions } from './options/crawl-options.ts';
import { type ExtractOptions, parseExtractOptions } from './options/extract-options.ts';
import { type MapOptions, parseMapOptions } from './options/map-options.ts';
import { parseScrapeOptions, type ScrapeOptions } from './options/scrape-options.ts';
import {
  type ContentDescription,
  type HtmlInput,
  parseContent,
  parseScrapeTarget,
} from './options/scrape-target.ts';
import type { Parts } from './parts.ts';
import type { PlainDocument } from './reading/compose-document.ts';
import { ThreadsOnDemand } from './reading/threads-on-demand.ts';
import { createProxy } from './proxies/create-proxy.ts';
import { memoryRequestQueue } from './storage/memory-request-queue.ts';
import { memoryStore } from './storage/memory-store.ts';
import { uuid } from './text/uuid.ts';

/** The verbs, bound to one configuration. `Custom` are the formats registered with the client. */
export interface Client<Custom extends readonly Format[] = readonly []> extends AsyncDisposable {
  /**
   * One page to a document with exactly the formats asked for, plus metadata.
   *
   * A response with a body is a document whatever its status; no response, or a page that cannot
   * be read, rejects with a `PagewrightError`. `{ html, url }` is read without any request.
   *
   * @example const { markdown } = await scrape('https://example.com');
   */
  scrape<const Inputs extends readonly FormatInput<Custom>[] = readonly ['markdown']>(
    target: string | URL | HtmlInput,
    options?: ScrapeOptions<Inputs, Custom>,
  ): Promise<Document<Inputs, Custom>>;

  /**
   * Content that you already hold, through the same pipeline: no socket is opened.
   *
   * @example const { markdown } = await parse(await readFile('page.html'), { contentType: 'text/html' });
   */
  parse<const Inputs extends readonly FormatInput<Custom>[] = readonly ['markdown']>(
    content: Uint8Array | ArrayBuffer | string,
    options?: ContentDescription & ScrapeOptions<Inputs, Custom>,
  ): Promise<Document<Inputs, Custom>>;

  /**
   * The pages of a site, as a job that starts at once: await it for everything, iterate it for
   * pages as they come. Wrong options throw at once.
   *
   * @example for await (const page of crawl('https://example.com/docs/', { limit: 50 })) { … }
   */
  crawl<const Inputs extends readonly FormatInput<Custom>[] = readonly ['markdown']>(
    url: string | URL,
    options?: CrawlOptions<Inputs, Custom>,
  ): Job<Document<Inputs, Custom>>;

  /**
   * The URLs of a site, from its sitemaps, feeds and links, without reading every page.
   *
   * @example const { links } = await map('https://example.com', { limit: 500 });
   */
  map(url: string | URL, options?: MapOptions): Promise<MapResult>;

  /**
   * Data that fits a schema, from one or many pages, without a model: selectors in the schema,
   * JSON-LD, microdata, RDFa, OpenGraph, tables and definition lists. Nothing is made up.
   *
   * @example const { data } = await extract({ urls: ['https://example.com/lamp'], schema: z.object({ name: z.string(), price: z.number() }) });
   */
  extract<const Schema extends SchemaInput>(
    options: ExtractOptions<Schema, Custom>,
  ): ExtractJob<InferSchema<Schema>>;

  /** A crawl of this client by its id. Throws `JOB_NOT_FOUND`, or `JOB_EXPIRED` 24 hours after its end. */
  job(id: string): Job<Document<readonly FormatInput<Custom>[], Custom>>;
  /** All crawls of this client that have not expired. */
  jobs(): Job<Document<readonly FormatInput<Custom>[], Custom>>[];
  /** Cancels what runs and releases every socket and thread; nothing of the client keeps the process alive. */
  close(): Promise<void>;
}

/** The User-Agent header unless the caller sets one. */
const defaultUserAgent = 'Mozilla/5.0 (compatible; pagewright/0.1)';

/** Makes a client that shares nothing with any other. */
export function createClient<const Custom extends readonly Format[] = readonly []>(
  options: ClientOptions<Custom> = {},
): Client<Custom> {
  const checked = parseClientOptions(options);
  const closing = new AbortController();
  const userAgent = checked.userAgent ?? defaultUserAgent;
  const policy = createNetworkPolicy(checked.network);
  const ownEngines = [
    httpEngine({ policy, userAgent, tls: checked.tls }),
    stealthEngine({ policy, client: checked.stealth ?? 'got-scraping', tls: checked.tls }),
  ];
  const clock = checked.clock ?? { now: Date.now, random: secureRandom };
  const logger = checked.logger ?? {
    warn: (message) => process.emitWarning(message, 'PagewrightWarning'),
  };
  const parts: Parts = {
    engines: [...(checked.engines ?? []), ...ownEngines],
    parsers: checked.parsers ?? [],
    formats: checked.formats ?? [],
    store: checked.storage ?? memoryStore(),
    requestQueue: checked.requestQueue ?? (() => memoryRequestQueue()),
    limits: { ...defaultLimits, ...checked.limits },
    userAgent,
    logger,
    threads: new ThreadsOnDemand((sentence) => logger.warn(sentence)),
    clock,
    costs: { ...defaultCosts, ...checked.costs },
    proxy:
      checked.proxy === undefined
        ? undefined
        : createProxy(checked.proxy, { now: () => clock.now() }),
    hosts: new HostHealth(),
    signal: closing.signal,
  };
  return new BoundClient(parts, ownEngines, closing) as unknown as Client<Custom>;
}

/** Ids must not be guessed. */
function secureRandom(): number {
  return randomInt(2 ** 32) / 2 ** 32;
}

type AnyJob = Job<PlainDocument>;

/**
 * The verbs without their types: what a caller passes is checked at run time. The verbs themselves
 * are loaded at their first use, so that importing the package costs little.
 */
class BoundClient implements AsyncDisposable {
  readonly #parts: Parts;
  /** Those that the client made and therefore closes. */
  readonly #ownEngines: readonly Engine[];
  readonly #closing: AbortController;
  /** Ids of jobs whose results are gone. */
  readonly #expired = new Set<string>();
  readonly #jobs = new Map<string, AnyJob>();
  readonly #extractions = new Set<ExtractJob<unknown>>();

  constructor(parts: Parts, ownEngines: readonly Engine[], closing: AbortController) {
    this.#parts = parts;
    this.#ownEngines = ownEngines;
    this.#closing = closing;
  }

  async scrape(target: unknown, options?: unknown): Promise<object> {
    this.#refuseWhenClosed();
    const parsed = parseScrapeTarget(target);
    const settings = parseScrapeOptions(options, this.#parts);
    const { scrapePage } = await import('./scrape.ts');
    return scrapePage(this.#parts, parsed, settings);
  }

  async parse(content: unknown, options?: unknown): Promise<object> {
    this.#refuseWhenClosed();
    const { target, rest } = parseContent(content, options);
    const settings = parseScrapeOptions(rest, this.#parts, 'parse');
    const { scrapePage } = await import('./scrape.ts');
    return scrapePage(this.#parts, target, settings);
  }

  crawl(url: unknown, options?: unknown): AnyJob {
    this.#refuseWhenClosed();
    const settings = parseCrawlOptions(url, options, this.#parts);
    const setting = this.#jobSetting(settings.signal);
    const store = settings.zeroDataRetention ? memoryStore() : setting.store;
    const job = new Job<PlainDocument>({ ...setting, store }, async (control) => {
      const { runCrawl } = await import('./crawl.ts');
      await runCrawl(this.#parts, settings, control);
    });
    this.jobs();
    this.#jobs.set(job.id, job);
    return job;
  }

  async map(url: unknown, options?: unknown): Promise<MapResult> {
    this.#refuseWhenClosed();
    const settings = parseMapOptions(url, options);
    const { mapSite } = await import('./map.ts');
    return mapSite(this.#parts, settings);
  }

  extract(options: unknown): ExtractJob<unknown> {
    this.#refuseWhenClosed();
    const settings = parseExtractOptions(options, this.#parts);
    const job = new ExtractJob(this.#jobSetting(settings.signal), async (signal) => {
      const { runExtract } = await import('./extract.ts');
      return runExtract(this.#parts, settings, signal);
    });
    this.#extractions.add(job);
    void job.settled().then(() => this.#extractions.delete(job));
    return job;
  }

  job(id: string): AnyJob {
    this.jobs();
    const job = this.#jobs.get(id);
    if (job !== undefined) return job;
    throw this.#expired.has(id)
      ? new PagewrightError('JOB_EXPIRED', `The results of job ${id} have expired.`)
      : new PagewrightError('JOB_NOT_FOUND', `This client has no job ${JSON.stringify(id)}.`);
  }

  /** Expired jobs are dropped here, so that a long-lived client does not grow. */
  jobs(): AnyJob[] {
    for (const [id, job] of this.#jobs) {
      if (!job.expired) continue;
      this.#jobs.delete(id);
      this.#expired.add(id);
      void job.drop().catch((error: unknown) => this.#parts.logger.warn(String(error)));
    }
    return [...this.#jobs.values()];
  }

  async close(): Promise<void> {
    this.#closing.abort(new PagewrightError('CANCELLED', 'The client was closed.'));
    await Promise.all([...this.#jobs.values(), ...this.#extractions].map((job) => job.settled()));
    // What the caller handed over is the caller's to close.
    for (const engine of this.#ownEngines) await engine.dispose?.();
    await this.#parts.threads.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #jobSetting(signal: AbortSignal | undefined): JobSetting {
    const { store, clock, logger, signal: clientSignal } = this.#parts;
    const id = uuid(() => clock.random());
    return { id, store, now: () => clock.now(), logger, signal, clientSignal };
  }

  #refuseWhenClosed(): void {
    if (this.#closing.signal.aborted) throw this.#closing.signal.reason;
  }
}

let shared: Client | undefined;

/** The client of the top-level verbs, made at their first use: no configuration, public addresses only. */
function defaultClient(): Client {
  return (shared ??= createClient());
}

/** `scrape` of the default client; see {@link Client}. */
export const scrape: Client['scrape'] = (target, options) =>
  defaultClient().scrape(target, options);

/** `parse` of the default client; see {@link Client}. */
export const parse: Client['parse'] = (content, options) => defaultClient().parse(content, options);

/** `crawl` of the default client; see {@link Client}. */
export const crawl: Client['crawl'] = (url, options) => defaultClient().crawl(url, options);

/** `map` of the default client; see {@link Client}. */
export const map: Client['map'] = (url, options) => defaultClient().map(url, options);

/** `extract` of the default client; see {@link Client}. */
export const extract: Client['extract'] = (options) => defaultClient().extract(options);
