/** Options of a batch: types, defaults and checks. */
import { z } from 'zod';
import { PagewrightError, ValidationError, type ValidationIssue } from '../runtime/errors.ts';
import type { Format } from '../../content/formats/format.ts';
import type { FormatInput } from '../../content/formats/index.ts';
import { check } from '../checks/check.ts';
import { bareUrl } from '../url/normalize-url.ts';
import { concurrencyRow, jobRows, type JobSettings, jobSettings } from './job-options.ts';
import { type Input, option, schemaOf, split } from '../checks/option.ts';
import {
  type PageSettings,
  parseScrapeOptions,
  type ScrapeDefaults,
  type ScrapeOptions,
} from './scrape-options.ts';
import {
  type JobEntry,
  jobUrlSchema,
  parseScrapeTarget,
  type ScrapeTarget,
} from './scrape-target.ts';

/** Options that only `batchScrape()` has. */
export const batchRows = {
  /**
   * The most pages in flight, as far as the client's `maxConcurrency` allows, and the most of one host.
   * @default 8; with a `fleet` a quarter more than its workers have slots, 8 to 1000, shared by the client's
   * running jobs, and 8 of one host
   */
  maxConcurrency: concurrencyRow,
  /**
   * Leave out entries that are not URLs and list them in the job's `invalidURLs`; false throws
   * `BAD_REQUEST` with all of them, and nothing is fetched. @default true
   */
  ignoreInvalidURLs: option(z.boolean().default(true)),
};

/** Options of `batchScrape()`: scrape options for each page, and options of the job. */
export interface BatchOptions<
  Inputs extends readonly FormatInput<Custom>[] = readonly FormatInput[],
  Custom extends readonly Format[] = readonly [],
>
  extends ScrapeOptions<Inputs, Custom>, Input<typeof batchRows>, Input<typeof jobRows> {}

/** Checked batch options. */
export interface BatchSettings extends JobSettings {
  readonly page: PageSettings;
  readonly ignoreInvalidUrls: boolean;
  readonly signal: AbortSignal | undefined;
}

/** URLs of a batch, checked. */
export interface BatchUrls {
  readonly targets: readonly ScrapeTarget[];
  /** As the caller gave them, without possible passwords. */
  readonly invalid: readonly string[];
  /** All of them as they were given, to be stored. */
  readonly entries: readonly JobEntry[];
}

/** Checks the options of `batchScrape()`; throws at once. */
export function parseBatchOptions(options: unknown, defaults: ScrapeDefaults): BatchSettings {
  const whole = check('batchScrape', z.looseObject({}), options ?? {});
  const [own, scrape] = split(whole, batchCallRows);
  const given = check('batchScrape', batchSchema, own);
  const others = Object.keys(batchCallRows);
  const { signal, ...page } = parseScrapeOptions(scrape, defaults, 'batchScrape', others);
  return {
    ...jobSettings('batchScrape', given, defaults),
    page,
    ignoreInvalidUrls: given.ignoreInvalidURLs,
    zeroDataRetention: scrape['zeroDataRetention'] === true,
    signal,
  };
}

/**
 * Checks a list of URLs; throws `ValidationError` for a value that is not a list, for data that is not JSON, or
 * for invalid entries.
 */
export function parseBatchUrls(input: unknown, ignoreInvalidUrls: boolean): BatchUrls {
  const { urls: entries } = check('batchScrape', urlsSchema, { urls: input });
  const targets: ScrapeTarget[] = [];
  const invalid: string[] = [];
  const issues: ValidationIssue[] = [];
  for (const [index, { url, data }] of entries.entries()) {
    try {
      targets.push({ ...parseScrapeTarget(url, 'batchScrape'), data });
    } catch (error) {
      if (!(error instanceof PagewrightError)) throw error;
      invalid.push(bareUrl(url));
      issues.push({ path: ['urls', index], message: `urls[${index}]: ${error.message}` });
    }
  }
  if (issues.length > 0 && !ignoreInvalidUrls) throw new ValidationError('batchScrape', issues);
  return { targets, invalid, entries };
}

const urlsSchema = z.strictObject({ urls: z.array(jobUrlSchema) });

/** The rows of `batchScrape()` besides those of its pages. */
export const batchCallRows = { ...batchRows, ...jobRows };

const batchSchema = schemaOf(batchCallRows);
