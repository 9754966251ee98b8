/** Finds the page whose text is nearly the same, by the hashes of `simhash`. */

/** Bits of 256 that may differ. */
const mostBits = 24;
/**
 * Digits of one part of a hash. Of two hashes that differ in 24 of 256 bits one of 16 parts is the
 * same in 98 of 100 cases, and more often when they differ in less.
 */
const partLength = 4;
/** Pages that have a part in common and are compared; beyond that they are like all others. */
const mostCompared = 200;

interface KnownText {
  readonly hash: string;
  readonly url: string;
}

/** The texts of one crawl. A look-up takes the same time however many there are. */
export class NearTexts {
  readonly #byPart = new Map<string, KnownText[]>();

  /** Adds a text by its hash, in hexadecimal digits. */
  add(hash: string, url: string): void {
    const known = { hash, url };
    for (const part of partsOf(hash)) {
      const texts = this.#byPart.get(part);
      if (texts === undefined) this.#byPart.set(part, [known]);
      else if (texts.length < mostCompared) texts.push(known);
    }
  }

  /** The URL of the nearest text, where it is near; of several the first one. */
  find(hash: string): string | undefined {
    let best: { readonly url: string; readonly bits: number } | undefined;
    const compared = new Set<KnownText>();
    for (const part of partsOf(hash)) {
      for (const known of this.#byPart.get(part) ?? []) {
        if (compared.has(known)) continue;
        compared.add(known);
        const bits = bitsBetween(hash, known.hash);
        if (bits <= mostBits && (best === undefined || bits < best.bits)) {
          best = { url: known.url, bits };
        }
      }
    }
    return best?.url;
  }
}

function partsOf(hash: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < hash.length; at += partLength) {
    parts.push(`${at}:${hash.slice(at, at + partLength)}`);
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
