/** createClient(): one isolated set of parts with the verbs bound to it; and the default client. */
import { randomInt } from 'node:crypto';
import { createIdentify } from './core/fetch/cache/cache-key.ts';
import type { CacheOptions } from './core/fetch/cache/open-cache.ts';
import type { PageCache } from './core/fetch/cache/page-cache.ts';
import { namesCallers } from './core/runtime/call-site.ts';
import {
  type CrawlOrBatchJob,
  dropExpired,
  JobFactory,
  type JobSummary,
  listJobs,
  type OpenJob,
  removeJob,
} from './client-jobs.ts';
import { browserEngine } from './browser/chromium/browser.ts';
import type { Engine } from './core/model/engine.ts';
import { httpEngine } from './core/http/http-engine.ts';
import { openModelNetwork, openPoster } from './core/http/post.ts';
import { stealthEngine } from './core/http/stealth.ts';
import { messageOf, PagewrightError, ValidationError } from './core/runtime/errors.ts';
import type { ActRecipe } from './browser/actions/act-recipe.ts';
import type { Recipe } from './extract/recipes/recipe.ts';
import type { InferSchema, SchemaInput } from './extract/schema/compile-schema.ts';
import { HostGate } from './core/fetch/host-gate.ts';
import type { PageVersion } from './content/formats/change-tracking/read-history.ts';
import type { Format } from './content/formats/format.ts';
import type { PageAsset } from './content/formats/assets/index.ts';
import type { Document, FormatInput } from './content/formats/index.ts';
import { ChallengePasses } from './core/fetch/challenge-passes.ts';
import { hookLists } from './core/hooks/hook-lists.ts';
import type { BatchJob } from './core/jobs/batch-job.ts';
import { notResumed } from './core/jobs/durable/job-store.ts';
import { ExtractJob } from './core/jobs/extract-job.ts';
import type { Job } from './core/jobs/job.ts';
import { createModel } from './extract/llm/create-model.ts';
import { tracedModel } from './extract/llm/traced-model.ts';
import { Lazy, loadModule } from './core/runtime/load-module.ts';
import type { MapResult } from './map.ts';
import { costsFrom } from './core/model/costs.ts';
import type { Clock } from './core/runtime/clock.ts';
import type { SharedHosts } from './core/model/pace.ts';
import type { MonitorSummary } from './entries/monitor/monitor-store.ts';
import { Monitor } from './entries/monitor/monitor.ts';
import type { MonitorJobs } from './entries/monitor/run-round.ts';
import { defaultLimits } from './core/model/limits.ts';
import { HostRules } from './core/http/network/host-rules.ts';
import { createNetworkPolicy } from './core/http/network/policy.ts';
import type { BatchOptions } from './core/options/batch-options.ts';
import {
  batchOptionsOf,
  type CallDefaults,
  changesOptionsOf,
  crawlOptionsOf,
  extractOptionsOf,
  mapOptionsOf,
  ownCopy,
  mergeDefaults,
  parseDefaults,
  resumeOptionsOf,
  scrapeOptionsOf,
  searchOptionsOf,
} from './core/options/client-defaults.ts';
import {
  type ChangesOptions,
  clientEngines,
  type ClientOptions,
  parseClientOptions,
  assetSchema,
  jobIdSchema,
  recipeIdSchema,
} from './core/options/client-options.ts';
import type { CrawlOptions } from './core/options/crawl-options.ts';
import type { DerivedCrawlOptions, PreviewOptions } from './core/options/derived-crawl-options.ts';
import { milliseconds } from './core/checks/duration.ts';
import { type ExtractOptions, parseExtractOptions } from './core/options/extract-options.ts';
import { defaultConcurrency, fleetConcurrency } from './core/options/job-options.ts';
import type { MapOptions } from './core/options/map-options.ts';
import {
  monitorIdSchema,
  type MonitorOptions,
  parseMonitorOptions,
} from './core/options/monitor-options.ts';
import { type OpenOptions, parseOpenOptions } from './core/options/session-options.ts';
import { refuseWhileRunning, type ResumeOptions } from './core/options/resume-options.ts';
import { parseScrapeOptions, type ScrapeOptions } from './core/options/scrape-options.ts';
import type { IndexOptions, SearchOptions } from './core/options/search-options.ts';
import {
  type JobUrl,
  type ContentDescription,
  type HtmlInput,
  parseContent,
  parseScrapeTarget,
} from './core/options/scrape-target.ts';
import { requirePackages } from './core/runtime/optional-packages.ts';
import { resolveOcrEngine } from './documents/ocr/picture-recognizer.ts';
import type { ClientParts } from './parts.ts';
import type { CrawlPlan } from './plan.ts';
import type { PlainDocument } from './core/page/compose-document.ts';
import { OnDemandWorkers } from './core/page/on-demand-workers.ts';
import { createProxy } from './core/http/proxies/create-proxy.ts';
import { environmentProxy } from './core/http/proxies/environment-proxy.ts';
import type { ClientProxy } from './core/http/proxies/proxy.ts';
import type { SearchResult } from './search.ts';
import type { OpenSession, Session } from './session.ts';
import { readSearchEngine } from './core/model/search-engine.ts';
import type { SearchIndex } from './entries/search/search-index.ts';
import { AssetFiles } from './core/storage/asset-files.ts';
import { memoryStore } from './core/storage/memory-store.ts';
import { memoryRequestQueue } from './core/storage/request-queue-storage.ts';
import { checkedStore, patientStore } from './core/storage/storage-failures.ts';
import { vaultOf } from './core/storage/vault.ts';
import { Telemetry } from './core/telemetry/telemetry.ts';
import { atOnce } from './core/runtime/at-once.ts';
import { check } from './core/checks/check.ts';

const defaultRetention = 24 * 60 * 60 * 1000; // milliseconds that results are stored by default
const defaultMaxSessions = 8; // sessions open at a time by default: each has a tab of its own
const monitorRetention = 366 * 24 * 60 * 60 * 1000; // milliseconds for crawls of monitors

