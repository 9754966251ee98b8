/** Defaults of a client: the options that its calls take where they do not say otherwise. */
import { z } from 'zod';
import { ValidationError } from '../runtime/errors.ts';
import type { Format } from '../../content/formats/format.ts';
import type { FormatInput } from '../../content/formats/index.ts';
import { plainHeaders } from '../http/network/credentials.ts';
import { type BatchOptions, parseBatchOptions } from './batch-options.ts';
import { type CrawlOptions, parseCrawlOptions } from './crawl-options.ts';
import { type ExtractOptions, extractPageRows, parseExtractOptions } from './extract-options.ts';
import { type MapOptions, mapPageRows, parseMapOptions } from './map-options.ts';
import { split, takenBy } from '../checks/option.ts';
import {
  pageRows,
  parseScrapeOptions,
  type ScrapeDefaults,
  scrapeOptionNames,
  type ScrapeOptions,
} from './scrape-options.ts';

/**
 * Options that the calls of a client take where they do not say otherwise. An option of a call replaces the default
 * of the same name as a whole; one that is undefined counts as not given.
 */
export interface ClientDefaults<
  Custom extends readonly Format[] = readonly Format[],
  Inputs extends readonly FormatInput<Custom>[] = readonly FormatInput<Custom>[],
> {
  /**
   * Options of every page, whichever call reads it: `scrape`, `batchScrape`, the `scrapeOptions` of `crawl`, `plan`
   * and `submit`, the `scrape` of `search`; of `extract`, `map` and `changes` the ones that they take; of `parse` and `{ html }` the ones that are
   * not about the request. `formats` give all documents of the client their type.
   */
  readonly scrape?: Omit<ScrapeOptions<Inputs, Custom>, 'signal'> | undefined;
  /** Options of `crawl`, `plan` and `submit`. Those of the pages are in `scrape`. */
  readonly crawl?: Omit<CrawlOptions, 'scrapeOptions' | 'hooks' | 'since' | 'signal'> | undefined;
  /** Options of `batchScrape`. Those of the pages are in `scrape`. */
  readonly batchScrape?: Omit<BatchOptions, keyof ScrapeOptions> | undefined;
  /** Options of `map`. */
  readonly map?: Omit<MapOptions, 'signal'> | undefined;
  /** Options of `extract`. Those of the pages are in `scrape`. */
  readonly extract?:
    | Omit<
        ExtractOptions,
        | 'urls'
        | 'search'
        | 'schema'
        | 'prompt'
        | 'onPartial'
        | 'provenance'
        | 'scrapeOptions'
        | 'signal'
      >
    | undefined;
}

/** The verbs that have defaults. */
type CallName = keyof ClientDefaults;

type CallOptions = Readonly<Record<string, unknown>>;

/** Defaults as they were given. */
type GivenDefaults = { readonly [Name in CallName]?: CallOptions | undefined };

/** Checked defaults, by verb. */
export type CallDefaults = Readonly<Record<CallName, CallOptions>>;

const verbSchema = z.looseObject({}).optional();

/** The option `defaults`; what is in each verb is checked by `parseDefaults`. */
export const defaultsSchema: z.ZodType<GivenDefaults> = z.strictObject({
  scrape: verbSchema,
  crawl: verbSchema,
  batchScrape: verbSchema,
  map: verbSchema,
  extract: verbSchema,
} satisfies Record<CallName, z.ZodType>);

const ofEachCall = 'pass it to each call';
const ofPages = 'write it in defaults.scrape';

/** Options of a verb that are no defaults, and what to do instead. */
const refused: Readonly<Record<CallName, Readonly<Record<string, string>>>> = {
  scrape: { signal: ofEachCall, method: ofEachCall, body: ofEachCall },
  crawl: {
    scrapeOptions: ofPages,
    hooks: 'write createClient({ hooks })',
    since: ofEachCall,
    signal: ofEachCall,
  },
  batchScrape: {
    ...Object.fromEntries(scrapeOptionNames.map((name) => [name, ofPages])),
    signal: ofEachCall,
  },
  map: { signal: ofEachCall },
  extract: {
    scrapeOptions: ofPages,
    ...Object.fromEntries(
      ['urls', 'search', 'schema', 'prompt', 'onPartial', 'provenance', 'signal'].map((name) => [
        name,
        ofEachCall,
      ]),
    ),
  },
};

