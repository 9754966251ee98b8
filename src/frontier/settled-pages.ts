/** The pages that a crawl has settled, by everything that makes another page a duplicate of them. */
import { fingerprint, type FingerprintOptions } from '../url/fingerprint.ts';
import { NearTexts } from './near-texts.ts';
import type { ErrorAnswer } from '../model/job.ts';
import type { Robots } from './robots.ts';
import type { TrapEvidence } from './trap.ts';

/** What became known of a page when it was fetched. */
export interface FetchedPage extends TrapEvidence {
  readonly finalUrl: string;
  readonly canonical: string | undefined;
  /** The same for the same text; undefined for a page without any. */
  readonly textHash: string | undefined;
  /** Nearly the same for nearly the same text; undefined for a short page, or where nobody asked. */
  readonly nearHash: string | undefined;
  /** The robots rules of the final URL's origin. */
  readonly robots: Robots | undefined;
  /** Set for a page that fails by the status of its last answer. */
  readonly errorAnswer?: ErrorAnswer | undefined;
}

/** What counts as a duplicate. */
export interface SettledPagesSettings {
  readonly rules: FingerprintOptions;
  readonly deduplicateContent: 'off' | 'exact' | 'near';
}

/** Looks pages up. Whoever settles a page takes its URLs and texts, so that later ones are its duplicates. */
export class SettledPages {
  readonly #settings: SettledPagesSettings;
  /** URL of the page by fingerprint, of its final and its canonical URL. */
  readonly #byUrl = new Map<string, string>();
  /** URL of the page by the hash of its text. */
  readonly #byText = new Map<string, string>();
  readonly #nearTexts = new NearTexts();

  constructor(settings: SettledPagesSettings) {
    this.#settings = settings;
  }

  /** The page that redirected to this URL, or named it its canonical one, or has it. */
  at(url: string): string | undefined {
    return this.atKey(fingerprint(url, this.#settings.rules));
  }

  /** The same by the URL's fingerprint. */
  atKey(key: string): string | undefined {
    return this.#byUrl.get(key);
  }

  /** The page at this URL is the one that was found at `url`. */
  take(finalUrl: string, url: string): void {
    this.#byUrl.set(fingerprint(finalUrl, this.#settings.rules), url);
  }

  /** The page whose address this one names as its own. */
  originalOf(page: FetchedPage): string | undefined {
    const key = this.#canonicalKey(page);
    return key === undefined ? undefined : this.#byUrl.get(key);
  }

  /** The page that has the same text, or nearly so. */
  twinOf({ textHash, nearHash }: FetchedPage): string | undefined {
    const { deduplicateContent } = this.#settings;
    if (deduplicateContent === 'off') return undefined;
    const twin = textHash === undefined ? undefined : this.#byText.get(textHash);
    if (deduplicateContent === 'exact' || nearHash === undefined) return twin;
    return twin ?? this.#nearTexts.find(nearHash);
  }

  /** Text and canonical URL of a page that becomes a document. */
  keep(page: FetchedPage, url: string): void {
    const { textHash, nearHash } = page;
    const canonical = this.#canonicalKey(page);
    if (canonical !== undefined) this.#byUrl.set(canonical, url);
    if (textHash !== undefined) this.#byText.set(textHash, url);
    if (nearHash !== undefined) this.#nearTexts.add(nearHash, url);
  }

  /** A whole site that names its home page as canonical is a mistake, not one page. */
  #canonicalKey({ canonical, finalUrl }: FetchedPage): string | undefined {
    const { rules } = this.#settings;
    if (canonical === undefined || !rules.deduplicateSimilarURLs) return undefined;
    const isHome = (url: string): boolean => new URL(url).pathname === '/';
    return isHome(canonical) && !isHome(finalUrl) ? undefined : fingerprint(canonical, rules);
  }
}
