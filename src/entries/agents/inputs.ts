/** The inputs of the tools: their types, defaults and bounds, as a model reads them. */
import { z } from 'zod';
import {
  type Input,
  list,
  option,
  type Output,
  required,
  schemaOf,
} from '../../core/checks/option.ts';

const url = z.string().min(1).max(4096).describe('An absolute http or https URL');
const address = required(url);
const seconds = z.int().min(1).max(600).default(45);
const offset = z.int().min(0).max(1_000_000_000).default(0);
const urls: z.ZodType<readonly string[], readonly string[]> = z.array(url).min(1).max(50);
const patterns = list(z.string().min(1).max(500), 20);
const jobId = z.string().min(1).max(100).describe('The id that crawl gave');
const selector = z.string().min(1).max(300);
const mobile = option(z.boolean().default(false).describe('The page as a phone gets it'));
const onlyMainContent = option(
  z.boolean().default(true).describe('false: the whole page, with navigation and footer'),
);

const timeRows = {
  /** Seconds that the call may take. */
  seconds: option(seconds.describe('Seconds that the call may take')),
};

const partRows = {
  ...timeRows,
  /** The start of the part of the result, in characters. */
  offset: option(
    offset.describe('For more of a long result: the offset that it names, with all else as before'),
  ),
};

/** The tools have it where the user allows actions. */
const actionRows = {
  /** Steps in a browser before the page is read. */
  actions: option(
    list(z.looseObject({ type: z.string().min(1).max(40) }), 50).describe(
      'Steps in a browser before the page is read, such as {"type":"click","selector":"#more"}, {"type":"fill","selector":"input","text":"lamp"}, {"type":"press","key":"Enter"}, {"type":"wait","selector":".results"}, {"type":"scrollToEnd"}; where there is a model also a task in words: {"type":"act","prompt":"open the reviews tab"}',
    ),
  ),
};

const scrapeRows = {
  url: address,
  format: option(
    z
      .enum(['markdown', 'links', 'requests', 'transcripts'])
      .default('markdown')
      .describe(
        'links: the URLs that the page links to, one a line; requests: what the page loads in a browser, one a line, with the JSON of its scripts; transcripts: captions of its video and sound',
      ),
  ),
  onlyMainContent,
  /** CSS selectors: only these parts of the page. */
  includeTags: option(list(selector, 20).describe('CSS selectors: only these parts of the page')),
  /** `auto` opens a browser for pages that need one, `http` never, `browser` always. */
  engine: option(
    z
      .enum(['auto', 'http', 'browser'])
      .default('auto')
      .describe('auto opens a browser for pages that need one, http never, browser always'),
  ),
  /** Requests the page as a phone. */
  mobile,
  ...partRows,
};

/** The input of `scrape`. */
export interface ScrapeInput extends Output<typeof scrapeRows>, Output<typeof actionRows> {}

/** The schema of `scrape`. */
export function scrapeSchema(allowsActions: boolean): z.ZodType<ScrapeInput> {
  return schemaOf(allowsActions ? { ...scrapeRows, ...actionRows } : scrapeRows);
}

const screenshotRows = {
  url: address,
  fullPage: option(
    z.boolean().default(false).describe('The whole page, not what a window shows of it'),
  ),
  /** CSS selector: only this element. */
  selector: option(selector.describe('CSS selector: only this element')),
  /** Of the JPEG, 1 to 100. */
  quality: option(z.int().min(1).max(100).default(70).describe('Of the JPEG')),
  /** Requests the page as a phone. */
  mobile,
  ...timeRows,
};

/** The input of `screenshot`. */
export interface ScreenshotInput extends Output<typeof screenshotRows>, Output<typeof actionRows> {}

/** The schema of `screenshot`. */
export function screenshotSchema(allowsActions: boolean): z.ZodType<ScreenshotInput> {
  return schemaOf(allowsActions ? { ...screenshotRows, ...actionRows } : screenshotRows);
}

const mapRows = {
  url: required(url.describe('A page of the site')),
  search: option(
    z
      .string()
      .min(1)
      .max(300)
      .describe('Only URLs whose title, address or description has words of this, best first'),
  ),
  limit: option(z.int().min(1).max(5000).default(100).describe('URLs at most')),
  includeSubdomains: option(z.boolean().default(true)),
  ...partRows,
};

/** The input of `map`. */
export interface MapInput extends Output<typeof mapRows> {}

/** The schema of `map`. */
export const mapSchema: z.ZodType<MapInput> = schemaOf(mapRows);

const searchRows = {
  query: required(z.string().min(1).max(300).describe('Words of what is sought')),
  limit: option(z.int().min(1).max(20).default(5).describe('Results at most')),
  ...partRows,
};

const webSearchRows = {
  /** The pages of this crawl, instead of the web. */
  jobId: option(jobId.describe('The id that crawl gave: searches its pages, not the web')),
  /** The kind of results of the web. */
  source: option(z.enum(['web', 'news']).default('web')),
  since: option(z.enum(['day', 'week', 'month', 'year']).describe('Only as old as this')),
  /** Only results of these hosts. */
  includeDomains: option(
    list(z.string().min(1).max(253), 20).describe(
      'Only results of these hosts, such as "docs.example.com"',
    ),
  ),
};

/** The input of `search`. */
export interface SearchInput extends Output<typeof searchRows>, Input<typeof webSearchRows> {}

