/** Options that several kinds of job share: budget, concurrency, kept documents, start URL, hooks and URL patterns. */
import { z } from 'zod';
import { messageOf, ValidationError } from '../runtime/errors.ts';
import type { ClientConcurrency } from '../fetch/host-throttle.ts';
import {
  compileUrlPattern,
  regExpOfGlob,
  type UrlMatcher,
  type UrlPattern,
} from '../frontier/url-pattern.ts';
import { hookNames } from '../hooks/hook-lists.ts';
import type { Hooks, WorkerHook } from '../model/hooks.ts';
import { workerProblem } from '../checks/option-errors.ts';
import { normalizeUrl, parseUrl } from '../url/normalize-url.ts';

/**
 * Limits of a job. When one of these is used up the job ends as `completed`: the rest is skipped
 * with the reason `BUDGET`, and the job's warning names the budget.
 */
export interface Budget {
  /**
   * Seconds since the job began. Pages in flight at that moment are dropped; pages that were read
   * by then are kept. @default no limit
   */
  readonly seconds?: number | undefined;
  /**
   * Requests for pages, in their order: one for each requested page, whatever its outcome (a
   * document, a duplicate, an error, a refusal by robots.txt of its host), and one for each
   * redirect. Retries, subrequests of a browser, and copies from the cache do not count. It is also
   * the limit of sitemaps and feeds read. @default for a crawl ten times its `limit`, at least 100;
   * else no limit
   */
  readonly requests?: number | undefined;
  /**
   * Bytes of pages as received, before decompression, redirects included; robots.txt, sitemaps and
   * failed pages do not count. Pages count in their order, so that the documents kept are the same
   * at any speed: a document that would exceed the limit is not kept. Pages in flight are fetched
   * on top, as many as `maxConcurrency`. @default no limit
   */
  readonly bytes?: number | undefined;
  /**
   * Credits of the documents kept, in their order: a document that would exceed the limit is not
   * kept. @default no limit
   */
  readonly credits?: number | undefined;
  /**
   * Tokens of a model, in and out: for pages, for the prompt of a crawl, for embeddings; in a
   * resumed job those of earlier processes, too. A request that exceeds the rest is not sent; its
   * page and those after it are skipped, documents made by then are kept. Documents made without a
   * model use none. @default no limit
   */
  readonly tokens?: number | undefined;
  /**
   * Cost of a model, in the currency of its `price`, counted like tokens; a model without a price
   * then fails with `MODEL_FAILED`. @default no limit
   */
  readonly cost?: number | undefined;
}

/** Limits of an extraction. Its pages count like documents of other jobs. */
export interface ExtractBudget extends Budget {
  /** Pages read, over all of `urls`. @default no limit */
  readonly pages?: number | undefined;
}

const budgetShape = {
  // The limit of Node's timers.
  seconds: z.number().positive().max(2_147_483).optional(),
  requests: z.int().min(1).optional(),
  bytes: z.int().min(1).optional(),
  credits: z.number().positive().optional(),
  tokens: z.int().min(1).optional(),
  cost: z.number().positive().optional(),
} satisfies Record<keyof Budget, z.ZodType>;

/** The option `budget`. */
export const budgetSchema: z.ZodType<Budget> = z.strictObject(budgetShape);

/** The option `budget` of `extract()`. */
export const extractBudgetSchema: z.ZodType<ExtractBudget> = z.strictObject({
  ...budgetShape,
  pages: z.int().min(1).optional(),
} satisfies Record<keyof ExtractBudget, z.ZodType>);

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

// Decides whether a job keeps its documents, and checks the options that need them.

/** True by default; throws `BAD_REQUEST` if false while a webhook needs the documents. */
export function keepsDocuments(
  subject: string,
  given: { readonly keepDocuments?: boolean | undefined; readonly webhook?: unknown },
): boolean {
  const { keepDocuments = true, webhook } = given;
  if (!keepDocuments && webhook !== undefined) {
    const message =
      'keepDocuments: false and webhook: a webhook is sent documents later. Leave one of them out.';
    throw new ValidationError(subject, [{ path: ['keepDocuments'], message }]);
  }
  return keepDocuments;
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

/** The two pattern options, and the part of the URL they test. */
interface PatternOptions {
  readonly includePaths?: readonly unknown[] | undefined;
  readonly excludePaths?: readonly unknown[] | undefined;
  readonly regexOnFullURL?: boolean | undefined;
}

/** A warning for each pattern that is a regular expression, and looks like a glob. */
export function globWarnings({
  includePaths = [],
  excludePaths = [],
  regexOnFullURL = false,
}: PatternOptions): string[] {
  return Object.entries({ includePaths, excludePaths }).flatMap(([option, patterns]) =>
    patterns.flatMap((pattern) => {
      const source = regExpOfGlob(pattern as UrlPattern, regexOnFullURL);
      if (source === undefined) return [];
      return `${option}: ${JSON.stringify(pattern)} is read as a regular expression, where * repeats the character before it. If you meant a glob, write ${JSON.stringify(source)}.`;
    }),
  );
}

/** Any function; its arguments and result are checked when it is called. */
export const functionSchema: z.ZodType<(...parameters: never[]) => unknown> = z.custom<
  (...parameters: never[]) => unknown
>((value) => typeof value === 'function', 'expected a function');

/** A list of patterns. */
export const patternsSchema: z.ZodType<unknown[] | undefined> = z
  .array(z.union([z.string(), z.instanceof(RegExp), functionSchema]))
  .max(1000)
  .optional();
