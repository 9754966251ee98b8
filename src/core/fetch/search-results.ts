/** Cleans the results of a search engine, which are not trusted: addresses, texts, dates, duplicates, domains. */
import { oneLine, withoutInvisible } from '../../content/text/plain-text.ts';
import { fingerprint } from '../url/fingerprint.ts';
import { normalizeUrl, resolveLink } from '../url/normalize-url.ts';
import type { FoundPage, SearchRequest } from '../model/search-engine.ts';

const limits = {
  longestUrl: 4_000, // characters
  longestTitle: 300, // characters
  longestDescription: 2_000, // characters
};

/** A page or a piece of news. */
export interface PageHit {
  /** Absolute, http or https, normalised, without credentials. */
  readonly url: string;
  /** Plain text; the URL where the engine has no title. */
  readonly title: string;
  /** The engine's passage or summary of the page, as plain text. Empty where it has none. */
  readonly description: string;
  /** ISO 8601. */
  readonly publishedAt?: string;
  /** The place among the results, from 1. */
  readonly position: number;
}

/** A picture. */
export interface ImageHit {
  readonly imageUrl: string;
  /** The page that shows it, where the engine says so. */
  readonly url?: string;
  readonly title: string;
  /** Pixels. */
  readonly imageWidth?: number;
  readonly imageHeight?: number;
  /** The place among the results, from 1. */
  readonly position: number;
}

/** The rules for results. */
type ResultRules = Pick<SearchRequest, 'limit' | 'includeDomains' | 'excludeDomains'>;

/** Unique pages, at most `limit`. */
export function cleanPages(found: readonly FoundPage[], rules: ResultRules): PageHit[] {
  const hits: PageHit[] = [];
  for (const { page, url } of eachOnce(found, rules, ({ url }) => url)) {
    const publishedAt = isoTime(page.publishedAt);
    hits.push({
      url,
      title: plainText(page.title, limits.longestTitle) || url,
      description: plainText(page.description, limits.longestDescription),
      ...(publishedAt === undefined ? {} : { publishedAt }),
      position: hits.length + 1,
    });
  }
  return hits;
}

/** Unique pictures, at most `limit`. Domains are those of the page, or else of the picture. */
export function cleanImages(found: readonly FoundPage[], rules: ResultRules): ImageHit[] {
  const hits: ImageHit[] = [];
  for (const { page, url: imageUrl } of eachOnce(found, rules, ({ imageUrl }) => imageUrl)) {
    const url = safeUrl(page.url);
    const imageWidth = pixels(page.imageWidth);
    const imageHeight = pixels(page.imageHeight);
    hits.push({
      imageUrl,
      ...(url === undefined ? {} : { url }),
      title: plainText(page.title, limits.longestTitle) || imageUrl,
      ...(imageWidth === undefined ? {} : { imageWidth }),
      ...(imageHeight === undefined ? {} : { imageHeight }),
      position: hits.length + 1,
    });
  }
  return hits;
}

/** The results with usable URLs of requested domains, each once, `limit` at most. */
function* eachOnce(
  found: readonly FoundPage[],
  { limit, includeDomains, excludeDomains }: ResultRules,
  urlOf: (page: FoundPage) => unknown,
): Generator<{ readonly page: FoundPage; readonly url: string }, void, undefined> {
  const seen = new Set<string>();
  for (const page of found) {
    if (seen.size >= limit) return;
    const url = safeUrl(urlOf(page));
    if (url === undefined) continue;
    const { hostname } = new URL(safeUrl(page.url) ?? url);
    const isIn = (domain: string): boolean =>
      hostname === domain || hostname.endsWith(`.${domain}`);
    if (includeDomains.length > 0 && !includeDomains.some(isIn)) continue;
    if (excludeDomains.some(isIn)) continue;
    const key = fingerprint(url, { ignoreQueryParameters: false, deduplicateSimilarURLs: true });
    if (seen.has(key)) continue;
    seen.add(key);
    yield { page, url };
  }
}

/** Undefined for anything but an absolute http or https URL. */
function safeUrl(given: unknown): string | undefined {
  if (typeof given !== 'string' || given.length > limits.longestUrl) return undefined;
  // A relative URL has no base here.
  if (!/^\s*https?:\/\//i.test(given)) return undefined;
  const url = resolveLink(given, 'about:blank');
  return url === undefined || url.hostname === '' ? undefined : normalizeUrl(url, {});
}

/** Engines mark words of the query with tags. */
function plainText(given: unknown, longest: number): string {
  if (typeof given !== 'string') return '';
  const text = given
    .slice(0, longest * 4)
    .replace(/<\/?[a-z][^<>]{0,1000}>/gi, '')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,5}));/gi, characterOf);
  const line = oneLine(withoutInvisible(text));
  if (line.length <= longest) return line;
  return `${line.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function characterOf(
  reference: string,
  decimal: string | undefined,
  hexadecimal: string | undefined,
  name: string | undefined,
): string {
  if (name !== undefined) return characters[name.toLowerCase()] ?? reference;
  const code = Number.parseInt(decimal ?? hexadecimal ?? '', decimal === undefined ? 16 : 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : reference;
}

const characters: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** The time zones that `Date.parse` knows; without one it reads most forms as local time. */
const zone = /\dz$|\b(?:gmt|utc?|[ecmp][sd]t)\b|:\d\d(?:\.\d+)? ?[+-]\d/i;

function isoTime(given: unknown): string | undefined {
  if (typeof given !== 'string' || given.length > 100) return undefined;
  const suffix = zone.test(given) ? '' : /\dT\d/.test(given) ? 'Z' : ' UTC';
  const time = Date.parse(`${given}${suffix}`);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

function pixels(given: unknown): number | undefined {
  return Number.isInteger(given) && Number(given) > 0 ? Number(given) : undefined;
}
