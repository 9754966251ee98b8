/** Skipped URLs by the million: packed, found by a hash, unpacked on demand. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SkippedUrl } from '../model/job.ts';

const sizes = {
  packLength: 1024, // URLs packed together: packing takes a millisecond, unpacking half of one
  slotLength: 3, // numbers of a slot: two of the hash of a URL, one for its pack
  partBytes: 1_000_000, // of one part of a stored ledger, approximately
};

const empty = 0;
const removed = 0xff_ff_ff_ff;

/** One pack before it is compressed: parts that many URLs share are stored once. */
interface SkipPack {
  readonly urls: readonly string[];
  /** Without the URL. */
  readonly kinds: readonly Omit<SkippedUrl, 'url'>[];
  /** For each URL the index of its kind. */
  readonly kindOf: readonly number[];
}

/** A part of an archive, as it is stored. */
export interface SkipPacks {
  readonly size: number;
  /** Each has as many URLs as fit, but for the last one of the last part. */
  readonly packs: readonly Uint8Array[];
}

/**
 * Takes about 40 bytes a URL of usual length, where an object and its string take 300. Two URLs with the
 * same 64 bits of hash would be one: of a million URLs that happens once in 30 million jobs.
 */
export class SkipArchive {
  /** Open addressing: empty slots have the pack 0. */
  #slots = new Uint32Array(sizes.slotLength * 4096);
  #filled = 0;
  #size = 0;
  readonly #packs: Uint8Array[] = [];
  /** The last pack, which is not full. */
  #open: SkippedUrl[] = [];
  /** The pack that was unpacked last: neighbours are requested together. */
  #unpacked: { readonly index: number; readonly skips: readonly SkippedUrl[] } | undefined;

  /** False for packs of a store, until one of their URLs is looked up. */
  #isIndexed = true;

  get size(): number {
    return this.#size;
  }

  /** The contents, in parts for a store. */
  *parts(): Generator<SkipPacks, void, undefined> {
    if (!this.#isWhole) {
      const rest = new SkipArchive();
      for (const skip of this.list()) rest.add(skip);
      yield* rest.parts();
      return;
    }
    let left = this.#size;
    for (const packs of inParts(this.#allPacks(), ({ length }) => length)) {
      const size = Math.min(left, packs.length * sizes.packLength);
      left -= size;
      yield { size, packs };
    }
  }

  /** Loads a part of a stored archive. All parts are loaded in their order, before anything is added or deleted. */
  load({ size, packs }: SkipPacks): void {
    this.#packs.push(...packs);
    this.#size += size;
    const isFull = size % sizes.packLength === 0;
    const last = isFull ? undefined : this.#packs.pop();
    if (last !== undefined) this.#open = unpacked(last);
    this.#isIndexed = false;
  }

  /** Each URL is added once. */
  add(skip: SkippedUrl): void {
    // The index after the last pack: the open one.
    this.#index(skip.url, this.#packs.length);
    this.#size += 1;
    if (this.#open.push(skip) === sizes.packLength) {
      this.#packs.push(packed(this.#open));
      this.#open = [];
    }
  }

  has(url: string): boolean {
    return this.#packOf(url) !== undefined;
  }

  get(url: string): SkippedUrl | undefined {
    const index = this.#packOf(url);
    return index === undefined ? undefined : this.#read(index).find((skip) => skip.url === url);
  }

  /** Forgets a URL; false when it is not there. */
  delete(url: string): boolean {
    const slot = this.#slotOf(url);
    const pack = this.#slots[slot + 2] ?? empty;
    if (pack === empty || pack === removed) return false;
    this.#slots[slot + 2] = removed;
    this.#size -= 1;
    return true;
  }

  /** All, in the order in which they were added; the first `from` are left out. */
  *list(from = 0): Generator<SkippedUrl, void, undefined> {
    const isWhole = this.#isWhole;
    let left = from;
    for (let index = 0; index <= this.#packs.length; index += 1) {
      if (isWhole && left >= sizes.packLength) {
        left -= sizes.packLength;
        continue;
      }
      for (const skip of this.#read(index)) {
        if (!isWhole && !this.has(skip.url)) continue;
        if (left > 0) left -= 1;
        else yield skip;
      }
    }
  }

  *#allPacks(): Generator<Uint8Array, void, undefined> {
    yield* this.#packs;
    if (this.#open.length > 0) yield packed(this.#open);
  }

  /** True if nothing was deleted. */
  get #isWhole(): boolean {
    return this.#packs.length * sizes.packLength + this.#open.length === this.#size;
  }

