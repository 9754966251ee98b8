/** Detectors of crawler traps by URL: endless paths and session ids. */
import { looksRandom } from '../../runtime/identifiers.ts';

const limits = {
  deepSegments: 6, // path depth at which going deeper begins to count
  deepHops: 4, // deepening hops in a row
  longest: 2_048, // characters of a path and query: each part is compared with all others
};

/** Kinds of endless URL spaces. */
export type TrapKind = 'calendar' | 'session id' | 'path' | 'facets' | 'soft 404';

/** A URL that looks like a trap. It counts towards the bound of its kind. */
export interface TrapSuspicion {
  /** The repeating pattern: `/events/{date}`. */
  readonly pattern: string;
  /** False for a URL that only counts: a trap may begin like this, or a good list. */
  readonly isTrap: boolean;
  /** The number of pages it counts for. @default 1 */
  readonly weight?: number;
  /** The series of the URL: if its pages prove good, it may join after all. */
  readonly series?: string;
  /** The list of the URL, which has a bound of its own, whatever the limit of the crawl. */
  readonly list?: string;
}

/** Evidence from a fetched page. */
export interface TrapEvidence {
  /** The phrase in which the page declares that it is empty. */
  readonly missing: string | undefined;
  /** Equal for equal content; undefined if the URL has no random part. */
  readonly contentHash: string | undefined;
  /** Hashed pairs of neighbouring words; only if the URL has a date. */
  readonly wordPairs: readonly number[] | undefined;
}

/** Recognises one kind of trap. Its decisions depend only on earlier calls. */
export interface TrapDetector {
  /** Reads all links of a page before each of them is checked. */
  readPage?(page: URL, links: readonly string[]): void;
  /** Called for every URL that would join, in order; `parent` is the page that was read last. */
  suspect(url: URL, parent: URL): TrapSuspicion | undefined;
  /** The URL was queued. */
  admitted?(url: URL): void;
  /**
   * Called for a URL that was queued before the trap was recognised: returns the pattern, or
   * undefined.
   */
  suspectLate?(url: URL): Pick<TrapSuspicion, 'pattern' | 'list'> | undefined;
  /**
   * The page and all before it were fetched. Returns the number of pages it turned out to count
   * for.
   */
  settled?(url: URL, evidence: TrapEvidence): number;
  /** Series whose pages proved good since the last call. */
  takeEarned?(): string[];
  /** True when one more page of a series may join for them. */
  spend?(series: string): boolean;
}

// Endless paths: repeating segments, relative links that go ever deeper.

/** A trap repeats a part of its own path: `/a/b/a/b`, `/en/en/en`; or it goes ever deeper. */
export class PathTraps implements TrapDetector {
  /** Hops in a row that went deeper, by deep path. */
  readonly #hops = new Map<string, number>();

  suspect(url: URL, parent: URL): TrapSuspicion | undefined {
    const segments = segmentsOf(url.pathname);
    const isBelow = liesBelow(segments, segmentsOf(parent.pathname));
    const cycle = cycleOf(segments);
    if (cycle !== undefined) return { pattern: `/${cycle.join('/')}/…`, isTrap: true };
    const above = new Set(segments.slice(0, -2));
    const [before = '', last = ''] = segments.slice(-2);
    const repeatsBefore = isWord(before) && above.has(before);
    if (isBelow && isWord(last) && (above.has(last) || last === before)) {
      // The first page was part of the trap.
      return { pattern: `/${before}/${last}/…`, isTrap: repeatsBefore, weight: 2 };
    }
    if (!isBelow || segments.length <= limits.deepSegments) return undefined;
    const hops = (this.#hops.get(parent.href) ?? 0) + 1;
    this.#hops.set(url.href, hops);
    return {
      pattern: `more than ${limits.deepSegments} segments`,
      isTrap: hops >= limits.deepHops,
      // The path here was part of the trap.
      weight: hops === 1 ? segments.length : 1,
    };
  }
}

/** Numbers repeat by chance: /2024/05/05. */
export function isWord(segment: string): boolean {
  return /\p{L}/u.test(segment);
}

/** The segments of a path that are not empty. */
export function segmentsOf(pathname: string): string[] {
  return pathname.split('/').filter((segment) => segment !== '');
}

/** True when the parent is a directory above. */
function liesBelow(segments: readonly string[], parent: readonly string[]): boolean {
  return segments.length > parent.length && parent.every((segment, at) => segment === segments[at]);
}

/** The one to four segments that a path repeats three times in a row: a, b of /a/b/a/b/a/b. */
function cycleOf(segments: readonly string[]): readonly string[] | undefined {
  for (let length = 1; length <= 4; length++) {
    let same = 0;
    for (let at = length; at < segments.length; at++) {
      same = segments[at] === segments[at - length] ? same + 1 : 0;
      if (same < 2 * length) continue;
      const cycle = segments.slice(at - length + 1, at + 1);
      if (cycle.some(isWord)) return cycle;
    }
  }
  return undefined;
}

// Session ids: the same pages again and again, each time with another random value in the URL.

/** A URL with one random part. */
interface RandomPart {
  /** The position of such parts on the site: the name of a parameter, or the path before the part. */
  readonly slot: string;
  /** The URL without the part: its page. */
  readonly page: string;
  readonly value: string;
}

/**
 * A page that carries one value and whose links to known pages carry another one is a session. Ids
 * of real pages differ: each page has its own, and the links of a page differ in theirs. If each
 * link gets a value of its own, a session needs two pages with the same content under different
 * values.
 */
export class SessionTraps implements TrapDetector {
  /** The first value of each page. */
  readonly #values = new Map<string, string>();
  /** Positions of recognised sessions, and positions that had a random value. */
  readonly #sessions = new Set<string>();
  readonly #slots = new Set<string>();
  /** Content and value by page; by position, pages with the same content under another value. */
  readonly #contents = new Map<string, { readonly hash: string; readonly value: string }>();
  readonly #repeated = new Map<string, Set<string>>();
  /** Pages that were fetched again, by position, and do not count yet. */
  readonly #again = new Map<string, number>();