/** The schema of `search`; without a search engine it searches crawls only. */
export function searchSchema(hasSearch: boolean): z.ZodType<SearchInput> {
  const ofCrawl = jobId.describe('The id that crawl gave: searches the pages that it has read');
  return schemaOf({ ...searchRows, ...(hasSearch ? webSearchRows : { jobId: required(ofCrawl) }) });
}

const extractRows = {
  urls: required(urls.describe('The pages; a URL that ends in /* stands for the pages below it')),
  /** A JSON Schema of the data. */
  schema: option(
    z
      .looseObject({})
      .describe(
        'A JSON Schema of the data: {"type":"object","properties":{…}}. A property may have "x-selector", the CSS selector of its value',
      ),
  ),
  limit: option(z.int().min(1).max(200).default(20).describe('Pages at most for each /*')),
  ...partRows,
};

const promptRow = {
  /** What to find, in words: only with a model. */
  prompt: option(z.string().min(1).max(5000).describe('What to find, in words')),
};

/** The input of `extract`. */
export interface ExtractInput extends Output<typeof extractRows>, Output<typeof promptRow> {}

/** The schema of `extract`. */
export function extractSchema(hasModel: boolean): z.ZodType<ExtractInput> {
  return schemaOf(hasModel ? { ...extractRows, ...promptRow } : extractRows);
}

const crawlRows = {
  url: required(url.describe('The page to start with; pages below it are taken')),
  limit: option(z.int().min(1).max(5000).default(50).describe('Pages at most')),
  query: option(z.string().min(1).max(300).describe('Read pages about this first')),
  untilAnswered: option(
    z.boolean().describe('With query: end when pages answer it and others bring nothing new'),
  ),
  includePaths: option(patterns.describe('Regular expressions: only paths that match one of them')),
  excludePaths: option(patterns.describe('Regular expressions: no paths that match one of them')),
  maxDiscoveryDepth: option(z.int().min(0).max(100).describe('Hops from the start page')),
  crawlEntireDomain: option(
    z.boolean().default(false).describe('Also pages that are not below url'),
  ),
  seconds: option(seconds.describe('Seconds to wait for pages; the crawl continues after that')),
};

/** The input of `crawl`. */
export interface CrawlInput extends Output<typeof crawlRows> {}

/** The schema of `crawl`. */
export const crawlSchema: z.ZodType<CrawlInput> = schemaOf(crawlRows);

const crawlStatusRows = {
  jobId: required(jobId),
  /** Where to begin: page 12 is `12.0`. */
  cursor: option(
    z
      .string()
      .regex(/^[1-9]\d{0,6}\.\d{1,9}$/, 'expected a cursor such as "12.0"')
      .default('1.0')
      .describe('Where to begin: page 12 is "12.0". A result names the cursor of what follows'),
  ),
  seconds: option(seconds.describe('Seconds to wait for pages that are not there yet')),
};

/** The input of `crawl_status`. */
export interface CrawlStatusInput extends Output<typeof crawlStatusRows> {}

/** The schema of `crawl_status`. */
export const crawlStatusSchema: z.ZodType<CrawlStatusInput> = schemaOf(crawlStatusRows);

const crawlCancelRows = { jobId: required(jobId) };

/** The input of `crawl_cancel`. */
export interface CrawlCancelInput extends Output<typeof crawlCancelRows> {}

/** The schema of `crawl_cancel`. */
export const crawlCancelSchema: z.ZodType<CrawlCancelInput> = schemaOf(crawlCancelRows);

const pageId = required(z.string().min(1).max(40).describe('The id that open_page gave'));

const openPageRows = { url: address, onlyMainContent, mobile, ...timeRows };

/** The input of `open_page`. */
export interface OpenPageInput extends Output<typeof openPageRows> {}

/** The schema of `open_page`. */
export const openPageSchema: z.ZodType<OpenPageInput> = schemaOf(openPageRows);

const usePageRows = {
  pageId,
  /** Loaded before the actions. */
  url: option(url.describe('Another URL to load in the page, before the actions')),
  ...actionRows,
  onlyMainContent,
  ...timeRows,
  offset: option(offset.describe('For more of a long page: the offset that the result names')),
};

/** The input of `use_page`. */
export interface UsePageInput extends Output<typeof usePageRows> {}

/** The schema of `use_page`. */
export const usePageSchema: z.ZodType<UsePageInput> = schemaOf(usePageRows);

const closePageRows = { pageId };

/** The input of `close_page`. */
export interface ClosePageInput extends Output<typeof closePageRows> {}

/** The schema of `close_page`. */
export const closePageSchema: z.ZodType<ClosePageInput> = schemaOf(closePageRows);

const monitorRows = {
  /** The pages to compare. */
  urls: option(
    urls.describe('The pages to compare; a URL that ends in /* stands for the pages below it'),
  ),
  monitorId: option(
    z
      .string()
      .min(1)
      .max(100)
      .describe('In place of urls: a monitor that exists; a result names its id'),
  ),
  limit: option(z.int().min(1).max(1000).default(50).describe('Pages at most for each /*')),
  ...partRows,
};

const goalRow = {
  /** The goal of the monitor, in words: only with a model. */
  goal: option(z.string().min(1).max(2000).describe('Which changes matter, in words')),
};

/** The input of `monitor_check`. */
export interface MonitorCheckInput extends Output<typeof monitorRows>, Output<typeof goalRow> {}

/** The schema of `monitor_check`. */
export function monitorCheckSchema(hasModel: boolean): z.ZodType<MonitorCheckInput> {
  return schemaOf(hasModel ? { ...monitorRows, ...goalRow } : monitorRows);
}
