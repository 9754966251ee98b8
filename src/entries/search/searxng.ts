/** The search engine SearXNG, over the JSON API of an instance (docs.searxng.org/dev/search_api.html). */
import { z } from 'zod';
import { ValidationError } from '../../core/runtime/errors.ts';
import { check } from '../../core/checks/check.ts';
import { redacted } from '../../core/checks/option.ts';
import {
  endpointSchema,
  entriesOf,
  headersSchema,
  looseText,
  readPages,
  withSiteOperators,
} from './adapter.ts';
import { type FoundPage, searchAges, type SearchEngine } from '../../core/model/search-engine.ts';

/** Options of `searxng()`. */
export interface SearxngOptions {
  /** The URL of the instance: `http://localhost:8888`. Its settings must enable the format `json`. */
  readonly url: string | URL;
  /** The engines of the instance to ask: `['duckduckgo', 'wikipedia']`. @default those of the instance */
  readonly engines?: readonly string[] | undefined;
  /** Further headers, such as `authorization`. Messages never contain their values. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const mostPages = 10; // pages of results: an instance answers about 20 results a page

/**
 * A search engine over an instance of SearXNG. The network policy of the client holds: an instance on this machine
 * needs `network: { allow: ['localhost'] }`. It has no parameter for domains: `site:` operators are added to the
 * query, which most of its engines understand. `country` needs `language`.
 *
 * @example createClient({ search: searxng({ url: 'https://searx.example.org' }) });
 */
export function searxng(options: SearxngOptions): SearchEngine {
  const { url, engines, headers } = check('searxng', optionsSchema, options);
  const base = String(url).replace(/\/+$/, '');
  const endpoint = base.endsWith('/search') ? base : `${base}/search`;
  const name = 'searxng';
  const filters = ['country', 'language', 'since', 'domains', 'safeSearch'] as const;
  return {
    name,
    can: { web: filters, news: filters, images: filters },
    search: (query, request) => {
      const { source, country, language, since = '', safeSearch, fetchJson } = request;
      const isAge = searchAges.some((age) => age === since);
      return readPages(request, mostPages, async (page) => {
        const answer = await fetchJson({
          url: endpoint,
          headers,
          query: {
            q: withSiteOperators(query, request),
            format: 'json',
            categories: { web: 'general', news: 'news', images: 'images' }[source],
            engines: engines?.join(','),
            language: localeOf(language, country),
            time_range: isAge ? since : undefined,
            safesearch: safeSearch && { off: 0, moderate: 1, strict: 2 }[safeSearch],
            pageno: page + 1,
          },
        });
        return entriesOf(name, answer, ['results'], resultSchema).map(readResult);
      });
    },
  };
}

const optionsSchema = z.strictObject({
  url: endpointSchema,
  engines: z.array(z.string().min(1)).min(1).optional(),
  headers: headersSchema.register(redacted).optional(),
} satisfies Record<keyof SearxngOptions, z.ZodType>);

/** `de-CH`: the API has one parameter for both. */
function localeOf(language: string | undefined, country: string | undefined): string | undefined {
  if (country === undefined) return language;
  if (language !== undefined) return `${language.split('-', 1)[0]}-${country}`;
  const message = 'country: SearXNG needs a language with a country; set language too';
  throw new ValidationError('search', [{ path: ['country'], message }]);
}

const resultSchema = z.object({
  url: looseText,
  title: looseText,
  content: looseText,
  publishedDate: looseText,
  img_src: looseText,
  resolution: looseText,
});

function readResult({
  url,
  title,
  content,
  publishedDate,
  img_src: imageUrl,
  resolution = '',
}: z.output<typeof resultSchema>): FoundPage {
  const [, width, height] = /^(\d{1,6})\s*[x×]\s*(\d{1,6})/.exec(resolution) ?? [];
  return {
    url,
    title,
    description: content,
    publishedAt: publishedDate,
    imageUrl,
    ...(width === undefined ? {} : { imageWidth: Number(width), imageHeight: Number(height) }),
  };
}
