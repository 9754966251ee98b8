/** Options of crawls, and options that several kinds of job share: budget, concurrency, kept documents, start URL, hooks and URL patterns. */
import { z } from 'zod';
import { messageOf, type ValidationIssue } from '../runtime/errors.ts';
import type { ClientConcurrency } from '../fetch/host-gate.ts';
import { type CrawlStrategy, isStrategy, orders } from '../frontier/orders/orders.ts';
import {
  compileUrlPattern,
  regExpOfGlob,
  type UrlMatcher,
  type UrlPattern,
} from '../frontier/url-pattern.ts';
import { hookNames } from '../hooks/hook-lists.ts';
import type { Hooks, WorkerHook } from '../model/hooks.ts';
import type { WebhookSettings } from '../model/webhook.ts';
import { secondsSchema } from '../checks/duration.ts';
import { formatPath, wrongOption } from '../checks/check.ts';
import { preview, workerProblem } from '../checks/option-errors.ts';
import { normalizeUrl, parseUrl } from '../url/normalize-url.ts';
import { type Input, list, option, type Output, schemaOf } from '../checks/option.ts';
import {
  isWebhookSecret,
  pageJobEvents,
  parseWebhook,
  type WebhookOption,
} from './webhook-options.ts';

const budgetRows = {
  /**
   * Seconds since the job began. Pages in flight at that moment are dropped; pages that were read
   * by then are kept. @default no limit
   */
  // The limit of Node's timers.
  seconds: option(z.number().positive().max(2_147_483)),
  /**
   * Requests for pages, in their order: one for each requested page, whatever its outcome (a
   * document, a duplicate, an error, a refusal by robots.txt of its host), and one for each
   * redirect. Retries, subrequests of a browser, and copies from the cache do not count. It is also
   * the limit of sitemaps and feeds read. @default for a crawl ten times its `limit`, at least 100;
   * else no limit
   */
  requests: option(z.int().min(1)),
  /**
   * Bytes of pages as received, before decompression, redirects included; robots.txt, sitemaps and
   * failed pages do not count. Pages count in their order, so that the documents kept are the same
   * at any speed: a document that would exceed the limit is not kept. Pages in flight are fetched
   * on top, as many as `maxConcurrency`. @default no limit
   */
  bytes: option(z.int().min(1)),
  /**
   * Credits of the documents kept, in their order: a document that would exceed the limit is not
   * kept. @default no limit
   */
  credits: option(z.number().positive()),
  /**
   * Tokens of a model, in and out: for pages, for the prompt of a crawl, for embeddings; in a
   * resumed job those of earlier processes, too. A request that exceeds the rest is not sent; its
   * page and those after it are skipped, documents made by then are kept. Documents made without a
   * model use none. @default no limit
   */
  tokens: option(z.int().min(1)),
  /**
   * Cost of a model, in the currency of its `price`, counted like tokens; a model without a price
   * then fails with `MODEL_FAILED`. @default no limit
   */
  cost: option(z.number().positive()),
};

/**
 * Limits of a job. When one of these is used up the job ends as `completed`: the rest is skipped
 * with the reason `BUDGET`, and the job's warning names the budget.
 */
export interface Budget extends Input<typeof budgetRows> {}

const pagesRow = {
  /** Pages read, over all of `urls`. @default no limit */
  pages: option(z.int().min(1)),
};

/** Limits of an extraction. Its pages count like documents of other jobs. */
export interface ExtractBudget extends Budget, Input<typeof pagesRow> {}

/** The option `budget` of `extract()`. */
export const extractBudgetSchema: z.ZodType<ExtractBudget, ExtractBudget> = schemaOf({
  ...budgetRows,
  ...pagesRow,
});

/** Pages whose last response is 4xx or 5xx, in a crawl or batch: failures or documents. */
export type ErrorPages = 'fail' | 'keep';

