/** The option table of a client. */
import { z } from 'zod';
import type { Action } from '../../browser/actions/action.ts';
import type { CacheOptions } from '../fetch/cache/open-cache.ts';
import type { BrowserChoice } from '../../browser/chromium/browser.ts';
import type { Engine } from '../model/engine.ts';
import { readTlsConfig, type TlsConfig } from '../http/tls-config.ts';
import { ValidationError } from '../runtime/errors.ts';
import type { Format } from '../../content/formats/format.ts';
import { lowerCaseNames } from '../../content/text/http-headers.ts';
import { isFreeName } from '../../content/formats/index.ts';
import { type ModelChoice, readModel } from '../../extract/llm/create-model.ts';
import type { AssetKeeper } from '../model/snapshot.ts';
import type { CostsOption } from '../model/costs.ts';
import { defaultLimits } from '../model/limits.ts';
import type { ProxyRoute } from '../model/request.ts';
import { headersSchema, limitsSchema } from '../model/request-options.ts';
import { hostProblems } from '../http/network/host-rules.ts';
import { framing } from '../http/request-headers.ts';
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
import { list, option, readBy, redacted } from '../checks/option.ts';
import { workerProblem } from '../checks/option-errors.ts';
import { concurrencySchema, hooksSchema } from './job-options.ts';
import { durationSchema, secondsSchema } from '../checks/duration.ts';

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

/** Engines of the caller besides the built-in ones, or a function that returns the whole list. */
export type ClientEngines = readonly Engine[] | ((builtIn: readonly Engine[]) => readonly Engine[]);

