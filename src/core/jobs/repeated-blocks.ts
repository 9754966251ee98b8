/** The blocks that repeat on the pages of each host of a crawl, learnt from the first pages of the host. */

const limits = {
  samplePages: 32, // the start page, the pages of its menus, and the first pages below
  fewestPages: 3, // a block that two pages share may be a coincidence
  hosts: 100, // a crawl with `allowExternalLinks` may meet thousands; no further ones are learnt
};

/** The same pages in the same order give the same sets, at any speed. */
export class RepeatedBlocks {
  readonly #samples = new Map<string, BoilerplateSample>();
  readonly #learnt = new Map<string, ReadonlySet<number>>();

  /** The blocks to remove from pages of this host; undefined while they are not known. They never change. */
  repeatedOn(host: string): ReadonlySet<number> | undefined {
    const learnt = this.#learnt.get(host);
    if (learnt !== undefined || this.#samples.has(host)) return learnt;
    return this.#samples.size + this.#learnt.size < limits.hosts ? undefined : noBoilerplate;
  }

  /** Adds a page to the sample of its host, which is learnt from when it has enough of them. */
  add(host: string, fingerprints: readonly number[]): void {
    if (this.repeatedOn(host) !== undefined) return;
    const sample = this.#samples.get(host) ?? { pages: 0, counts: new Map<number, number>() };
    this.#samples.set(host, sample);
    sample.pages += 1;
    for (const one of fingerprints) sample.counts.set(one, (sample.counts.get(one) ?? 0) + 1);
    if (sample.pages === limits.samplePages) this.learn(host);
  }

  /** Learns from the pages so far. */
  learn(host: string): void {
    if (this.repeatedOn(host) !== undefined) return;
    const { pages, counts } = this.#samples.get(host) ?? { pages: 0, counts: [] };
    const enough = Math.max(limits.fewestPages, Math.floor(pages / 2) + 1);
    const repeated = new Set<number>();
    for (const [fingerprint, count] of counts) if (count >= enough) repeated.add(fingerprint);
    this.#samples.delete(host);
    this.#learnt.set(host, repeated);
  }
}

interface BoilerplateSample {
  pages: number;
  /** The number of pages that have each block. */
  readonly counts: Map<number, number>;
}

const noBoilerplate: ReadonlySet<number> = new Set();
