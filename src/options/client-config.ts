/** The options in a config file: those of a client, with defaults for its calls. */
import type { Format } from '../formats/format.ts';
import type { FormatInput } from '../formats/index.ts';
import type { ClientOptions } from './client-options.ts';
import type { CrawlOptions } from './crawl-options.ts';
import type { ScrapeOptions } from './scrape-options.ts';

/** The default export of `pagewright.config.ts`. */
export interface ClientConfig<
  Custom extends readonly Format[] = readonly Format[],
> extends ClientOptions<Custom> {
  /** Options for calls that do not set them. */
  readonly defaults?:
    | {
        /** Of every page: of `scrape` and `batchScrape`, and of the pages of a crawl. */
        readonly scrape?:
          Omit<ScrapeOptions<readonly FormatInput<Custom>[], Custom>, 'signal'> | undefined;
        /** Of `crawl` and `plan`; those of the pages are in `scrape`. */
        readonly crawl?:
          Omit<CrawlOptions, 'scrapeOptions' | 'hooks' | 'since' | 'signal'> | undefined;
      }
    | undefined;
}

/**
 * Types the default export of a config file of the command line; returns it as it is.
 *
 * @example
 * // pagewright.config.ts
 * export default defineConfig({
 *   userAgent: 'acme-bot/1.0 (+https://acme.example/bot)',
 *   defaults: { crawl: { limit: 50, delay: 1 } },
 * });
 */
export function defineConfig<const Custom extends readonly Format[] = readonly []>(
  config: ClientConfig<Custom>,
): ClientConfig<Custom> {
  return config;
}
