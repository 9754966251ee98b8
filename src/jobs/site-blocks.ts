/** What repeats on the pages of each host of a crawl, learnt from the first pages of the host. */

/** Nothing in it depends on time: the same pages in the same order give the same sets. */
export class SiteBlocks {
  readonly #samples = new Map<string, Sample>();
  readonly #learnt = new Map<string, ReadonlySet<number>>();

  /** What to remove from a page of this host; undefined while that is not known. It never changes. */
  repeatedOn(host: string): ReadonlySet<number> | undefined {
    const learnt = this.#learnt.get(host);
    if (learnt !== undefined || this.#samples.has(host)) return learnt;
    return this.#samples.size + this.#learnt.size < mostHosts ? undefined : nothing;
  }

  /** Adds a page to the sample of its host, which is learnt from when it has enough of them. */
  add(host: string, fingerprints: readonly number[]): void {
    if (this.repeatedOn(host) !== undefined) return;
    const sample = this.#samples.get(host) ?? { pages: 0, counts: new Map<number, number>() };
    this.#samples.set(host, sample);
    sample.pages += 1;
    for (const one of fingerprints) sample.counts.set(one, (sample.counts.get(one) ?? 0) + 1);
    if (sample.pages === samplePages) this.learn(host);
  }

  /** Learns from the pages that there are. */
  learn(host: string): void {
    if (this.repeatedOn(host) !== undefined) return;
    const { pages, counts } = this.#samples.get(host) ?? { pages: 0, counts: [] };
    const enough = Math.max(fewestPages, Math.floor(pages / 2) + 1);
    const repeated = new Set<number>();
    for (const [fingerprint, count] of counts) if (count >= enough) repeated.add(fingerprint);
    this.#samples.delete(host);
    this.#learnt.set(host, repeated);
  }
}

interface Sample {
  pages: number;
  /** On how many of them each block stands. */
  readonly counts: Map<number, number>;
}

const nothing: ReadonlySet<number> = new Set();

/** The start page, what its menus lead to, and the first pages below. */
const samplePages = 32;
/** What stands on two pages only may be a coincidence. */
const fewestPages = 3;
/** Of further hosts nothing is learnt: a crawl with `allowExternalLinks` may meet thousands. */
const mostHosts = 100;
