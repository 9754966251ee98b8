/** Options of `resume()`: types and checks. */
import { z } from 'zod';
import { ValidationError } from '../runtime/errors.ts';
import type { Format } from '../../content/formats/format.ts';
import type { FormatInput } from '../../content/formats/index.ts';
import { check } from '../checks/check.ts';
import { type Input, list, option, schemaOf } from '../checks/option.ts';
import type { BatchOptions } from './batch-options.ts';
import type { CrawlOptions } from './crawl-options.ts';
import { jobUrlSchema } from './scrape-target.ts';

/** The rows that only `resume()` has. */
export const resumeRows = {
  /** A loop yields all documents, not only the ones that no earlier loop finished. @default false */
  fromStart: option(z.boolean().default(false)),
  /**
   * Visits each page that failed once more, after everything else of the job; one that has ended runs on for
   * that. What is there stays: `limit` and `budget` count on.
   * @default false
   */
  retryFailed: option(z.boolean().default(false), {
    cli: 'visit the pages that failed once more, also of a job that has ended',
  }),
  /**
   * The headers may differ from the headers of the start: a renewed token of the same
   * account.
   * @default false: other secrets are `BAD_REQUEST`, because pages of two accounts are not one
   *   result
   */
  renewedCredentials: option(z.boolean().default(false)),
  /** For a batch whose URLs have user names and passwords: the URLs again. */
  urls: option(list(jobUrlSchema)),
};

/** The options that only `resume()` has. */
export interface OwnResumeOptions extends Input<typeof resumeRows> {}

/**
 * Options of `resume()`. Execution options may change: `maxConcurrency`, `maxConcurrencyPerHost`,
 * `delay`, `budget`, `webhook`, `hooks`. The others equal the options of the start, and
 * may be left out; options that cannot be stored have to be given again: functions, and without
 * `createClient({ secret })` secrets: headers, texts of `fill` and `write`, the secret of a webhook
 * and its URL if it has a token.
 */
export type ResumeOptions<
  Inputs extends readonly FormatInput<Custom>[] = readonly FormatInput[],
  Custom extends readonly Format[] = readonly [],
> = (CrawlOptions<Inputs, Custom> | BatchOptions<Inputs, Custom>) & OwnResumeOptions;

/**
 * Checks the options of `resume()` itself; the others are checked once the kind of job is known. Throws
 * `ValidationError`.
 */
export function parseResumeOptions(options: unknown): z.output<typeof resumeSchema> {
  return check('resume', resumeSchema, options ?? {});
}

/**
 * Throws `BAD_REQUEST` naming the options of a job that runs already: they would have no effect on it.
 */
export function refuseWhileRunning(id: string, options: unknown): void {
  const given = Object.entries(check('resume', resumeSchema, options ?? {}));
  const issues = given
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name]) => {
      const message = `${name}: job ${id} is running in this client with its own options; leave it out, or resume the job after it has ended`;
      return { path: [name], message };
    });
  if (issues.length > 0) throw new ValidationError('resume', issues);
}

const signal = option(z.instanceof(AbortSignal));

const resumeSchema = schemaOf({ ...resumeRows, signal }, z.looseObject);
