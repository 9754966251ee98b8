/** Options of crawl: scope, order and speed. */
import { type Command, Option } from 'commander';
import type { Budget, CrawlOptions } from '../../index.ts';
import type { ErrorPages } from '../../core/options/crawl-options.ts';
import { namedNumbers, numberValue, secondsValue, repeatedValue } from './option-values.ts';

/** The values that commander parses. */
export interface FrontierValues {
  readonly includePaths?: string[];
  readonly excludePaths?: string[];
  readonly regexOnFullUrl?: true;
  readonly maxDiscoveryDepth?: number;
  readonly bestFirst?: string;
  readonly untilAnswered?: true;
  readonly judge?: 'words' | 'model';
  readonly limit?: number;
  readonly crawlEntireDomain?: true;
  readonly allowSubdomains?: true;
  readonly allowExternalLinks?: true;
  readonly endpoints?: true;
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
    .option('--limit <count>', 'maximum pages to keep (default: 10000)', numberValue)
    .option('--best-first <words>', 'visit pages about this first')
    .option('--until-answered', 'with --best-first: end when the pages answer these words')
    .addOption(
      new Option(
        '--judge <how>',
        'with --until-answered: decide by words (default) or ask the model',
      ).choices(['words', 'model']),
    )
    .option('--max-discovery-depth <hops>', 'maximum link depth from the start page', numberValue)
    .option('--include-paths <regex>', 'only visit matching paths; repeatable', repeatedValue)
    .option('--exclude-paths <regex>', 'skip matching paths; repeatable', repeatedValue)
    .option('--regex-on-full-url', 'match the whole URL instead of the path')
    .option('--crawl-entire-domain', 'include pages beside and above the start page')
    .option('--allow-subdomains', 'include other hosts of the same domain')
    .option('--allow-external-links', 'include linked pages of other sites')
    .option('--endpoints', 'follow JSON endpoints of rendered pages, and the URLs in them')
    .addOption(
      new Option(
        '--sitemap <use>',
        'read sitemaps in addition to links, not at all, or instead of links',
      ).choices(['include', 'skip', 'only']),
    )
    .option('--ignore-query-parameters', 'treat URLs that differ only in their query as one')
    .option(
      '--no-deduplicate-similar-urls',
      'treat URLs that differ in www, http, trailing slash or index file as different',
    )
    .addOption(
      new Option(
        '--deduplicate-content <how>',
        'skip pages with the same body at another URL',
      ).choices(['off', 'exact', 'near']),
    )
    .option(
      '--remove-repeated-blocks',
      'remove blocks that appear on most pages: menus, promotions',
    )
    .addOption(errorPagesOption())
    .optionsGroup('Politeness:')
    .option('--max-concurrency <count>', 'concurrent pages (default: 8)', numberValue)
    .option('--max-concurrency-per-host <count>', 'concurrent requests per host', numberValue)
    .option(
      '--delay <seconds>',
      'pause between two requests to a host, or a time such as 500ms',
      secondsValue,
    )
    .option(
      '--budget <name=number,…>',
      'stop when one is used up: seconds, requests, bytes, credits',
      namedNumbers,
    )
    .option('--ignore-robots-txt', 'fetch what robots.txt forbids')
    .option('--robots-user-agent <name>', 'user agent name in robots.txt (default: pagewright)');
}

/** The option that decides whether error pages are written. */
export function errorPagesOption(): Option {
  return new Option(
    '--error-pages <what>',
    'treat pages that answer 4xx or 5xx as failed (default), or keep them as documents',
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
    strategy: strategyOf(values),
    limit: values.limit,
    crawlEntireDomain: values.crawlEntireDomain,
    allowSubdomains: values.allowSubdomains,
    allowExternalLinks: values.allowExternalLinks,
    endpoints: values.endpoints,
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

/** The problem of options that need others. */
export function frontierProblem({
  bestFirst,
  untilAnswered,
  judge,
  regexOnFullUrl,
  includePaths,
  excludePaths,
}: FrontierValues): string | undefined {
  if (regexOnFullUrl === true && (includePaths ?? excludePaths) === undefined)
    return '--regex-on-full-url needs --include-paths or --exclude-paths';
  if (untilAnswered === true && bestFirst === undefined)
    return '--until-answered needs --best-first';
  return judge !== undefined && untilAnswered !== true
    ? '--judge needs --until-answered'
    : undefined;
}

function strategyOf({ bestFirst, untilAnswered, judge }: FrontierValues): CrawlOptions['strategy'] {
  if (bestFirst === undefined) return undefined;
  const until = untilAnswered === true ? 'answered' : undefined;
  return { type: 'bestFirst', query: bestFirst, until, judge };
}
