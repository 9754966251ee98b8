/** search(): pages, news and pictures from a search engine, and the documents of the pages. */
import { messageOf, PagewrightError, type PlainError } from './core/runtime/errors.ts';
import { httpStatusError } from './core/jobs/page-failure.ts';
import { cleanMessage } from './extract/llm/model-failure.ts';
import { plainHeaders } from './core/http/network/credentials.ts';
import { cancellation, startDeadline, withSignal } from './core/runtime/deadline.ts';
import type { PageSettings } from './core/options/scrape-options.ts';
import { parseSearchOptions, type SearchSettings } from './core/options/search-options.ts';
import type { ClientParts } from './parts.ts';
import type { PlainDocument } from './core/page/compose-document.ts';
import { scrapePage } from './scrape.ts';
import {
  cleanImages,
  cleanPages,
  type ImageHit,
  type PageHit,
} from './core/fetch/search-results.ts';
import { fetchJson } from './core/http/fetch-json.ts';
import type {
  FoundPage,
  SearchEngine,
  SearchFilter,
  SearchRequest,
  SearchSource,
} from './core/model/search-engine.ts';

/** A page or a piece of news that was found; with the option `scrape` its document, or its error. */
export interface SearchHit<Document = PlainDocument> extends PageHit {
  readonly document?: Document;
  /** The failure of this page alone; `HTTP_STATUS` where it answered 4xx or 5xx. */
  readonly error?: PlainError;
}

/** The result of `search()`. A kind of results that was not asked for is empty. */
export interface SearchResult<Document = PlainDocument> {
  /** Best first, as the others. */
  readonly web: SearchHit<Document>[];
  readonly news: SearchHit<Document>[];
  readonly images: ImageHit[];
  /** The name of the engine. */
  readonly engine: string;
  /** Options that the engine cannot consider, results that are missing, and headers that the pages were not sent. */
  readonly warning?: string;
}

const mostResults = 100; // requested from an engine that does not filter domains

/** `client.search()`: checks the options, and publishes the call. */
export async function search(
  parts: ClientParts,
  query: unknown,
  options: unknown,
): Promise<SearchResult> {
  const settings = parseSearchOptions(query, options, parts);
  return parts.telemetry.call(
    { verb: 'search', url: undefined },
    () => searchWeb(parts, settings),
    ({ web, news, images }) => web.length + news.length + images.length,
  );
}

/**
 * Searches with one engine, and scrapes the pages if asked to. Rejects with `BAD_REQUEST` for a kind of results that
 * the engine lacks, with `SEARCH_FAILED`, `TIMEOUT`, and errors of the connection to the engine.
 */
export async function searchWeb(
  parts: ClientParts,
  settings: SearchSettings,
): Promise<SearchResult> {
  const { engine, sources, page } = settings;
  for (const source of sources) refuseSource(engine, source);
  const result = { web: [] as PageHit[], news: [] as PageHit[], images: [] as ImageHit[] };
  const warnings = await searchAll(parts, settings, (source, found) => {
    if (source === 'images') result.images = cleanImages(found, settings);
    else result[source] = cleanPages(found, settings);
  });
  const warning = [
    ...warnings,
    ...sources.flatMap((source) => unsupported(settings, source)),
    ...unsentHeaders(page),
  ].join(' ');
  const scrape = page && scrapeOnce(parts, page);
  const scraped = (hits: readonly PageHit[]): Promise<SearchHit[]> =>
    Promise.all(hits.map(async (hit) => ({ ...hit, ...(await scrape?.(hit.url)) })));
  const [web, news] = await Promise.all([scraped(result.web), scraped(result.news)]);
  for (const signal of [settings.signal, parts.signal]) {
    if (signal?.aborted === true) throw cancellation(signal, `The search with ${engine.name}`);
  }
  return {
    web,
    news,
    images: result.images,
    engine: engine.name,
    ...(warning === '' ? {} : { warning }),
  };
}

function refuseSource({ name, can }: SearchEngine, source: SearchSource): void {
  if (can === undefined || can[source] !== undefined) return;
  const message = `The search engine ${name} has no ${source}: leave it out of sources.`;
  throw new PagewrightError('BAD_REQUEST', message);
}

/** Asks for all kinds of results side by side; when one fails, the others are ended. Resolves with warnings. */
async function searchAll(
  parts: ClientParts,
  settings: SearchSettings,
  take: (source: SearchSource, found: readonly FoundPage[]) => void,
): Promise<ReadonlySet<string>> {
  const { engine, sources, timeout } = settings;
  const signals = [settings.signal, parts.signal];
  using deadline = startDeadline(timeout, signals, `The search with ${engine.name}`);
  const halt = new AbortController();
  const signal = AbortSignal.any([deadline.signal, halt.signal]);
  const warnings = new Set<string>();
  const warn = (sentence: unknown): void => void warnings.add(cleanMessage(messageOf(sentence)));
  try {
    await Promise.all(
      sources.map(async (source) =>
        take(source, await searchSource(parts, settings, source, { signal, warn })),
      ),
    );
    return warnings;
  } finally {
    halt.abort();
  }
}

