/** Options of `search()`: types, defaults and checks. */
import { z } from 'zod';
import { ValidationError } from '../runtime/errors.ts';
import type { Format } from '../../content/formats/format.ts';
import type { FormatInput } from '../../content/formats/index.ts';
import {
  readSearchEngine,
  searchAges,
  type SearchEngine,
  type SearchEngineChoice,
  type SearchRequest,
  type SearchSource,
  searchSources,
} from '../model/search-engine.ts';
import { check } from '../checks/check.ts';
import { countryProblem } from '../checks/country-facts.ts';
import { canParseUrl } from '../url/normalize-url.ts';
import { optionHints } from './option-hints.ts';
import {
  type PageSettings,
  parseScrapeOptions,
  type ScrapeDefaults,
  scrapeOptionNames,
  type ScrapeOptions,
} from './scrape-options.ts';
import { type Duration, durationSchema } from '../checks/duration.ts';

/** Options about the search itself, which `extract({ search })` has too. */
interface QueryOptions {
  /** The search engine, or a function in its place. @default the engine of `createClient({ search })` */
  readonly engine?: SearchEngineChoice | undefined;
  /** The most results, 1 to 100; for `search()` of each kind of results. @default 5 */
  readonly limit?: number | undefined;
  /** Results for people in this country: an ISO 3166-1 alpha-2 code. */
  readonly country?: string | undefined;
  /** Results in this language: a BCP 47 tag, such as `de` or `pt-BR`. */
  readonly language?: string | undefined;
  /** Pages published in the last `day`, `week`, `month` or `year`, or since a date (`2026-03-01`). */
  readonly since?: Date | string | undefined;
  /** Only results of these hosts and their subdomains: `['example.com']`. */
  readonly includeDomains?: readonly string[] | undefined;
  /** No results of these hosts and their subdomains. */
  readonly excludeDomains?: readonly string[] | undefined;
  /** Leave out adult content. @default the engine's own */
  readonly safeSearch?: 'off' | 'moderate' | 'strict' | undefined;
}

/** Options of `search()`. What the engine cannot do is in the `warning` of the result. */
export interface SearchOptions<
  Inputs extends readonly FormatInput<Custom>[] = readonly FormatInput[],
  Custom extends readonly Format[] = readonly [],
> extends QueryOptions {
  /** The kinds of results. One that the engine lacks is refused with `BAD_REQUEST`. @default ['web'] */
  readonly sources?: readonly SearchSource[] | undefined;
  /**
   * Scrape the pages found, side by side; the options are those of `scrape()`. Each hit has its `document` or its
   * `error`. Of `headers` only those that describe the wanted page are sent. @default false
   */
  readonly scrape?: boolean | Omit<ScrapeOptions<Inputs, Custom>, 'signal'> | undefined;
  /** Milliseconds for the answers of the engine. Pages have `scrape.timeout`. @default 30000 */
  readonly timeout?: Duration | undefined;
  /** Rejects the call: with `CANCELLED`, or `TIMEOUT` for `AbortSignal.timeout()`. */
  readonly signal?: AbortSignal | undefined;
}

/** The pages that `extract({ search })` reads. */
export interface ExtractSearchOptions extends QueryOptions {
  /** The query. @default the `prompt` */
  readonly query?: string | undefined;
}

/** Checked options of a search. */
export interface SearchSettings extends Omit<
  SearchRequest,
  'source' | 'signal' | 'now' | 'fetchJson' | 'warn'
> {
  readonly query: string;
  readonly engine: SearchEngine;
  readonly sources: readonly SearchSource[];
  /** Undefined: pages are not scraped. */
  readonly page: PageSettings | undefined;
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
}

/** What the client has for a search. */
export type SearchDefaults = ScrapeDefaults & { readonly searchEngine?: SearchEngine | undefined };

/** Checks the arguments of `search()`. */
export function parseSearchOptions(
  query: unknown,
  options: unknown,
  defaults: SearchDefaults,
): SearchSettings {
  const given = check('search', searchSchema, options ?? {}, {
    hintFor: optionHints('search()', { all: scrapeOptionNames, taken: [] }),
  });
  const { scrape = false, sources = ['web'], signal } = given;
  const page =
    scrape === false
      ? undefined
      : parseScrapeOptions(
          { ...(scrape === true ? {} : scrape), signal },
          defaults,
          'search scrape',
        );
  return {
    ...queryOf('search', query, given, defaults),
    sources: [...new Set(sources)],
    page,
    timeout: given.timeout ?? defaultTimeout,
    signal,
  };
}

