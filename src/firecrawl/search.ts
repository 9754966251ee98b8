/** The search of the SDK: an engine of the caller finds, the client scrapes what was found. */
import { z } from 'zod';
import { withSignal } from '../network/deadline.ts';
import { check } from '../text/check.ts';
import { type Document, toDocument } from './document.ts';
import { batchOptions } from './job-parameters.ts';
import type { PageClient } from './page-client.ts';
import { knownParameters, type ScrapeOptions } from './scrape-parameters.ts';
import { badRequest, notAvailable, requireText, SdkError } from './sdk-error.ts';
import type {
  EngineRequest,
  SearchEngine,
  SearchResultImages,
  SearchResultNews,
  SearchResultWeb,
  Source,
} from './search-engine.ts';

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
  categories?: (CategoryName | { type: CategoryName })[] | undefined;
  includeDomains?: string[] | undefined;
  excludeDomains?: string[] | undefined;
  /** Results for each source, 1 to 100. @default 10 */
  limit?: number | undefined;
  tbs?: string | undefined;
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

type SourceName = Source | 'alexandria';
type CategoryName = 'github' | 'research' | 'pdf' | 'developer';

/** Searches, and scrapes the results. Without an engine it rejects with the status 501. */
export async function search(
  {
    client,
    search: engine,
  }: { readonly client: PageClient; readonly search: SearchEngine | undefined },
  text: string,
  given: object,
): Promise<SearchData> {
  const query = requireText('Query', text);
  if (engine === undefined) {
    throw notAvailable('search()', 'no engine is configured. Give one: new Firecrawl({ search })');
  }
  const { scrapeOptions, timeout, signal, ...request } = parse(given);
  const ended = AbortSignal.any([
    AbortSignal.timeout(timeout),
    ...(signal === undefined ? [] : [signal]),
  ]);
  const work = find(engine, query, { ...request, signal: ended }).then((found) =>
    scrapeOptions === undefined ? found : scrapeAll(client, found, scrapeOptions, ended),
  );
  // A late failure of the engine is of no interest.
  work.catch(() => undefined);
  try {
    return await withSignal(work, ended);
  } catch (error) {
    if (!ended.aborted) throw error;
    if (signal?.aborted === true) throw new SdkError('The search was cancelled.', 499, 'CANCELLED');
    throw new SdkError(`The search took longer than ${timeout} ms.`, 408, 'SEARCH_TIMEOUT');
  }
}

const named = <Name extends string>(names: readonly Name[]): z.ZodType<Name> =>
  z.union([z.enum(names), z.object({ type: z.enum(names) }).transform(({ type }) => type)]);

const requestSchema = z.strictObject({
  sources: z
    .array(named(['web', 'news', 'images']))
    .min(1)
    .optional(),
  categories: z.array(named(['github', 'research', 'pdf', 'developer'])).optional(),
  includeDomains: z.array(z.string()).optional(),
  excludeDomains: z.array(z.string()).optional(),
  limit: z.int().min(1).max(100).optional(),
  tbs: z.string().optional(),
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
  const { highlights: _, ignoreInvalidURLs: __, scrapeOptions, ...request } = checked;
  const { includeDomains = [], excludeDomains = [] } = request;
  if (includeDomains.length > 0 && excludeDomains.length > 0) {
    throw badRequest('includeDomains and excludeDomains cannot both be given');
  }
  const formats: unknown = scrapeOptions?.['formats'];
  const isScraped =
    scrapeOptions !== undefined && !(Array.isArray(formats) && formats.length === 0);
  return {
    ...request,
    sources: request.sources ?? (['web'] as const),
    limit: request.limit ?? 10,
    timeout: request.timeout ?? 60_000,
    scrapeOptions: isScraped ? scrapeOptions : undefined,
  };
}

const results = z.array(z.looseObject({ url: z.string().optional() }));
const resultsSchema = z.looseObject({
  web: z.array(z.looseObject({ url: z.string() })).optional(),
  news: results.optional(),
  images: results.optional(),
});

/** The results of the sources that were asked for, no more than the limit. */
async function find(
  engine: SearchEngine,
  query: string,
  request: EngineRequest,
): Promise<Pick<SearchData, Source>> {
  const found = check(
    'search: the results of the engine',
    resultsSchema,
    await engine(query, request),
  );
  return Object.fromEntries(
    request.sources.map((source) => [source, (found[source] ?? []).slice(0, request.limit)]),
  );
}

/** Adds the document of each result of the web and of the news; one that fails stays as it was found. */
async function scrapeAll(
  client: PageClient,
  { web, news, images }: Pick<SearchData, Source>,
  scrapeOptions: object,
  signal: AbortSignal,
): Promise<SearchData> {
  const urls = [...(web ?? []), ...(news ?? [])].flatMap((result) =>
    'url' in result && typeof result.url === 'string' ? [result.url] : [],
  );
  const options = { ...batchOptions({ options: scrapeOptions }), signal };
  const job = client.batchScrape(urls, options);
  const { data, errors, warning } = await job;
  const documents = new Map(
    data.map(toDocument).map((document) => [document.metadata?.sourceURL, document]),
  );
  const scraped = <Result extends object>(result: Result): Result | Document => {
    const document = 'url' in result ? documents.get(String(result.url)) : undefined;
    return document === undefined ? result : { ...result, ...document };
  };
  const failures = errors.map(({ url, error }) => `${url} could not be scraped: ${error}`);
  const warnings = [...(warning === undefined ? [] : [warning]), ...failures];
  return {
    ...(web === undefined ? {} : { web: web.map(scraped) }),
    ...(news === undefined ? {} : { news: news.map(scraped) }),
    ...(images === undefined ? {} : { images }),
    ...(warnings.length === 0 ? {} : { warning: warnings.join(' ') }),
  };
}