/** Checks the defaults as their calls do; throws `ValidationError` with paths that begin with `defaults`. */
export function parseDefaults(
  subject: string,
  client: ScrapeDefaults,
  given: GivenDefaults = {},
): CallDefaults {
  const { scrape = {}, crawl = {}, batchScrape = {}, map = {}, extract = {} } = given;
  // Checked at once, and never asked for.
  const url = 'https://example.com/';
  const checks: Readonly<Record<CallName, () => unknown>> = {
    scrape: () => parseScrapeOptions(scrape, client),
    crawl: () => parseCrawlOptions(url, crawl, client),
    batchScrape: () => parseBatchOptions(batchScrape, client),
    map: () => parseMapOptions(url, map, client),
    extract: () => parseExtractOptions({ schema: {}, ...extract, urls: [url] }, client),
  };
  const defaults: CallDefaults = {
    scrape: { ...scrape },
    crawl: { ...crawl },
    batchScrape: { ...batchScrape },
    map: { ...map },
    extract: { ...extract },
  };
  for (const [verb, check] of Object.entries(checks) as [CallName, () => unknown][]) {
    const at = ['defaults', verb] as const;
    const wrong = Object.keys(defaults[verb]).find((name) => Object.hasOwn(refused[verb], name));
    if (wrong !== undefined) {
      const message = `${at.join('.')}.${wrong}: it is no default; ${refused[verb][wrong]}`;
      throw new ValidationError(subject, [{ path: [...at, wrong], message }]);
    }
    try {
      check();
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      const issues = error.issues.map(({ path, message }) => ({
        path: [...at, ...path],
        message,
      }));
      throw new ValidationError(`${subject}: ${at.join('.')}`, issues);
    }
  }
  return defaults;
}

/** The defaults of a client that extends another one: those of both, by option. */
export function mergeDefaults(
  first: GivenDefaults = {},
  second: GivenDefaults = {},
): GivenDefaults {
  const verbs = new Set([...Object.keys(first), ...Object.keys(second)]) as Set<CallName>;
  return Object.fromEntries(
    [...verbs].map((verb) => [verb, overDefaults(first[verb] ?? {}, second[verb])]),
  );
}

/**
 * Defaults for URLs that the caller has not written, such as those of an agent's model: without headers that are for
 * one server only. What is no object is left to the check.
 */
export function defaultsForAnyHost<Defaults extends GivenDefaults>(defaults: Defaults): Defaults {
  const { scrape, map } = defaults;
  const anywhere = <Of extends CallOptions | undefined>(options: Of): Of => {
    const headers = options?.['headers'];
    return isOptions(headers) ? { ...options, headers: plainHeaders(headers as Headers) } : options;
  };
  return {
    ...defaults,
    ...(scrape === undefined ? {} : { scrape: anywhere(scrape) }),
    ...(map === undefined ? {} : { map: anywhere(map) }),
  };
}

type Headers = Readonly<Record<string, string>>;

// The options of a call over the defaults.

/** The options of `scrape()`; of those of content that the caller brings only what is not about a request. */
export function scrapeOptionsOf(
  { scrape }: CallDefaults,
  given: unknown,
  hasPage: boolean,
): unknown {
  return overDefaults(hasPage ? scrape : split(scrape, contentOptions)[0], given);
}

/** The options of `crawl()`. */
export function crawlOptionsOf({ scrape, crawl }: CallDefaults, given: unknown): unknown {
  return overPageDefaults(scrape, overDefaults(crawl, given));
}

