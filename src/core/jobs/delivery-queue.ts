/** Queues a job's documents for delivery, in order: some wait until the boilerplate of their site is known. */
import { setImmediate } from 'node:timers/promises';
import type { RepeatedBlocks } from './repeated-blocks.ts';

const limits = {
  mostPages: 100, // of other hosts, waiting for the first host's
  bytes: 32 * 1024 * 1024,
};

/** A page in the queue. */
export interface QueuedDocument {
  /** Host of the final URL. */
  readonly host: string;
  /** Bytes of its body, also where the document is held instead. */
  readonly bytes: number;
  /** Set for a page that boilerplate is learnt from: its blocks, recognisable on other pages. */
  readonly fingerprints?: readonly number[] | undefined;
  /** True when the document does not depend on the boilerplate of its site. */
  readonly isReady: boolean;
  /** Builds and stores the document. */
  deliver(repeated: ReadonlySet<number>): Promise<void>;
}

/**
 * Delivers pages in order. When too much is waiting, the boilerplate of the first page's site is learnt from the pages
 * so far. The result depends on earlier pages, never on timing. Calls of the methods must not overlap.
 */
export class DeliveryQueue {
  readonly #repeatedBlocks: RepeatedBlocks;
  readonly #signal: AbortSignal;
  readonly #waiting: QueuedDocument[] = [];
  #bytes = 0;

  constructor(repeatedBlocks: RepeatedBlocks, signal: AbortSignal) {
    this.#repeatedBlocks = repeatedBlocks;
    this.#signal = signal;
  }

  /** Waiting pages. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Adds the next page; resolves once all deliverable pages are delivered. */
  async add(page: QueuedDocument): Promise<void> {
    this.#waiting.push(page);
    this.#bytes += page.bytes;
    if (page.fingerprints !== undefined) this.#repeatedBlocks.add(page.host, page.fingerprints);
    await this.#deliver(() => this.length > limits.mostPages || this.#bytes > limits.bytes);
  }

  /** Delivers everything: no further page will come. */
  async drain(): Promise<void> {
    await this.#deliver(() => true);
  }

  async #deliver(isUrgent: () => boolean): Promise<void> {
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      if (this.#repeatedBlocks.repeatedOn(first.host) === undefined && !first.isReady) {
        if (!isUrgent()) return;
        this.#repeatedBlocks.learn(first.host);
      }
      if (this.#signal.aborted) return;
      await first.deliver(this.#repeatedBlocks.repeatedOn(first.host) ?? nothing);
      this.#waiting.shift();
      this.#bytes -= first.bytes;
      // Rereading a page never waits: without this it blocks the event loop.
      if (this.length > 0) await setImmediate();
    }
  }
}

const nothing: ReadonlySet<number> = new Set();
