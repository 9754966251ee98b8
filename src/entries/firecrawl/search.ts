/** The search of the SDK, over the search engine of the client. */
import { z } from 'zod';
import type { SearchHit, SearchResult } from '../../search.ts';
import { check } from '../../core/checks/check.ts';
import { type Document, toDocument } from './document.ts';
import type { PageClient } from './page-client.ts';
import { knownParameters, type ScrapeOptions, scrapeOptions } from './scrape-parameters.ts';
import { badRequest, notAvailable, requireText, SdkError } from './sdk-error.ts';

/** A result of the web. */
export interface SearchResultWeb {
  url: string;
  title?: string;
  description?: string;
  position?: number;
  /** Where the search asked for categories. */
  category?: string;
}

/** A result of the news. */
export interface SearchResultNews {
  title?: string;
  url?: string;
  snippet?: string;
  date?: string;
  /** Never given. */
  imageUrl?: string;
  position?: number;
  category?: string;
}

/** A picture. */
export interface SearchResultImages {
  title?: string;
  imageUrl?: string;
  imageWidth?: number;
  imageHeight?: number;
  url?: string;
  position?: number;
}

/** The results by source. With `scrapeOptions` those of the web and of the news have the fields of their document too. */
export interface SearchData {
  warning?: string;
  web?: (SearchResultWeb | Document)[];
  news?: (SearchResultNews | Document)[];
  images?: (SearchResultImages | Document)[];
}

/** The search parameters of the SDK. */
export interface SearchRequest extends Pick<
  ScrapeOptions,
  'domainTools' | 'toolDetail' | 'threatProtection' | 'integration' | 'origin' | 'signal'
> {
  query: string;
  /** `alexandria` is refused. @default ['web'] */
  sources?: (SourceName | { type: SourceName })[] | undefined;
  /** `github` and `research` are sites, `pdf` is a file type and stands alone; `developer` is refused. */
  categories?: (CategoryName | { type: CategoryName })[] | undefined;
  includeDomains?: string[] | undefined;
  excludeDomains?: string[] | undefined;
  /** Results for each source, 1 to 100. @default 10 */
  limit?: number | undefined;
  /** `qdr:d`, `qdr:w`, `qdr:m` or `qdr:y`. Others are refused. */
  tbs?: string | undefined;
  /** No effect but a warning: engines take a `country`. */
  location?: string | undefined;
  country?: string | undefined;
  /** No effect: a result that cannot be scraped stays as it was found. */
  ignoreInvalidURLs?: boolean | undefined;
  /** Milliseconds for everything. @default 60000 */
  timeout?: number | undefined;
  /** No effect: descriptions are those of the engine. */
  highlights?: boolean | undefined;
  /** Scrapes the results, if it names formats. */
  scrapeOptions?: Omit<ScrapeOptions, 'toolDetail'> | undefined;
  /** Refused. */
  enterprise?: ('default' | 'anon' | 'zdr')[] | undefined;
}

type SourceName = 'web' | 'news' | 'images' | 'alexandria';
type CategoryName = 'github' | 'research' | 'pdf' | 'developer';

/** Searches, and scrapes the results. */
export async function search(client: PageClient, text: string, given: object): Promise<SearchData> {
  const query = requireText('Query', text);
  const { timeout, signal, categories, location, ...options } = parse(given);
  const ended = AbortSignal.any([
    AbortSignal.timeout(timeout),
    ...(signal === undefined ? [] : [signal]),
  ]);
  let found: SearchResult<object>;
  try {
    const words = categories.includes('pdf') ? `${query} filetype:pdf` : query;
    found = await client.search(words, { ...options, signal: ended });
  } catch (error) {
    if (!ended.aborted) throw error;
    if (signal?.aborted === true) throw new SdkError('The search was cancelled.', 499, 'CANCELLED');
    throw new SdkError(`The search took longer than ${timeout} ms.`, 408, 'SEARCH_TIMEOUT');
  }
  return searchData(found, options.sources, { categories, location });
}

const named = <Name extends string>(names: readonly Name[]): z.ZodType<Name> =>
  z.union([z.enum(names), z.object({ type: z.enum(names) }).transform(({ type }) => type)]);