/** The options of `batchScrape()`. */
export function batchOptionsOf({ scrape, batchScrape }: CallDefaults, given: unknown): unknown {
  return overDefaults({ ...scrape, ...batchScrape }, given);
}

/**
 * The options of `resume()`: the job has its options, with the defaults that it was started with. Where
 * `scrapeOptions` are given again, because they cannot be stored, they are those of the start.
 */
export function resumeOptionsOf({ scrape }: CallDefaults, given: unknown): unknown {
  const hasPages = isOptions(given) && given['scrapeOptions'] !== undefined;
  return hasPages ? overPageDefaults(scrape, given) : given;
}

/** The options of `map()`. */
export function mapOptionsOf({ scrape, map }: CallDefaults, given: unknown): unknown {
  return overDefaults({ ...split(scrape, mapPageRows)[0], ...map }, given);
}

/** The options of `extract()`. */
export function extractOptionsOf({ scrape, extract }: CallDefaults, given: unknown): unknown {
  return overPageDefaults(split(scrape, extractPageRows)[0], overDefaults(extract, given));
}

/** The options of `search()`; those of the pages where it scrapes them. */
export function searchOptionsOf({ scrape }: CallDefaults, given: unknown): unknown {
  if (!isOptions(given)) return given;
  const { scrape: pages } = given;
  const own = overDefaults({}, given) as CallOptions;
  return pages ? { ...own, scrape: overDefaults(scrape, pages === true ? {} : pages) } : own;
}

/** The options of `changes()`: histories are kept apart by how their pages are requested. */
export function changesOptionsOf({ scrape }: CallDefaults, given: unknown): unknown {
  const pages = split(scrape, takenBy('changes', pageRows))[0];
  return overPageDefaults(pages, overDefaults({}, given));
}

const contentOptions = { formats: true, ...takenBy('parse', pageRows) };

/** The options of a call whose `scrapeOptions`, an object or a function of the URL, are over `pages`. */
function overPageDefaults(pages: CallOptions, given: unknown): unknown {
  if (Object.keys(pages).length === 0 || !isOptions(given ?? {})) return given;
  const { scrapeOptions, ...others } = (given ?? {}) as { readonly scrapeOptions?: unknown };
  if (typeof scrapeOptions !== 'function') {
    return { ...others, scrapeOptions: overDefaults(pages, scrapeOptions) };
  }
  // The function alone knows which hosts may have credentials.
  const { headers = {}, zeroDataRetention } = pages as ScrapeOptions;
  if (zeroDataRetention === true) {
    const message =
      'scrapeOptions: zeroDataRetention, a default of this client, applies to the whole crawl: pass an object instead of a function';
    throw new ValidationError('crawl', [{ path: ['scrapeOptions'], message }]);
  }
  const anywhere = { ...pages, headers: plainHeaders(headers) };
  const ofUrl = scrapeOptions as (url: string) => unknown;
  return { ...others, scrapeOptions: (url: string) => overDefaults(anywhere, ofUrl(url)) };
}

/** A copy of the options over the defaults. Values that are not objects are left to the call's check. */
function overDefaults(defaults: CallOptions, given: unknown): unknown {
  if (!isOptions(given ?? {})) return given;
  const chosen: Record<string, unknown> = { ...defaults };
  const options = (given ?? {}) as CallOptions;
  // Inherited members too: an object that is no options has unknown ones, and is refused.
  for (const name in options) {
    const value = options[name];
    if (value !== undefined || !Object.hasOwn(defaults, name)) chosen[name] = value;
  }
  return chosen;
}

/** A copy of URLs, plain objects and arrays, to be read after the call has returned. */
export function ownCopy(value: unknown, levels = 4): unknown {
  if (value instanceof URL) return new URL(value);
  if (levels === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => ownCopy(one, levels - 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, ownCopy(member, levels - 1)]),
  );
}

function isOptions(given: unknown): given is CallOptions {
  return (
    typeof given === 'object' &&
    given !== null &&
    !Array.isArray(given) &&
    !(given instanceof Promise)
  );
}
