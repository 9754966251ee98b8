/** The sitemaps of a site: from the first files down to the last entry. */
import PQueue from 'p-queue';
import { withSignal } from '../network/deadline.ts';
import { fingerprint } from '../url/fingerprint.ts';
import { registrableDomain } from '../url/registrable-domain.ts';
import { parseSitemap, readSitemap } from './parse-sitemap.ts';
import type { SitemapContent, SitemapUrl } from './sitemap-readers.ts';

export { parseSitemap, type SitemapContent };

/** One page that a sitemap lists. */
export interface SitemapEntry extends SitemapUrl {
  /** The sitemap that lists it. */
  readonly sitemap: string;
}

/** A sitemap, or a part of one, that could not be read. */
export interface SitemapWarning {
  /** A sentence that names the sitemap. */
  readonly warning: string;
  /** The sitemap. */
  readonly sitemap: string;
}

/** How a walk goes. */
export interface SitemapWalk {
  /** Files fetched at most; those left out are a warning. */
  readonly maxSitemaps: number;
  /** Ends the walk with the signal's reason. */
  readonly signal: AbortSignal;
  /** Start URLs that are a guess: it is no warning when there is nothing, or a web page. */
  readonly optional?: ReadonlySet<string>;
  /** What of it is needed. @default everything */
  readonly need?: SitemapNeed | undefined;
}

/** How much of a walk is needed; it may change while the walk goes on. */
export interface SitemapNeed {
  /** Files that may yet be fetched; those left out are a warning. */
  files: number;
  /** Why there are no more. */
  rule: string;
}

/** Fetches one file, redirects included; rejects when there is no response. */
export type FetchSitemap = (url: string) => Promise<{
  readonly statusCode: number;
  readonly body: Uint8Array;
  /** The final URL. */
  readonly url: string;
  /** True when the body ended before its end. */
  readonly isCut?: boolean | undefined;
}>;

/**
 * Yields the entries of all sitemaps in the order of the documents, an index's children in its
 * place, whatever the timing. Each sitemap is read once, so loops end; entries are not made unique,
 * and may be of any host: whoever takes them decides. The children of an index are read where they
 * are on the site of the index or of a start, as sitemaps.org has it, down to five levels.
 *
 * What cannot be read is a warning. Up to four files are fetched ahead of the consumer and kept as
 * bytes; nothing new is fetched after it stops.
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
      let isEmpty = true;
      for await (const part of file.parts) {
        signal.throwIfAborted();
        for (const entry of part.urls) yield { ...entry, sitemap: url };
        for (const child of part.sitemaps) {
          (sites.has(siteOf(child.url)) ? children : foreign).add(child.url);
        }
        warnings.push(...part.warnings);
        isEmpty &&= part.urls.length === 0 && part.sitemaps.length === 0;
      }
      const [first] = foreign;
      if (first !== undefined) {
        warnings.push(
          `${foreign.size} sitemaps of other sites were not read, the first is ${first}`,
        );
      }
      const isNoNews = isEmpty && file.mayBeAbsent && optional?.has(url) === true;
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
/** The protocol allows one level of indexes; some sites have two or three. */
const depthLimit = 5;

interface SitemapVisit {
  readonly url: string;
  /** Indexes above it. */
  readonly depth: number;
  /** Present once its fetch has begun. */
  file?: Promise<SitemapFile>;
}

/**
 * The sitemaps that are still to be visited, in order. What is fetched ahead depends on that order
 * alone, never on which answer comes first.
 */
class SitemapRoute {
  readonly known = new Set<string>();
  /** The first URL of those that were not visited, and why. */
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

  /** Puts sitemaps before all others. No more are kept than can still be fetched. */
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

  /** The next sitemap, its fetch and those of the following ones under way. */
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

  /** Once for each reason. */
  #leaveOut(url: string, reason: string): void {
    const sentence = `Not read, and perhaps others: ${reason}.`;
    if (![...this.leftOut.values()].includes(sentence)) this.leftOut.set(url, sentence);
  }
}

interface SitemapFile {
  readonly finalUrl: string;
  /** True where emptiness can mean that there is no such file: a 4xx, or a web page in its place. */
  readonly mayBeAbsent: boolean;
  /** Read as they are asked for. */
  readonly parts: AsyncIterable<SitemapContent> | readonly SitemapContent[];
}

/** Never rejects. */
async function fetchSitemap(url: string, fetchBytes: FetchSitemap): Promise<SitemapFile> {
  const failure = (warning: string, mayBeAbsent: boolean): SitemapFile => {
    return { finalUrl: url, mayBeAbsent, parts: [{ urls: [], sitemaps: [], warnings: [warning] }] };
  };
  try {
    const { statusCode, body, url: finalUrl, isCut } = await fetchBytes(url);
    if (statusCode < 200 || statusCode >= 300) {
      return failure(`The server answered ${statusCode}.`, statusCode >= 400 && statusCode < 500);
    }
    return { finalUrl, mayBeAbsent: true, parts: readSitemap(body, finalUrl, { isCut }) };
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