/** The default User-Agent header. */
const defaultUserAgent = 'Mozilla/5.0 (compatible; pagewright/0.1)';

/** Makes a client that shares nothing with any other. */
export function createClient<
  const Custom extends readonly Format[] = readonly [],
  const Formats extends readonly FormatInput<Custom>[] = readonly ['markdown'],
>(options: ClientOptions<Custom, Formats> = {}): Client<Custom, Formats> {
  return new BoundClient(options) as unknown as Client<Custom, Formats>;
}

/** The model that a client was made with. */
export function modelOf(client: object): ClientOptions['model'] {
  return client instanceof BoundClient ? client.model : undefined;
}

/** The defaults that a client was made with. */
export function defaultsOf(client: object): NonNullable<ClientOptions['defaults']> {
  return (client instanceof BoundClient ? client.defaults : undefined) ?? {};
}

/** The unexpired jobs that this client started, not those of other processes in its storage. */
export function openJobsOf(client: object): readonly OpenJob[] {
  return client instanceof BoundClient ? client.openJobs() : [];
}

/** The parts of one client, and how they are closed. */
interface OwnParts {
  readonly parts: ClientParts;
  /** Parts that the client made and therefore closes, in this order. */
  readonly own: readonly Pick<Engine, 'dispose'>[];
  /** Aborts when the client is closed. */
  readonly closing: AbortController;
  /** Milliseconds that results of jobs are kept. */
  readonly retention: number;
  readonly factory: JobFactory;
  readonly maxSessions: number;
  readonly defaults: CallDefaults;
  /** The clients that use the fleet; the last one that is closed closes it. */
  readonly fleetUsers: Set<AbortController>;
}

/** Makes the parts of a client or worker. `sharedHosts` are those of its fleet, `subject` names it in errors. */
export function createParts(
  options: ClientOptions,
  sharedHosts?: SharedHosts,
  subject = 'createClient',
  extended?: Pick<OwnParts, 'parts' | 'fleetUsers'>,
): OwnParts {
  const checked = parseClientOptions(options, subject);
  requireChosenPackages(checked);
  const closing = new AbortController();
  const userAgent = checked.userAgent ?? defaultUserAgent;
  const ownStorage = checked.storage && checkedStore(checked.storage);
  // A job with workers outlives a restart of their Redis.
  const storage =
    ownStorage && checked.fleet ? patientStore(ownStorage, closing.signal) : ownStorage;
  const store = storage ?? memoryStore();
  const vault = checked.secret === undefined ? undefined : vaultOf(checked.secret);
  const policy = createNetworkPolicy(checked.network);
  const telemetry = new Telemetry(
    checked.logger ?? {
      warn: (_, message) => process.emitWarning(message, 'PagewrightWarning'),
    },
  );
  const warn = (sentence: string): void => telemetry.warn(sentence);
  const ownEngines = [
    httpEngine(policy, userAgent, checked.tls),
    stealthEngine({ policy, client: checked.stealth ?? 'got-scraping', tls: checked.tls }),
    ...(checked.browser === false
      ? []
      : [
          browserEngine({
            ...checked.browser,
            policy,
            userAgent: checked.userAgent,
            store,
            vault,
            isTrusted: checked.network?.trustBrowser === true,
            warn,
          }),
        ]),
  ];
  const { clock: ownClock = { now: Date.now, random: secureRandom } } = checked;
  const clock: Clock = {
    now: () => atOnce(ownClock.now()),
    random: () => atOnce(ownClock.random()),
  };
  let proxy: ClientProxy | undefined;
  if (checked.proxy === 'environment') {
    // Read once, also for the variants of a client.
    const known = extended?.parts.proxy;
    proxy = known?.routeOf ? known : environmentProxy(process.env, { subject, warn });
  } else if (checked.proxy !== undefined) {
    proxy = createProxy(checked.proxy, { now: () => clock.now() });
  }
  const hostRules = checked.hosts && new HostRules(checked.hosts);
  const limits = { ...defaultLimits, ...checked.limits };
  const { headerBytes } = limits;
  const most = checked.fleet === undefined ? defaultConcurrency : fleetConcurrency;
  const concurrency = {
    maxConcurrency: checked.maxConcurrency ?? most.maxConcurrency,
    maxConcurrencyPerHost: checked.maxConcurrencyPerHost ?? most.maxConcurrencyPerHost,
  };
  // `only` is about pages; the caller chooses models, search engines and webhooks.
  const { only: _, ...otherHosts } = checked.network ?? {};
  const postPolicy = createNetworkPolicy(otherHosts);
  const posting = { policy: postPolicy, userAgent, tls: checked.tls, headerBytes };
  const ocr = checked.ocr === undefined ? undefined : resolveOcrEngine(checked.ocr);
  const apiNetwork = openModelNetwork(posting, clock);
  const engines = clientEngines(checked.engines, ownEngines);
  const { cache: caching } = checked;
  const retention = milliseconds(checked.jobRetention ?? defaultRetention);
  const certificate = clientCertificate(checked.tls);
  // A redirect may lead to a host with headers.
  const hostHeaders = Object.entries(checked.hosts ?? {}).flatMap(([host, { headers }]) =>
    headers === undefined ? [] : [[host, headers]],
  );
  const openCache = async (options: CacheOptions | undefined): Promise<PageCache> => {
    const { openPageCache } = await loadModule(() => import('./core/fetch/cache/open-cache.ts'));
    const names = engines.map(({ name }) => name);
    return openPageCache(options, {
      storage,
      now: () => clock.now(),
      isRendering: (name) =>
        engines.find((engine) => engine.name === name)?.can.has('render') === true,
      scope: [userAgent, names, checked.network, checked.stealth, certificate, ...hostHeaders],
    });
  };
  const cache = new Lazy(() => openCache(caching === false ? undefined : caching));
  const parts: ClientParts = {
    engines,
    cache: caching === false ? undefined : () => cache.get(),
    parsers: checked.parsers ?? [],
    formats: checked.formats ?? [],
    actions: checked.actions ?? [],
    store,
    keepsJobs: checked.storage !== undefined,
    requestQueue: checked.requestQueue ?? (() => memoryRequestQueue()),
    limits,
    openPoster: () => openPoster(posting),
    apiNetwork,
    searchEngine: checked.search === undefined ? undefined : readSearchEngine(checked.search),
    userAgent,
    namesItself: checked.userAgent !== undefined,
    logger: { warn },
    telemetry,
    workers: new OnDemandWorkers(warn),
    clock,
    model:
      checked.model === undefined
        ? undefined
        : tracedModel(createModel(checked.model, apiNetwork), telemetry),
    ocr,
    costs: costsFrom(checked.costs),
    proxy,
    vault,
    identify: createIdentify(checked.secret, certificate, hostRules?.headers),
    recipes: new Lazy(async () => {
      const { SelectorStore } = await loadModule(
        () => import('./extract/recipes/selector-store.ts'),
      );
      return new SelectorStore(store, clock);
    }),
    actRecipes: new Lazy(async () => {
      const { ActRecipes } = await loadModule(() => import('./browser/act/act-recipes.ts'));
      return new ActRecipes(store, clock);
    }),
    assets: checked.assets,
    assetFiles: new AssetFiles(store, clock, retention),
    hooks: hookLists(checked.hooks, extended?.parts.hooks),
    challenges: new ChallengePasses(clock),
    hosts: new HostGate(undefined, concurrency, sharedHosts ?? checked.fleet?.hosts, hostRules),
    hostRules,
    concurrency,
    visitors: checked.fleet,
    visitor: undefined,
    crawls: checked.fleet?.crawls,
    signal: closing.signal,
  };
  const defaults = parseDefaults(subject, parts, checked.defaults);
  const isSameFleet = checked.fleet !== undefined && checked.fleet === extended?.parts.visitors;
  const fleetUsers = isSameFleet ? extended.fleetUsers : new Set<AbortController>();
  fleetUsers.add(closing);
  const closeFleet = async (): Promise<void> => {
    fleetUsers.delete(closing);
    if (fleetUsers.size === 0) await checked.fleet?.[Symbol.asyncDispose]();
  };
  return {
    parts,
    own: [
      ...ownEngines,
      apiNetwork,
      { dispose: async () => ocr?.close?.() },
      { dispose: closeFleet },
      // Released last: the steps before may still write to it.
      { dispose: async () => storage?.release?.() },
    ],
    closing,
    retention,
    factory: new JobFactory(parts, retention),
    maxSessions: checked.maxSessions ?? defaultMaxSessions,
    defaults,
    fleetUsers,
  };
}

