/** Options of a client and of the calls that only a client has: types, defaults and checks. */
import { z } from 'zod';
import type { Action } from '../../browser/actions/action.ts';
import type { CacheOptions } from '../fetch/cache/open-cache.ts';
import type { BrowserChoice } from '../../browser/chromium/browser.ts';
import type { Engine } from '../model/engine.ts';
import { readTlsConfig, type TlsConfig } from '../http/tls-config.ts';
import type { StealthClient } from '../http/stealth.ts';
import { messageOf, PagewrightError, ValidationError } from '../runtime/errors.ts';
import type { Format } from '../../content/formats/format.ts';
import { type FormatInput, isFreeName } from '../../content/formats/index.ts';
import { type ModelChoice, readModel } from '../../extract/llm/create-model.ts';
import type { AssetKeeper } from '../model/snapshot.ts';
import type { CostsOption } from '../model/costs.ts';
import type { Hooks } from '../model/hooks.ts';
import { type Limits, limitsSchema } from '../model/request-options.ts';
import type { NetworkConfig } from '../http/network/policy.ts';
import type { OcrChoice } from '../model/ocr-engine.ts';
import { resolveOcrEngine } from '../../documents/ocr/picture-recognizer.ts';
import type { Parser } from '../../content/parsers/parser.ts';
import { createProxy, type ProxyChoice, type ProxyTiers } from '../http/proxies/create-proxy.ts';
import type { FleetStatus } from '../model/fleet-status.ts';
import type { SharedHosts } from '../model/pace.ts';
import type { JobQueue, VisitorPool } from '../model/page-visitor.ts';
import { readSearchEngine, type SearchEngineChoice } from '../model/search-engine.ts';
import type { RequestQueueStorage } from '../storage/request-queue-storage.ts';
import type { Store } from '../storage/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import { atOnce } from '../runtime/at-once.ts';
import { check } from '../checks/check.ts';
import { workerProblem } from '../checks/option-errors.ts';
import { type ClientDefaults, defaultsSchema } from './client-defaults.ts';
import { boundHooks, concurrencySchema, hooksSchema } from './job-options.ts';
import { optionHints } from './option-hints.ts';
import { schemaOf, takenBy } from '../checks/option.ts';
import { type PageOptionsOf, pageRows, scrapeOptionNames } from './scrape-options.ts';
import { type Duration, durationSchema } from '../checks/duration.ts';

/** The way to the workers of a fleet. Its calls reject with `STORAGE` when Redis does not answer for 10 s. */
export interface Fleet extends VisitorPool, AsyncDisposable {
  /** What its processes know together of the hosts that they ask. */
  readonly hosts?: SharedHosts;
  /** Takes crawls of `client.submit()`. */
  readonly crawls: JobQueue;
  /** The workers that have lived in the last 10 seconds, and what waits for them: all that have the same `prefix`. */
  status(): Promise<FleetStatus>;
  /** The numbers of `status()` in the text format of Prometheus. */
  metrics(): Promise<string>;
  /**
   * No worker begins a visit any more, until `resume()`: jobs wait, and visits under way end as usual. Resolves
   * when all workers are held, of every place, set-up and version.
   */
  pause(): Promise<void>;
  /** Workers go on after `pause()`. */
  resume(): Promise<void>;
}

/** Options of `createClient()`. */
export interface ClientOptions<
  Custom extends readonly Format[] = readonly Format[],
  Inputs extends readonly FormatInput<Custom>[] = readonly FormatInput<Custom>[],
