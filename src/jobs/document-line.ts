/** Documents on their way out of a crawl, in its order: some wait until it is known what repeats on their site. */
import { setImmediate } from 'node:timers/promises';
import type { SiteBlocks } from './site-blocks.ts';

/** A page in the line. */
export interface WaitingPage {
  /** Host of the final URL. */
  readonly host: string;
  /** Bytes of its body, whether they are held or the document is. */
  readonly bytes: number;
  /** What can be recognised on other pages, of a page that may be learnt from. */
  readonly fingerprints?: readonly number[] | undefined;
  /** True when the document does not depend on what is learnt. */
  readonly isReady: boolean;
  /** Makes the document and keeps it. */
  deliver(repeated: ReadonlySet<number>): Promise<void>;
}

/**
 * A page is delivered after all before it. When too much waits, the site of the first page is learnt
 * from what there is. All that counts is which pages came before, never the time. The methods are
 * called one after the other.
 */
export class DocumentLine {
  readonly #siteBlocks: SiteBlocks;
  readonly #signal: AbortSignal;
  readonly #waiting: WaitingPage[] = [];
  #bytes = 0;

  constructor(siteBlocks: SiteBlocks, signal: AbortSignal) {
    this.#siteBlocks = siteBlocks;
    this.#signal = signal;
  }

  /** Pages that wait. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Adds the next page; resolves when all that can be delivered is. */
  async add(page: WaitingPage): Promise<void> {
    this.#waiting.push(page);
    this.#bytes += page.bytes;
    if (page.fingerprints !== undefined) this.#siteBlocks.add(page.host, page.fingerprints);
    await this.#deliver(() => this.length > mostPages || this.#bytes > mostBytes);
  }

  /** Delivers everything: no page comes that could be waited for. */
  async drain(): Promise<void> {
    await this.#deliver(() => true);
  }

  async #deliver(isUrgent: () => boolean): Promise<void> {
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      if (this.#siteBlocks.repeatedOn(first.host) === undefined && !first.isReady) {
        if (!isUrgent()) return;
        this.#siteBlocks.learn(first.host);
      }
      if (this.#signal.aborted) return;
      await first.deliver(this.#siteBlocks.repeatedOn(first.host) ?? nothing);
      this.#waiting.shift();
      this.#bytes -= first.bytes;
      // Reading a page again waits for nothing: without this the process would stand still.
      if (this.length > 0) await setImmediate();
    }
  }
}

const nothing: ReadonlySet<number> = new Set();

/** Pages of other hosts may wait for those of the first one. */
const mostPages = 100;
const mostBytes = 32 * 1024 * 1024;
