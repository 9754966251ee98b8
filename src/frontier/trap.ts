/** What one kind of trap has to say: the interface of the detectors. */

/** Ways in which a site can go on for ever. */
export type TrapKind = 'calendar' | 'session id' | 'path' | 'facets' | 'soft 404';

/** A URL that looks like one of a trap. It counts towards the bound of its kind. */
export interface Suspicion {
  /** What repeats: `/events/{date}`. */
  readonly pattern: string;
  /** False for a URL that only counts: it is how a trap begins, or how a good list does. */
  readonly isTrap: boolean;
  /** How many pages it counts for. @default 1 */
  readonly weight?: number;
  /** The series of pages that it belongs to: when these prove to be good ones, it may join after all. */
  readonly series?: string;
}

/** What a page turned out to be when it was fetched. */
export interface TrapEvidence {
  /** How it says that there is nothing here. */
  readonly missing: string | undefined;
  /** The same for the same content; undefined where the URL says nothing random. */
  readonly contentHash: string | undefined;
  /** Pairs of neighbouring words as numbers; only where the URL has a date. */
  readonly wordPairs: readonly number[] | undefined;
}

/** Recognises one kind of trap. Its answers depend on what it was told before, and on nothing else. */
export interface TrapDetector {
  /** Looks at all links of a page before they are asked about one by one. */
  readPage?(page: URL, links: readonly string[]): void;
  /** Asked of every URL that would join, in order; `parent` is the page that was read last. */
  suspect(url: URL, parent: URL): Suspicion | undefined;
  /** The URL was queued. */
  admitted?(url: URL): void;
  /** Asked of a URL that was queued before the trap was recognised: the pattern, or undefined. */
  suspectLate?(url: URL): string | undefined;
  /** The page was fetched, and all before it were. Gives how many pages it turned out to count for. */
  settled?(url: URL, evidence: TrapEvidence): number;
  /** Series that have pages which proved good, since it was asked last. */
  takeEarned?(): string[];
  /** True when one more page of a series may join for them. */
  spend?(series: string): boolean;
}
