/** Options of the loaders of `pagewright/langchain` and `pagewright/llamaindex`: types, defaults and checks. */
import { z } from 'zod';
import { ValidationError } from '../runtime/errors.ts';
import { check } from '../checks/check.ts';
import type { BatchOptions } from './batch-options.ts';
import type { CrawlOptions } from './crawl-options.ts';
import type { MapOptions } from './map-options.ts';
import type { ScrapeOptions } from './scrape-options.ts';

/** The pages of a loader: the verb that finds them, and its options. The loader chooses the formats. */
export type PagesToLoad =
  | {
      /** One page. @default 'scrape' */
      readonly mode?: 'scrape' | undefined;
      readonly url: string;
      readonly options?: Omit<ScrapeOptions, 'formats'> | undefined;
    }
  | {
      /** The pages of a list. */
      readonly mode: 'batch';
      readonly urls: readonly string[];
      readonly options?: Omit<BatchOptions, 'formats'> | undefined;
    }
  | {
      /** The pages of a site, from `url` on. */
      readonly mode: 'crawl';
      readonly url: string;
      readonly options?: LoadedCrawlOptions | undefined;
    }
  | {
      /** The URLs of a site with their titles, unread. */
      readonly mode: 'map';
      readonly url: string;
      readonly options?: MapOptions | undefined;
    };

/** Options of the crawl of a loader. */
export interface LoadedCrawlOptions extends Omit<CrawlOptions, 'scrapeOptions'> {
  readonly scrapeOptions?: Omit<ScrapeOptions, 'formats'> | undefined;
}

const chunksSchema = z.union([z.boolean(), z.looseObject({})]).optional();
const clientSchema = z
  .custom<object>(
    (value) => typeof (value as { readonly scrape?: unknown } | null)?.scrape === 'function',
    'expected a client made by createClient()',
  )
  .optional();
const onFailedPage = z
  .custom<object>((value) => typeof value === 'function', 'expected a function')
  .optional();
// The verb checks its URL and options.
const options = z.looseObject({}).optional();
const rest = { client: clientSchema, chunks: chunksSchema, onFailedPage, options };
const url = z.string();
const loaderSchema = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('scrape').optional(), url, ...rest }),
  z.strictObject({ mode: z.literal('batch'), urls: z.array(z.string()), ...rest }),
  z.strictObject({ mode: z.literal('crawl'), url, ...rest }),
  z.strictObject({ mode: z.literal('map'), url, ...rest }),
]);

/** Checks the options of a loader; throws `BAD_REQUEST` with every issue. */
export function checkLoaderOptions(subject: string, given: unknown): void {
  const { options: forVerb } = check(subject, loaderSchema, given);
  const { scrapeOptions: inner, routes } = forVerb ?? {};
  const ofRoutes = Array.isArray(routes)
    ? routes.map((route: { readonly scrapeOptions?: unknown } | null) => route?.scrapeOptions)
    : [];
  const isSet = [forVerb, inner, ...ofRoutes].some(
    (one) => typeof one === 'object' && one !== null && 'formats' in one,
  );
  if (isSet) {
    throw new ValidationError(subject, [
      { path: ['options', 'formats'], message: 'options.formats: the loader chooses the formats' },
    ]);
  }
}