> {
  /**
   * Options that the calls of the client take where they do not say otherwise, by verb. They are checked at once.
   * @example createClient({ defaults: { scrape: { formats: ['links'], timeout: 10_000 } } })
   * @default none
   */
  readonly defaults?: ClientDefaults<Custom, Inputs> | undefined;
  /** Stores the documents of jobs: `fileStore()`, those of `pagewright/storage`, or your own. @default in memory */
  readonly storage?: Store | undefined;
  /**
   * Encrypts the secrets of jobs and profiles in the `storage` (AES-256-GCM), at least 16
   * characters, the same in every process. Without it secrets are left out, and `resume()` needs
   * them again; profiles are stored unencrypted.
   */
  readonly secret?: string | undefined;
  /**
   * Milliseconds that the results of a job are kept after its end, at least 1000. @default 86400000
   * (24 hours)
   */
  readonly jobRetention?: Duration | undefined;
  /**
   * Workers that visit the pages of crawls, batches and extractions: `fleet({ redis })` of `pagewright/fleet`. The
   * `storage` has to be one that the workers share, with `replace`. The client closes the fleet.
   * @default this process visits them
   */
  readonly fleet?: Fleet | undefined;
  /** Makes the queue of one crawl. @default in memory */
  readonly requestQueue?:
    ((jobId: string) => RequestQueueStorage | Promise<RequestQueueStorage>) | undefined;
  /**
   * Cached copies of pages, reused for as long as `maxAge` says; false for none.
   * @default in the client's `storage`; without one, 64 MB in memory
   */
  readonly cache?: CacheOptions | false | undefined;
  /**
   * Engines of your own; the cheapest suitable one, built-in ones included, is used. Or a function
   * that receives the built-in engines and returns all engines to use.
   */
  readonly engines?: ClientEngines | undefined;
  /** Parsers of your own; they are tried before the built-in ones. */
  readonly parsers?: readonly Parser[] | undefined;
  /** Formats of your own, requested by name. One called `markdown` replaces the built-in one. */
  readonly formats?: Custom | undefined;
  /** Browser actions of your own, requested by name. See `defineAction`. */
  readonly actions?: readonly Action[] | undefined;
  /**
   * The browser that renders pages: one that the client starts, a running one, or a Playwright
   * browser of yours as `{ browser }`; false for none. @default Chromium on this machine
   */
  readonly browser?: BrowserChoice | false | undefined;
  /**
   * Stores screenshots, PDFs, the bytes of `rawBase64` and the files of the option `assets`: returns the
   * text that stands for them in the document, such as the URL of a file that you wrote. @default a `data:`
   * URI, base64, and the client's `storage` for the option `assets`
   */
  readonly assets?: AssetKeeper | undefined;
  /**
   * Your functions for steps of a page, in `scrape`, `parse`, `crawl` and `batchScrape`; in
   * `extract` those around the request and before formats. Called before the hooks of a crawl.
   */
  readonly hooks?: Hooks | undefined;
  /**
   * Addresses that may be contacted besides public ones, and addresses that may not. @default
   * public addresses only
   */
  readonly network?: NetworkConfig | undefined;
  /**
   * The proxy: a URL (`http:`, `https:`, `socks5:`, with user and password), a list to rotate,
   * proxies by tier and country, or an adapter of your own. Target addresses are still checked: the
   * proxy is asked for the checked address.
   * @default none
   */
  readonly proxy?: ProxyChoice | ProxyTiers | undefined;
  /** Certificate authorities, a client certificate and the hosts that may receive it, HTTP/2. */
  readonly tls?: TlsConfig | undefined;
  /**
   * The client that looks like a browser for `proxy: 'stealth'`: `got-scraping` with its headers
   * and TLS settings, or the optional package `impit` with its TLS to the byte.
   * @default 'got-scraping'
   */
  readonly stealth?: StealthClient | undefined;
  /**
   * The language model: an adapter (`openAiModel`), an object or one function of your own, or a
   * model object of the AI SDK. @default none
   */
  readonly model?: ModelChoice | undefined;
  /**
   * The search engine of `search()` and of `extract()` without `urls`: `searxng({ url })`, `braveSearch({ apiKey })`,
   * `tavily({ apiKey })`, `exa({ apiKey })`, an index of `client.index()`, an object or a function of your own.
   * The four are in `pagewright/search`. `network.only` is about pages and does not hold for it. @default none
   */
  readonly search?: SearchEngineChoice | undefined;
  /**
   * Reads the pictures of scanned PDFs and of image files: `tesseractOcr()` of `pagewright/ocr`, an engine of your own,
   * or a function from a picture to its text. @default none: such pages are named in a warning
   */
  readonly ocr?: OcrChoice | undefined;
  /**
   * The cost of work, in credits; `json` is an older name of `model`, which wins.
   * @default 1 a page, 5 in stealth, 4 more for each format that asked a model
   */
  readonly costs?: CostsOption | undefined;
  /** Limits on the data read of a response. */
  readonly limits?: Partial<Limits> | undefined;
  /**
   * Requests for pages, robots.txt and sitemaps in flight, 1 to 1000, of all calls of the client
   * together; a page in the browser is one. Further ones wait, round-robin by host; the wait is not
   * part of a scrape's `timeout`. @default 128, and 1000 with a `fleet`
   */
  readonly maxConcurrency?: number | undefined;
  /**
   * The same for one host and port, 1 to 1000: calls and jobs are served in round-robin. A redirect
   * to another host counts at its origin. @default 32
   */
  readonly maxConcurrencyPerHost?: number | undefined;
  /**
   * Sessions of `open()` at a time, 1 to 1000; a further one is refused. Each has a tab besides `browser.maxPages`.
   * @default 8
   */
  readonly maxSessions?: number | undefined;
  /**
   * The User-Agent header. Who sets it is not disguised by `proxy: 'auto'`; with `proxy: 'stealth'` it is that of a
   * browser. @default 'Mozilla/5.0 (compatible; pagewright/0.1)'
   */
  readonly userAgent?: string | undefined;
  /**
   * Receives the log, by level: a pino or bunyan logger, `console`, or an object with the methods that you want
   * and `warn`, which receives warnings that belong to no result. @default process warnings
   */
  readonly logger?: Logger | undefined;
  /** Times and ids, for tests: the same clock gives the same ids. @default the system's */
  readonly clock?: { now(): number; random(): number } | undefined;
}

