/** Session ids: the same pages again and again, each time with another random value in the URL. */
import { looksRandom } from '../text/random-looking.ts';
import type { Suspicion, TrapDetector, TrapEvidence } from './trap.ts';

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

  suspect(url: URL): Suspicion | undefined {
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
