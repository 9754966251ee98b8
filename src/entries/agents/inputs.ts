/** The inputs of the tools: their types, defaults and bounds, as a model reads them. */
import { z } from 'zod';

/** How a page is rendered. */
interface RenderingInput {
  /** `auto` opens a browser for pages that need one, `http` never, `browser` always. */
  readonly engine: 'auto' | 'http' | 'browser';
  /** Requests the page as a phone. */
  readonly mobile: boolean;
}

/** Steps in a browser before the page is read; the tools have them where the user allows actions. */
export interface ActionsInput {
  readonly actions?:
    readonly { readonly type: string; readonly [option: string]: unknown }[] | undefined;
}

/** The time of a call. */
interface TimedInput {
  /** Seconds that the call may take. */
  readonly seconds: number;
}

/** A result that is read in parts. */
interface PagedInput extends TimedInput {
  /** The start of the part of the result, in characters. */
  readonly offset: number;
}

/** The input of `scrape`. */
export interface ScrapeInput extends RenderingInput, ActionsInput, PagedInput {
  readonly url: string;
  readonly format: 'markdown' | 'links' | 'requests' | 'transcripts';
  readonly onlyMainContent: boolean;
  /** CSS selectors: only these parts of the page. */
  readonly includeTags?: readonly string[] | undefined;
}

/** The input of `screenshot`. */
export interface ScreenshotInput extends Pick<RenderingInput, 'mobile'>, ActionsInput, TimedInput {
  readonly url: string;
  readonly fullPage: boolean;
  /** CSS selector: only this element. */
  readonly selector?: string | undefined;
  /** Of the JPEG, 1 to 100. */
  readonly quality: number;
}

/** The input of `map`. */
export interface MapInput extends PagedInput {
  readonly url: string;
  readonly search?: string | undefined;
  readonly limit: number;
  readonly includeSubdomains: boolean;
}

/** The input of `search`. */
export interface SearchInput extends PagedInput {
  readonly query: string;
  readonly limit: number;
  /** The pages of this crawl, instead of the web. */
  readonly jobId?: string | undefined;
  /** The kind of results of the web. */
  readonly source?: 'web' | 'news' | undefined;
  readonly since?: 'day' | 'week' | 'month' | 'year' | undefined;
  /** Only results of these hosts. */
  readonly includeDomains?: readonly string[] | undefined;
}

/** The input of `extract`. */
export interface ExtractInput extends PagedInput {
  readonly urls: readonly string[];
  /** A JSON Schema of the data. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
  /** What to find, in words: only with a model. */
  readonly prompt?: string | undefined;
  readonly limit: number;
}

/** The input of `crawl`. */
export interface CrawlInput extends TimedInput {
  readonly url: string;
  readonly limit: number;
  readonly query?: string | undefined;
  readonly untilAnswered?: boolean | undefined;
  readonly includePaths?: readonly string[] | undefined;
  readonly excludePaths?: readonly string[] | undefined;
  readonly maxDiscoveryDepth?: number | undefined;
  readonly crawlEntireDomain: boolean;
}

/** The input of `crawl_status`. */
export interface CrawlStatusInput extends CrawlCancelInput, TimedInput {
  /** Where to begin: page 12 is `12.0`. */
  readonly cursor: string;
}

/** The input of `crawl_cancel`. */
export interface CrawlCancelInput {
  readonly jobId: string;
}

/** The input of `open_page`. */
export interface OpenPageInput extends Pick<RenderingInput, 'mobile'>, TimedInput {
  readonly url: string;
  readonly onlyMainContent: boolean;
}

/** The input of `use_page`. */
export interface UsePageInput extends ActionsInput, PagedInput {
  readonly pageId: string;
  /** Loaded before the actions. */
  readonly url?: string | undefined;
  readonly onlyMainContent: boolean;
}

/** The input of `close_page`. */
export interface ClosePageInput {
  readonly pageId: string;
}