/**
 * Types the default export of `pagewright.config.ts`, the config file of the command line, and returns it as it is.
 * @example
 * export default defineConfig({
 *   userAgent: 'acme-bot/1.0 (+https://acme.example/bot)',
 *   defaults: { crawl: { limit: 50, delay: 1 } },
 * });
 */
export function defineConfig<
  const Custom extends readonly Format[] = readonly [],
  const Inputs extends readonly FormatInput<Custom>[] = readonly FormatInput<Custom>[],
>(config: ClientOptions<Custom, Inputs>): ClientOptions<Custom, Inputs> {
  return config;
}

/** Checks the options of `createClient()`; throws at once. */
export function parseClientOptions<Custom extends readonly Format[]>(
  options: ClientOptions<Custom>,
  subject = 'createClient',
): ClientOptions<Custom> {
  const checked = check(subject, clientSchema, options, {
    hintFor: optionHints(`${subject}()`, { all: scrapeOptionNames, taken: [] }),
  }) as ClientOptions<Custom>;
  return { ...checked, hooks: boundHooks(options) };
}

/** An object with these methods; its other properties are not checked. */
function withMethods<T>(what: string, ...methods: readonly string[]): z.ZodType<T> {
  const expected = `expected ${what} with ${methods.map((name) => `${name}()`).join(', ')}`;
  return z.custom<T>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function'),
    // Calls have options of the same names; these are their defaults.
    {
      error: ({ input }) =>
        isNamed(input) ? `${expected}; names belong in each call or in defaults.scrape` : expected,
    },
  );
}

function isNamed(value: unknown): boolean {
  return (
    typeof value === 'string' || typeof (value as { type?: unknown } | null)?.type === 'string'
  );
}

const formatSchema = withMethods<Format>('a format', 'run').refine(
  ({ name }) => typeof name === 'string' && isFreeName(name),
  'expected a format with a name that no built-in format has; only markdown can be replaced',
);

const loggerSchema = withMethods<Logger>('a logger', 'warn').superRefine(
  (logger: Logger | null | undefined, context) => {
    for (const level of ['debug', 'info', 'error'] as const) {
      if (logger?.[level] === undefined || typeof logger[level] === 'function') continue;
      context.addIssue({ code: 'custom', path: [level], message: 'expected a function' });
    }
  },
);

/** Refuses a `worker` that is not the URL of a module. */
function withWorker<T extends { readonly worker?: unknown }>(schema: z.ZodType<T>): z.ZodType<T> {
  return schema.superRefine((value: T | null | undefined, context) => {
    const problem = workerProblem(value?.worker);
    if (problem !== undefined)
      context.addIssue({ code: 'custom', path: ['worker'], message: problem });
  });
}

/** A value that `read` accepts; its errors become issues. Messages must not repeat secrets. */
function readableBy<T>(read: (value: T) => unknown): z.ZodType<T> {
  return z.unknown().superRefine((value, context) => {
    try {
      read(value as T);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      for (const { path, message } of error.issues) {
        context.addIssue({ code: 'custom', path: [...path], message });
      }
    }
  }) as z.ZodType<T>;
}

