/** Documents on their way out of a job, in its order: some wait until the boilerplate of their site is known. */
import { setImmediate } from 'node:timers/promises';
import { PagewrightError } from '../runtime/errors.ts';
import type { HookLists } from '../hooks/hook-lists.ts';
import type { PlainDocument } from '../model/document.ts';
import { throwStoreError } from './durable/job-store.ts';
import type { DocumentOfVisit } from './durable/journal.ts';
import type { JobBudget } from './job-budget.ts';
import type { JobControl } from './job-status.ts';

const limits = {
  mostPages: 100, // of other hosts that wait for the first host's
  bytes: 32 * 1024 * 1024,
  samplePages: 32, // the start page, the pages of its menus, and the first pages below
  fewestPages: 3, // a block that two pages share may be a coincidence
  hosts: 100, // a crawl with `allowExternalLinks` may meet thousands; no further ones are learnt
};

/** A page in the queue. */
export interface QueuedDocument {
  /** Host of the final URL. */
  readonly host: string;
  /** Bytes of its body, also where the document is held instead. */
  readonly bytes: number;
  /** Of a page that boilerplate is learnt from: its blocks, which can be recognised on other pages. */
  readonly fingerprints?: readonly number[] | undefined;
  /** True when the document does not depend on the boilerplate of its site. */
  readonly isReady: boolean;
  /** Makes the document and keeps it. */
  deliver(repeated: ReadonlySet<number>): Promise<void>;
}

/**
 * A page is delivered after all before it. When too much waits, the boilerplate of the first page's site
 * is learnt from the pages so far. The result depends on the pages before, never on time. The methods
 * are called one after the other.
 */
export class DeliveryQueue {
  readonly #siteBoilerplate: SiteBoilerplate;
  readonly #signal: AbortSignal;
  readonly #waiting: QueuedDocument[] = [];
  #bytes = 0;

  constructor(siteBoilerplate: SiteBoilerplate, signal: AbortSignal) {
    this.#siteBoilerplate = siteBoilerplate;
    this.#signal = signal;
  }

  /** Pages that wait. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Adds the next page; resolves when all that can be delivered is. */
  async add(page: QueuedDocument): Promise<void> {
    this.#waiting.push(page);
    this.#bytes += page.bytes;
    if (page.fingerprints !== undefined) this.#siteBoilerplate.add(page.host, page.fingerprints);
    await this.#deliver(() => this.length > limits.mostPages || this.#bytes > limits.bytes);
  }

  /** Delivers everything: no page comes that could be waited for. */
  async drain(): Promise<void> {
    await this.#deliver(() => true);
  }

  async #deliver(isUrgent: () => boolean): Promise<void> {
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      if (this.#siteBoilerplate.repeatedOn(first.host) === undefined && !first.isReady) {
        if (!isUrgent()) return;
        this.#siteBoilerplate.learn(first.host);
      }
      if (this.#signal.aborted) return;
      await first.deliver(this.#siteBoilerplate.repeatedOn(first.host) ?? nothing);
      this.#waiting.shift();
      this.#bytes -= first.bytes;
      // Reading a page again waits for nothing: without this the process would stand still.
      if (this.length > 0) await setImmediate();
    }
  }
}

const nothing: ReadonlySet<number> = new Set();

// A page's document in its turn: made, paid for and kept, or the reason why it is not.

/** `rule` is that of the budget that leaves the page out; `error` is the page's failure, not the job's. */
export type KeepOutcome = { readonly rule: string } | { readonly error: unknown } | 'kept';

/** Rejects with `STORAGE`, which ends the job. `visit`: the document is in the store as it is. */
export async function keepDocument(
  job: JobControl<PlainDocument>,
  budget: JobBudget,
  url: string,
  make: () => Promise<PlainDocument>,
  visit?: Omit<DocumentOfVisit, 'url'>,
): Promise<KeepOutcome> {
  const stored = job.stored(url);
  if (stored !== undefined) {
    const rule = budget.take({ credits: stored.credits });
    if (rule !== undefined) return { rule };
    await job.adopt(stored);
    return 'kept';
  }
  if (visit !== undefined && !job.isHeard()) {
    const rule = budget.take({ credits: visit.credits });
    if (rule !== undefined) return { rule };
    await job.keepVisit({ ...visit, url });
    return 'kept';
  }
  let document: PlainDocument;
  try {
    document = await make();
  } catch (error) {
    throwStoreError(error);
    const rule = budget.causeOf(error);
    return rule === undefined ? { error } : { rule };
  }
  const { creditsUsed: credits, redactions } = document.metadata;
  const rule = budget.take({ credits });
  if (rule !== undefined) return { rule };
  try {
    await job.keep(document, { url, credits, redactions });
    return 'kept';
  } catch (error) {
    if (!(error instanceof PagewrightError) || error.code !== 'HOOK_FAILED') throw error;
    return { error };
  }
}

/** Calls hooks for a document once in the life of a job: their error is stored, too. */
export function makeOnce(
  { journal, signal }: Pick<JobControl<PlainDocument>, 'journal' | 'signal'>,
  hooks: Pick<HookLists, 'onDocument'>,
  url: string,
  make: () => Promise<PlainDocument>,
): Promise<PlainDocument> {
  if (journal === undefined || hooks.onDocument.length === 0) return make();
  return journal.answer('unmade', url, signal, make);
}

// The blocks that repeat on the pages of each host of a crawl, learnt from the first pages of the host.

/** The same pages in the same order give the same sets, at any speed. */
export class SiteBoilerplate {
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

  /** Learns from the pages that there are. */
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
