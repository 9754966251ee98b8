/** The search engine Tavily, over its API (docs.tavily.com/documentation/api-reference/endpoint/search). */
import { z } from 'zod';
import { check } from '../../core/checks/check.ts';
import { endpointSchema, entriesOf, keySchema, looseText } from './adapter.ts';
import { searchAges, type SearchEngine } from '../../core/model/search-engine.ts';

/** Options of `tavily()`. */
export interface TavilyOptions {
  /** The API key. Messages never contain it. */
  readonly apiKey: string;
  /** The URL before `/search`. @default 'https://api.tavily.com' */
  readonly url?: string | URL | undefined;
  /** `advanced` finds better passages for twice the credits. @default 'basic' */
  readonly depth?: 'basic' | 'advanced' | undefined;
}

const mostResults = 20; // results of one request; there is no second page

/**
 * The search engine Tavily: at most 20 results a search.
 *
 * @example createClient({ search: tavily({ apiKey: process.env.TAVILY_API_KEY ?? '' }) });
 */
export function tavily(options: TavilyOptions): SearchEngine {
  const { apiKey, url = 'https://api.tavily.com', depth } = check('tavily', optionsSchema, options);
  const endpoint = `${String(url).replace(/\/+$/, '')}/search`;
  const name = 'tavily';
  const filters = ['since', 'sinceDate', 'domains', 'safeSearch'] as const;
  return {
    name,
    can: { web: [...filters, 'country'], news: filters, images: filters },
    search: async (query, request) => {
      const { source, limit, country, since, includeDomains, excludeDomains, safeSearch } = request;
      const isAge = searchAges.some((age) => age === since);
      const isImages = source === 'images';
      const answer = await request.fetchJson({
        url: endpoint,
        headers: { authorization: `Bearer ${apiKey}` },
        body: {
          query,
          topic: source === 'news' ? 'news' : 'general',
          search_depth: depth,
          max_results: Math.min(limit, mostResults),
          country: source === 'web' ? country && countryName(country) : undefined,
          time_range: isAge ? since : undefined,
          start_date: isAge ? undefined : since,
          include_domains: includeDomains.length > 0 ? includeDomains : undefined,
          exclude_domains: excludeDomains.length > 0 ? excludeDomains : undefined,
          safe_search: safeSearch && safeSearch !== 'off',
          ...(isImages ? { include_images: true, include_image_descriptions: true } : {}),
        },
      });
      if (!isImages) {
        return entriesOf(name, answer, ['results'], resultSchema).map(
          ({ content, published_date: publishedAt, ...page }) => ({
            ...page,
            description: content,
            publishedAt,
          }),
        );
      }
      // The page of a picture is not known.
      return entriesOf(name, answer, ['images'], imageSchema).map((image) =>
        typeof image === 'string'
          ? { imageUrl: image }
          : { imageUrl: image.url, title: image.description },
      );
    },
  };
}

const optionsSchema = z.strictObject({
  apiKey: keySchema,
  url: endpointSchema.optional(),
  depth: z.enum(['basic', 'advanced']).optional(),
} satisfies Record<keyof TavilyOptions, z.ZodType>);

/** `united states`: the API takes names. */
function countryName(country: string): string | undefined {
  return new Intl.DisplayNames(['en'], { type: 'region' }).of(country)?.toLowerCase();
}

const resultSchema = z.object({
  url: looseText,
  title: looseText,
  content: looseText,
  published_date: looseText,
});

const imageSchema = z.union([z.string(), z.object({ url: looseText, description: looseText })]);
