/** Options of crawl: scope, order and speed. */
import { type Command, Option } from 'commander';
import type { Budget, CrawlOptions, ErrorPages } from '../index.ts';
import { namedNumbers, numberValue, repeatedValue } from './option-values.ts';

/** The values that commander parses. */
export interface FrontierValues {
  readonly includePaths?: string[];
  readonly excludePaths?: string[];
  readonly regexOnFullUrl?: true;
  readonly maxDiscoveryDepth?: number;
  readonly bestFirst?: string;
  readonly limit?: number;
  readonly crawlEntireDomain?: true;
  readonly allowSubdomains?: true;
  readonly allowExternalLinks?: true;
  readonly sitemap?: 'include' | 'skip' | 'only';
  readonly ignoreQueryParameters?: true;
  readonly deduplicateSimilarUrls?: boolean;
  readonly deduplicateContent?: 'off' | 'exact' | 'near';
  readonly removeRepeatedBlocks?: true;
  readonly errorPages?: ErrorPages;
  readonly ignoreRobotsTxt?: true;
  readonly robotsUserAgent?: string;
  readonly delay?: number;
  readonly maxConcurrency?: number;
  readonly maxConcurrencyPerHost?: number;
  readonly budget?: Budget;
}

/** Adds the options to a command. */
export function addFrontierOptions(command: Command): Command {
  return command
    .optionsGroup('Pages:')
    .option('--limit <count>', 'pages kept, exactly (default: 10000)', numberValue)
    .option('--best-first <words>', 'pages about this before all others')
    .option('--max-discovery-depth <hops>', 'links followed from the start page', numberValue)
    .option('--include-paths <regex>', 'only paths that match; repeatable', repeatedValue)
    .option('--exclude-paths <regex>', 'no paths that match; repeatable', repeatedValue)
    .option('--regex-on-full-url', 'match the whole URL instead of the path')
    .option('--crawl-entire-domain', 'pages beside and above the start page too')
    .option('--allow-subdomains', 'other hosts of the same domain too')
    .option('--allow-external-links', 'linked pages of other sites too')
    .addOption(
      new Option(
        '--sitemap <use>',
        'read sitemaps beside links, not at all, or instead of them',
      ).choices(['include', 'skip', 'only']),
    )
    .option('--ignore-query-parameters', 'URLs that differ in their query only are one')
    .option(
      '--no-deduplicate-similar-urls',
      'www, http, trailing slash and index file make a difference',
    )
    .addOption(
      new Option('--deduplicate-content <how>', 'the same body at another URL is left out').choices(
        ['off', 'exact', 'near'],
      ),
    )
    .option('--remove-repeated-blocks', 'leave out what stands on most pages: menus, promotions')
    .addOption(errorPagesOption())
    .optionsGroup('Politeness:')
    .option('--max-concurrency <count>', 'pages fetched at the same time (default: 8)', numberValue)
    .option('--max-concurrency-per-host <count>', 'the same at one host', numberValue)
    .option('--delay <seconds>', 'between two requests to a host', numberValue)
    .option(
      '--budget <name=number,…>',
      'end when used up: seconds, requests, bytes, credits',
      namedNumbers,
    )
    .option('--ignore-robots-txt', 'fetch what robots.txt forbids')
    .option(
      '--robots-user-agent <name>',
      'the name to look for in robots.txt (default: pagewright)',
    );
}

/** The option that decides whether error pages are written. */
export function errorPagesOption(): Option {
  return new Option(
    '--error-pages <what>',
    'pages that answer 4xx or 5xx: fail (default), or keep them as documents',
  ).choices(['fail', 'keep']);
}

/** Converts the values to options of the library. */
export function frontierOptions(
  values: FrontierValues,
): Omit<CrawlOptions, 'scrapeOptions' | 'signal'> {
  return {
    includePaths: values.includePaths,
    excludePaths: values.excludePaths,
    regexOnFullURL: values.regexOnFullUrl,
    maxDiscoveryDepth: values.maxDiscoveryDepth,
    strategy:
      values.bestFirst === undefined
        ? undefined
        : { type: 'bestFirst' as const, query: values.bestFirst },
    limit: values.limit,
    crawlEntireDomain: values.crawlEntireDomain,
    allowSubdomains: values.allowSubdomains,
    allowExternalLinks: values.allowExternalLinks,
    sitemap: values.sitemap,
    ignoreQueryParameters: values.ignoreQueryParameters,
    deduplicateSimilarURLs: values.deduplicateSimilarUrls,
    deduplicateContent: values.deduplicateContent,
    removeRepeatedBlocks: values.removeRepeatedBlocks,
    errorPages: values.errorPages,
    ignoreRobotsTxt: values.ignoreRobotsTxt,
    robotsUserAgent: values.robotsUserAgent,
    delay: values.delay,
    maxConcurrency: values.maxConcurrency,
    maxConcurrencyPerHost: values.maxConcurrencyPerHost,
    budget: values.budget,
  };
}