async function searchSource(
  { apiNetwork, clock }: ClientParts,
  settings: SearchSettings,
  source: SearchSource,
  { signal, warn }: Pick<SearchRequest, 'signal' | 'warn'>,
): Promise<readonly FoundPage[]> {
  const { engine, query, limit, includeDomains, excludeDomains } = settings;
  const { country, language, since, safeSearch } = settings;
  const { name } = engine;
  const isFiltered = includeDomains.length + excludeDomains.length > 0;
  const filtersHere = isFiltered && !canDo(engine, source, 'domains');
  const request: SearchRequest = {
    source,
    limit: filtersHere ? mostResults : limit,
    country,
    language,
    since,
    includeDomains,
    excludeDomains,
    safeSearch,
    signal,
    now: clock.now(),
    warn,
    fetchJson: (jsonRequest) => fetchJson({ name, network: apiNetwork, signal }, jsonRequest),
  };
  let found: unknown;
  try {
    found = await withSignal((async () => engine.search(query, request))(), signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof PagewrightError) throw error;
    const message = `The search engine ${name} failed: ${cleanMessage(messageOf(error))}`;
    throw new PagewrightError('SEARCH_FAILED', message, { cause: error });
  }
  if (Array.isArray(found)) return found.filter(isObject).slice(0, mostFound);
  const message = `The search engine ${name} returned no list of results. search() must return an array of { url, title, description }.`;
  throw new PagewrightError('SEARCH_FAILED', message);
}

const mostFound = 1_000; // results of an engine that are examined

function isObject(value: unknown): value is FoundPage {
  return typeof value === 'object' && value !== null;
}

function canDo({ can }: SearchEngine, source: SearchSource, filter: SearchFilter): boolean {
  return can === undefined || can[source]?.includes(filter) === true;
}

/** A sentence for each option that the engine does not consider. */
function unsupported(settings: SearchSettings, source: SearchSource): string[] {
  const { engine, country, language, since, safeSearch } = settings;
  const isDate = since !== undefined && /^\d/.test(since);
  const given: Readonly<Record<Exclude<SearchFilter, 'domains'>, unknown>> = {
    country,
    language,
    since: isDate ? undefined : since,
    sinceDate: isDate ? since : undefined,
    safeSearch,
  };
  return Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined || canDo(engine, source, name as SearchFilter)) return [];
    const option = name === 'sinceDate' ? 'since with a date' : name;
    return `The search engine ${engine.name} ignores ${option} for ${source}.`;
  });
}

/** A sentence about the headers that pages of a search do not get: its engine names their hosts, not the caller. */
export function unsentHeaders(page: Pick<PageSettings, 'headers'> | undefined): string[] {
  const { headers = {} } = page ?? {};
  const plain = plainHeaders(headers);
  const unsent = Object.keys(headers).filter((name) => !Object.hasOwn(plain, name));
  if (unsent.length === 0) return [];
  return [
    `The pages that the search found were requested without the headers ${unsent.join(', ')}, which go only to hosts that you name: scrape their URLs, or give the headers in a hook beforeRequest.`,
  ];
}

/** Scrapes each URL once, whichever results have it. Its requests wait for the limits of the client. */
function scrapeOnce(
  parts: ClientParts,
  settings: PageSettings,
): (url: string) => Promise<Pick<SearchHit, 'document' | 'error'>> {
  const page = { ...settings, headers: plainHeaders(settings.headers) };
  const scraped = new Map<string, Promise<Pick<SearchHit, 'document' | 'error'>>>();
  const scrape = async (url: string): Promise<Pick<SearchHit, 'document' | 'error'>> => {
    try {
      const document = await scrapePage(parts, { url, sourceUrl: url }, page);
      const { statusCode } = document.metadata;
      if (statusCode < 400) return { document };
      const answer = { finalUrl: document.metadata.url, statusCode };
      return { error: httpStatusError(url, answer, 'Its document is left out.').toJSON() };
    } catch (error) {
      const failure =
        error instanceof PagewrightError
          ? error
          : new PagewrightError('HOOK_FAILED', messageOf(error), { url });
      return { error: failure.toJSON() };
    }
  };
  return (url) => {
    const known = scraped.get(url) ?? scrape(url);
    scraped.set(url, known);
    return known;
  };
}