/** An object with these methods; its other properties are not checked. */
function withMethods<T>(what: string, ...methods: readonly string[]): z.ZodType<T, T> {
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
  'expected a format with a name that no built-in format or field has; only markdown can be replaced',
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
function withWorker<T extends { readonly worker?: unknown }>(
  schema: z.ZodType<T, T>,
): z.ZodType<T, T> {
  return schema.superRefine((value: T | null | undefined, context) => {
    const problem = workerProblem(value?.worker);
    if (problem !== undefined)
      context.addIssue({ code: 'custom', path: ['worker'], message: problem });
  });
}

const noProxy = `expected a URL such as "http://user:password@host:8080", or 'environment'`;

/** A value that `read` accepts. */
function readableBy<T>(read: (value: T) => unknown): z.ZodType<T, T> {
  return readBy((value) => {
    read(value);
    return value;
  });
}

const hostHeadersSchema = headersSchema.transform((headers, context) => {
  const lowered = lowerCaseNames(headers);
  for (const name of Object.keys(lowered)) {
    if (!/^(?:host|cookie)$/.test(name) && !framing.has(name)) continue;
    const message =
      'it belongs to the connection and is set by the engine; leave it out. For cookies use the option cookies';
    context.addIssue({ code: 'custom', path: [name], message });
  }
  return lowered;
});

const hostsSchema = z
  .record(
    z.string(),
    z
      .strictObject({
        concurrency: concurrencySchema.optional(),
        perMinute: z.int().min(1).max(10_000).optional(),
        delay: secondsSchema(60).optional(),
        headers: hostHeadersSchema.optional(),
        proxy: readableBy<false | string | ProxyRoute>((proxy) => {
          const isOne = typeof proxy === 'string' || 'url' in (Object(proxy) as object);
          if (proxy !== false) createProxy(isOne ? proxy : '');
        }).optional(),
      })
      .register(redacted),
  )
  .superRefine((rules, context) => {
    for (const { path, message } of hostProblems(Object.keys(rules))) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  });

const browserSchema = z.strictObject({
  executablePath: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  headless: z.boolean().optional(),
  type: withMethods<NonNullable<BrowserChoice['type']>>(
    'a browser type of Playwright',
    'launch',
  ).optional(),
  endpoint: z
    .string()
    .regex(/^(?:https?|wss?):\/\//, 'expected a URL with http:, https:, ws: or wss:')
    .optional(),
  browser: withMethods<NonNullable<BrowserChoice['browser']>>(
    'a browser of Playwright',
    'newContext',
  ).optional(),
  context: withMethods<NonNullable<BrowserChoice['context']>>(
    'a browser context of Playwright',
    'newPage',
  ).optional(),
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

/** The rows of `createClient()`; `defaults` is beside them. */
export const clientRows = {
  /** Stores the documents of jobs: `fileStore()`, those of `pagewright/storage`, or your own. @default in memory */
  storage: option(withMethods<Store>('a store', 'get', 'set', 'delete', 'list')),
  /**
   * Encrypts the secrets of jobs and profiles in the `storage` (AES-256-GCM), at least 16
   * characters, the same in every process. Without it secrets are left out, and `resume()` needs
   * them again; profiles are stored unencrypted.
   */
  // The check would show the value.
  secret: option(
    z.custom<string>(
      (value) => typeof value === 'string' && value.length >= 16,
      'expected a string of at least 16 characters',
    ),
  ),
  /**
   * Milliseconds that the results of a job are kept after its end, at least 1000. @default 86400000
   * (24 hours)
   */
  jobRetention: option(durationSchema(1000, Number.MAX_SAFE_INTEGER)),
  /**
   * Workers that visit the pages of crawls, batches and extractions: `fleet({ redis })` of `pagewright/fleet`. The
   * `storage` has to be one that the workers share, with `replace`. The client closes the fleet.
   * @default this process visits them
   */
  fleet: option(withMethods<Fleet>('a fleet', 'forJob', 'join')),
  /** Makes the queue of one crawl. @default in memory */
  requestQueue: option(
    z.custom<(jobId: string) => RequestQueueStorage | Promise<RequestQueueStorage>>(
      (value) => typeof value === 'function',
      'expected a function of the job id, such as fromCrawlee(storageClient) gives',
    ),
  ),
  /**
   * Cached copies of pages, reused for as long as `maxAge` says; false for none.
   * @default in the client's `storage`; without one, 64 MB in memory
   */
  cache: option<CacheOptions | false, CacheOptions | false>(
    z.union([z.literal(false), cacheSchema]),
  ),
  /**
   * Engines of your own; the cheapest suitable one, built-in ones included, is used. Or a function
   * that receives the built-in engines and returns all engines to use.
   */
  engines: option<ClientEngines, ClientEngines>(
    z.union([
      z.array(
        withMethods<Engine>('an engine', 'fetch').refine(
          ({ name, can }) =>
            typeof name === 'string' &&
            typeof (can as { has?: unknown } | undefined)?.has === 'function',
          'expected an engine with a name, and can: the set of its capabilities',
        ),
      ),
      z.custom<Extract<ClientEngines, (...builtIn: never) => unknown>>(
        (value) => typeof value === 'function',
        'expected a function of the built-in ones',
      ),
    ]),
  ),
  /** Parsers of your own; they are tried before the built-in ones. */
  parsers: option(list(withWorker(withMethods<Parser>('a parser', 'accepts', 'parse')))),
  formats: option(list(withWorker(formatSchema))),
  /** Browser actions of your own, requested by name. See `defineAction`. */
  actions: option(list(withMethods<Action>('an action', 'run'))),
  /**
   * The browser that renders pages: one that the client starts, a running one, or a Playwright
   * browser of yours as `{ browser }`; false for none. @default Chromium on this machine
   */
  browser: option<BrowserChoice | false, BrowserChoice | false>(
    z.union([z.literal(false), browserSchema]),
  ),
  /**
   * Stores screenshots, PDFs, the bytes of `rawBase64` and the files of the option `assets`: returns the
   * text that stands for them in the document, such as the URL of a file that you wrote. @default a `data:`
   * URI, base64, and the client's `storage` for the option `assets`
   */
  assets: option(
    z.custom<AssetKeeper>((value) => typeof value === 'function', 'expected a function'),
  ),
  /**
   * Your functions for steps of a page, in `scrape`, `parse`, `crawl` and `batchScrape`; in
   * `extract` those around the request and before formats. Called before the hooks of a crawl.
   */
  hooks: option(hooksSchema),
  /**
   * Addresses that may be contacted besides public ones, and addresses that may not. @default
   * public addresses only
   */
  network: option(
    z.strictObject({
      allow: z.array(z.string()).optional(),
      deny: z.array(z.string()).optional(),
      only: z.array(z.string()).optional(),
      ports: z.array(z.int().min(0).max(65_535)).optional(),
      trustBrowser: z.boolean().optional(),
    } satisfies Record<keyof NetworkConfig, z.ZodType>) as z.ZodType as z.ZodType<
      NetworkConfig,
      NetworkConfig
    >,
    {
      cli: {
        allow:
          '--allow <host> allow this non-public host, *.wildcard, address or CIDR range; repeatable',
        deny: '--deny <host> never contact this host; overrides --allow; repeatable',
      },
    },
  ),
  /**
   * The proxy: a URL (`http:`, `https:`, `socks5:`, with user and password), a list to rotate,
   * proxies by tier and country, or an adapter of your own; or `'environment'` for those of the variables
   * `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`. Target addresses are still checked: the
   * proxy is asked for the checked address.
   * @default none
   */
  proxy: option(
    readableBy<ProxyChoice | ProxyTiers>((proxy) => {
      if (proxy === 'environment') return;
      const isName = typeof proxy === 'string' && !proxy.includes(':');
      if (isName) throw new ValidationError('createClient', [{ path: [], message: noProxy }]);
      createProxy(proxy);
    }),
    {
      cli: "<url> use this http:, https: or socks5: proxy, or 'environment' for that of HTTPS_PROXY, …; repeatable",
    },
  ),
  /**
   * Rules of single hosts: `'api.example.com'`, `'*.example.com'` for its subdomains, `'*'` for all; with a port, such
   * as `'example.com:8080'`, for that port alone. Each host with its port counts for itself; where several entries fit,
   * each rule is that of the most specific one. `concurrency` (1 to 1000) takes the place of `maxConcurrencyPerHost`;
   * `perMinute` (1 to 10000) is the most requests that start within any minute; of `delay`, in seconds as in `crawl()`,
   * that of a job and robots.txt's, the longest counts. `headers` go to the host alone, over `http:` only if the key has
   * a port. `proxy` is the URL of one, or false for a direct connection. A fleet counts the requests of all workers.
   * @default none
   */
  hosts: option(hostsSchema),
  /** Certificate authorities, a client certificate and the hosts that may receive it, HTTP/2. */
  tls: option(readableBy<TlsConfig>(readTlsConfig)),
  /**
   * The client that looks like a browser for `proxy: 'stealth'`: `got-scraping` with its headers
   * and TLS settings, or the optional package `impit` with its TLS to the byte.
   * @default 'got-scraping'
   */
  stealth: option(z.enum(['got-scraping', 'impit'])),
  /**
   * The language model: an adapter (`openAiModel`), an object or one function of your own, or a
   * model object of the AI SDK. @default none
   */
  model: option(readableBy<ModelChoice>(readModel)),
  /**
   * The search engine of `search()` and of `extract()` without `urls`: `searxng({ url })`, `braveSearch({ apiKey })`,
   * `tavily({ apiKey })`, `exa({ apiKey })`, an index of `client.index()`, an object or a function of your own.
   * The four are in `pagewright/search`. `network.only` is about pages and does not hold for it. @default none
   */
  search: option(
    readableBy<SearchEngineChoice>((choice) => readSearchEngine(choice, 'createClient', [])),
  ),
  /**
   * Reads the pictures of scanned PDFs and of image files: `tesseractOcr()` of `pagewright/ocr`, an engine of your own,
   * or a function from a picture to its text. @default none: such pages are named in a warning
   */
  ocr: option(readableBy<OcrChoice>(resolveOcrEngine)),
  /**
   * The cost of work, in credits; `json` is an older name of `model`, which wins.
   * @default 1 a page, 5 in stealth, 4 more for each format that asked a model
   */
  costs: option(
    z.strictObject({
      page: costSchema,
      stealth: costSchema,
      model: costSchema,
      json: costSchema,
    } satisfies Record<keyof CostsOption, z.ZodType>) as z.ZodType as z.ZodType<
      CostsOption,
      CostsOption
    >,
  ),
  /** Limits on the data read of a response. */
  limits: option(limitsSchema, {
    cli: `<name=number,…> ${Object.keys(defaultLimits).join(', ')}`,
  }),
  /**
   * Requests for pages, robots.txt and sitemaps in flight, 1 to 1000, of all calls of the client
   * together; a page in the browser is one. Further ones wait, round-robin by host; the wait is not
   * part of a scrape's `timeout`. @default 128, and 1000 with a `fleet`
   */
  maxConcurrency: option(concurrencySchema),
  /**
   * The same for one host and port, 1 to 1000: calls and jobs are served in round-robin. A redirect
   * to another host counts at its origin. @default 32
   */
  maxConcurrencyPerHost: option(concurrencySchema),
  /**
   * Sessions of `open()` at a time, 1 to 1000; a further one is refused. Each has a tab besides `browser.maxPages`.
   * @default 8
   */
  maxSessions: option(concurrencySchema),
  /**
   * The User-Agent header. Who sets it is not disguised by `proxy: 'auto'`; with `proxy: 'stealth'` it is that of a
   * browser. @default 'Mozilla/5.0 (compatible; pagewright/0.1)'
   */
  userAgent: option(z.string().regex(/^[\x20-\x7e]+$/, 'expected printable ASCII'), {
    cli: '<text> the User-Agent header',
  }),
  /**
   * Receives the log, by level: a pino or bunyan logger, `console`, or an object with the methods that you want
   * and `warn`, which receives warnings that belong to no result. @default process warnings
   */
  logger: option(loggerSchema),
  /** Times and ids, for tests: the same clock gives the same ids. @default the system's */
  clock: option(withMethods<{ now(): number; random(): number }>('a clock', 'now', 'random')),
};
