/** Walks the sitemaps of a site, from the first files down to the last entry. */
import PQueue from 'p-queue';
import { withSignal } from '../../runtime/deadline.ts';
import { fingerprint } from '../../url/fingerprint.ts';
import { registrableDomain } from '../../url/registrable-domain.ts';
import { parseSitemap, readSitemap } from './parse-sitemap.ts';
import type { SitemapContent, SitemapUrl } from './sitemap-readers.ts';

export { parseSitemap, type SitemapContent };

/** One page listed in a sitemap. */
export interface SitemapEntry extends SitemapUrl {
  /** The sitemap with this entry. */
  readonly sitemap: string;
}

/** A sitemap, or a part of one, that could not be read. */
export interface SitemapWarning {
  /** A sentence that names the sitemap. */
  readonly warning: string;
  /** The sitemap. */
  readonly sitemap: string;
}

/** Options of a walk. */
export interface SitemapWalk {
  /** The most files fetched; others are a warning. */
  readonly maxSitemaps: number;
  /** Ends the walk with the signal's reason. */
  readonly signal: AbortSignal;
  /** Guessed start URLs: an empty file, a web page or other text there is not a warning. */
  readonly optional?: ReadonlySet<string>;
  /** The needed part of the walk. @default everything */
  readonly need?: SitemapNeed | undefined;
}

/** The needed part of a walk; it may change while the walk goes on. */
export interface SitemapNeed {
  /** Files that may still be fetched; others are a warning. */
  files: number;
  /** The reason for the limit. */
  rule: string;
}

/** Fetches one file, redirects included; rejects when there is no response. */
export type FetchSitemap = (url: string) => Promise<{
  readonly statusCode: number;
  readonly body: Uint8Array;
  /** The final URL. */
  readonly url: string;
  /** True when the body ended early. */
  readonly isCut?: boolean | undefined;
}>;

/**
 * Yields the entries of all sitemaps in the order of the documents, an index's children in its position, whatever the
 * timing. Each sitemap is read once, so loops end; entries may repeat, and may be of any host: the consumer decides.
 * The children of an index are read if they are on the site of the index or of a start, as in sitemaps.org, down to
 * five levels.
 *
 * Unreadable parts are warnings. Up to four files are fetched ahead of the consumer and held as bytes; no file is
 * fetched after it stops.
 */
export async function* walkSitemaps(
  starts: readonly string[],
  fetchBytes: FetchSitemap,
  options: SitemapWalk,
): AsyncGenerator<SitemapEntry | SitemapWarning, void, undefined> {
  const { signal, optional } = options;
  const fetches = new PQueue({ concurrency: lookahead });
  const fetch = (url: string): Promise<SitemapFile> =>
    fetches.add(() => fetchSitemap(url, fetchBytes));
  const route = new SitemapRoute({ ...options, fetch });
  const startSites = starts.map(siteOf);
  const read = new Set<string>();
  try {
    signal.throwIfAborted();
    route.enter(starts, 0);
    for (let visit = route.next(); visit !== undefined; visit = route.next()) {
      const { url, depth } = visit;
      const file = await withSignal(visit.file, signal);
      // Two URLs may redirect to one file.
      const key = keyOf(file.finalUrl);
      if (read.has(key)) continue;
      read.add(key);
      route.known.add(key);
      const sites = new Set([...startSites, siteOf(file.finalUrl)]);
      const children = new Set<string>();
      const foreign = new Set<string>();
      const warnings: string[] = [];
      let { isAbsent } = file;
      for await (const part of file.parts) {
        signal.throwIfAborted();
        for (const entry of part.urls) yield { ...entry, sitemap: url };
        for (const child of part.sitemaps) {
          (sites.has(siteOf(child.url)) ? children : foreign).add(child.url);
        }
        warnings.push(...part.warnings);
        isAbsent ||= part.isAbsent === true;
      }
      const [first] = foreign;
      if (first !== undefined) {
        warnings.push(
          `${foreign.size} sitemaps of other sites were not read, the first is ${first}`,
        );
      }
      const isNoNews = isAbsent && optional?.has(url) === true;
      if (!isNoNews) for (const warning of warnings) yield warningOf(url, warning);
      route.enter(children, depth + 1);
      signal.throwIfAborted();
    }
    for (const [url, why] of route.leftOut) yield warningOf(url, why);
  } finally {
    fetches.clear();
  }
}

const lookahead = 4;
const depthLimit = 5; // the protocol allows one level of indexes; some sites have two or three

