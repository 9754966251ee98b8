/** The order of the pages of a job whose failed pages were retried: as if none had failed. */

/** The position of a page among the others. */
interface PagePosition {
  /** The number of a first visit; between two of them for a page that only retried pages lead to. */
  readonly at: number;
  readonly depth: number;
  readonly parent: PagePosition | undefined;
  /** The number of the visit. */
  readonly visit: number;
}

/**
 * A retried page takes the position at which it failed. A page that a retried page leads to takes that of its link:
 * after all pages of a smaller depth, and before pages of its depth whose parents come after its own.
 */
export class PageOrder {
  readonly #positions = new Map<string, PagePosition>();
  /** Pages of the job itself by depth, each in their order. */
  readonly #byDepth: (PagePosition[] | undefined)[] = [];
  readonly #documents: string[] = [];
  #isRetry = false;

  /** From here on, visits are of pages that the job itself did not visit, or visited without success. */
  beginRetry(): void {
    this.#isRetry = true;
  }

  /** A page is settled. */
  visited(page: { url: string; depth: number; parent?: string | undefined }): void {
    if (this.#positions.has(page.url)) return;
    const { depth } = page;
    const visit = this.#positions.size + 1;
    const parent = this.#positions.get(page.parent ?? '');
    const at = this.#isRetry ? this.#slotBelow(depth, parent) : visit;
    const position = { at, depth, parent, visit };
    this.#positions.set(page.url, position);
    if (!this.#isRetry) (this.#byDepth[depth] ??= []).push(position);
  }

  /** A page became a document. */
  kept(url: string): void {
    this.#documents.push(url);
  }

  /** The numbers of the documents, in the order of their pages. */
  get documents(): readonly number[] {
    const positions = this.#documents.map((url) => this.#positions.get(url));
    return [...positions.keys()].sort((one, other) => compare(positions[one], positions[other]));
  }

  /** Before the first page of this depth whose parent comes later, or of a greater depth. */
  #slotBelow(depth: number, parent: PagePosition | undefined): number {
    const later = this.#byDepth[depth]?.find((page) => compare(page.parent, parent) > 0);
    const next = later ?? this.#byDepth.slice(depth + 1).find((pages) => pages !== undefined)?.[0];
    return next === undefined ? Infinity : next.at - 0.5;
  }
}

/** Pages without a parent come first. */
const start: PagePosition = { at: 0, depth: 0, parent: undefined, visit: 0 };

function compare(one: PagePosition = start, other: PagePosition = start): number {
  for (
    let [left, right] = [one, other];
    ;
    [left, right] = [left.parent ?? start, right.parent ?? start]
  ) {
    if (left.at !== right.at) return left.at - right.at;
    if (left.depth !== right.depth) return left.depth - right.depth;
    if (left.parent === right.parent) return left.visit - right.visit;
  }
}
