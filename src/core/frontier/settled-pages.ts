/**
 * The pages that a crawl has settled, by everything that makes another page a duplicate: URL,
 * canonical URL, same or nearly the same text.
 */
import type { ErrorAnswer } from '../model/job.ts';
import { fingerprint, type FingerprintOptions } from '../url/fingerprint.ts';
import type { Robots } from './robots/robots.ts';
import type { TrapEvidence } from './traps/trap-detectors.ts';

const limits = {
  leastBytes: 512, // smaller bodies are too often equal by chance, such as `OK` and `[]`
  bits: 24, // of 256 that may differ
  partLength: 4, // digits of a part: of two hashes with 24 bits changed, 98 % share 1 of 16 parts
  compared: 200, // pages with a common part; beyond that the part is too common
};

/** Facts about a page, known after it was fetched. */
export interface PageEvidence extends TrapEvidence {
  readonly finalUrl: string;
  readonly canonical: string | undefined;
  /** Equal for equal text; undefined for a page without text. */
  readonly textHash: string | undefined;
  /** Bytes of the body. */
  readonly bytes: number;
  /** Similar for similar text; undefined for a short page, or if not needed. */
  readonly nearHash: string | undefined;
  /** The robots rules of the final URL's origin. */
  readonly robots: Robots | undefined;
  /** Set for a page that fails because of the status of its last response. */
  readonly errorAnswer?: ErrorAnswer | undefined;
}

/** Settings of duplicate detection. */
export interface SettledPagesSettings {
  readonly rules: FingerprintOptions;
  readonly deduplicateContent: 'off' | 'exact' | 'near';
}

/**
 * Looks up settled pages. A settled page claims its URLs and texts, so that later ones are its duplicates.
 */
export class SettledPages {
  readonly #settings: SettledPagesSettings;
  /** The page's URL by the fingerprints of its final and its canonical URL. */
  readonly #byUrl = new Map<string, string>();
  /** The page's URL by the hash of its text. */
  readonly #byText = new Map<string, string>();
  readonly #nearTexts = new NearDuplicates();

  constructor(settings: SettledPagesSettings) {
    this.#settings = settings;
  }

  /** The page that redirected to this URL, or named it as its canonical URL, or has it. */
  at(url: string): string | undefined {
    return this.atKey(fingerprint(url, this.#settings.rules));
  }

  /** The same, by the URL's fingerprint. */
  atKey(key: string): string | undefined {
    return this.#byUrl.get(key);
  }

  /** Records that the page at this URL was found at `url`. */
  take(finalUrl: string, url: string): void {
    this.#byUrl.set(fingerprint(finalUrl, this.#settings.rules), url);
  }

  /** The page that this one names as its canonical URL. */
  originalOf(page: PageEvidence): string | undefined {
    const key = this.#canonicalKey(page);
    return key === undefined ? undefined : this.#byUrl.get(key);
  }

  /** The page with the same text, or nearly the same. */
  twinOf({ textHash, nearHash, bytes }: PageEvidence): string | undefined {
    const { deduplicateContent } = this.#settings;
    if (deduplicateContent === 'off' || bytes < limits.leastBytes) return undefined;
    const twin = textHash === undefined ? undefined : this.#byText.get(textHash);
    if (deduplicateContent === 'exact' || nearHash === undefined) return twin;
    return twin ?? this.#nearTexts.find(nearHash);
  }

  /** Records text and canonical URL of a page that becomes a document. */
  keep(page: PageEvidence, url: string): void {
    const { textHash, nearHash } = page;
    const canonical = this.#canonicalKey(page);
    if (canonical !== undefined) this.#byUrl.set(canonical, url);
    if (textHash !== undefined) this.#byText.set(textHash, url);
    if (nearHash !== undefined) this.#nearTexts.add(nearHash, url);
  }

  /** A whole site that names its home page as canonical is a mistake, not one page. */
  #canonicalKey({ canonical, finalUrl }: PageEvidence): string | undefined {
    const { rules } = this.#settings;
    if (canonical === undefined || !rules.deduplicateSimilarURLs) return undefined;
    const isHome = (url: string): boolean => new URL(url).pathname === '/';
    return isHome(canonical) && !isHome(finalUrl) ? undefined : fingerprint(canonical, rules);
  }
}

// Finds the page with nearly the same text, by the hashes of `simhash`.

interface KnownText {
  readonly hash: string;
  readonly url: string;
}

/** The texts of one crawl. A lookup takes the same time however many there are. */
export class NearDuplicates {
  readonly #byPart = new Map<string, KnownText[]>();

  /** Adds a text by its hash, in hexadecimal digits. */
  add(hash: string, url: string): void {
    const known = { hash, url };
    for (const part of partsOf(hash)) {
      const texts = this.#byPart.get(part);
      if (texts === undefined) this.#byPart.set(part, [known]);
      else if (texts.length < limits.compared) texts.push(known);
    }
  }

  /** The URL of the most similar text, if it is near; of several the first one. */
  find(hash: string): string | undefined {
    let best: { readonly url: string; readonly bits: number } | undefined;
    const compared = new Set<KnownText>();
    for (const part of partsOf(hash)) {
      for (const known of this.#byPart.get(part) ?? []) {
        if (compared.has(known)) continue;
        compared.add(known);
        const bits = bitsBetween(hash, known.hash);
        if (bits <= limits.bits && (best === undefined || bits < best.bits)) {
          best = { url: known.url, bits };
        }
      }
    }
    return best?.url;
  }
}

function partsOf(hash: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < hash.length; at += limits.partLength) {
    parts.push(`${at}:${hash.slice(at, at + limits.partLength)}`);
  }
  return parts;
}

function bitsBetween(one: string, other: string): number {
  let bits = 0;
  for (let at = 0; at < one.length; at += 8) {
    let rest = parseInt(one.slice(at, at + 8), 16) ^ parseInt(other.slice(at, at + 8), 16);
    for (; rest !== 0; rest &= rest - 1) bits += 1;
  }
  return bits;
}
