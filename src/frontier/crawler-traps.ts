/** Crawler traps: ways in which a site goes on for ever, recognised as they grow, and bounded. */
import type { AdmissionRefusal } from './admission.ts';
import { CalendarTraps } from './calendar-traps.ts';
import {
  FacetTraps,
  PathTraps,
  SessionTraps,
  type TrapDetector,
  type TrapEvidence,
  type TrapKind,
} from './trap-detectors.ts';

/** What the bound depends on. */
export interface CrawlerTrapsSettings {
  /** Documents that the crawl keeps. */
  readonly limit: number;
  /** Milliseconds: which years are to come. */
  readonly now: number;
}

/** Why a URL does not join, and the series with which it may join after all. */
export interface TrapRefusal extends AdmissionRefusal {
  readonly series?: string;
}

/** Share of a crawl's limit that the pages of one kind of trap may take. */
const share = 0.05;

const leastPages = 5;

/** Pages that say that there is nothing, and whose links count all the same. */
const missingFollowed = 3;

/**
 * Of each kind of trap a crawl takes 5 % of its limit, and 5 pages at least: something may look like
 * a trap and be none. The answers depend on the pages and links before, in the order of the crawl, and
 * on nothing else.
 */
export class CrawlerTraps {
  /** Pages that one kind of trap may take, all of them together. */
  readonly bound: number;
  readonly #detectors: readonly (readonly [TrapKind, TrapDetector])[];
  readonly #counts = new Map<TrapKind, number>();
  /** URLs that were counted as traps and joined all the same. */
  readonly #joined = new Set<string>();

  constructor({ limit, now }: CrawlerTrapsSettings) {
    this.bound = Math.max(leastPages, Math.floor(limit * share));
    this.#detectors = [
      ['calendar', new CalendarTraps(now)],
      ['session id', new SessionTraps()],
      ['path', new PathTraps()],
      ['facets', new FacetTraps()],
    ];
  }

  /** Looks at all links of a page; `refuse` is asked about them afterwards. */
  readPage(page: URL, links: readonly string[]): void {
    for (const [, detector] of this.#detectors) detector.readPage?.(page, links);
  }

  /**
   * Why a link of the page that was read last may not join, or undefined: then it has joined. One that
   * belongs to a series may wait: `spend` says when it joins after all.
   */
  refuse(url: URL, parent: URL): TrapRefusal | undefined {
    const suspected: [TrapKind, number][] = [];
    for (const [kind, detector] of this.#detectors) {
      const suspicion = detector.suspect(url, parent);
      if (suspicion === undefined) continue;
      const { pattern, isTrap, weight = 1, series } = suspicion;
      if (isTrap && this.#count(kind) >= this.bound) {
        if (series === undefined) return refusal(kind, pattern);
        // It joins now or later, and counts for nothing either way.
        if (!this.spend(series)) {
          detector.admitted?.(url);
          return { ...refusal(kind, pattern), series };
        }
        continue;
      }
      suspected.push([kind, weight]);
    }
    for (const [kind, weight] of suspected) this.#add(kind, weight);
    if (suspected.length > 0) this.#joined.add(url.href);
    for (const [, detector] of this.#detectors) detector.admitted?.(url);
    return undefined;
  }

  /** Series for which `spend` may have changed. */
  takeEarned(): string[] {
    return this.#detectors.flatMap(([, detector]) => detector.takeEarned?.() ?? []);
  }

  /** True when one more page of a series that waits may join. */
  spend(series: string): boolean {
    return this.#detectors.some(([, detector]) => detector.spend?.(series) === true);
  }

  /** A URL that no page led to joins: the start, and what a sitemap names. */
  admit(url: URL): void {
    for (const [, detector] of this.#detectors) {
      detector.readPage?.(url, []);
      detector.suspect(url, url);
      detector.admitted?.(url);
    }
  }

  /** Why a URL is not fetched that joined before its trap was recognised, or undefined. */
  refuseLate(url: URL): AdmissionRefusal | undefined {
    if (this.#joined.has(url.href)) return undefined;
    for (const [kind, detector] of this.#detectors) {
      const pattern = detector.suspectLate?.(url);
      if (pattern !== undefined && this.#count(kind) >= this.bound) return refusal(kind, pattern);
    }
    return undefined;
  }

  /** Settles a page that was fetched: why it is no document, and whether its links count. */
  settle(
    url: URL,
    page: TrapEvidence,
  ): { readonly refusal?: AdmissionRefusal; readonly follow: boolean } {
    const late = this.refuseLate(url);
    if (late !== undefined) return { refusal: late, follow: false };
    for (const [kind, detector] of this.#detectors) {
      const weight = detector.settled?.(url, page) ?? 0;
      if (!this.#joined.has(url.href)) this.#add(kind, weight);
    }
    if (page.missing === undefined) return { follow: true };
    const kind = 'soft 404';
    if (this.#count(kind) >= this.bound) {
      return { refusal: refusal(kind, page.missing), follow: false };
    }
    this.#add(kind, 1);
    return { follow: this.#count(kind) <= missingFollowed };
  }

  #add(kind: TrapKind, weight: number): void {
    this.#counts.set(kind, this.#count(kind) + weight);
  }

  #count(kind: TrapKind): number {
    return this.#counts.get(kind) ?? 0;
  }
}

function refusal(kind: TrapKind, pattern: string): AdmissionRefusal {
  return { reason: 'TRAP', rule: `${kind}: ${pattern.slice(0, 200)}` };
}