  readPage(page: URL, links: readonly string[]): void {
    for (const own of this.#partsOf(page)) {
      if (this.#sessions.has(own.slot)) continue;
      const others = links
        .flatMap((link) => this.#partsOf(new URL(link)))
        .filter(({ slot }) => slot === own.slot);
      if (this.#isSession(own, others)) this.#sessions.add(own.slot);
    }
  }

  suspect(url: URL): TrapSuspicion | undefined {
    const late = this.suspectLate(url);
    return late && { ...late, isTrap: true };
  }

  suspectLate(url: URL): Pick<TrapSuspicion, 'pattern'> | undefined {
    for (const { slot, page, value } of this.#partsOf(url)) {
      const known = this.#values.get(page);
      if (known === undefined || known === value) continue;
      const [path = '', name = ''] = slot.slice(slot.indexOf('/')).split('?');
      if (!this.#sessions.has(slot) && !sessionName.test(name)) continue;
      return { pattern: name === '' ? `${path}/…` : `?${name}={…}` };
    }
    return undefined;
  }

  settled(url: URL, { contentHash }: TrapEvidence): number {
    let weight = 0;
    for (const part of this.#partsOf(url)) {
      const { slot, page, value } = part;
      if (contentHash !== undefined) this.#compare(part, contentHash);
      if (this.#values.get(page) === value) continue;
      const again = (this.#again.get(slot) ?? 0) + 1;
      const isKnown = this.#sessions.has(slot);
      this.#again.set(slot, isKnown ? 0 : again);
      if (isKnown) weight += again;
    }
    return weight;
  }

  #compare({ slot, page, value }: RandomPart, hash: string): void {
    const known = this.#contents.get(page);
    if (known === undefined) this.#contents.set(page, { hash, value });
    if (known?.hash !== hash || known.value === value) return;
    const pages = this.#repeated.get(slot) ?? new Set();
    this.#repeated.set(slot, pages.add(page));
    if (pages.size >= 2) this.#sessions.add(slot);
  }

  admitted(url: URL): void {
    for (const { slot, page, value } of this.#partsOf(url)) {
      this.#slots.add(slot);
      if (!this.#values.has(page)) this.#values.set(page, value);
    }
  }

  #isSession(own: RandomPart, links: readonly RandomPart[]): boolean {
    const byPage = new Map(links.map(({ page, value }) => [page, value]));
    const known = [...byPage].filter(([page, value]) => {
      const before = this.#values.get(page);
      return before !== undefined && before !== value;
    });
    const values = new Set(links.map(({ value }) => value));
    return values.size === 1 && !values.has(own.value) && known.length >= 2;
  }

  /** The random parameters, or else the first random segment. */
  #partsOf(url: URL): RandomPart[] {
    const { host, pathname, search } = url;
    if (pathname.length + search.length > limits.longest) return [];
    const parameters = search.length > 1 ? search.slice(1).split('&') : [];
    const found = parameters.flatMap((parameter): RandomPart[] => {
      const [name = '', value = ''] = parameter.split('=', 2);
      const slot = `${host}/?${name}`;
      if (!this.#isRandom(slot, name, value)) return [];
      const rest = parameters.filter((other) => other !== parameter).sort();
      return [{ slot, page: `${host}${pathname}?${name}&${rest.join('&')}`, value }];
    });
    if (found.length > 0 || !/[\w-]{8}/.test(pathname)) return found;
    const segments = pathname.split('/');
    for (const [index, segment] of segments.entries()) {
      const value = /[\w-]{8,}/.exec(segment)?.[0] ?? '';
      const shape = segment.replace(value, '{id}');
      const slot = `${host}${[...segments.slice(0, index), shape].join('/')}`;
      if (value === '' || !this.#isRandom(slot, '', value)) continue;
      const rest = segments.slice(index + 1).join('/');
      return [{ slot, page: `${slot}/${rest}${search}`, value }];
    }
    return [];
  }

  #isRandom(slot: string, name: string, value: string): boolean {
    if (looksRandom(value)) return true;
    // A random value sometimes looks like a word.
    if (this.#slots.has(slot)) return value.length >= 6;
    return sessionName.test(name) && value.length >= 4 && /\d/.test(value);
  }
}

/** Names of session parameters. */
const sessionName =
  /^(?:s?sid|sess(?:ion)?(?:[-_]?id)?|zenid|oscsid|xtcsid|visit(?:or)?[-_]?id|_?nonce|_?csrf(?:[-_]?token)?|cb|cache[-_]?bust(?:er)?|no[-_]?cache|rnd|rand(?:om)?|_|ts|timestamp)$/i;