/** The input of `monitor_check`. */
export interface MonitorCheckInput extends PagedInput {
  readonly urls?: readonly string[] | undefined;
  readonly monitorId?: string | undefined;
  readonly limit: number;
  /** The goal of the monitor, in words: only with a model. */
  readonly goal?: string | undefined;
}

const url = z.string().min(1).max(4096).describe('An absolute http or https URL');
const seconds = z.int().min(1).max(600).default(45).describe('Seconds that the call may take');
const offset = z
  .int()
  .min(0)
  .max(1_000_000_000)
  .default(0)
  .describe('For more of a long result: the offset that it names, with all else as before');
const patterns = z.array(z.string().min(1).max(500)).max(20).optional();
const jobId = z.string().min(1).max(100).describe('The id that crawl gave');
const selector = z.string().min(1).max(300);
const mobile = z.boolean().default(false).describe('The page as a phone gets it');
const onlyMainContent = z
  .boolean()
  .default(true)
  .describe('false: the whole page, with navigation and footer');
const actions = z
  .array(z.looseObject({ type: z.string().min(1).max(40) }))
  .max(50)
  .optional()
  .describe(
    'Steps in a browser before the page is read, such as {"type":"click","selector":"#more"}, {"type":"fill","selector":"input","text":"lamp"}, {"type":"press","key":"Enter"}, {"type":"wait","selector":".results"}, {"type":"scrollToEnd"}; where there is a model also a task in words: {"type":"act","prompt":"open the reviews tab"}',
  );

const scrapeFields = z.strictObject({
  url,
  format: z
    .enum(['markdown', 'links', 'requests', 'transcripts'])
    .default('markdown')
    .describe(
      'links: the URLs that the page links to, one a line; requests: what the page loads in a browser, one a line, with the JSON of its scripts; transcripts: captions of its video and sound',
    ),
  onlyMainContent,
  includeTags: z
    .array(selector)
    .max(20)
    .optional()
    .describe('CSS selectors: only these parts of the page'),
  engine: z
    .enum(['auto', 'http', 'browser'])
    .default('auto')
    .describe('auto opens a browser for pages that need one, http never, browser always'),
  mobile,
  seconds,
  offset,
});

/** The schema of `scrape`. */
export function scrapeSchema(allowsActions: boolean): z.ZodType<ScrapeInput> {
  return allowsActions ? scrapeFields.extend({ actions }) : scrapeFields;
}

const screenshotFields = z.strictObject({
  url,
  fullPage: z.boolean().default(false).describe('The whole page, not what a window shows of it'),
  selector: selector.optional().describe('CSS selector: only this element'),
  quality: z.int().min(1).max(100).default(70).describe('Of the JPEG'),
  mobile,
  seconds,
});

/** The schema of `screenshot`. */
export function screenshotSchema(allowsActions: boolean): z.ZodType<ScreenshotInput> {
  return allowsActions ? screenshotFields.extend({ actions }) : screenshotFields;
}

/** The schema of `map`. */
export const mapSchema: z.ZodType<MapInput> = z.strictObject({
  url: url.describe('A page of the site'),
  search: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe('Only URLs whose title, address or description has words of this, best first'),
  limit: z.int().min(1).max(5000).default(100).describe('URLs at most'),
  includeSubdomains: z.boolean().default(true),
  seconds,
  offset,
});

const searchFields = z.strictObject({
  query: z.string().min(1).max(300).describe('Words of what is sought'),
  limit: z.int().min(1).max(20).default(5).describe('Results at most'),
  jobId: jobId.describe('The id that crawl gave: searches the pages that it has read'),
  seconds,
  offset,
});

const webSearchFields = searchFields.extend({
  jobId: jobId.optional().describe('The id that crawl gave: searches its pages, not the web'),
  source: z.enum(['web', 'news']).default('web'),
  since: z.enum(['day', 'week', 'month', 'year']).optional().describe('Only as old as this'),
  includeDomains: z
    .array(z.string().min(1).max(253))
    .max(20)
    .optional()
    .describe('Only results of these hosts, such as "docs.example.com"'),
});

