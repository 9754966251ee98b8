/** Options that several kinds of job share: budget, concurrency, kept documents, start URL, hooks and URL patterns. */
import { z } from 'zod';
import { messageOf, ValidationError } from '../runtime/errors.ts';
import type { ClientConcurrency } from '../fetch/host-gate.ts';
import {
  compileUrlPattern,
  regExpOfGlob,
  type UrlMatcher,
  type UrlPattern,
} from '../frontier/url-pattern.ts';
import { hookNames } from '../hooks/hook-lists.ts';
import type { Hooks, WorkerHook } from '../model/hooks.ts';
import type { WebhookSettings } from '../model/webhook.ts';
import { workerProblem } from '../checks/option-errors.ts';
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
   * Limits of the job: when one is used up, the job ends as completed, and its warning names the
   * limit.
   */
  budget: option((schemaOf(budgetRows) as z.ZodType<Budget, Budget>).default({}), {
    cli: '<name=number,…> stop when one is used up: seconds, requests, bytes, credits',
  }),
  /**
   * False: documents are only iterated. Each is dropped once every loop has it, and the job waits
   * for a reader; `await job` then gives the counts without documents, `status()` the waiting ones.
   * Not together with a webhook. @default true
   */
  keepDocuments: option(z.boolean().default(true)),
  /** Where the job's events are sent as they happen: a URL, or an object with options. */
  // Checked by parseWebhook.
  webhook: option(z.custom<WebhookOption>(), { secret: isWebhookSecret }),
};

/** Checked options of a job that keeps documents. */
export interface JobSettings extends Pick<Output<typeof jobRows>, 'errorPages' | 'budget'> {
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
  }: Output<typeof jobRows> & { readonly maxConcurrency?: number | undefined },
  { concurrency }: { readonly concurrency?: ClientConcurrency },
): Omit<JobSettings, 'zeroDataRetention' | 'errorPages' | 'budget'> {
  if (!keepDocuments && webhook !== undefined) {
    const message =
      'keepDocuments: false and webhook: a webhook is sent documents later. Leave one of them out.';
    throw new ValidationError(subject, [{ path: ['keepDocuments'], message }]);
  }
  return {
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
    const message = `url: has a user name or password, which ${subject} does not send; ${remedy}`;
    throw new ValidationError(subject, [{ path: ['url'], message }]);
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
export const hooksSchema: z.ZodType<object | undefined> = z
  .strictObject({
    ...Object.fromEntries(hookNames.map((name) => [name, hookSchema])),
    beforeFormats: beforeFormatsSchema,
  })
  .optional();

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

/** Compiles the patterns of one option; throws `ValidationError` naming the bad one. */
export function compilePatterns(
  subject: string,
  option: string,
  patterns: readonly unknown[] | undefined,
  onFullUrl: boolean,
): UrlMatcher[] {
  return (patterns ?? []).map((pattern, index) => {
    try {
      // A URL that cannot be decided in time is left out.
      return compileUrlPattern(pattern as UrlPattern, onFullUrl, option === 'excludePaths');
    } catch (error) {
      const source = regExpOfGlob(pattern as UrlPattern, onFullUrl);
      const reason =
        source === undefined
          ? messageOf(error)
          : `${JSON.stringify(pattern)} is a glob; patterns are regular expressions: write ${JSON.stringify(source)}`;
      const message = `${option}[${index}]: ${reason}`;
      throw new ValidationError(subject, [{ path: [option, index], message }]);
    }
  });
}

/** A warning for each pattern that is a regular expression, and looks like a glob. */
export function globWarnings({
  includePaths = [],
  excludePaths = [],
  regexOnFullURL = false,
}: Partial<Output<typeof siteRows>>): string[] {
  return Object.entries({ includePaths, excludePaths }).flatMap(([option, patterns]) =>
    patterns.flatMap((pattern) => {
      const source = regExpOfGlob(pattern, regexOnFullURL);
      if (source === undefined) return [];
      return `${option}: ${JSON.stringify(pattern)} is read as a regular expression, where * repeats the character before it. If you meant a glob, write ${JSON.stringify(source)}.`;
    }),
  );
}

/** Any function; its arguments and result are checked when it is called. */
export const functionSchema: z.ZodType<(...parameters: never[]) => unknown> = z.custom<
  (...parameters: never[]) => unknown
>((value) => typeof value === 'function', 'expected a function');

const patterns = list(
  z.union([z.string(), z.instanceof(RegExp), functionSchema]) as z.ZodType<UrlPattern, UrlPattern>,
  1000,
);

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
