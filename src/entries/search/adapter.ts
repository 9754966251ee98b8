/** The parts that the adapters have in common: options, the entries of an answer, paging, and `site:` operators. */
import { z } from 'zod';
import { messageOf, PagewrightError } from '../../core/runtime/errors.ts';
import { headerName, headerValue } from '../../content/text/http-headers.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';
import type { FoundPage, SearchRequest } from '../../core/model/search-engine.ts';

/** The option `url`. The URL is not repeated in messages: it may contain a token. */
export const endpointSchema: z.ZodType<string | URL> = z.custom<string | URL>((value) => {
  const text = String(value);
  if (!canParseUrl(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search + hash === '';
}, 'expected an http or https URL without user name, password, query and fragment; headers can have the first two');

/** The option `apiKey`. */
export const keySchema: z.ZodType<string> = z.custom<string>(
  (value) => typeof value === 'string' && value !== '' && headerValue.test(value),
  'expected the key of the API as a text',
);

/** The option `headers`. */
export const headersSchema: z.ZodType<Record<string, string>> = z.record(
  z.string().regex(headerName, 'expected the name of a header'),
  z.string().regex(headerValue, 'expected the value of a header'),
);

/** The entries of an answer, by their path in it. Entries of another shape are left out. */
export function entriesOf<Entry extends z.ZodType>(
  engine: string,
  answer: unknown,
  path: readonly string[],
  entry: Entry,
): z.output<Entry>[] {
  let value = answer;
  for (const key of path) {
    value = recordSchema.safeParse(value).data?.[key];
  }
  // An engine that found nothing of a kind leaves the list out.
  if (value === undefined && recordSchema.safeParse(answer).success) return [];
  if (!Array.isArray(value)) {
    const message = `The search engine ${engine} returned JSON without a list "${path.join('.')}". Check its URL.`;
    throw new PagewrightError('SEARCH_FAILED', message);
  }
  return value.slice(0, mostEntries).flatMap((one: unknown) => {
    const { data } = entry.safeParse(one);
    return data === undefined ? [] : [data];
  });
}

const mostEntries = 500; // entries read of one answer

const recordSchema = z.record(z.string(), z.unknown());

/** A text that is left out where it is missing, null or of another type. */
export const looseText: z.ZodType<string | undefined> = z.string().optional().catch(undefined);

/** A number, likewise; texts such as `"640"` are numbers, too. */
export const looseNumber: z.ZodType<number | undefined> = z.coerce
  .number()
  .optional()
  .catch(undefined);

/**
 * Requests one page after another, until there are `limit` results or a page brings no new one. A later page that
 * fails ends the results, with a warning: engines limit the rate of requests, and the first pages have the best
 * results.
 */
export async function readPages(
  { limit, signal, warn }: Pick<SearchRequest, 'limit' | 'signal' | 'warn'>,
  mostPages: number,
  readPage: (page: number) => Promise<readonly FoundPage[]>,
): Promise<FoundPage[]> {
  const found = new Map<string, FoundPage>();
  for (let page = 0; page < mostPages && found.size < limit; page += 1) {
    const before = found.size;
    let results: readonly FoundPage[];
    try {
      results = await readPage(page);
    } catch (error) {
      if (page === 0 || signal.aborted) throw error;
      warn(`Only the first ${found.size} results were found: ${messageOf(error)}`);
      break;
    }
    for (const result of results) {
      const key = result.imageUrl ?? result.url;
      if (key !== undefined && !found.has(key)) found.set(key, result);
    }
    if (found.size === before) break;
  }
  return [...found.values()];
}

const longestQuery = 400; // characters that all engines take

/**
 * The query with `site:` operators for the domains, for an engine that has no parameter for them. Too many domains
 * are left out: the results are filtered afterwards anyway.
 */
export function withSiteOperators(
  query: string,
  { includeDomains, excludeDomains }: Pick<SearchRequest, 'includeDomains' | 'excludeDomains'>,
): string {
  const included = includeDomains.map((domain) => `site:${domain}`).join(' OR ');
  const group = includeDomains.length > 1 ? `(${included})` : included;
  const parts = [query, group, ...excludeDomains.map((domain) => `-site:${domain}`)];
  const text = parts.filter((part) => part !== '').join(' ');
  return text.length <= longestQuery ? text : query;
}

/** `since` as a date: `2026-03-01`. */
export function sinceDate({
  since,
  now,
}: Pick<SearchRequest, 'since' | 'now'>): string | undefined {
  const days = { day: 1, week: 7, month: 31, year: 365 }[since ?? ''];
  if (days === undefined) return since;
  return isoDay(now - days * 24 * 60 * 60 * 1000);
}

/** `2026-03-01`, in UTC. */
export function isoDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