  #packOf(url: string): number | undefined {
    const slot = this.#slotOf(url);
    const pack = this.#slots[slot + 2] ?? empty;
    return pack === empty || pack === removed ? undefined : pack - 1;
  }

  #read(index: number): readonly SkippedUrl[] {
    const bytes = this.#packs[index];
    if (bytes === undefined) return this.#open;
    if (this.#unpacked?.index !== index) this.#unpacked = { index, skips: unpacked(bytes) };
    return this.#unpacked.skips;
  }

  /** The slot of a hash, or the empty one where it belongs. */
  #find(high: number, low: number): number {
    const slots = this.#slots;
    const last = slots.length / sizes.slotLength - 1;
    for (let place = low & last; ; place = (place + 1) & last) {
      const slot = place * sizes.slotLength;
      if (slots[slot + 2] === empty || (slots[slot] === high && slots[slot + 1] === low)) {
        return slot;
      }
    }
  }

  /** The slot of a URL, once all packs have theirs. */
  #slotOf(url: string): number {
    if (!this.#isIndexed) {
      this.#isIndexed = true;
      for (let pack = 0; pack <= this.#packs.length; pack += 1) {
        for (const skip of this.#read(pack)) this.#index(skip.url, pack);
      }
    }
    return this.#find(...hashOf(url));
  }

  #index(url: string, pack: number): void {
    if (this.#filled * 4 >= (this.#slots.length / sizes.slotLength) * 3) this.#grow();
    this.#put(...hashOf(url), pack + 1);
  }

  #put(high: number, low: number, pack: number): void {
    const slot = this.#find(high, low);
    if (this.#slots[slot + 2] === empty) this.#filled += 1;
    this.#slots[slot] = high;
    this.#slots[slot + 1] = low;
    this.#slots[slot + 2] = pack;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    this.#filled = 0;
    for (let slot = 0; slot < before.length; slot += sizes.slotLength) {
      const pack = before[slot + 2] ?? empty;
      if (pack !== empty) this.#put(before[slot] ?? 0, before[slot + 1] ?? 0, pack);
    }
  }
}

/** Splits entries into lists, so that no stored value has unbounded size. */
export function* inParts<Entry>(
  entries: Iterable<Entry>,
  bytesOf: (entry: Entry) => number,
): Generator<readonly Entry[], void, undefined> {
  let part: Entry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    part.push(entry);
    bytes += bytesOf(entry);
    if (bytes < sizes.partBytes) continue;
    yield part;
    part = [];
    bytes = 0;
  }
  if (part.length > 0) yield part;
}

function packed(skips: readonly SkippedUrl[]): Uint8Array {
  const places = new Map<string, number>();
  const kinds: SkipPack['kinds'][number][] = [];
  const kindOf = skips.map(({ url: _, ...kind }) => {
    const key = JSON.stringify(kind);
    const known = places.get(key) ?? kinds.push(kind) - 1;
    places.set(key, known);
    return known;
  });
  const pack: SkipPack = { urls: skips.map(({ url }) => url), kinds, kindOf };
  return deflateRawSync(JSON.stringify(pack), { level: 1 });
}

function unpacked(bytes: Uint8Array): SkippedUrl[] {
  const { urls, kinds, kindOf } = JSON.parse(inflateRawSync(bytes).toString()) as SkipPack;
  return urls.flatMap((url, index) => {
    const kind = kinds[kindOf[index] ?? -1];
    return kind === undefined ? [] : [{ url, ...kind }];
  });
}

/** 64 bits of a text, well mixed (after MurmurHash3). */
function hashOf(text: string): [high: number, low: number] {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high =
    Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low =
    Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return [high >>> 0, low >>> 0];
}
