/** Crawl options that a model derives from a prompt, and the options of a preview of them. */
import { z } from 'zod';
import { type AnswerSchema, type Model, requireModel } from '../../extract/llm/model.ts';
import { parseAnswer } from '../../extract/llm/json-value.ts';
import { check } from '../checks/check.ts';
import { type Input, option, schemaOf } from '../checks/option.ts';
import type { CrawlOptions } from './crawl-options.ts';

/**
 * The crawl options that a sentence can set: which pages, and how many. Never robots rules or
 * webhooks.
 */
export type DerivedCrawlOptions = Pick<
  CrawlOptions,
  | 'allowExternalLinks'
  | 'allowSubdomains'
  | 'crawlEntireDomain'
  | 'deduplicateSimilarURLs'
  | 'delay'
  | 'ignoreQueryParameters'
  | 'limit'
  | 'maxDiscoveryDepth'
  | 'regexOnFullURL'
  | 'sitemap'
> & {
  readonly includePaths?: readonly string[];
  readonly excludePaths?: readonly string[];
};

const patternsProperty = { type: 'array', items: { type: 'string' }, maxItems: 50 } as const;

const flagProperty = { type: 'boolean' } as const;

const properties = {
  includePaths: {
    ...patternsProperty,
    description:
      'Regular expressions on the URL path, such as "^/docs/". Only matching pages are kept. Must not match less than what is wanted; leave out when all pages are.',
  },
  excludePaths: {
    ...patternsProperty,
    description: 'Regular expressions on the URL path of pages to leave out.',
  },
  regexOnFullURL: {
    ...flagProperty,
    description: 'Test the expressions on the whole URL, host included.',
  },
  maxDiscoveryDepth: { type: 'integer', minimum: 0, description: 'Links from the start page.' },
  limit: { type: 'integer', minimum: 1, description: 'Pages at most.' },
  crawlEntireDomain: {
    ...flagProperty,
    description: 'Pages beside and above the start URL too, not only those below it.',
  },
  allowSubdomains: { ...flagProperty, description: 'Other hosts of the same domain too.' },
  allowExternalLinks: { ...flagProperty, description: 'Pages of other sites that are linked to.' },
  sitemap: {
    type: 'string',
    enum: ['include', 'skip', 'only'],
    description: 'Sitemaps beside links, not at all, or instead of links.',
  },
  ignoreQueryParameters: {
    ...flagProperty,
    description: 'URLs that differ in their query are one page.',
  },
  deduplicateSimilarURLs: {
    ...flagProperty,
    description: 'Take www, http and a last slash for the same.',
  },
  delay: { type: 'number', minimum: 0, maximum: 60, description: 'Seconds between two requests.' },
} satisfies Readonly<Record<keyof DerivedCrawlOptions, unknown>>;

/** The schema of the model's answer: each option may be left out. */
export const derivedOptionsSchema: AnswerSchema = {
  type: 'object',
  properties,
  additionalProperties: false,
};

/**
 * The options in a model's answer, not checked yet; null means left out. Throws an `Error` that
 * says what is wrong: not a JSON object, or an option that a sentence cannot set.
 */
export function readDerivedOptions(answer: string): DerivedCrawlOptions {
  const read = parseAnswer(answer);
  const value = 'value' in read ? read.value : undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('It is not a JSON object.');
  }
  const given = Object.entries(value).filter(([, option]) => option !== null);
  const unknown = given.find(([name]) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) {
    throw new Error(
      `There is no option ${JSON.stringify(unknown[0])}; known: ${Object.keys(properties).join(', ')}.`,
    );
  }
  return Object.fromEntries(given);
}

/** The model that reads the prompt of a crawl. Throws `MODEL_REQUIRED` without one. */
export function crawlModel(model: Model | undefined): Model {
  const instead = 'Without one, use the options includePaths, excludePaths and limit.';
  return requireModel(model, 'crawl: prompt', instead);
}

// Options for the preview of a crawl.

const previewRows = {
  /** Rejects the call: with `CANCELLED`, or `TIMEOUT` for `AbortSignal.timeout()`. */
  signal: option(z.instanceof(AbortSignal)),
};

/** Options of `previewCrawl()`. */
export interface PreviewOptions extends Input<typeof previewRows> {}

/** Checks them; throws `ValidationError`. */
export function parsePreviewOptions(options: unknown): PreviewOptions {
  return check('previewCrawl', schemaOf(previewRows), options ?? {});
}
