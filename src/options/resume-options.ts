/** What a caller may say when a job is resumed: types and checks. */
import { z } from 'zod';
import type { Format } from '../formats/format.ts';
import type { FormatInput } from '../formats/index.ts';
import type { BatchOptions } from './batch-options.ts';
import { check } from '../text/check.ts';
import type { CrawlOptions } from './crawl-options.ts';

/**
 * Options of `resume()`. How the job is done may change: `maxConcurrency`, `maxConcurrencyPerHost`, `delay`,
 * `budget`, `webhook`, `hooks`. The others are those that the job was started with, and may be left out;
 * what cannot be stored has to be given again: functions, and the headers Authorization and Cookie.
 */
export type ResumeOptions<
  Inputs extends readonly FormatInput<Custom>[] = readonly FormatInput[],
  Custom extends readonly Format[] = readonly [],
> = (CrawlOptions<Inputs, Custom> | BatchOptions<Inputs, Custom>) & {
  /** A loop gives all documents, not only those that no loop was done with. @default false */
  readonly fromStart?: boolean | undefined;
};

/** Those of `resume()` itself, and the others, which are checked when it is known what the job is. */
export interface ResumeSettings extends Readonly<Record<string, unknown>> {
  readonly fromStart: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Checks what can be checked at once; throws `ValidationError`. */
export function parseResumeOptions(options: unknown): ResumeSettings {
  const { fromStart = false, signal, ...rest } = check('resume', schema, options ?? {});
  return { ...rest, fromStart, signal };
}

const schema = z.looseObject({
  fromStart: z.boolean().optional(),
  signal: z.instanceof(AbortSignal).optional(),
});
