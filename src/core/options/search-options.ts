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
import { type Input, list, option, type Output, schemaOf, split } from '../checks/option.ts';
import { optionHints } from './option-hints.ts';
import {
  type PageSettings,
  parseScrapeOptions,
  type ScrapeDefaults,
  scrapeOptionNames,
  type ScrapeOptions,
} from './scrape-options.ts';
import { durationSchema } from '../checks/duration.ts';

const defaultTimeout = 30_000;

const domainSchema = z
  .string()
  .transform((text) => domainOf(text))
  .refine((domain) => domain !== '', 'expected a host name such as "example.com"');

const domains = list(domainSchema, 100).default([]);

/** Options about the search itself, which `extract({ search })` has too. */
export const queryRows = {
  /** The search engine, or a function in its place. @default the engine of `createClient({ search })` */
  // Checked by readSearchEngine.
  engine: option(z.custom<SearchEngineChoice>()),
  /** The most results, 1 to 100; for `search()` of each kind of results. @default 5 */
  limit: option(z.int().min(1).max(100).default(5), {
    cli: '<count> maximum results of each source (default: 5)',
  }),
  /** Results for people in this country: an ISO 3166-1 alpha-2 code. */
  country: option(
    z
      .string()
      .superRefine((country, context) => {
        const message = countryProblem(country);
        if (message !== undefined) context.addIssue({ code: 'custom', message });
      })
      .transform((country) => country.toUpperCase()),
    { cli: '<code> results for people in this country, such as DE' },
  ),
  /** Results in this language: a BCP 47 tag, such as `de` or `pt-BR`. */
  language: option(
    z.string().refine(isLanguage, 'expected a BCP 47 tag, such as "de" or "pt-BR"'),
    { cli: '<tag> results in this language, such as de' },
  ),
  /** Pages published in the last `day`, `week`, `month` or `year`, or since a date (`2026-03-01`). */
  since: option(
    z.union([
      z.enum(searchAges),
      z.date().transform((date) => date.toISOString().slice(0, 10)),
      z.iso.date(),
    ]),
    { cli: '<age> published in the last day, week, month or year, or since a date' },
  ),
  /** Only results of these hosts and their subdomains: `['example.com']`. */
  includeDomains: option(domains, { cli: '<host,…> only results of these hosts' }),
  /** No results of these hosts and their subdomains. */
  excludeDomains: option(domains, { cli: '<host,…> no results of these hosts' }),
  /** Leave out adult content. @default the engine's own */
  safeSearch: option(z.enum(['off', 'moderate', 'strict']), {
    cli: '<level> leave out adult content',
  }),
};

export const searchRows = {
  /** The kinds of results. One that the engine lacks is refused with `BAD_REQUEST`. @default ['web'] */
  sources: option<readonly SearchSource[], readonly SearchSource[] | undefined>(
    z.array(z.enum(searchSources)).min(1).default(['web']),
    { cli: '--source <name,…> web, news, images (default: web)' },
  ),
  /** Milliseconds for the answers of the engine. Pages have `scrape.timeout`. @default 30000 */
  timeout: option(durationSchema(1).default(defaultTimeout), {
    cli: '<time> time limit for the search (default: 30s)',
  }),
  /** Rejects the call: with `CANCELLED`, or `TIMEOUT` for `AbortSignal.timeout()`. */
  signal: option(z.instanceof(AbortSignal)),
};

/** Options of `search()`. What the engine cannot do is in the `warning` of the result. */
export interface SearchOptions<
  Inputs extends readonly FormatInput<Custom>[] = readonly FormatInput[],
  Custom extends readonly Format[] = readonly [],
>
  extends Input<typeof queryRows>, Input<typeof searchRows> {
  /**
   * Scrape the pages found, side by side; the options are those of `scrape()`. Each hit has its `document` or its
   * `error`. Of `headers` only those that describe the wanted page are sent. @default false
   */
  readonly scrape?: boolean | Omit<ScrapeOptions<Inputs, Custom>, 'signal'> | undefined;
}

const wordsRow = {
  /** The query. @default the `prompt` */
  query: option(z.string()),
};

/** The pages that `extract({ search })` reads. */
export interface ExtractSearchOptions extends Input<typeof queryRows>, Input<typeof wordsRow> {}

const extractSearchSchema = schemaOf({ ...queryRows, ...wordsRow });

const searchSchema = schemaOf({
  ...queryRows,
  ...searchRows,
  // Checked as in scrape().
  scrape: option(z.union([z.boolean(), z.looseObject({})]).default(false)),
});

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
  const { scrape, sources, timeout, signal } = given;
  const page =
    scrape === false
      ? undefined
      : parseScrapeOptions(
          { ...(scrape === true ? {} : scrape), signal },
          defaults,
          'search scrape',
        );
  return {
    ...queryOf('search', query, split(given, queryRows)[0], defaults),
    sources: [...new Set(sources)],
    page,
    timeout,
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

/** The host name, `*.` and letters of other scripts as ASCII; empty for other texts. */
function domainOf(text: string): string {
  const name = text.trim().replace(/^\*?\./, '');
  const isName = /^[^\s/:?#@%\\[\]*"'()]{1,253}$/.test(name) && canParseUrl(`http://${name}`);
  return isName ? new URL(`http://${name}`).hostname : '';
}

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
  given: Output<typeof queryRows>,
  { searchEngine }: SearchDefaults,
): Omit<SearchSettings, 'sources' | 'page' | 'timeout' | 'signal'> {
  const path = subject === 'search' ? ['query'] : ['search', 'query'];
  const at = subject === 'search' ? ['engine'] : ['search', 'engine'];
  if (typeof query !== 'string' || !/[\p{L}\p{N}]/u.test(query) || query.length > longestQuery) {
    const message = `${path.join('.')}: expected words, ${longestQuery} characters at most`;
    throw new ValidationError(subject, [{ path, message }]);
  }
  const { engine: choice, ...filters } = given;
  const engine = choice === undefined ? searchEngine : readSearchEngine(choice, subject, at);
  if (engine === undefined) {
    const message = `${at.join('.')}: no search engine is configured: pass createClient({ search: searxng({ url }) }), braveSearch(), tavily(), exa() or a function; or give engine to the call`;
    throw new ValidationError(subject, [{ path: at, message }]);
  }
  return { ...filters, query: query.trim(), engine };
}

// Options of an index.

const indexRows = {
  /** Rejects the call: with `CANCELLED`, or `TIMEOUT` for `AbortSignal.timeout()`. */
  signal: option(z.instanceof(AbortSignal)),
};

/** Options of `client.index()`. */
export interface IndexOptions extends Input<typeof indexRows> {}

/** Checks them; throws `ValidationError`. */
export function parseIndexOptions(options: unknown): IndexOptions {
  return check('index', schemaOf(indexRows), options ?? {});
}
