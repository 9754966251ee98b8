/** Detectors of crawler traps by URL: endless paths, session ids and facets. */
import { looksRandom } from '../text/identifiers.ts';

/** Ways in which a site can go on for ever. */
export type TrapKind = 'calendar' | 'session id' | 'path' | 'facets' | 'soft 404';

/** A URL that looks like one of a trap. It counts towards the bound of its kind. */
export interface TrapSuspicion {
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
  suspect(url: URL, parent: URL): TrapSuspicion | undefined;
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

// Paths without an end: segments that repeat, relative links that go ever deeper.

/** Segments of a path at which going deeper begins to count, and hops that go deeper in a row. */
const deepSegments = 6;

const deepHops = 4;

/** A trap repeats what its own path has already: `/a/b/a/b`, `/en/en/en`; or it goes ever deeper. */
export class PathTraps implements TrapDetector {
  /** Hops in a row that went deeper, of deep paths. */
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
      // The page that it began with was part of it.
      return { pattern: `/${before}/${last}/…`, isTrap: repeatsBefore, weight: 2 };
    }
    if (!isBelow || segments.length <= deepSegments) return undefined;
    const hops = (this.#hops.get(parent.href) ?? 0) + 1;
    this.#hops.set(url.href, hops);
    return {
      pattern: `more than ${deepSegments} segments`,
      isTrap: hops >= deepHops,
      // The way here was part of it.
      weight: hops === 1 ? segments.length : 1,
    };
  }
}

/** Numbers repeat by chance: /2024/05/05. */
function isWord(segment: string): boolean {
  return /\p{L}/u.test(segment);
}

function segmentsOf(pathname: string): string[] {
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
  /** Where on the site such parts are: the name of a parameter, or the path before the part. */
  readonly place: string;
  /** The URL without the part: the page it is about. */
  readonly page: string;
  readonly value: string;
}

/**
 * A page that carries one value and whose links to pages that are known carry another one: that is a
 * session. In ids of real pages it does not happen: each page has its own, and the links of a page
 * differ in theirs. Where each link gets a value of its own, it takes two pages that say the same
 * under another value.
 */
export class SessionTraps implements TrapDetector {
  /** The first value that a page was met with. */
  readonly #values = new Map<string, string>();
  /** Places that were recognised, and those that had a random value. */
  readonly #sessions = new Set<string>();
  readonly #places = new Set<string>();
  /** Content and value by page; pages by place that had the same content under another value. */
  readonly #contents = new Map<string, { readonly hash: string; readonly value: string }>();
  readonly #repeated = new Map<string, Set<string>>();
  /** Pages that were fetched again, by place, and do not count yet. */
  readonly #again = new Map<string, number>();

