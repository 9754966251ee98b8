/** Crawler traps: endless URL spaces of a site, recognised as they grow, and bounded. */
import type { AdmissionRefusal } from '../admission.ts';
import { CalendarTraps } from './calendar-traps.ts';
import { FacetTraps } from './facet-traps.ts';
import {
  PathTraps,
  SessionTraps,
  type TrapDetector,
  type TrapEvidence,
  type TrapKind,
} from './trap-detectors.ts';

const limits = {
  share: 0.05, // of a crawl's limit for the pages of one kind of trap
  leastPages: 5,
  listPages: 10, // pages of one list under combinations of its filters, however large the limit is
  missingFollowed: 3, // pages that say "nothing here" whose links are followed anyway
};

/** The settings that the bound depends on. */
export interface CrawlerTrapsSettings {
  /** The most documents of the crawl. */
  readonly limit: number;
  /** Milliseconds; decides which years are in the future. */
  readonly now: number;
}

/** Why a URL is refused, and the series with which it may join later. */
export interface TrapRefusal extends AdmissionRefusal {
  readonly series?: string;
}

/**
 * A crawl takes at most 5 % of its limit, and at least 5 pages, of each kind of trap, and 10 combinations of the
 * filters of one list: a good page may look like a trap. The decisions depend only on earlier pages and links, in the
 * order of the crawl.
 */
export class CrawlerTraps {
  /** The most pages of one kind of trap, all traps together. */
  readonly bound: number;
  readonly #detectors: readonly (readonly [TrapKind, TrapDetector])[];
  /** Pages by kind, and by list. */
  readonly #counts = new Map<string, number>();
  /** URLs that are no longer refused: they were counted as traps and joined anyway, or no page led to them. */
  readonly #joined = new Set<string>();

  constructor({ limit, now }: CrawlerTrapsSettings) {
    this.bound = Math.max(limits.leastPages, Math.floor(limit * limits.share));
    this.#detectors = [
      ['calendar', new CalendarTraps(now)],
      ['session id', new SessionTraps()],
      ['path', new PathTraps()],
      ['facets', new FacetTraps()],
    ];
  }

  /** Reads all links of a page; `refuse` decides on each of them afterwards. */
  readPage(page: URL, links: readonly string[]): void {
    for (const [, detector] of this.#detectors) detector.readPage?.(page, links);
  }

  /**
   * Why a link of the last read page may not join, or undefined: then it has joined. A link of a series may wait:
   * `spend` reports when it joins after all.
   */
  refuse(url: URL, parent: URL): TrapRefusal | undefined {
    const suspected: [TrapKind, number, string | undefined][] = [];
    for (const [kind, detector] of this.#detectors) {
      const suspicion = detector.suspect(url, parent);
      if (suspicion === undefined) continue;
      const { pattern, isTrap, weight = 1, series, list } = suspicion;
      if (isTrap && this.#isFull(kind, list)) {
        if (series === undefined) return refusal(kind, pattern);
        // It joins now or later, and is not counted either way.
        if (!this.spend(series)) {
          detector.admitted?.(url);
          return { ...refusal(kind, pattern), series };
        }
        continue;
      }
      suspected.push([kind, weight, list]);
    }
    for (const [kind, weight, list] of suspected) this.#add(kind, weight, list);
    if (suspected.length > 0) this.#joined.add(url.href);
    for (const [, detector] of this.#detectors) detector.admitted?.(url);
    return undefined;
  }

  /** Series for which the result of `spend` may have changed. */
  takeEarned(): string[] {
    return this.#detectors.flatMap(([, detector]) => detector.takeEarned?.() ?? []);
  }

  /** True when one more waiting page of a series may join. */
  spend(series: string): boolean {
    return this.#detectors.some(([, detector]) => detector.spend?.(series) === true);
  }

  /** Admits a URL that no page led to, the start or an entry of a sitemap, whatever it turns out to be. */
  admit(url: URL): void {
    this.#joined.add(url.href);
    for (const [, detector] of this.#detectors) {
      detector.readPage?.(url, []);
      detector.suspect(url, url);
      detector.admitted?.(url);
    }
  }

  /** Why a URL that joined before its trap was recognised is not fetched, or undefined. */
  refuseLate(url: URL): AdmissionRefusal | undefined {
    if (this.#joined.has(url.href)) return undefined;
    for (const [kind, detector] of this.#detectors) {
      const late = detector.suspectLate?.(url);
      if (late !== undefined && this.#isFull(kind, late.list)) return refusal(kind, late.pattern);
    }
    return undefined;
  }

  /** Settles a fetched page: why it is not a document, and whether its links count. */
  settle(
    url: URL,
    page: TrapEvidence,
  ): { readonly refusal?: AdmissionRefusal; readonly follow: boolean } {
    const late = this.refuseLate(url);
    if (late !== undefined) return { refusal: late, follow: false };
    for (const [kind, detector] of this.#detectors) {
      const weight = detector.settled?.(url, page) ?? 0;
      if (weight === 0 || this.#joined.has(url.href)) continue;
      this.#add(kind, weight, detector.suspectLate?.(url)?.list);
    }
    if (page.missing === undefined) return { follow: true };
    const kind = 'soft 404';
    if (this.#isFull(kind)) {
      return { refusal: refusal(kind, page.missing), follow: false };
    }
    this.#add(kind, 1);
    return { follow: this.#count(kind) <= limits.missingFollowed };
  }

  #isFull(kind: TrapKind, list?: string): boolean {
    return (
      this.#count(kind) >= this.bound ||
      (list !== undefined && this.#count(`${kind} ${list}`) >= limits.listPages)
    );
  }

  #add(kind: TrapKind, weight: number, list?: string): void {
    for (const key of [kind, ...(list === undefined ? [] : [`${kind} ${list}`])]) {
      this.#counts.set(key, this.#count(key) + weight);
    }
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}

function refusal(kind: TrapKind, pattern: string): AdmissionRefusal {
  return { reason: 'TRAP', rule: `${kind}: ${pattern.slice(0, 200)}` };
}