const browserSchema = z.strictObject({
  executablePath: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  headless: z.boolean().optional(),
  type: withMethods('a browser type of Playwright', 'launch').optional(),
  endpoint: z
    .string()
    .regex(/^(?:https?|wss?):\/\//, 'expected a URL with http:, https:, ws: or wss:')
    .optional(),
  browser: withMethods('a browser of Playwright', 'newContext').optional(),
  context: withMethods('a browser context of Playwright', 'newPage').optional(),
  maxPages: z.int().min(1).max(100).optional(),
  idleTimeout: durationSchema(0).optional(),
  filterLists: z.array(z.string()).optional(),
} satisfies Record<keyof BrowserChoice, z.ZodType>);

const cacheSchema = z.strictObject({
  store: withMethods<Store>('a store', 'get', 'set', 'delete', 'list').optional(),
  maxBytes: z.int().min(1).optional(),
  maxEntries: z.int().min(1).optional(),
  maxEntryBytes: z.int().min(1).optional(),
  retention: durationSchema(1000, Number.MAX_SAFE_INTEGER).optional(),
  respectHeaders: z.boolean().optional(),
} satisfies Record<keyof CacheOptions, z.ZodType>);

const costSchema = z.number().min(0).optional();

const clientSchema = z
  .strictObject({
    storage: withMethods<Store>('a store', 'get', 'set', 'delete', 'list').optional(),
    // The check would show the value.
    secret: z
      .custom<string>(
        (value) => typeof value === 'string' && value.length >= 16,
        'expected a string of at least 16 characters',
      )
      .optional(),
    jobRetention: durationSchema(1000, Number.MAX_SAFE_INTEGER).optional(),
    fleet: withMethods<Fleet>('a fleet', 'forJob', 'join').optional(),
    requestQueue: z
      .custom(
        (value) => typeof value === 'function',
        'expected a function of the job id, such as fromCrawlee(storageClient) gives',
      )
      .optional(),
    cache: z.union([z.literal(false), cacheSchema]).optional(),
    engines: z
      .union([
        z.array(
          withMethods<Engine>('an engine', 'fetch').refine(
            ({ name, can }) =>
              typeof name === 'string' &&
              typeof (can as { has?: unknown } | undefined)?.has === 'function',
            'expected an engine with a name, and can: the set of its capabilities',
          ),
        ),
        z.custom(
          (value) => typeof value === 'function',
          'expected a function of the built-in ones',
        ),
      ])
      .optional(),
    parsers: z.array(withWorker(withMethods<Parser>('a parser', 'accepts', 'parse'))).optional(),
    formats: z.array(withWorker(formatSchema)).optional(),
    actions: z.array(withMethods<Action>('an action', 'run')).optional(),
    browser: z.union([z.literal(false), browserSchema]).optional(),
    assets: z.custom((value) => typeof value === 'function', 'expected a function').optional(),
    hooks: hooksSchema,
    network: z
      .strictObject({
        allow: z.array(z.string()).optional(),
        deny: z.array(z.string()).optional(),
        only: z.array(z.string()).optional(),
        ports: z.array(z.int().min(0).max(65_535)).optional(),
        trustBrowser: z.boolean().optional(),
      } satisfies Record<keyof NetworkConfig, z.ZodType>)
      .optional(),
    proxy: readableBy<ProxyChoice | ProxyTiers>((proxy) => createProxy(proxy)).optional(),
    tls: readableBy<TlsConfig>(readTlsConfig).optional(),
    stealth: z.enum(['got-scraping', 'impit']).optional(),
    model: readableBy<ModelChoice>(readModel).optional(),
    search: readableBy<SearchEngineChoice>((choice) =>
      readSearchEngine(choice, 'createClient', []),
    ).optional(),
    ocr: readableBy<OcrChoice>(resolveOcrEngine).optional(),
    costs: z
      .strictObject({
        page: costSchema,
        stealth: costSchema,
        model: costSchema,
        json: costSchema,
      } satisfies Record<keyof CostsOption, z.ZodType>)
      .optional(),
    limits: limitsSchema.optional(),
    maxConcurrency: concurrencySchema.optional(),
    maxConcurrencyPerHost: concurrencySchema.optional(),
    maxSessions: concurrencySchema.optional(),
    userAgent: z
      .string()
      .regex(/^[\x20-\x7e]+$/, 'expected printable ASCII')
      .optional(),
    logger: loggerSchema.optional(),
    clock: withMethods('a clock', 'now', 'random').optional(),
    defaults: defaultsSchema.optional(),
  } satisfies Record<keyof ClientOptions, z.ZodType>)
  .superRefine(({ fleet, storage }, context) => {
    if (fleet === undefined || storage?.replace !== undefined) return;
    const message =
      'workers need a storage that they share with this process and that has replace(): redisStore(), s3Store(), sqliteStore() or fileStore()';
    context.addIssue({ code: 'custom', path: ['fleet'], message });
  })
  .superRefine(({ browser, network }, context) => {
    if (typeof browser !== 'object' || browser.context === undefined) return;
    if (network?.trustBrowser === true) return;
    const message =
      'the network policy cannot be enforced for a browser context; pass its browser ' +
      '(browser: { browser }), or trust it: network: { trustBrowser: true }';
    context.addIssue({ code: 'custom', path: ['browser', 'context'], message });
  })
  .superRefine(({ stealth, tls }, context) => {
    if (stealth !== 'impit' || tls === undefined) return;
    for (const name of ['ca', 'cert', 'pfx'] as const) {
      if (tls[name] === undefined) continue;
      const message = `impit cannot use it; leave stealth out, or tls.${name}`;
      context.addIssue({ code: 'custom', path: ['tls', name], message });
    }
  });

// The engines of a client.

/** Engines of the caller besides the built-in ones, or a function that returns the whole list. */
export type ClientEngines = readonly Engine[] | ((builtIn: readonly Engine[]) => readonly Engine[]);

/** The engines, the caller's first. Throws `BAD_REQUEST` when the function returns none. */
export function clientEngines(
  chosen: ClientEngines | undefined,
  builtIn: readonly Engine[],
): readonly Engine[] {
  if (typeof chosen !== 'function') return [...(chosen ?? []), ...builtIn];
  const engines = enginesOf(chosen, builtIn);
  if (Array.isArray(engines) && engines.every(isEngine)) return engines;
  const message = 'engines: the function must return a list of engines, objects with fetch()';
  throw new ValidationError('createClient', [{ path: ['engines'], message }]);
}

function enginesOf(
  chosen: (builtIn: readonly Engine[]) => unknown,
  builtIn: readonly Engine[],
): unknown {
  try {
    return atOnce(chosen(builtIn));
  } catch (error) {
    if (error instanceof PagewrightError) throw error;
    const message = `engines: the function failed: ${messageOf(error)}`;
    throw new ValidationError('createClient', [{ path: ['engines'], message }]);
  }
}

function isEngine(value: unknown): value is Engine {
  return typeof (value as Partial<Engine> | null)?.fetch === 'function';
}

// Options for the history of a page.

/** Options of `changes()`. */
export interface ChangesOptions {
  /** The tag of the scrapes. @default the history without a tag */
  readonly tag?: string | undefined;
  /** The `identity` option of the format. @default derived from `scrapeOptions` */
  readonly identity?: string | undefined;
  /**
   * The request settings of the scrapes: histories are kept apart by them.
   * @default a visitor without headers, cookies, profile, actions and location
   */
  readonly scrapeOptions?: PageOptionsOf<'changes'> | undefined;
}

const changesSchema = z.strictObject({
  tag: z.string().min(1).max(200).optional(),
  identity: z.string().min(1).max(200).optional(),
  scrapeOptions: schemaOf(takenBy('changes', pageRows)).optional(),
} satisfies Record<keyof ChangesOptions, z.ZodType>);

/** Checks them; throws `ValidationError`. */
export function parseChangesOptions(options: unknown): ChangesOptions {
  return check('changes', changesSchema, options ?? {});
}

// The arguments of `jobs.remove()` and `recipes.remove()`.

/** The `id` of a job. */
export const jobIdSchema: z.ZodType<string> = z.string('expected the id of a job').min(1);

/** An entry of `document.assets`. */
export const assetSchema: z.ZodType<{ readonly key?: string | undefined }> = z.looseObject(
  { key: z.string().optional() },
  'expected an entry of document.assets',
);

/** The `id` of a recipe. */
export const recipeIdSchema: z.ZodType<string> = z.string('expected the id of a recipe').min(1);