/** The schema of `search`; without a search engine it searches crawls only. */
export function searchSchema(hasSearch: boolean): z.ZodType<SearchInput> {
  return hasSearch ? webSearchFields : searchFields;
}

const extractFields = z.strictObject({
  urls: z
    .array(url)
    .min(1)
    .max(50)
    .describe('The pages; a URL that ends in /* stands for the pages below it'),
  schema: z
    .looseObject({})
    .optional()
    .describe(
      'A JSON Schema of the data: {"type":"object","properties":{…}}. A property may have "x-selector", the CSS selector of its value',
    ),
  limit: z.int().min(1).max(200).default(20).describe('Pages at most for each /*'),
  seconds,
  offset,
});
const prompt = z.string().min(1).max(5000).optional().describe('What to find, in words');

/** The schema of `extract`. */
export function extractSchema(hasModel: boolean): z.ZodType<ExtractInput> {
  return hasModel ? extractFields.extend({ prompt }) : extractFields;
}

/** The schema of `crawl`. */
export const crawlSchema: z.ZodType<CrawlInput> = z.strictObject({
  url: url.describe('The page to start with; pages below it are taken'),
  limit: z.int().min(1).max(5000).default(50).describe('Pages at most'),
  query: z.string().min(1).max(300).optional().describe('Read pages about this first'),
  untilAnswered: z
    .boolean()
    .optional()
    .describe('With query: end when pages answer it and others bring nothing new'),
  includePaths: patterns.describe('Regular expressions: only paths that match one of them'),
  excludePaths: patterns.describe('Regular expressions: no paths that match one of them'),
  maxDiscoveryDepth: z.int().min(0).max(100).optional().describe('Hops from the start page'),
  crawlEntireDomain: z.boolean().default(false).describe('Also pages that are not below url'),
  seconds: seconds.describe('Seconds to wait for pages; the crawl continues after that'),
});

/** The schema of `crawl_status`. */
export const crawlStatusSchema: z.ZodType<CrawlStatusInput> = z.strictObject({
  jobId,
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,6}\.\d{1,9}$/, 'expected a cursor such as "12.0"')
    .default('1.0')
    .describe('Where to begin: page 12 is "12.0". A result names the cursor of what follows'),
  seconds: seconds.describe('Seconds to wait for pages that are not there yet'),
});

/** The schema of `crawl_cancel`. */
export const crawlCancelSchema: z.ZodType<CrawlCancelInput> = z.strictObject({ jobId });

const pageId = z.string().min(1).max(40).describe('The id that open_page gave');

/** The schema of `open_page`. */
export const openPageSchema: z.ZodType<OpenPageInput> = z.strictObject({
  url,
  onlyMainContent,
  mobile,
  seconds,
});

/** The schema of `use_page`. */
export const usePageSchema: z.ZodType<UsePageInput> = z.strictObject({
  pageId,
  url: url.optional().describe('Another URL to load in the page, before the actions'),
  actions,
  onlyMainContent,
  seconds,
  offset: offset.describe('For more of a long page: the offset that the result names'),
});

/** The schema of `close_page`. */
export const closePageSchema: z.ZodType<ClosePageInput> = z.strictObject({ pageId });
const monitorFields = z.strictObject({
  urls: z
    .array(url)
    .min(1)
    .max(50)
    .optional()
    .describe('The pages to compare; a URL that ends in /* stands for the pages below it'),
  monitorId: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('In place of urls: a monitor that exists; a result names its id'),
  limit: z.int().min(1).max(1000).default(50).describe('Pages at most for each /*'),
  seconds,
  offset,
});
const goal = z.string().min(1).max(2000).optional().describe('Which changes matter, in words');

/** The schema of `monitor_check`. */
export function monitorCheckSchema(hasModel: boolean): z.ZodType<MonitorCheckInput> {
  return hasModel ? monitorFields.extend({ goal }) : monitorFields;
}
