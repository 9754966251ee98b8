/** Hints for an option that has another name, or belongs elsewhere. */
import { clientRows } from './client-rows.ts';
import { crawlRows, jobRows, paceRows, siteRows } from './job-options.ts';

/** Names for an option in other tools and in earlier versions of the interface. */
const otherNames: Readonly<Record<string, string>> = {
  // For a crawl or a map.
  maxDepth: 'maxDiscoveryDepth',
  maxCrawlDepth: 'maxDiscoveryDepth',
  depth: 'maxDiscoveryDepth',
  allowBackwardLinks: 'crawlEntireDomain',
  allowBackwardCrawling: 'crawlEntireDomain',
  allowExternalContentLinks: 'allowExternalLinks',
  includeSubdomains: 'allowSubdomains',
  allowSubdomains: 'includeSubdomains',
  ignoreSitemap: "sitemap: 'skip'",
  sitemapOnly: "sitemap: 'only'",
  includes: 'includePaths',
  excludes: 'excludePaths',
  maxPages: 'limit',
  maxCrawlPages: 'limit',
  respectRobotsTxt: 'ignoreRobotsTxt',
  concurrency: 'maxConcurrency',
  rateLimit: 'delay',
  requestsPerSecond: 'delay',
  // For a page.
  waitForSelector: "actions: [{ type: 'wait', selector }]",
  waitUntil: 'waitFor',
  retry: 'retries',
  maxRetries: 'retries',
  onlyIncludeTags: 'includeTags',
  removeTags: 'excludeTags',
  parsePDF: "parsers: ['pdf']",
  schema: "formats: [{ type: 'json', schema }]",
  prompt: "formats: [{ type: 'json', prompt }]",
  jsonOptions: "formats: [{ type: 'json', schema, prompt }]",
  extractorOptions: "formats: [{ type: 'json', schema, prompt }]",
  changeTrackingOptions: "formats: ['markdown', { type: 'changeTracking' }]",
  screenshot: "formats: ['screenshot']",
  fullPageScreenshot: "formats: [{ type: 'screenshot', fullPage: true }]",
  includeHtml: "formats: ['html']",
  includeRawHtml: "formats: ['rawHtml']",
  javascript: "engine: 'browser'",
  country: 'location: { country }',
  languages: 'location: { languages }',
};

/** Options of `crawl()`, some also of other jobs. */
export const jobOptionNames: readonly string[] = Object.keys({
  ...crawlRows,
  ...siteRows,
  ...paceRows,
  ...jobRows,
});

/** Options of `createClient()`. */
export const clientOptionNames: readonly string[] = [...Object.keys(clientRows), 'defaults'];

/** Objects in which other tools nest the options of a call. */
const wrappers: ReadonlySet<string> = new Set([
  'options',
  'params',
  'crawlerOptions',
  'scrapeOptions',
]);

/** The page options, for calls that are not about one page. */
interface PageOptions {
  /** The options of `scrape()`. */
  readonly all: readonly string[];
  /** The page options that the call accepts in its `scrapeOptions`. */
  readonly taken: readonly string[];
}

/**
 * Suggests the right option for one that `call` does not have; undefined if there is none. It is
 * called for the names of its own options as well.
 */
export function optionHints(
  call: string,
  pages: PageOptions = { all: [], taken: [] },
): (name: string, known: readonly string[]) => string | undefined {
  return (name, known) => {
    const hasPages = known.includes('scrapeOptions');
    const ofClient = call === 'createClient()';
    if (name === 'pageOptions' && hasPages) return 'write scrapeOptions';
    if (wrappers.has(name) || name === 'pageOptions') {
      const isOfCalls = ofClient && name !== 'options';
      return isOfCalls ? 'write defaults.scrape' : `pass its contents to ${call} itself`;
    }
    if (name === 'timeout' && pages.taken.includes(name)) {
      return 'write scrapeOptions.timeout for each page, or budget.seconds for the whole job';
    }
    const text = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined;
    const right = text ?? name;
    const [option = name] = /^\w+/.exec(right) ?? [];
    const write = text === undefined ? 'it is' : `write ${right},`;
    if (known.includes(option)) return `write ${right}`;
    if (pages.taken.includes(option)) {
      return `write scrapeOptions${option === right ? `.${right}` : `: { ${right} }`}`;
    }
    const verb = pages.all.includes(option) ? 'scrape' : 'crawl';
    if (ofClient && (verb === 'scrape' || jobOptionNames.includes(option))) {
      return `pass it to each call, or write defaults: { ${verb}: { ${right} } }`;
    }
    if (verb === 'scrape') return `${write} an option of scrape()`;
    if (jobOptionNames.includes(option)) return `${write} an option of crawl() itself`;
    return clientOptionNames.includes(name) ? `pass it to createClient({ ${name} })` : undefined;
  };
}
