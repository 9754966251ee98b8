/** What a job may use before it ends: type and check. */
import { z } from 'zod';

/**
 * What a job may use. When one of these is used up the job ends as `completed`: what is left is skipped
 * with the reason `BUDGET`, and the job's warning names the budget.
 */
export interface Budget {
  /**
   * Seconds since the job began. What is being fetched at that moment is dropped; pages that were read
   * by then are kept. @default no limit
   */
  readonly seconds?: number | undefined;
  /**
   * Requests for pages, in their order: one for each page that is asked for, whatever comes of it (a
   * document, a duplicate, an error, nothing because robots.txt of its host closes it), and one for each
   * redirect. Retries, what a browser loads for a page, and copies from the cache do not count. No more
   * sitemaps and feeds than this are read. @default of a crawl ten times its `limit`, at least 100; else no limit
   */
  readonly requests?: number | undefined;
  /**
   * Bytes of pages as received, before decompression, redirects included; robots.txt, sitemaps and
   * pages that fail do not count. Pages count in their order, so that the documents kept are the same
   * at any speed: none is kept that would exceed it. Pages in flight are fetched on top, as many as
   * `maxConcurrency`. @default no limit
   */
  readonly bytes?: number | undefined;
  /** Credits of the documents kept: none is kept that would exceed it, in their order. @default no limit */
  readonly credits?: number | undefined;
  /**
   * Tokens of a model, in and out: for pages, for the prompt of a crawl, for embeddings; in a job that is
   * resumed those of earlier processes, too. A request that what is left does not pay is not sent; its page
   * and those after it are skipped, documents made by then are kept. Documents that are made without a
   * model use none. @default no limit
   */
  readonly tokens?: number | undefined;
  /**
   * Money that a model costs, in the currency of its `price`, counted like tokens; a model without a
   * price then fails with `MODEL_FAILED`. @default no limit
   */
  readonly cost?: number | undefined;
}

/** What an extraction may use. Its pages are counted as documents of other jobs are. */
export interface ExtractBudget extends Budget {
  /** Pages read, whichever of `urls` they come from. @default no limit */
  readonly pages?: number | undefined;
}

const parts = {
  // Timers take no more.
  seconds: z.number().positive().max(2_147_483).optional(),
  requests: z.int().min(1).optional(),
  bytes: z.int().min(1).optional(),
  credits: z.number().positive().optional(),
  tokens: z.int().min(1).optional(),
  cost: z.number().positive().optional(),
} satisfies Record<keyof Budget, z.ZodType>;

/** The option `budget`. */
export const budgetSchema: z.ZodType<Budget> = z.strictObject(parts);

/** The option `budget` of `extract()`. */
export const extractBudgetSchema: z.ZodType<ExtractBudget> = z.strictObject({
  ...parts,
  pages: z.int().min(1).optional(),
} satisfies Record<keyof ExtractBudget, z.ZodType>);