/** Checks `extract({ search })`, whose query is the prompt where it has none. */
export function parseExtractSearch(
  options: unknown,
  prompt: unknown,
  defaults: SearchDefaults,
): SearchSettings {
  const { query = prompt, ...given } = check('extract', extractSearchSchema, options ?? {}, {
    at: ['search'],
  });
  return {
    ...queryOf('extract', query, given, defaults),
    sources: ['web'],
    page: undefined,
    timeout: defaultTimeout,
    signal: undefined,
  };
}

const defaultTimeout = 30_000;

const domainSchema = z
  .string()
  .transform((text) => domainOf(text))
  .refine((domain) => domain !== '', 'expected a host name such as "example.com"');

/** The host name, `*.` and letters of other scripts as ASCII; empty for other texts. */
function domainOf(text: string): string {
  const name = text.trim().replace(/^\*?\./, '');
  const isName = /^[^\s/:?#@%\\[\]*"'()]{1,253}$/.test(name) && canParseUrl(`http://${name}`);
  return isName ? new URL(`http://${name}`).hostname : '';
}

const domainsSchema = z.array(domainSchema).max(100).optional();

const querySchema = {
  // Checked by readSearchEngine.
  engine: z.custom<SearchEngineChoice>().optional(),
  limit: z.int().min(1).max(100).optional(),
  country: z
    .string()
    .superRefine((country, context) => {
      const message = countryProblem(country);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .transform((country) => country.toUpperCase())
    .optional(),
  language: z
    .string()
    .refine(isLanguage, 'expected a BCP 47 tag, such as "de" or "pt-BR"')
    .optional(),
  since: z
    .union([
      z.enum(searchAges),
      z.date().transform((date) => date.toISOString().slice(0, 10)),
      z.iso.date(),
    ])
    .optional(),
  includeDomains: domainsSchema,
  excludeDomains: domainsSchema,
  safeSearch: z.enum(['off', 'moderate', 'strict']).optional(),
} satisfies Record<keyof QueryOptions, z.ZodType>;

const searchSchema = z.strictObject({
  ...querySchema,
  sources: z.array(z.enum(searchSources)).min(1).optional(),
  // Checked as in scrape().
  scrape: z.union([z.boolean(), z.looseObject({})]).optional(),
  timeout: durationSchema(1).optional(),
  signal: z.instanceof(AbortSignal).optional(),
} satisfies Record<keyof SearchOptions, z.ZodType>);

const extractSearchSchema = z.strictObject({
  ...querySchema,
  query: z.string().optional(),
} satisfies Record<keyof ExtractSearchOptions, z.ZodType>);

function isLanguage(tag: string): boolean {
  try {
    return new Intl.Locale(tag).language !== 'und';
  } catch {
    return false;
  }
}

/** The longest query, in characters; engines take a few hundred. */
const longestQuery = 2_000;

function queryOf(
  subject: 'search' | 'extract',
  query: unknown,
  given: Omit<z.output<typeof extractSearchSchema>, 'query'>,
  { searchEngine }: SearchDefaults,
): Omit<SearchSettings, 'sources' | 'page' | 'timeout' | 'signal'> {
  const path = subject === 'search' ? ['query'] : ['search', 'query'];
  const at = subject === 'search' ? ['engine'] : ['search', 'engine'];
  if (typeof query !== 'string' || !/[\p{L}\p{N}]/u.test(query) || query.length > longestQuery) {
    const message = `${path.join('.')}: expected words, ${longestQuery} characters at most`;
    throw new ValidationError(subject, [{ path, message }]);
  }
  const { engine: choice, country, language, since, safeSearch } = given;
  const engine = choice === undefined ? searchEngine : readSearchEngine(choice, subject, at);
  if (engine === undefined) {
    const message = `${at.join('.')}: no search engine is configured: pass createClient({ search: searxng({ url }) }), braveSearch(), tavily(), exa() or a function; or give engine to the call`;
    throw new ValidationError(subject, [{ path: at, message }]);
  }
  return {
    query: query.trim(),
    engine,
    limit: given.limit ?? 5,
    country,
    language,
    since,
    safeSearch,
    includeDomains: given.includeDomains ?? [],
    excludeDomains: given.excludeDomains ?? [],
  };
}

// Options of an index.

/** Options of `client.index()`. */
export interface IndexOptions {
  /** Rejects the call: with `CANCELLED`, or `TIMEOUT` for `AbortSignal.timeout()`. */
  readonly signal?: AbortSignal | undefined;
}

const indexSchema = z.strictObject({
  signal: z.instanceof(AbortSignal).optional(),
} satisfies Record<keyof IndexOptions, z.ZodType>);

/** Checks them; throws `ValidationError`. */
export function parseIndexOptions(options: unknown): IndexOptions {
  return check('index', indexSchema, options ?? {});
}
