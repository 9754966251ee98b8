/** The search engine Brave Search, over its API (api-dashboard.search.brave.com/api-reference). */
import { z } from 'zod';
import { check } from '../../core/checks/check.ts';
import {
  endpointSchema,
  entriesOf,
  isoDay,
  keySchema,
  looseNumber,
  looseText,
  readPages,
  withSiteOperators,
} from './adapter.ts';
import type { FoundPage, SearchEngine, SearchRequest } from '../../core/model/search-engine.ts';

/** Options of `braveSearch()`. */
export interface BraveSearchOptions {
  /** The subscription token. Messages never contain it. */
  readonly apiKey: string;
  /** The URL before `/web/search`. @default 'https://api.search.brave.com/res/v1' */
  readonly url?: string | URL | undefined;
}

/** Results of one page, and pages, at most. Images come as one page. */
const pageSizes = { web: 20, news: 50, images: 100 } as const;
const pageCounts = { web: 10, news: 10, images: 1 } as const;

/**
 * The search engine of Brave. It has no parameter for domains: `site:` operators are added to the query.
 *
 * @example createClient({ search: braveSearch({ apiKey: process.env.BRAVE_API_KEY ?? '' }) });
 */
export function braveSearch(options: BraveSearchOptions): SearchEngine {
  const { apiKey, url = 'https://api.search.brave.com/res/v1' } = check(
    'braveSearch',
    optionsSchema,
    options,
  );
  const base = String(url).replace(/\/+$/, '');
  const name = 'brave';
  const dated = ['country', 'language', 'since', 'sinceDate', 'domains', 'safeSearch'] as const;
  return {
    name,
    can: { web: dated, news: dated, images: ['country', 'language', 'domains', 'safeSearch'] },
    search: (query, request) => {
      const { source, limit, country, language, safeSearch, fetchJson } = request;
      const count = Math.min(limit, pageSizes[source]);
      return readPages(request, pageCounts[source], async (page) => {
        const isImages = source === 'images';
        const answer = await fetchJson({
          url: `${base}/${source}/search`,
          headers: { 'x-subscription-token': apiKey },
          query: {
            q: withSiteOperators(query, request),
            count,
            offset: page === 0 ? undefined : page,
            country,
            search_lang: language && languageCode(language),
            // Images have no level between.
            safesearch: isImages && safeSearch === 'moderate' ? 'strict' : safeSearch,
            freshness: isImages ? undefined : freshness(request),
          },
        });
        const path = source === 'web' ? ['web', 'results'] : ['results'];
        if (isImages) return entriesOf(name, answer, path, imageSchema).map(readImage);
        return entriesOf(name, answer, path, resultSchema).map(readResult);
      });
    },
  };
}

const optionsSchema = z.strictObject({
  apiKey: keySchema,
  url: endpointSchema.optional(),
} satisfies Record<keyof BraveSearchOptions, z.ZodType>);

/** Codes of its own for some languages. */
function languageCode(language: string): string {
  const { language: base, region = '', script } = new Intl.Locale(language).maximize();
  if (base === 'ja') return 'jp';
  if (base === 'zh') return script === 'Hant' ? 'zh-hant' : 'zh-hans';
  if (base === 'pt') return region === 'BR' && language !== 'pt' ? 'pt-br' : 'pt-pt';
  return base === 'en' && region === 'GB' ? 'en-gb' : base;
}

function freshness({ since, now }: SearchRequest): string | undefined {
  const age = { day: 'pd', week: 'pw', month: 'pm', year: 'py' }[since ?? ''];
  return age ?? (since === undefined ? undefined : `${since}to${isoDay(now)}`);
}

const resultSchema = z.object({
  url: looseText,
  title: looseText,
  description: looseText,
  page_age: looseText,
});

function readResult({ page_age: publishedAt, ...page }: z.output<typeof resultSchema>): FoundPage {
  return { ...page, publishedAt };
}

const imageSchema = z.object({
  url: looseText,
  title: looseText,
  properties: z
    .object({ url: looseText, width: looseNumber, height: looseNumber })
    .optional()
    .catch(undefined),
});

function readImage({ url, title, properties }: z.output<typeof imageSchema>): FoundPage {
  const { url: imageUrl, width: imageWidth, height: imageHeight } = properties ?? {};
  return { url, title, imageUrl, imageWidth, imageHeight };
}