/** Options of the jobs that keep documents. */
export const jobRows = {
  /**
   * A page whose last response is 4xx or 5xx: `fail` lists it in `errors()` with `HTTP_STATUS`, its
   * `statusCode` and, if it had a body, its `document`; it costs no credits, and in a crawl it does not
   * count towards the limit and its links are not followed. `keep` takes it as a document like any other.
   * @default 'fail'
   */
  errorPages: option<ErrorPages, ErrorPages | undefined>(z.enum(['fail', 'keep']).default('fail'), {
    cli: '<what> treat pages that answer 4xx or 5xx as failed (default), or keep them as documents',
  }),
  /**
   * Keep what there was to see of the first 3 pages of each kind of failure (code and class of the status): the HTML
   * as received or rendered, cut at 2 MB, and from a browser a picture, named in `errors()` as `kept`. With a `fleet`
   * each worker keeps its first 3. Nothing is kept with `redact` or `zeroDataRetention`. @default false
   */
  keepFailures: option(z.boolean().default(false), { mayChange: true }),
  /**
   * Limits of the job: when one is used up, the job ends as completed, and its warning names the
   * limit.
   */
  budget: option((schemaOf(budgetRows) as z.ZodType<Budget, Budget>).default({}), {
    cli: '<name=number,…> stop when one is used up: seconds, requests, bytes, credits',
    mayChange: true,
  }),
  /**
   * False: documents are only iterated. Each is dropped once every loop has it, and the job waits
   * for a reader; `await job` then gives the counts without documents, `status()` the waiting ones.
   * Not together with a webhook. @default true
   */
  keepDocuments: option(z.boolean().default(true)),
  /** Where the job's events are sent as they happen: a URL, or an object with options. */
  // Checked by parseWebhook.
  webhook: option(z.custom<WebhookOption>(), { secret: isWebhookSecret, mayChange: true }),
};

/** Checked options of a job that keeps documents. */
export interface JobSettings extends Pick<
  Output<typeof jobRows>,
  'errorPages' | 'budget' | 'keepFailures'
> {
  readonly maxConcurrency: number;
  /** True where the caller gave no `maxConcurrency`. */
  readonly followsWorkers: boolean;
  /** False: documents are only iterated. */
  readonly keepsDocuments: boolean;
  /** Documents are kept in memory only, even if the client has a storage. */
  readonly zeroDataRetention: boolean;
  /** Sentences about the options, for the job's warning. */
  readonly warnings: readonly string[];
  readonly webhook: WebhookSettings | undefined;
}

/**
 * The settings that follow from the options of a job. Throws `BAD_REQUEST` for `keepDocuments: false` while a
 * webhook needs the documents.
 */
export function jobSettings(
  subject: string,
  {
    maxConcurrency,
    keepDocuments,
    webhook,
    ...others
  }: Output<typeof jobRows> & { readonly maxConcurrency?: number | undefined },
  { concurrency }: { readonly concurrency?: ClientConcurrency },
): Omit<JobSettings, 'zeroDataRetention'> {
  if (!keepDocuments && webhook !== undefined) {
    const problem = 'false and webhook: a webhook is sent documents later. Leave one of them out.';
    throw wrongOption(subject, ['keepDocuments'], problem);
  }
  return {
    ...others,
    maxConcurrency: maxConcurrency ?? 8,
    followsWorkers: maxConcurrency === undefined,
    keepsDocuments: keepDocuments,
    warnings: concurrencyWarnings({ maxConcurrency }, concurrency),
    webhook: parseWebhook(subject, webhook, pageJobEvents),
  };
}

// Concurrency options: the check, and the warning for a job whose client allows less.

/** The options `maxConcurrency` and `maxConcurrencyPerHost`, of a client and of its jobs. */
export const concurrencySchema: z.ZodInt = z.int().min(1).max(1000);

/** The option `maxConcurrency` of a job. */
export const concurrencyRow = option(concurrencySchema, {
  cli: '<count> concurrent pages (default: 8)',
  mayChange: true,
});

/** Four jobs with the default of 8 pages fill one host, and four such hosts the client. */
export const defaultConcurrency: ClientConcurrency = {
  maxConcurrency: 128,
  maxConcurrencyPerHost: 32,
};

