/** The search engine Exa, over its API (docs.exa.ai/reference/search). */
import { z } from 'zod';
import { check } from '../../core/checks/check.ts';
import { endpointSchema, entriesOf, keySchema, looseText, sinceDate } from './adapter.ts';
import type { SearchEngine } from '../../core/model/search-engine.ts';

/** Options of `exa()`. */
export interface ExaOptions {
  /** The API key. Messages never contain it. */
  readonly apiKey: string;
  /** The URL before `/search`. @default 'https://api.exa.ai' */
  readonly url?: string | URL | undefined;
}

/**
 * The search engine Exa, which finds pages by meaning. It has no images.
 *
 * @example createClient({ search: exa({ apiKey: process.env.EXA_API_KEY ?? '' }) });
 */
export function exa(options: ExaOptions): SearchEngine {
  const { apiKey, url = 'https://api.exa.ai' } = check('exa', optionsSchema, options);
  const endpoint = `${String(url).replace(/\/+$/, '')}/search`;
  const name = 'exa';
  const filters = ['country', 'since', 'sinceDate', 'domains', 'safeSearch'] as const;
  return {
    name,
    can: { web: filters, news: filters },
    search: async (query, request) => {
      const { source, limit, country, includeDomains, excludeDomains, safeSearch } = request;
      const date = sinceDate(request);
      const answer = await request.fetchJson({
        url: endpoint,
        headers: { 'x-api-key': apiKey },
        body: {
          query,
          type: 'auto',
          numResults: limit,
          category: source === 'news' ? 'news' : undefined,
          userLocation: country,
          startPublishedDate: date && `${date}T00:00:00.000Z`,
          includeDomains: includeDomains.length > 0 ? includeDomains : undefined,
          excludeDomains: excludeDomains.length > 0 ? excludeDomains : undefined,
          moderation: safeSearch && safeSearch !== 'off',
          // Without contents there is no description.
          contents: { highlights: true },
        },
      });
      return entriesOf(name, answer, ['results'], resultSchema).map(
        ({ url: pageUrl, title, publishedDate, highlights }) => ({
          url: pageUrl,
          title,
          publishedAt: publishedDate,
          description: highlights?.join(' … '),
        }),
      );
    },
  };
}

const optionsSchema = z.strictObject({
  apiKey: keySchema,
  url: endpointSchema.optional(),
} satisfies Record<keyof ExaOptions, z.ZodType>);

const resultSchema = z.object({
  url: looseText,
  title: looseText,
  publishedDate: looseText,
  highlights: z.array(z.string()).max(100).optional().catch(undefined),
});