/** The sites that a category stands for. */
const sitesOf = {
  github: ['github.com'],
  research: [
    'arxiv.org',
    'biorxiv.org',
    'dl.acm.org',
    'ieeexplore.ieee.org',
    'nature.com',
    'plos.org',
    'pubmed.ncbi.nlm.nih.gov',
    'sciencedirect.com',
    'semanticscholar.org',
    'springer.com',
  ],
  pdf: [],
} as const;

type Category = keyof typeof sitesOf;

const ages = { 'qdr:d': 'day', 'qdr:w': 'week', 'qdr:m': 'month', 'qdr:y': 'year' } as const;

const requestSchema = z.strictObject({
  sources: z
    .array(named(['web', 'news', 'images']))
    .min(1)
    .optional(),
  categories: z
    .array(named(['github', 'research', 'pdf']))
    .refine((names) => names.length < 2 || !names.includes('pdf'), 'expected pdf alone')
    .optional(),
  includeDomains: z.array(z.string()).optional(),
  excludeDomains: z.array(z.string()).optional(),
  limit: z.int().min(1).max(100).optional(),
  tbs: z.enum(Object.keys(ages) as (keyof typeof ages)[]).optional(),
  location: z.string().optional(),
  country: z.string().optional(),
  ignoreInvalidURLs: z.boolean().optional(),
  timeout: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .optional(),
  highlights: z.boolean().optional(),
  scrapeOptions: z.looseObject({}).optional(),
  signal: z.instanceof(AbortSignal).optional(),
});

function parse(given: object) {
  const checked = check('search', requestSchema, knownParameters(given));
  const { categories = [], includeDomains = [], excludeDomains = [], tbs } = checked;
  const sites = categories.flatMap((category) => sitesOf[category]);
  if (includeDomains.length > 0 && excludeDomains.length > 0) {
    throw badRequest('includeDomains and excludeDomains cannot both be given');
  }
  if (sites.length > 0 && includeDomains.length > 0) {
    throw notAvailable('categories with includeDomains', 'leave one of them out');
  }
  const { formats, ...page } = scrapeOptions(checked.scrapeOptions);
  const isScraped = Array.isArray(formats) ? formats.length > 0 : checked.scrapeOptions;
  return {
    categories,
    location: checked.location,
    country: checked.country,
    includeDomains: [...includeDomains, ...sites],
    excludeDomains,
    since: tbs && ages[tbs],
    sources: checked.sources ?? (['web'] as const),
    limit: checked.limit ?? 10,
    timeout: checked.timeout ?? 60_000,
    scrape: isScraped ? { ...page, ...(formats === undefined ? {} : { formats }) } : false,
    signal: checked.signal,
  };
}

/** The results of the requested sources. */
function searchData(
  { web, news, images, warning }: SearchResult<object>,
  sources: readonly string[],
  { categories, location }: Pick<ReturnType<typeof parse>, 'categories' | 'location'>,
): SearchData {
  const warnings = [web, news]
    .flat()
    .flatMap(({ url, error }) => (error ? [`${url} could not be scraped: ${error.message}`] : []));
  if (location !== undefined) warnings.unshift('The location was not considered: give a country.');
  if (warning !== undefined) warnings.unshift(warning);
  const data: SearchData = warnings.length === 0 ? {} : { warning: warnings.join(' ') };
  if (sources.includes('web')) {
    data.web = web.map(({ url, title, description, position, document }) => ({
      url,
      title,
      description,
      position,
      ...categoryOf(url, categories),
      ...documentOf(document),
    }));
  }
  if (sources.includes('news')) {
    data.news = news.map(({ url, title, description, publishedAt, position, document }) => ({
      url,
      title,
      snippet: description,
      position,
      ...(publishedAt && { date: publishedAt }),
      ...documentOf(document),
    }));
  }
  if (sources.includes('images')) data.images = images;
  return data;
}

function documentOf(document: SearchHit<object>['document']): Document | undefined {
  return document && toDocument(document);
}

function categoryOf(url: string, categories: readonly Category[]): { category?: Category } {
  const { hostname } = new URL(url);
  const isOf = (site: string): boolean => hostname === site || hostname.endsWith(`.${site}`);
  const category = categories.find((name) => name === 'pdf' || sitesOf[name].some(isOf));
  return category === undefined ? {} : { category };
}