/** Throws `MISSING_DEPENDENCY` for what the options name: the first page that needs it may come late in a crawl. */
function requireChosenPackages({ browser, stealth }: ClientOptions): void {
  if (stealth === 'impit') requirePackages("stealth: 'impit'", 'impit');
  if (typeof browser !== 'object') return;
  const brought = browser.browser ?? browser.context ?? browser.type;
  if (brought === undefined) requirePackages('createClient({ browser })', 'playwright-core');
  const { filterLists = [] } = browser;
  if (filterLists.length > 0) requirePackages('browser.filterLists', '@ghostery/adblocker');
}

/**
 * The certificate and key that authenticate the client; `ca` is not part of a client's identity.
 */
function clientCertificate(tls: ClientOptions['tls']): unknown {
  return tls?.cert === undefined && tls?.pfx === undefined ? undefined : [tls.cert, tls.pfx];
}

/** The host of a page; undefined for all hosts. */
function hostOf(verb: string, url: unknown): string | undefined {
  return url === undefined ? undefined : new URL(parseScrapeTarget(url, verb).url).host;
}

/** Ids must not be guessable. */
function secureRandom(): number {
  return randomInt(2 ** 32) / 2 ** 32;
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
export const crawl: Client['crawl'] = (url: JobUrl, options?: CrawlOptions) =>
  defaultClient().crawl(url, options);

/** `plan` of the default client; see {@link Client}. */
export const plan: Client['plan'] = (url, options) => defaultClient().plan(url, options);

/** `previewCrawl` of the default client, which has no model; see {@link Client}. */
export const previewCrawl: Client['previewCrawl'] = (url, prompt, options) =>
  defaultClient().previewCrawl(url, prompt, options);

/** `batchScrape` of the default client; see {@link Client}. */
export const batchScrape: Client['batchScrape'] = (urls, options) =>
  defaultClient().batchScrape(urls, options);

/** `map` of the default client; see {@link Client}. */
export const map: Client['map'] = (url, options) => defaultClient().map(url, options);

/** `search` of the default client, with the option `engine`; see {@link Client}. */
export const search: Client['search'] = (query, options) => defaultClient().search(query, options);

/** `extract` of the default client; see {@link Client}. */
export const extract: Client['extract'] = (options) => defaultClient().extract(options);

// What a client can do: the verbs with their types.

/**
 * The verbs, bound to one configuration. `Custom` are the formats registered with the client, `Formats` those of its
 * documents where a call names none: of `defaults.scrape`, else markdown.
 */
export interface Client<
  Custom extends readonly Format[] = readonly [],
  Formats extends readonly FormatInput<Custom>[] = readonly ['markdown'],
> extends AsyncDisposable {
  /**
   * One page to a document with exactly the formats asked for, plus metadata.
   *
   * A response with a body is a document whatever its status; no response, or a page that cannot
   * be read, rejects with a `PagewrightError`. `{ html, url }` is read without any request.
   *
   * @example const { markdown } = await scrape('https://example.com');
   */
  scrape<const Inputs extends readonly FormatInput<Custom>[] = Formats>(
    target: string | URL | HtmlInput,
    options?: ScrapeOptions<Inputs, Custom>,
  ): Promise<Document<Inputs, Custom>>;

  /**
   * Opens a page in a browser and keeps it open: to log in, click on and read it again and again with the same cookies
   * and scripts. Close it; one without calls for `idleTimeout` is closed. Rejects as `scrape()` does: `BAD_REQUEST`
   * when `maxSessions` are open, `BROWSER_UNAVAILABLE` without a browser, `MISSING_DEPENDENCY` without `playwright-core`.
   *
   * @example
   * await using session = await client.open('https://example.com/list');
   * const first = await session.scrape();
   * const second = await session.scrape({ actions: [{ type: 'click', selector: '#next' }] });
   */
  open(url: string | URL, options?: OpenOptions): Promise<Session<Custom, Formats>>;

  /**
   * Content that you already hold, through the same pipeline: no socket is opened.
   *
   * @example const { markdown } = await parse(await readFile('page.html'), { contentType: 'text/html' });
   */
  parse<const Inputs extends readonly FormatInput<Custom>[] = Formats>(
    content: Uint8Array | ArrayBuffer | string,
    options?: ContentDescription & ScrapeOptions<Inputs, Custom>,
  ): Promise<Document<Inputs, Custom>>;

  /**
   * The pages of a site, as a job that starts at once: await it for everything, iterate it for
   * pages as they come. Wrong options throw at once.
   *
   * @example for await (const page of crawl('https://example.com/docs/', { limit: 50 })) { … }
   */
  crawl(
    url: JobUrl,
    options: CrawlOptions<readonly FormatInput<Custom>[], Custom> &
      Pick<Required<CrawlOptions<readonly FormatInput<Custom>[], Custom>>, 'routes'>,
  ): Job<Document<readonly FormatInput<Custom>[], Custom>>;
  crawl<const Inputs extends readonly FormatInput<Custom>[] = Formats>(
    url: JobUrl,
    options?: CrawlOptions<Inputs, Custom>,
  ): Job<Document<Inputs, Custom>>;

  /**
   * Stores a crawl and hands it over to the workers of the client's `fleet` that take crawls; gives its id. The
   * client may be closed then: workers run the crawl to its end, whichever of them fail. Rejects with
   * `BAD_REQUEST` for options that another process cannot be given (functions, `signal`, `hooks`, and secrets
   * unless the client has a `secret`) and for a client without `fleet`, with `STORAGE` when Redis or the storage
   * cannot be reached: then the crawl is not run.
   *
   * @example const id = await client.submit('https://example.com/', { limit: 100_000 });
   */
  submit<const Inputs extends readonly FormatInput<Custom>[] = Formats>(
    url: JobUrl,
    options?: CrawlOptions<Inputs, Custom>,
  ): Promise<string>;

  /**
   * The pages that `crawl` would keep with these options, in its order, and the URLs it would leave
   * out, each with the reason. Pages are fetched for their links; no formats are made, nothing is
   * stored, no webhook is called. `budget` counts the usage of planning.
   *
   * @example const { pages, skipped } = await plan('https://example.com/docs/', { limit: 50 });
   */
  plan<const Inputs extends readonly FormatInput<Custom>[] = Formats>(
    url: JobUrl,
    options?: CrawlOptions<Inputs, Custom>,
  ): Promise<CrawlPlan>;

  /**
   * The pages of a list of URLs, as a job that starts at once: its documents are in the order of
   * the list, whatever the timing. A page that fails is listed in the job's `errors()`, an entry
   * that is not a URL in its `invalidURLs`; a URL given twice is one document. Wrong options throw
   * at once.
   *
   * @example const { data } = await batchScrape(['https://example.com/a', 'https://example.com/b']);
   */
  batchScrape<const Inputs extends readonly FormatInput<Custom>[] = Formats>(
    urls: readonly JobUrl[],
    options?: BatchOptions<Inputs, Custom>,
  ): BatchJob<Document<Inputs, Custom>>;

  /**
   * Derives crawl options from a sentence with the client's model, the same that `crawl(url, { prompt })` and
   * `plan(url, { prompt })` use. The start page, robots.txt and sitemaps are fetched for the
   * site's URLs; no page is crawled. Rejects with `MODEL_REQUIRED` without a model, with
   * `MODEL_FAILED` when the model gives no usable options.
   *
   * @example
   * const options = await client.previewCrawl('https://example.com', 'the API docs, 50 pages at most');
   * const job = client.crawl('https://example.com', options);
   */
  previewCrawl(
    url: string | URL,
    prompt: string,
    options?: PreviewOptions,
  ): Promise<DerivedCrawlOptions>;

  /**
   * The URLs of a site, from its sitemaps, feeds and links, without reading every page.
   *
   * @example const { links } = await map('https://example.com', { limit: 500 });
   */
  map(url: string | URL, options?: MapOptions): Promise<MapResult>;

  /**
   * Pages from a search engine, best first, and with `scrape` their documents: a page that fails has an `error` and
   * ends nothing. The results are cleaned: absolute http(s) URLs, each once, and plain text. Rejects with
   * `BAD_REQUEST` without an engine, with `SEARCH_FAILED` when the engine refuses, and with `TIMEOUT`.
   *
   * @example
   * const client = createClient({ search: searxng({ url: 'https://searx.example.org' }) });
   * const { web } = await client.search('tide tables', { limit: 3, scrape: true });
   */
  search<const Inputs extends readonly FormatInput<Custom>[] = Formats>(
    query: string,
    options?: SearchOptions<Inputs, Custom>,
  ): Promise<SearchResult<Document<Inputs, Custom>>>;

  /**
   * Makes the documents of a crawl or batch searchable, of this client or of its `storage`; while it runs, the documents so
   * far. They need the format `markdown`. The index of a job that has ended is kept in the `storage` and
   * dropped with the job. Rejects with `MISSING_DEPENDENCY` without the optional package `minisearch`, with
   * `JOB_NOT_FOUND`, `JOB_EXPIRED`, `CANCELLED`, and with `BAD_REQUEST` for a job without markdown.
   *
   * @example
   * const index = await client.index(job.id);
   * const [best] = await index.search('how to back up');
   */
  index(jobId: string, options?: IndexOptions): Promise<SearchIndex>;

  /**
   * Data that fits a schema, a prompt or both, from one or many pages. Without a model it is found by
   * selectors in the schema, JSON-LD, microdata, RDFa, OpenGraph, tables and definition lists; the model
   * of `createClient({ model })` reads the pages' text. Nothing is made up.
   *
   * @example const { data } = await extract({ urls: ['https://example.com/lamp'], schema: z.object({ name: z.string(), price: z.number() }) });
   */
  extract<
    const Schema extends SchemaInput | undefined = undefined,
    const Proven extends boolean = false,
  >(
    options: ExtractOptions<Schema, Proven>,
  ): ExtractJob<Schema extends SchemaInput ? InferSchema<Schema> : unknown, Proven>;

  /**
   * The versions of a page that change tracking has recorded in the client's `storage`, oldest
   * first. Rejects with `STORAGE` when they cannot be read.
   *
   * @example const [newest] = (await client.changes('https://example.com/terms')).reverse();
   */
  changes(url: string | URL, options?: ChangesOptions): Promise<PageVersion[]>;

  /**
   * The bytes of a file that the option `assets` downloaded, by its entry in `document.assets`; undefined when it has
   * expired, when its job was removed, and for an entry without a `key`. Rejects with `STORAGE`.
   *
   * @example
   * for (const asset of page.assets ?? []) {
   *   const bytes = await client.readAsset(asset);
   *   if (bytes !== undefined) await writeFile(`${asset.sha256}.png`, bytes);
   * }
   */
  readAsset(asset: Pick<PageAsset, 'key'>): Promise<Uint8Array | undefined>;

  /** The jobs of this client and of its `storage`. */
  readonly jobs: {
    /**
     * A crawl, batch or extraction of this client by its id, or a crawl or batch of its `storage`
     * that another process runs or ran. Only a batch of this client has `add`; only an extraction
     * lacks `explain`. Throws `JOB_NOT_FOUND`, and `JOB_EXPIRED` when its results are gone:
     * `jobRetention` after its end; a job of the storage rejects with them when it is awaited or read.
     *
     * A job of another process is only read: loops get the stored documents, then new ones until the
     * job has ended, and leaving a loop does not end it. `progress` is what was last read of the
     * storage, `status()` reads it; `errors()`, `skipped()` and `explain()` are complete after the end.
     * Listeners hear of `progress` and the end only, while a loop or a caller waits. When its process is gone,
     * `warning` says so, and loops wait until `resume(id)` goes on with the job. `cancel()` cancels it
     * where it runs.
     *
     * @example
     * const job = client.jobs.get(id);
     * if ('explain' in job) for await (const page of job) console.log(page.metadata.url);
     */
    get(id: string): ClientJob<Custom>;

    /**
     * The crawls, batches and extractions of this client, and the crawls and batches in its `storage`, that have not
     * expired, oldest first. Rejects with `STORAGE` when they cannot be read.
     *
     * @example const [left] = (await client.jobs.list()).filter(({ status, isRunning }) => status === 'scraping' && !isRunning);
     */
    list(): Promise<JobSummary[]>;

    /**
     * Resumes a crawl or batch from the client's `storage`, whichever process began it: stored pages
     * are not fetched again, and the documents are the same. A job that has ended is opened with its
     * results; with `retryFailed` its failed pages are visited once more. A loop continues after the last
     * document that an earlier loop finished; `await` gives all. Rejects when it is awaited or read: `JOB_NOT_FOUND`, `JOB_EXPIRED`, `BAD_REQUEST` for
     * options that differ or are missing, `STORAGE` when another process runs it. Throws `BAD_REQUEST` for options of
     * a job that runs in this client. The formats are
     * those the job started with: name them to type the documents.
     *
     * @example for await (const page of client.jobs.resume<['markdown', 'links']>(id)) { … }
     */
    resume<const Inputs extends readonly FormatInput<Custom>[] = Formats>(
      id: string,
      options?: ResumeOptions<Inputs, Custom>,
    ): Job<Document<Inputs, Custom>> | BatchJob<Document<Inputs, Custom>>;

    /**
     * Reads a crawl or batch of the client's `storage` that another process runs, or ran. Like `get(id)`, but typed
     * by the formats. Awaiting or reading it rejects with `JOB_NOT_FOUND` or `JOB_EXPIRED`. While no worker has taken a crawl of `submit()`, its `warning` says so.
     *
     * @example for await (const page of client.jobs.follow<['markdown', 'links']>(id)) { … }
     */
    follow<const Inputs extends readonly FormatInput<Custom>[] = Formats>(
      id: string,
    ): Job<Document<Inputs, Custom>>;

    /**
     * Removes a job and its documents, from the client's `storage`, too; false when no job has that `id`. Rejects with
     * `STORAGE` while this or another process runs it: `get(id).cancel()` ends it.
     */
    remove(id: string): Promise<boolean>;
  };

  /**
   * Watches pages and sites for changes, round after round, in the client's `storage`, which it needs: another process
   * goes on where this one ended, with `monitors.get(id)`; the same id with options changes it.
   * Wrong options throw at once: `BAD_REQUEST`, `INVALID_URL`, and `MODEL_REQUIRED` for a `goal` without a model.
   *
   * @example
   * const monitor = client.monitor({ targets: ['https://example.com/prices', { crawl: 'https://example.com/docs/' }], every: '1h' });
   * for await (const { summary } of monitor) console.log(summary);
   */
  monitor(options: MonitorOptions): Monitor;

  /** The monitors in the client's `storage`. */
  readonly monitors: {
    /** Opens a stored monitor again, with the options that it has: here it goes on. */
    get(id: string): Monitor;

    /** The oldest first. */
    list(): Promise<MonitorSummary[]>;

    /**
     * Removes a monitor; false when no monitor has that `id`. The versions of its pages stay
     * for `changes()`. Rejects with `STORAGE` while another process runs a round of it.
     */
    remove(id: string): Promise<boolean>;
  };

  /** The recipes in the client's `storage`: plain JSON to review, commit and pass as `recipe`. */
  readonly recipes: {
    /**
     * Those learned with `recipe: 'learn'`, for one page's host or for all.
     *
     * @example await writeFile('recipes.json', JSON.stringify(await client.recipes.list(), null, 2));
     */
    list(url?: string | URL): Promise<Recipe[]>;

    /**
     * The recipes of acts, for one page's host or for all.
     *
     * @example const [recipe] = await client.recipes.listActs('https://example.com');
     */
    listActs(url?: string | URL): Promise<ActRecipe[]>;

    /** Removes a recipe, an act's or another; false when none has that `id`. */
    remove(id: string): Promise<boolean>;
  };

  /**
   * A further client with these options over those of this one: an option replaces the one of the same name,
   * `defaults` do so by verb and option, `hooks` are called after those of this client, a function of `engines` gets
   * the engines that this client uses. Stores, engines, models and other objects that were passed in are the same; browser,
   * connections, jobs and the limits of hosts are its own, and closing one client leaves the other as it is. A `fleet` is closed with the last client that uses it.
   *
   * @example const patient = client.extend({ defaults: { scrape: { timeout: 120_000 } } });
   */
  extend<
    const More extends readonly Format[] = Custom,
    const MoreFormats extends readonly FormatInput<More>[] =
      Formats extends readonly FormatInput<More>[] ? Formats : readonly ['markdown'],
  >(
    options: ClientOptions<More, MoreFormats>,
  ): Client<More, MoreFormats>;

  /**
   * Ends running jobs and sessions, and releases every socket and thread; nothing of the client keeps the process
   * alive. Jobs in a `storage` can be resumed.
   */
  close(): Promise<void>;
}

/** A job whose formats or data type are not known: only the call that started it knows them. */
type ClientJob<Custom extends readonly Format[]> =
  | Job<Document<readonly FormatInput<Custom>[], Custom>>
  | BatchJob<Document<readonly FormatInput<Custom>[], Custom>>
  | ExtractJob<unknown, boolean>;

// The verbs of one client, and its jobs.

/** Kept: each `import()` resolves the module again. */
const scrapeModule = new Lazy(() => loadModule(() => import('./scrape.ts')));

/**
 * The verbs without their types: what a caller passes is checked at run time. The verbs themselves
 * are loaded at their first use, so that importing the package costs little.
 */
class BoundClient implements AsyncDisposable {
  static {
    namesCallers(this);
  }

  /** As given, for a client that extends this one. */
  readonly #options: ClientOptions;
  readonly #made: OwnParts;
  /** When to look for expired jobs in the storage again. */
  #nextDrop = 0;
  /** Ids of jobs whose results are gone. */
  readonly #expired = new Set<string>();
  readonly #jobs = new Map<string, OpenJob>();
  /** Jobs of the storage that this client reads and does not run. */
  readonly #followed = new Map<string, CrawlOrBatchJob>();
  readonly #plans = new Set<Promise<unknown>>();
  readonly #sessions = new Set<OpenSession>();
  readonly #monitors = new Map<string, Monitor>();

  readonly jobs = {
    get: (id: string): OpenJob => {
      const job = this.openJobs().find((one) => one.id === id);
      const isElsewhere = job !== undefined && !(job instanceof ExtractJob) && job.isElsewhere;
      if (job !== undefined && !isElsewhere) return job;
      if (this.#expired.has(id)) {
        throw new PagewrightError('JOB_EXPIRED', `The results of job ${id} have expired.`);
      }
      if (this.#made.parts.keepsJobs) return this.jobs.follow(id);
      const message = `This client has not started a job ${JSON.stringify(id)}. Jobs of other clients are only found in a storage: createClient({ storage }).`;
      throw new PagewrightError('JOB_NOT_FOUND', message);
    },

    list: async (): Promise<JobSummary[]> => {
      const { store, clock } = this.#open.parts;
      return listJobs(store, this.openJobs(), clock.now());
    },

    resume: (id: string, options?: unknown): CrawlOrBatchJob => {
      const { factory, defaults } = this.#open;
      const known = this.#jobs.get(id);
      if (known instanceof ExtractJob) throw notResumed(id);
      if (known?.progress.status === 'scraping') {
        refuseWhileRunning(id, options);
        return known;
      }
      return this.#remember(factory.resume(id, resumeOptionsOf(defaults, options)));
    },

    /** One job for all callers that read the same one of the storage. */
    follow: (id: string): CrawlOrBatchJob => {
      for (const [followedId, job] of this.#followed) {
        if (job.progress.status !== 'scraping') this.#followed.delete(followedId);
      }
      const known = this.#followed.get(id);
      if (known !== undefined) return known;
      const job = this.#open.factory.follow(id);
      this.#followed.set(id, job);
      return job;
    },

    remove: async (given: unknown): Promise<boolean> => {
      const { store } = this.#open.parts;
      const id = check('jobs.remove', jobIdSchema, given);
      const own = this.openJobs().find((one) => one.id === id);
      const isRemoved = await removeJob(store, id, own);
      if (isRemoved) this.#jobs.delete(id);
      return isRemoved;
    },
  };

  readonly monitors = {
    get: (id: unknown): Monitor => this.#openMonitor(check('monitors.get', monitorIdSchema, id)),

    list: async (): Promise<MonitorSummary[]> => {
      const { store } = this.#open.parts;
      const { listMonitors } = await loadModule(() => import('./entries/monitor/monitor-store.ts'));
      return listMonitors(store);
    },

    remove: async (given: unknown): Promise<boolean> => {
      const { store } = this.#open.parts;
      const id = check('monitors.remove', monitorIdSchema, given);
      await this.#monitors.get(id)?.stop();
      this.#monitors.delete(id);
      const { removeMonitor } = await loadModule(
        () => import('./entries/monitor/monitor-store.ts'),
      );
      return removeMonitor(store, id, (jobId) => removeJob(store, jobId));
    },
  };

  readonly recipes = {
    list: async (url?: unknown): Promise<Recipe[]> => {
      const { recipes } = this.#open.parts;
      return (await recipes.get()).list(hostOf('recipes.list', url));
    },

    listActs: async (url?: unknown): Promise<ActRecipe[]> => {
      const { actRecipes } = this.#open.parts;
      return (await actRecipes.get()).list(hostOf('recipes.listActs', url));
    },

    remove: async (id: unknown): Promise<boolean> => {
      const { parts } = this.#open;
      const checked = check('recipes.remove', recipeIdSchema, id);
      const stores = await Promise.all([parts.recipes.get(), parts.actRecipes.get()]);
      const removed = await Promise.all(stores.map((store) => store.remove(checked)));
      return removed.includes(true);
    },
  };

  constructor(options: ClientOptions, extended?: OwnParts) {
    this.#options = options;
    this.#made = createParts(options, undefined, undefined, extended);
  }

  get model(): ClientOptions['model'] {
    return this.#options.model;
  }

  get defaults(): ClientOptions['defaults'] {
    return this.#options.defaults;
  }

  extend(options: ClientOptions = {}): BoundClient {
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    const merged: { -readonly [Name in keyof ClientOptions]: ClientOptions[Name] } = {
      ...this.#options,
      ...Object.fromEntries(given),
    };
    const defaults = mergeDefaults(this.#options.defaults, options.defaults);
    const { engines } = merged;
    if (typeof engines === 'function' && engines !== this.#options.engines) {
      merged.engines = (builtIn) => engines(clientEngines(this.#options.engines, builtIn));
    }
    // Those of this client are in its parts.
    return new BoundClient({ ...merged, defaults, hooks: options.hooks }, this.#made);
  }

  async scrape(target: unknown, options?: unknown): Promise<object> {
    const { parts, defaults } = this.#open;
    const parsed = parseScrapeTarget(target);
    const chosen = scrapeOptionsOf(defaults, options, parsed.content === undefined);
    const settings = parseScrapeOptions(chosen, parts);
    const { scrapePage } = await scrapeModule.get();
    return scrapePage(parts, parsed, settings);
  }

  async parse(content: unknown, options?: unknown): Promise<object> {
    const { parts, defaults } = this.#open;
    const { target, rest } = parseContent(content, options);
    const chosen = scrapeOptionsOf(defaults, rest, false);
    const settings = parseScrapeOptions(chosen, parts, 'parse', ['contentType', 'url']);
    const { scrapePage } = await scrapeModule.get();
    return scrapePage(parts, target, settings);
  }

  async open(url: unknown, options?: unknown): Promise<OpenSession> {
    const {
      parts,
      maxSessions,
      defaults: { scrape },
    } = this.#open;
    const target = parseScrapeTarget(url, 'open');
    const settings = parseOpenOptions(options, scrape, parts);
    const { OpenSession } = await loadModule(() => import('./session.ts'));
    parts.signal.throwIfAborted();
    if (this.#sessions.size >= maxSessions) {
      const message = `open: ${maxSessions} sessions are open. Close one, or raise createClient({ maxSessions }).`;
      throw new PagewrightError('BAD_REQUEST', message, { url: target.url });
    }
    const forget = (one: OpenSession): boolean => this.#sessions.delete(one);
    const session = new OpenSession(parts, target, settings, scrape, forget);
    this.#sessions.add(session);
    await session.open();
    return session;
  }

  crawl(url: unknown, options?: unknown): CrawlOrBatchJob {
    const { factory, defaults } = this.#open;
    return this.#remember(factory.crawl(url, crawlOptionsOf(defaults, options)));
  }

  async submit(url: unknown, options?: unknown): Promise<string> {
    const { factory, defaults } = this.#open;
    return factory.submit(url, crawlOptionsOf(defaults, options));
  }

  batchScrape(urls: unknown, options?: unknown): BatchJob<PlainDocument> {
    const { factory, defaults } = this.#open;
    return this.#remember(factory.batch(urls, batchOptionsOf(defaults, options)));
  }

  async plan(url: unknown, options?: unknown): Promise<CrawlPlan> {
    const { parts, defaults, factory } = this.#open;
    const given = crawlOptionsOf(defaults, ownCopy(options));
    const site = ownCopy(url);
    const { planCrawl } = await loadModule(() => import('./plan.ts'));
    return this.#tracked(planCrawl(parts, factory, site, given));
  }

  async previewCrawl(url: unknown, prompt: unknown, options?: unknown): Promise<object> {
    const { parts, defaults } = this.#open;
    const site = { url: ownCopy(url), prompt, explicit: crawlOptionsOf(defaults, {}) as object };
    const given = ownCopy(options);
    const { previewCrawl } = await loadModule(() => import('./preview.ts'));
    return previewCrawl(parts, site, given);
  }

  async map(url: unknown, options?: unknown): Promise<MapResult> {
    const { parts, defaults } = this.#open;
    const given = mapOptionsOf(defaults, ownCopy(options));
    const site = ownCopy(url);
    const { map } = await loadModule(() => import('./map.ts'));
    return map(parts, site, given);
  }

  async search(query: unknown, options?: unknown): Promise<SearchResult> {
    const { parts, defaults } = this.#open;
    const given = searchOptionsOf(defaults, ownCopy(options));
    const { search } = await loadModule(() => import('./search.ts'));
    return search(parts, query, given);
  }

  async index(id: unknown, options?: unknown): Promise<SearchIndex> {
    const { parts } = this.#open;
    const given = ownCopy(options);
    const { openIndex } = await loadModule(() => import('./entries/search/index-job.ts'));
    return openIndex(parts, this.jobs.get(check('index', jobIdSchema, id)), given);
  }

  async changes(url: unknown, options?: unknown): Promise<PageVersion[]> {
    const { parts, defaults } = this.#open;
    const given = changesOptionsOf(defaults, ownCopy(options));
    const page = ownCopy(url);
    const { changes } = await loadModule(() => import('./changes.ts'));
    return changes(parts, page, given);
  }

  monitor(options: MonitorOptions): Monitor {
    return this.#openMonitor(undefined, options);
  }

  /** Opens the monitor of the options, or the stored one with this id. */
  #openMonitor(storedId: string | undefined, options?: MonitorOptions): Monitor {
    const { parts, ...open } = this.#open;
    if (!parts.keepsJobs) {
      const message =
        'monitor: it compares with the versions of earlier rounds, which need a storage; pass one to createClient({ storage }), such as memoryStore() for this process alone';
      throw new ValidationError('monitor', [{ path: [], message }]);
    }
    // Of a crawl of its own, such as its patterns and its webhook, a monitor has nothing.
    const defaults = { ...open.defaults, crawl: {} };
    const parse = (options: unknown): ReturnType<typeof parseMonitorOptions> =>
      parseMonitorOptions(options, parts, (crawl) => crawlOptionsOf(defaults, crawl));
    const id = storedId ?? parse(options).id;
    const known = this.#monitors.get(id);
    if (known?.isStopped === false) {
      if (options !== undefined) known.change(options);
      return known;
    }
    // The crawl of a round is kept until the next one has begun with it, whenever that is.
    const factory = (leave: AbortSignal): JobFactory =>
      new JobFactory(
        { ...parts, signal: AbortSignal.any([parts.signal, leave]) },
        monitorRetention,
      );
    const jobs: MonitorJobs = {
      crawl: (url, crawl, leave) => factory(leave).crawl(url, crawlOptionsOf(defaults, crawl)),
      resume: (jobId, signal, leave) => factory(leave).resume(jobId, { signal }),
      remove: (jobId) => removeJob(parts.store, jobId),
    };
    const monitor = new Monitor({ id, options, parts, jobs, parse });
    this.#monitors.set(id, monitor);
    return monitor;
  }

  async readAsset(asset: unknown): Promise<Uint8Array | undefined> {
    const { key } = check('readAsset', assetSchema, asset);
    return key === undefined ? undefined : this.#made.parts.assetFiles.get(key);
  }

  extract(given: unknown): ExtractJob<unknown> {
    const { parts, defaults, factory } = this.#open;
    const options = extractOptionsOf(defaults, given);
    const settings = parseExtractOptions(options, parts);
    const setting = factory.setting('extract', settings);
    const { invalidUrls: invalidURLs } = settings;
    const job = new ExtractJob<unknown>({ ...setting, invalidURLs }, async (control, show) => {
      const { runExtract } = await loadModule(() => import('./extract.ts'));
      const sent = await factory.sendExtraction(job.id, settings, options);
      if (!('journal' in sent)) {
        const { warning = [] } = sent;
        const warnings = settings.warnings.concat(warning);
        return runExtract(parts, { ...settings, warnings }, control, show);
      }
      try {
        return await runExtract(parts, settings, control, show, sent);
      } finally {
        // The store drops it later.
        await sent.end().catch((error: unknown) => parts.logger.warn(messageOf(error)));
      }
    });
    return this.#remember(job);
  }

  /** Expired jobs are dropped here, so that a long-lived client does not grow. */
  openJobs(): OpenJob[] {
    for (const [id, job] of this.#jobs) {
      if (!job.expired) continue;
      this.#jobs.delete(id);
      this.#expired.add(id);
      if (job instanceof ExtractJob) continue;
      void job.drop().catch((error: unknown) => this.#made.parts.logger.warn(String(error)));
    }
    return [...this.#jobs.values()];
  }

  async close(): Promise<void> {
    this.#made.closing.abort(new PagewrightError('CANCELLED', 'The client was closed.'));
    const { parts, own } = this.#made;
    const open = [...this.#jobs.values(), ...this.#followed.values()];
    const jobs = open.map((job) => job.delivered());
    const sessions = [...this.#sessions].map((session) =>
      session.end('client').catch((error: unknown) => parts.logger.warn(messageOf(error))),
    );
    const monitors = [...this.#monitors.values()].map((monitor) => monitor.stop());
    await Promise.allSettled([...jobs, ...this.#plans, ...sessions, ...monitors]);
    // Parts that the caller passed are closed by the caller.
    for (const part of own) await part.dispose?.();
    await parts.workers.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Expired jobs are dropped first. */
  #remember<Some extends OpenJob>(job: Some): Some {
    this.openJobs();
    this.#dropExpired();
    this.#jobs.set(job.id, job);
    return job;
  }

  /** Runs at most once a minute; never rejects. */
  #dropExpired(): void {
    const { store, keepsJobs, clock, logger } = this.#made.parts;
    if (!keepsJobs || performance.now() < this.#nextDrop) return;
    this.#nextDrop = performance.now() + 60_000;
    void this.#tracked(
      dropExpired(store, clock.now()).catch((error: unknown) => logger.warn(String(error))),
    );
  }

  /** Work that `close()` waits for. */
  #tracked<T>(work: Promise<T>): Promise<T> {
    const tracked = work.finally(() => this.#plans.delete(tracked));
    this.#plans.add(tracked);
    return tracked;
  }

  /** What calls work with; throws when the client is closed. */
  get #open(): OwnParts {
    this.#made.closing.signal.throwIfAborted();
    return this.#made;
  }
}