interface SitemapVisit {
  readonly url: string;
  /** The number of indexes above it. */
  readonly depth: number;
  /** Set once its fetch has begun. */
  file?: Promise<SitemapFile>;
}

/**
 * The sitemaps still to be visited, in order. Prefetching depends on that order alone, never on
 * which response comes first.
 */
class SitemapRoute {
  readonly known = new Set<string>();
  /** The first URL left out, by reason. */
  readonly leftOut = new Map<string, string>();
  readonly #fetch: (url: string) => Promise<SitemapFile>;
  #pending: SitemapVisit[] = [];
  readonly #maxSitemaps: number;
  /** How many more may be fetched. */
  #room: number;
  readonly #need: SitemapNeed;
  readonly #optional: ReadonlySet<string>;

  constructor({
    maxSitemaps,
    fetch,
    need = { files: Infinity, rule: '' },
    optional = new Set(),
  }: Omit<SitemapWalk, 'signal'> & { readonly fetch: (url: string) => Promise<SitemapFile> }) {
    this.#maxSitemaps = maxSitemaps;
    this.#room = maxSitemaps;
    this.#fetch = fetch;
    this.#need = need;
    this.#optional = optional;
  }

  /** Puts sitemaps before all others. Only as many are stored as can still be fetched. */
  enter(urls: Iterable<string>, depth: number): void {
    const fresh: SitemapVisit[] = [];
    for (const url of urls) {
      if (depth > depthLimit) {
        this.#leaveOut(url, `indexes are read ${depthLimit} levels deep`);
        return;
      }
      const key = keyOf(url);
      if (this.known.has(key)) continue;
      if (fresh.length === this.#room) {
        this.#leaveOut(url, `a walk reads ${this.#maxSitemaps} sitemaps`);
        break;
      }
      this.known.add(key);
      fresh.push({ url, depth });
    }
    let room = this.#room;
    this.#pending = [...fresh, ...this.#pending].filter(({ url, file }) => {
      if (file !== undefined || --room >= 0) return true;
      this.#leaveOut(url, `a walk reads ${this.#maxSitemaps} sitemaps`);
      return false;
    });
  }

  /** The next sitemap; its fetch and the following ones are started. */
  next(): Required<SitemapVisit> | undefined {
    for (const visit of this.#pending.slice(0, lookahead)) {
      if (visit.file !== undefined || this.#need.files <= 0) continue;
      this.#need.files -= 1;
      this.#room--;
      visit.file = this.#fetch(visit.url);
    }
    if (this.#need.files <= 0) {
      this.#pending = this.#pending.filter(({ url, file }) => {
        if (file !== undefined) return true;
        if (!this.#optional.has(url)) this.#leaveOut(url, this.#need.rule);
        return false;
      });
    }
    const visit = this.#pending.shift();
    return visit?.file === undefined ? undefined : { ...visit, file: visit.file };
  }

  /** Records the first URL for each reason. */
  #leaveOut(url: string, reason: string): void {
    const sentence = `Not read, and perhaps others: ${reason}.`;
    if (![...this.leftOut.values()].includes(sentence)) this.leftOut.set(url, sentence);
  }
}

interface SitemapFile {
  readonly finalUrl: string;
  /** True for a response that means that there is no such file. */
  readonly isAbsent: boolean;
  /** Read on demand. */
  readonly parts: AsyncIterable<SitemapContent> | readonly SitemapContent[];
}

/** Never rejects. */
async function fetchSitemap(url: string, fetchBytes: FetchSitemap): Promise<SitemapFile> {
  const failure = (warning: string, isAbsent: boolean): SitemapFile => {
    return { finalUrl: url, isAbsent, parts: [{ urls: [], sitemaps: [], warnings: [warning] }] };
  };
  try {
    const { statusCode, body, url: finalUrl, isCut } = await fetchBytes(url);
    if (statusCode < 200 || statusCode >= 300) {
      return failure(`The server answered ${statusCode}.`, statusCode >= 400 && statusCode < 500);
    }
    return { finalUrl, isAbsent: false, parts: readSitemap(body, finalUrl, { isCut }) };
  } catch (error) {
    return failure(error instanceof Error ? error.message : String(error), false);
  }
}

function warningOf(url: string, sentence: string): SitemapWarning {
  return { warning: `${url}: ${sentence}`, sitemap: url };
}

function siteOf(url: string): string {
  return registrableDomain(new URL(url).hostname);
}

function keyOf(url: string): string {
  return fingerprint(url, { ignoreQueryParameters: false, deduplicateSimilarURLs: true });
}