  readPage(page: URL, links: readonly string[]): void {
    for (const own of this.#partsOf(page)) {
      if (this.#sessions.has(own.place)) continue;
      const others = links
        .flatMap((link) => this.#partsOf(new URL(link)))
        .filter(({ place }) => place === own.place);
      if (this.#isSession(own, others)) this.#sessions.add(own.place);
    }
  }

  suspect(url: URL): TrapSuspicion | undefined {
    const pattern = this.suspectLate(url);
    return pattern === undefined ? undefined : { pattern, isTrap: true };
  }

  suspectLate(url: URL): string | undefined {
    for (const { place, page, value } of this.#partsOf(url)) {
      const known = this.#values.get(page);
      if (known === undefined || known === value) continue;
      const [path = '', name = ''] = place.slice(place.indexOf('/')).split('?');
      if (!this.#sessions.has(place) && !sessionName.test(name)) continue;
      return name === '' ? `${path}/…` : `?${name}={…}`;
    }
    return undefined;
  }

  settled(url: URL, { contentHash }: TrapEvidence): number {
    let weight = 0;
    for (const part of this.#partsOf(url)) {
      const { place, page, value } = part;
      if (contentHash !== undefined) this.#compare(part, contentHash);
      if (this.#values.get(page) === value) continue;
      const again = (this.#again.get(place) ?? 0) + 1;
      const isKnown = this.#sessions.has(place);
      this.#again.set(place, isKnown ? 0 : again);
      if (isKnown) weight += again;
    }
    return weight;
  }

  #compare({ place, page, value }: RandomPart, hash: string): void {
    const known = this.#contents.get(page);
    if (known === undefined) this.#contents.set(page, { hash, value });
    if (known?.hash !== hash || known.value === value) return;
    const pages = this.#repeated.get(place) ?? new Set();
    this.#repeated.set(place, pages.add(page));
    if (pages.size >= 2) this.#sessions.add(place);
  }

  admitted(url: URL): void {
    for (const { place, page, value } of this.#partsOf(url)) {
      this.#places.add(place);
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
    if (pathname.length + search.length > longest) return [];
    const parameters = search.length > 1 ? search.slice(1).split('&') : [];
    const found = parameters.flatMap((parameter): RandomPart[] => {
      const [name = '', value = ''] = parameter.split('=', 2);
      const place = `${host}/?${name}`;
      if (!this.#isRandom(place, name, value)) return [];
      const rest = parameters.filter((other) => other !== parameter).sort();
      return [{ place, page: `${host}${pathname}?${name}&${rest.join('&')}`, value }];
    });
    if (found.length > 0 || !/[\w-]{8}/.test(pathname)) return found;
    const segments = pathname.split('/');
    for (const [index, segment] of segments.entries()) {
      const value = /[\w-]{8,}/.exec(segment)?.[0] ?? '';
      const shape = segment.replace(value, '{id}');
      const place = `${host}${[...segments.slice(0, index), shape].join('/')}`;
      if (value === '' || !this.#isRandom(place, '', value)) continue;
      const rest = segments.slice(index + 1).join('/');
      return [{ place, page: `${place}/${rest}${search}`, value }];
    }
    return [];
  }

  #isRandom(place: string, name: string, value: string): boolean {
    if (looksRandom(value)) return true;
    // Chance gives a value now and then that looks like a word.
    if (this.#places.has(place)) return value.length >= 6;
    return sessionName.test(name) && value.length >= 4 && /\d/.test(value);
  }
}

/** Characters of a path and query: each of many parts is looked at together with all others. */
const longest = 2_048;

/** Names that say it. */
const sessionName =
  /^(?:s?sid|sess(?:ion)?(?:[-_]?id)?|zenid|oscsid|xtcsid|visit(?:or)?[-_]?id|_?nonce|_?csrf(?:[-_]?token)?|cb|cache[-_]?bust(?:er)?|no[-_]?cache|rnd|rand(?:om)?|_|ts|timestamp)$/i;

// Facets: one list of a shop under every combination of its filters.

/** What is known of one path. */
interface FacetPath {
  /** Combinations that were met: their choices in order. */
  readonly combinations: Set<string>;
  /** Names that were combined with others. */
  readonly names: Set<string>;
  /** Combinations that were let through before it was clear that they go on. */
  early: number;
}

/** Names that make a trap when they are combined at will. */
const facetCount = 3;

/** Values that are chosen in one URL at most. */
const mostChoices = 10;

/**
 * `?color=red&size=m` is a combination where `?color=red` and `?size=m` are pages, too: it can be
 * reached in more than one order. Two facets have so many combinations and no more; with three it is
 * a trap, and so it is with several values of one, whether its key is repeated (`size=m&size=l`, `size[]=m`),
 * numbered (`size[0]=m`, `prefn1=size&prefv1=m`) or has a list. Numbers of pages and languages are not facets.
 */
export class FacetTraps implements TrapDetector {
  readonly #paths = new Map<string, FacetPath>();

  suspect(url: URL, parent: URL): TrapSuspicion | undefined {
    const choices = choicesOf(url);
    if (choices.length === 0) return undefined;
    const path = this.#pathOf(url);
    path.combinations.add(keyOf(choices));
    if (choices.length < 2) return undefined;
    if (choices.length > mostChoices || repeats(choices)) {
      return parent.pathname === url.pathname
        ? { pattern: patternOf(url, choices), isTrap: true }
        : undefined;
    }
    const dropped = choices.filter((one) =>
      path.combinations.has(keyOf(choices.filter((other) => other !== one))),
    );
    if (dropped.length < 2) return undefined;
    const names = new Set(dropped.map(({ name }) => name));
    for (const name of names) path.names.add(name);
    // Two values of one facet: any number of them can be chosen.
    const isSelection = names.size < dropped.length;
    if (path.names.size < facetCount && !isSelection) {
      path.early += 1;
      return undefined;
    }
    const weight = path.early + 1;
    path.early = 0;
    return {
      pattern: patternOf(url, dropped),
      isTrap: isSelection || !isTable(path, names),
      weight,
    };
  }

  #pathOf({ host, pathname }: URL): FacetPath {
    const key = host + pathname;
    const path = this.#paths.get(key) ?? { combinations: new Set(), names: new Set(), early: 0 };
    this.#paths.set(key, path);
    return path;
  }
}

/** True for the combinations of the only two filters that a list has, beside the ways to show it. */
function isTable(path: FacetPath, names: ReadonlySet<string>): boolean {
  const filters = [...path.names].filter((name) => !presentation.test(name));
  return filters.length < facetCount && [...names].every((name) => filters.includes(name));
}

/** Ways to show the same list. */
const presentation =
  /^(?:sort\w*|order\w*|dir|direction|view|display|mode|limit|per[-_]?page|page[-_]?size|show|layout)$/i;

const noFacet =
  /^(?:page\w*|p|pg|paged|start|offset|from|seite|pagina|lang|language|locale|hl|l|currency)$/i;

/** One value of one facet. */
interface FilterChoice {
  /** Of the facet: `colour`, `colour[]` for `colour[3]`. */
  readonly name: string;
  /** Name and value. */
  readonly text: string;
}

/** The choices of a URL in one order, whatever theirs is. */
function choicesOf(url: URL): FilterChoice[] {
  if (url.search.length < 2) return [];
  const parameters = url.search
    .slice(1)
    .split('&')
    .map(parameterOf)
    .filter(({ name }) => !noFacet.test(name.split(/\[|%5b/i, 1)[0] ?? ''));
  const numbered = new Map<string, FilterParameter[]>();
  const choices: FilterChoice[] = [];
  for (const parameter of parameters) {
    const { name, value, index } = parameter;
    if (index === undefined) {
      // `tags=a,b` are two choices, as `tag=a&tag=b` are.
      for (const one of value.split(separators)) choices.push({ name, text: `${name}=${one}` });
    } else numbered.set(index, [...(numbered.get(index) ?? []), parameter]);
  }
  for (const group of numbered.values()) choices.push(...numberedChoices(group));
  return choices.sort((one, other) => (one.text < other.text ? -1 : 1));
}

/** What separates the values of a list. */
const separators = /,|%2c|\||%7c|;|%3b/i;

interface FilterParameter {
  readonly name: string;
  readonly value: string;
  /** `3` of `colour[3]`, `filter[3][name]` or `prefn3`. */
  readonly index: string | undefined;
}

function parameterOf(text: string): FilterParameter {
  const [written = ''] = text.split('=', 1);
  const value = text.slice(written.length + 1);
  const [number, inBrackets, atEnd] =
    /(?:\[|%5b)(\d+)(?:\]|%5d)|(?<=\D)(\d+)$/i.exec(written) ?? [];
  if (number === undefined) return { name: written, value, index: undefined };
  const name = written.replace(number, inBrackets === undefined ? '' : '[]');
  return { name, value, index: inBrackets ?? atEnd };
}

/** `prefn1=colour&prefv1=red` is one choice of `prefn=colour`; `a[0]=1` and `b[0]=2` are one of each. */
function numberedChoices(group: readonly FilterParameter[]): FilterChoice[] {
  const [first, second] = group;
  const isPair =
    first !== undefined && second !== undefined && group.length === 2 && first.name !== second.name;
  if (isPair && stemOf(first.name) === stemOf(second.name)) {
    const name = `${first.name}=${first.value}`;
    return [{ name, text: `${name}&${second.name}=${second.value}` }];
  }
  return group.map(({ name, value }) => ({ name, text: `${name}=${value}` }));
}

/** What the two names of a pair have in common: `pref` of `prefn`, `f[]` of `f[][name]`. */
function stemOf(name: string): string {
  return /\[\](?:.+)$/.test(name) ? name.slice(0, name.indexOf('[]')) : name.slice(0, -1);
}

function repeats(choices: readonly FilterChoice[]): boolean {
  return new Set(choices.map(({ text }) => text)).size < choices.length;
}

function keyOf(choices: readonly FilterChoice[]): string {
  return choices.map(({ text }) => text).join('&');
}

function patternOf({ pathname }: URL, choices: readonly FilterChoice[]): string {
  const names = [...new Set(choices.map(({ name }) => name))];
  return `${pathname}?${names.map((name) => `${name}={…}`).join('&')}`;
}
