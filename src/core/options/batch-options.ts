/** Options of a batch: types, defaults and checks. */
import { z } from 'zod';
import { PagewrightError, ValidationError, type ValidationIssue } from '../runtime/errors.ts';
import type { Format } from '../../content/formats/format.ts';
import type { FormatInput } from '../../content/formats/index.ts';
import type { WebhookSettings } from '../model/webhook.ts';
import { check } from '../checks/check.ts';
import { bareUrl } from '../url/normalize-url.ts';
import { type ErrorPages, errorPagesSchema } from './crawl-options.ts';
import {
  type Budget,
  budgetSchema,
  concurrencySchema,
  concurrencyWarnings,
  keepsDocuments,
} from './job-options.ts';
import {
  type PageSettings,
  parseScrapeOptions,
  type ScrapeDefaults,
  type ScrapeOptions,
} from './scrape-options.ts';
import { parseScrapeTarget, type ScrapeTarget } from './scrape-target.ts';
import { pageJobEvents, parseWebhook, type WebhookOption } from './webhook-options.ts';

/** Options of `batchScrape()`: scrape options for each page, and options of the job. */
export interface BatchOptions<
  Inputs extends readonly FormatInput<Custom>[] = readonly FormatInput[],
  Custom extends readonly Format[] = readonly [],
> extends ScrapeOptions<Inputs, Custom> {
  /**
   * The most pages in flight, as far as the client's `maxConcurrency` allows, and the most of one host.
   * @default 8; with a `fleet` a quarter more than its workers have slots, 8 to 1000, shared by the client's
   * running jobs, and 8 of one host
   */
  readonly maxConcurrency?: number | undefined;
  /**
   * Leave out entries that are not URLs and list them in the job's `invalidURLs`; false throws
   * `BAD_REQUEST` with all of them, and nothing is fetched. @default true
   */
  readonly ignoreInvalidURLs?: boolean | undefined;
  /**
   * A page whose last response is 4xx or 5xx: `fail` lists it in `errors()` with `HTTP_STATUS`, its
   * `statusCode` and, if it had a body, its `document`; it costs no credits. `keep` takes it as a
   * document like any other. @default 'fail'
   */
  readonly errorPages?: ErrorPages | undefined;
  /**
   * Limits of the job: when one is used up, the job ends as completed, and its warning names the
   * limit.
   */
  readonly budget?: Budget | undefined;
  /**
   * False: documents are only iterated. Each is dropped once every loop has it, and the job waits
   * for a reader; `await job` then gives the counts without documents, `status()` the waiting ones.
   * Not together with a webhook. @default true
   */
  readonly keepDocuments?: boolean | undefined;
  /** Where the job's events are sent as they happen: a URL, or an object with options. */
  readonly webhook?: WebhookOption | undefined;
}

/** Checked batch options. */
export interface BatchSettings {
  readonly page: PageSettings;
  readonly maxConcurrency: number;
  /** True where the caller gave no `maxConcurrency`. */
  readonly followsWorkers: boolean;
  readonly ignoreInvalidUrls: boolean;
  readonly errorPages: ErrorPages;
  readonly budget: Budget;
  /** Documents are kept in memory only, even if the client has a storage. */
  readonly zeroDataRetention: boolean;
  readonly keepsDocuments: boolean;
  /** Sentences about the options, for the job's warning. */
  readonly warnings: readonly string[];
  readonly signal: AbortSignal | undefined;
  readonly webhook: WebhookSettings | undefined;
}

/** URLs of a batch, checked. */
export interface BatchUrls {
  readonly targets: readonly ScrapeTarget[];
  /** As the caller gave them, without possible passwords. */
  readonly invalid: readonly string[];
}

/** Checks the options of `batchScrape()`; throws at once. */
export function parseBatchOptions(options: unknown, defaults: ScrapeDefaults): BatchSettings {
  const given = check('batchScrape', batchSchema, options ?? {});
  const {
    maxConcurrency,
    ignoreInvalidURLs,
    errorPages,
    budget,
    keepDocuments,
    webhook,
    ...scrape
  } = given;
  const others = Object.keys(batchSchema.shape);
  const { signal, ...page } = parseScrapeOptions(scrape, defaults, 'batchScrape', others);
  return {
    page,
    maxConcurrency: maxConcurrency ?? 8,
    followsWorkers: maxConcurrency === undefined,
    ignoreInvalidUrls: ignoreInvalidURLs ?? true,
    errorPages: errorPages ?? 'fail',
    budget: budget ?? {},
    warnings: concurrencyWarnings({ maxConcurrency }, defaults.concurrency),
    keepsDocuments: keepsDocuments('batchScrape', { keepDocuments, webhook }),
    zeroDataRetention: (scrape as ScrapeOptions).zeroDataRetention === true,
    signal,
    webhook: parseWebhook('batchScrape', webhook, pageJobEvents),
  };
}

/**
 * Checks a list of URLs; throws `ValidationError` for a value that is not a list, or for invalid
 * entries.
 */
export function parseBatchUrls(input: unknown, ignoreInvalidUrls: boolean): BatchUrls {
  const { urls } = check('batchScrape', urlsSchema, { urls: input });
  const targets: ScrapeTarget[] = [];
  const invalid: string[] = [];
  const issues: ValidationIssue[] = [];
  for (const [index, url] of urls.entries()) {
    try {
      targets.push(parseScrapeTarget(url, 'batchScrape'));
    } catch (error) {
      if (!(error instanceof PagewrightError)) throw error;
      invalid.push(bareUrl(String(url)));
      issues.push({ path: ['urls', index], message: `urls[${index}]: ${error.message}` });
    }
  }
  if (issues.length > 0 && !ignoreInvalidUrls) throw new ValidationError('batchScrape', issues);
  return { targets, invalid };
}

const urlsSchema = z.strictObject({
  urls: z.array(z.union([z.string(), z.instanceof(URL)], 'expected a URL')),
});

/** The options of the job; others are scrape options. */
const batchSchema = z.looseObject({
  maxConcurrency: concurrencySchema.optional(),
  ignoreInvalidURLs: z.boolean().optional(),
  errorPages: errorPagesSchema.optional(),
  budget: budgetSchema.optional(),
  keepDocuments: z.boolean().optional(),
  webhook: z.unknown().optional(),
} satisfies Partial<Record<keyof BatchOptions, z.ZodType>>);
