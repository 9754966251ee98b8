/** The addresses that a page's markdown links to or shows. */
import { type Candidates, knownPlaces, type Place } from './candidates.ts';
import type { WrittenTarget } from './fold-markdown.ts';
import { canParseUrl } from '../../../url/can-parse-url.ts';

/** A link farm of more has none that anybody asks for. */
const maxAddresses = 200_000;

const shown =
  /https?:\/\/[^\s<>"'`|\\\]()]{1,2000}(?:\([^\s<>()]{0,500}\)[^\s<>"'`|\\\]()]{0,500}){0,5}/gi;

/** One for a page. */
export class UrlIndex {
  readonly #pageUrl: string;
  readonly #places = new Map<string, Place[]>();

  constructor(markdown: string, targets: readonly WrittenTarget[], pageUrl: string) {
    this.#pageUrl = pageUrl;
    let left = maxAddresses;
    for (const { target, start, end } of targets) {
      if ((left -= 1) < 0) break;
      this.#add(target.replace(/\\([!-/:-@[-`{-~])/g, '$1').replace(/&amp;/g, '&'), { start, end });
    }
    for (const { 0: written, index } of markdown.matchAll(shown)) {
      if ((left -= 1) < 0) break;
      const url = written.replace(/[.,;:!?*_~]{1,20}$/, '');
      this.#add(url.replace(/&amp;/g, '&'), { start: index, end: index + url.length });
    }
    for (const places of this.#places.values()) places.sort((a, b) => a.start - b.start);
  }

  /** Where the address stands; relative ones are resolved. */
  find(value: string): Candidates {
    const key = this.#keyOf(value);
    return knownPlaces((key === undefined ? undefined : this.#places.get(key)) ?? []);
  }

  /** True for the page's own address. */
  isPage(value: string): boolean {
    const key = this.#keyOf(value);
    return key !== undefined && key === this.#keyOf(this.#pageUrl);
  }

  #add(url: string, place: Place): void {
    const key = this.#keyOf(url);
    if (key === undefined) return;
    const known = this.#places.get(key);
    if (known === undefined) this.#places.set(key, [place]);
    else if (known.at(-1)?.start !== place.start) known.push(place);
  }

  /** One form for one address: absolute, without a slash at its end; `mailto:` is the address itself. */
  #keyOf(url: string): string | undefined {
    const plain = url.trim().replace(/^mailto:/i, '');
    if (plain === '' || plain.length > 4000) return undefined;
    if (/^[^\s/:@]+@[^\s/:@]+$/.test(plain)) return plain.toLowerCase();
    return canParseUrl(plain, this.#pageUrl)
      ? new URL(plain, this.#pageUrl).href.replace(/\/$/, '')
      : undefined;
  }
}