/** The same for a client whose pages are visited by workers of a fleet. */
export const fleetConcurrency: ClientConcurrency = { ...defaultConcurrency, maxConcurrency: 1000 };

/** A warning for each number of a job that exceeds its client's. */
export function concurrencyWarnings(
  given: { readonly [Name in keyof ClientConcurrency]?: number | undefined },
  client: ClientConcurrency = defaultConcurrency,
): string[] {
  const names = ['maxConcurrency', 'maxConcurrencyPerHost'] as const;
  return names.flatMap((name) => {
    const wanted = given[name] ?? 0;
    if (wanted <= client[name]) return [];
    return `${name}: ${wanted} is more than the ${client[name]} of the client, which hold for all its calls together. Raise them: createClient({ ${name} }).`;
  });
}

// The URL that a job starts from.

/**
 * Checked and normalised. A job fetches many pages, so a user name or password in its URL is
 * refused rather than left out or sent everywhere. Throws `ValidationError`, and the errors of
 * `parseUrl`.
 */
export function startUrl(subject: string, input: string | URL, remedy: string): string {
  const url = parseUrl(String(input));
  if (url.username !== '' || url.password !== '') {
    const problem = `has a user name or password, which ${subject} does not send; ${remedy}`;
    throw wrongOption(subject, ['url'], problem);
  }
  return normalizeUrl(url, {});
}

// The check of `hooks`, for a client and for a crawl.

const hookSchema = z
  .custom((value) => typeof value === 'function', 'expected a function of one object')
  .optional();

