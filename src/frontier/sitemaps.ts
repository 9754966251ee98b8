/** The sitemaps of a site: from the first files down to the last entry. */
import PQueue from 'p-queue';
import { withSignal } from '../network/deadline.ts';
import { fingerprint } from '../url/fingerprint.ts';
import { parseSitemap } from './parse-sitemap.ts';
import type { SitemapContent, SitemapUrl } from './sitemap-content.ts';

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
}

/** Fetches one file, redirects included; rejects when there is no response. */
export type FetchSitemap = (url: string) => Promise<{
  readonly statusCode: number;
  readonly body: Uint8Array;
  /** The final URL. */
  readonly url: string;
}>;

/**
 * Yields the entries of all sitemaps in the order of the documents, an index's children in its
 * place, whatever the timing. Each sitemap is read once, so loops end; entries are not made unique.
 * A file that cannot be read is a warning. Up to four files are fetched ahead of the consumer;
 * nothing new is fetched after it stops.
 */
export async function* walkSitemaps(
  starts: readonly string[],
  fetchBytes: FetchSitemap,
  options: SitemapWalk,
): AsyncGenerator<SitemapEntry | SitemapWarning, void, undefined> {
  const { signal, optional } = options;
  const fetches = new PQueue({ concurrency: lookahead });
  const route = new Route(options.maxSitemaps, (url) =>
    fetches.add(() => readSitemap(url, fetchBytes)),
  );
  const read = new Set<string>();
  try {
    signal.throwIfAborted();
    route.enter(starts);
    for (let visit = route.next(); visit !== undefined; visit = route.next()) {
      const { url } = visit;
      const result = await withSignal(visit.outcome, signal);
      // Two URLs may redirect to one file.
      const key = keyOf(result.finalUrl);
      if (read.has(key)) continue;
      read.add(key);
      route.known.add(key);
      if (result.absent && optional?.has(url) === true) continue;
      for (const warning of result.warnings) yield { warning: `${url}: ${warning}`, sitemap: url };
      for (const entry of result.urls) yield { ...entry, sitemap: url };
      route.enter(result.sitemaps.map((child) => child.url));
      signal.throwIfAborted();
    }
    if (route.firstLeftOut !== undefined) yield leftOut(route.firstLeftOut, options.maxSitemaps);
  } finally {
    fetches.clear();
  }
}

const lookahead = 4;

interface Visit {
  readonly url: string;
  /** Present once its fetch has begun. */
  outcome?: Promise<Outcome>;
}

/**
 * The sitemaps that are still to be visited, in order. What is fetched ahead depends on that order
 * alone, never on which answer comes first.
 */
class Route {
  readonly known = new Set<string>();
  firstLeftOut: string | undefined;
  readonly #fetch: (url: string) => Promise<Outcome>;
  #pending: Visit[] = [];
  /** How many more may be fetched. */
  #room: number;

  constructor(maxSitemaps: number, fetch: (url: string) => Promise<Outcome>) {
    this.#room = maxSitemaps;
    this.#fetch = fetch;
  }

  /** Puts sitemaps before all others. No more are kept than can still be fetched. */
  enter(urls: readonly string[]): void {
    const fresh: Visit[] = [];
    for (const url of urls) {
      const key = keyOf(url);
      if (this.known.has(key)) continue;
      if (fresh.length === this.#room) this.firstLeftOut ??= url;
      else {
        this.known.add(key);
        fresh.push({ url });
      }
    }
    let room = this.#room;
    this.#pending = [...fresh, ...this.#pending].filter(({ url, outcome }) => {
      if (outcome !== undefined || --room >= 0) return true;
      this.firstLeftOut ??= url;
      return false;
    });
  }

  /** The next sitemap, its fetch and those of the following ones under way. */
  next(): { readonly url: string; readonly outcome: Promise<Outcome> } | undefined {
    for (const visit of this.#pending.slice(0, lookahead)) {
      if (visit.outcome !== undefined) continue;
      this.#room--;
      visit.outcome = this.#fetch(visit.url);
    }
    const visit = this.#pending.shift();
    return visit?.outcome === undefined ? undefined : { url: visit.url, outcome: visit.outcome };
  }
}

interface Outcome extends SitemapContent {
  readonly finalUrl: string;
  /** There is no such file, or a web page in its place. */
  readonly absent: boolean;
}

/** Never rejects. */
async function readSitemap(url: string, fetchBytes: FetchSitemap): Promise<Outcome> {
  const failure = (warning: string, absent = false): Outcome => {
    return { urls: [], sitemaps: [], warnings: [warning], finalUrl: url, absent };
  };
  try {
    const { statusCode, body, url: finalUrl } = await fetchBytes(url);
    if (statusCode < 200 || statusCode >= 300) {
      return failure(`The server answered ${statusCode}.`, statusCode >= 400 && statusCode < 500);
    }
    const content = await parseSitemap(body, finalUrl);
    const isEmpty = content.urls.length === 0 && content.sitemaps.length === 0;
    return { ...content, finalUrl, absent: isEmpty && content.warnings.length > 0 };
  } catch (error) {
    return failure(error instanceof Error ? error.message : String(error));
  }
}

function leftOut(url: string, maxSitemaps: number): SitemapWarning {
  return {
    warning: `${url}: Not read, and perhaps others: a walk reads ${maxSitemaps} sitemaps.`,
    sitemap: url,
  };
}

function keyOf(url: string): string {
  return fingerprint(url, { ignoreQueryParameters: false, deduplicateSimilarURLs: true });
}