/** A function, or the module of a hook that a worker runs. */
const beforeFormatsSchema = z
  .custom()
  .superRefine((value, context) => {
    if (typeof value === 'function' || value === undefined) return;
    const { worker = null } = (value ?? {}) as { readonly worker?: unknown };
    const message =
      worker === null ? 'expected a function of one object, or { worker }' : workerProblem(worker);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .optional();

/** Functions by name. */
export const hooksSchema: z.ZodType<Hooks, Hooks> = z.strictObject({
  ...Object.fromEntries(hookNames.map((name) => [name, hookSchema])),
  beforeFormats: beforeFormatsSchema,
}) as z.ZodType as z.ZodType<Hooks, Hooks>;

/** Checked hooks, each bound to its object. */
export function boundHooks(options: unknown): Hooks | undefined {
  const { hooks } = (options ?? {}) as { readonly hooks?: Record<string, unknown> };
  if (hooks === undefined) return undefined;
  const bound = hookNames.map((name) => {
    const hook = hooks[name];
    if (typeof hook === 'function') return [name, hook.bind(hooks) as unknown];
    return [name, hook === undefined ? undefined : { worker: (hook as WorkerHook).worker }];
  });
  return Object.fromEntries(bound) as Hooks;
}

// A caller's URL patterns: `includePaths`, `excludePaths`.

type UrlPatterns = UrlPattern | readonly UrlPattern[] | undefined;

/** Compiles the pattern or patterns of one option; throws `ValidationError` naming the bad one. */
export function compilePatterns(
  subject: string,
  path: ValidationIssue['path'],
  patterns: UrlPatterns,
  onFullUrl: boolean,
): UrlMatcher[] {
  return [patterns ?? []].flat().map((pattern, index) => {
    const at = Array.isArray(patterns) ? [...path, index] : path;
    try {
      // A URL that cannot be decided in time is left out.
      const whenUndecided = path[0] === 'excludePaths';
      return compileUrlPattern(pattern, onFullUrl, whenUndecided, formatPath(at));
    } catch (error) {
      const source = regExpOfGlob(pattern, onFullUrl);
      const problem =
        source === undefined
          ? messageOf(error)
          : `${JSON.stringify(pattern)} is a glob; patterns are regular expressions: write ${JSON.stringify(source)}`;
      throw wrongOption(subject, at, problem);
    }
  });
}

/** A warning for each pattern that is a regular expression, and looks like a glob. */
export function globWarnings(
  options: Readonly<Record<string, UrlPatterns>>,
  onFullUrl: boolean,
): string[] {
  return Object.entries(options).flatMap(([option, patterns]) =>
    [patterns ?? []].flat().flatMap((pattern) => {
      const source = regExpOfGlob(pattern, onFullUrl);
      if (source === undefined) return [];
      return `${option}: ${JSON.stringify(pattern)} is read as a regular expression, where * repeats the character before it. If you meant a glob, write ${JSON.stringify(source)}.`;
    }),
  );
}

/** Any function; its arguments and result are checked when it is called. */
export const functionSchema: z.ZodType<(...parameters: never[]) => unknown> = z.custom<
  (...parameters: never[]) => unknown
>((value) => typeof value === 'function', 'expected a function');

/** A pattern; `compilePatterns` checks what is in it. */
export const patternSchema: z.ZodType<UrlPattern, UrlPattern> = z.union([
  z.string(),
  z.instanceof(RegExp),
  functionSchema,
]) as z.ZodType as z.ZodType<UrlPattern, UrlPattern>;

const patterns = list(patternSchema, 1000);

/** Options of the calls that choose among the URLs of a site. */
export const siteRows = {
  /**
   * Keep only URLs that match one of these: regular expressions or functions, tested on the path.
   */
  includePaths: option(patterns, { cli: '<regex> only visit matching paths; repeatable' }),
  /** Leave out URLs that match one of these; wins over `includePaths`. */
  excludePaths: option(patterns, { cli: '<regex> skip matching paths; repeatable' }),
  /** Test the patterns on the whole URL. @default false */
  regexOnFullURL: option(z.boolean().default(false), {
    cli: 'match the whole URL instead of the path',
  }),
};

/** The prompt of a crawl. */
export const promptSchema: z.ZodType<string, string> = z
  .string()
  .max(10_000)
  .refine((text) => /\S/.test(text), 'expected some words');

/** Options about the pages of a crawl. */
export const crawlRows = {
  /**
   * The wanted pages, in words, up to 10,000 characters: the client's model derives options from
   * it, and the result's warning lists them. Other options take precedence. @default none
   */
  prompt: option(promptSchema),
  /** Documents kept, exactly. @default 10000 */
  limit: option(z.int().min(1).default(10_000), {
    cli: '<count> maximum pages to keep (default: 10000)',
  }),
  /** Hops from the start URL; start and sitemap URLs are 0. @default no limit */
  maxDiscoveryDepth: option(z.int().min(0), {
    cli: '<hops> maximum link depth from the start page',
  }),
  /**
   * The order of pages: by the number of links from the start, or the links of a page before those
   * of the pages after it, or by how well URL, link text and linking page match `query`, in any
   * language. Depth-first takes at most 4 pages at a time: up to 3 more are visited before the links
   * of a page. Best-first takes at most 8 pages at a time, and
   * documents come in the order in which pages were chosen, with `metadata.score`. With
   * `by: 'embedding'` the meaning counts, not the words: the client's model embeds up to 20,000
   * link texts, which count in usage and budget. Words decide, with a warning, if it has no
   * embeddings, and once it fails. With `until: 'answered'` the crawl ends once passages of two
   * pages or more cover the query and further pages bring nothing new: `stop` of the job says so,
   * and other URLs are skipped as `ANSWERED`. It then takes 4 pages at a time.
   * @default 'breadthFirst'
   */
  strategy: option(
    z.custom<CrawlStrategy>(isStrategy, { error: notAStrategy }).default('breadthFirst'),
  ),
  /** Follow links to siblings and parents of the start URL too. @default false */
  crawlEntireDomain: option(z.boolean().default(false), {
    cli: 'include pages beside and above the start page',
  }),
  /** Follow links to other hosts of the same registrable domain. @default false */
  allowSubdomains: option(z.boolean().default(false), {
    cli: 'include other hosts of the same domain',
  }),
  /** Take linked pages of other sites, without following their links. @default false */
  allowExternalLinks: option(z.boolean().default(false), {
    cli: 'include linked pages of other sites',
  }),
  /**
   * Follow what rendered pages load: the endpoints that gave JSON to their scripts (GET requests with a
   * status of 2xx), as pages, and the URLs in that JSON. Both count as links of the page. Opens no browser for
   * a page that needs none: `scrapeOptions: { engine: 'browser' }` does. @default false
   */
  endpoints: option(z.boolean().default(false), {
    cli: 'follow JSON endpoints of rendered pages, and the URLs in them',
  }),
  /**
   * Read the site's sitemaps: besides links, not at all, or instead of links. @default 'include'
   */
  sitemap: option(z.enum(['include', 'skip', 'only']).default('include'), {
    cli: '<use> read sitemaps in addition to links, not at all, or instead of links',
  }),
  /** Treat URLs that differ only in their query as one. @default false */
  ignoreQueryParameters: option(z.boolean().default(false), {
    cli: 'treat URLs that differ only in their query as one',
  }),
  /** Fold www, http and https, trailing slash and index file; follow redirects and canonical links. @default true */
  deduplicateSimilarURLs: option(z.boolean().default(true), {
    cli: 'treat URLs that differ in www, http, trailing slash or index file as different',
  }),
  /**
   * The same body of 512 bytes or more at another URL is an alias, not a document: the same but for what is
   * made for each visit (session ids, tokens), or with `near` a text of 50 words or more that differs in few
   * of them, such as a print version or a new date. `warning` says how many pages were merged.
   * @default 'exact'
   */
  deduplicateContent: option(z.enum(['off', 'exact', 'near']).default('exact'), {
    cli: '<how> skip pages with the same body at another URL',
  }),
  /**
   * Remove blocks that stand on most pages of a host: menus, promotions, notices. They are learnt
   * from the host's first 32 pages, which are returned after that; fewer than 3 teach nothing. A
   * page that would lose nearly everything stays whole. Followed links do not change. @default
   * false
   */
  removeRepeatedBlocks: option(z.boolean().default(false), {
    cli: 'remove blocks that appear on most pages: menus, promotions',
  }),
  /**
   * The id of an earlier crawl in the client's storage. Pages that have not changed since are not
   * downloaded again, and `changes` of the result lists new, changed, unchanged and removed pages.
   * `maxAge` is 0 by default.
   */
  since: option(z.string().min(1).max(200)),
  /** Ends the job; `await job` then rejects with `CANCELLED`, or `TIMEOUT` for `AbortSignal.timeout()`. */
  signal: option(z.instanceof(AbortSignal)),
};

/** Options about the pace of a crawl. */
export const paceRows = {
  /**
   * The most pages in flight, as far as the client's `maxConcurrency` allows. @default 8; with a `fleet` a
   * quarter more than its workers have slots, 8 to 1000, shared by the client's running jobs
   */
  maxConcurrency: concurrencyRow,
  /**
   * The most requests to one host and port in flight, robots.txt and sitemaps included, as far as
   * the client's `maxConcurrencyPerHost` allows. An overloaded host automatically gets fewer for a
   * while. @default maxConcurrency where that is given, else 8
   */
  maxConcurrencyPerHost: option(concurrencySchema, {
    cli: '<count> concurrent requests per host',
    mayChange: true,
  }),
  /**
   * Seconds between two request starts to one host, 0 to 60, or a time with its unit: `'500ms'`.
   * @default robots.txt's Crawl-delay, at most 10
   */
  delay: option(secondsSchema(60), {
    cli: '<seconds> pause between two requests to a host, or a time such as 500ms',
    mayChange: true,
  }),
  /** Fetch pages that robots.txt disallows. @default false */
  ignoreRobotsTxt: option(z.boolean().default(false), { cli: 'fetch what robots.txt forbids' }),
  /** The product token to look up in robots.txt. @default the client's user agent */
  robotsUserAgent: option(z.string().min(1), {
    cli: '<name> user agent name in robots.txt (default: pagewright)',
  }),
};

function notAStrategy({ input }: { readonly input?: unknown }): string {
  const rows = Object.values(orders);
  const forms = rows.map(({ form }) => form).join(' or ');
  const mayHave = rows.flatMap((row) => row.mayHave ?? []).join('; ');
  return `expected ${forms}, got ${preview(input)}; it may have ${mayHave}`;
}
