/** The lifecycle of a job in a store: start, release, resumption and end. */
import { PagewrightError, ValidationError } from '../../runtime/errors.ts';
import type { CrawlChanges, CrawlStop, JobCounts, JobState, JobUsage } from '../../model/job.ts';
import type { JobEntry } from '../../options/scrape-target.ts';
import { DamagedValueError } from '../../storage/storage-failures.ts';
import { sameBytes, type Store } from '../../storage/store.ts';
import type { OpenVault } from '../../storage/vault.ts';
import type { UnsentEvents } from '../webhooks/webhook-outbox.ts';
import { documentBytes, documentOf, packValue, unpackValue } from './stored-value.ts';
import type { LedgerPart } from '../ledger.ts';
import type { StoredTiming } from '../page-timings.ts';
import {
  type JobManifest,
  JobStore,
  readManifest,
  refuseExpired,
  throwStoreError,
  writeManifest,
} from './job-store.ts';
import { type DocumentFacts, Journal, StoredDocuments, type StoredError } from './journal.ts';
import { Lease } from './lease.ts';
import { Segments } from './segments.ts';
import { hasSecret, type StoredUrl, urlsToResume, urlToStore } from './stored-options.ts';
import { compact } from '../../runtime/compact.ts';

/** The stored facts of a job that has ended. */
export interface StoredEnd {
  readonly state: Exclude<JobState, 'scraping'>;
  /** Milliseconds since 1970. */
  readonly completedAt: number;
  /** The error with which `await job` rejects. */
  readonly error?: StoredError;
  readonly credits: number;
  readonly redactions?: Readonly<Record<string, number>>;
  readonly usage: JobUsage;
  readonly warnings: readonly string[];
  /** The most documents of a crawl. */
  readonly limit?: number;
  /** Set for a recrawl. */
  readonly changes?: CrawlChanges;
  /** Set for a crawl that ended because its query was answered. */
  readonly stop?: CrawlStop;
  /** Set for a job with a webhook. */
  readonly unsent?: UnsentEvents;
  /** The number of parts in which the rest of the record is stored. */
  readonly parts: number;
}

/** A part of the record of a job that has ended. */
export interface EndPart extends LedgerPart {
  /** Bytes of documents before packing, by their numbers. */
  readonly sizes?: readonly number[];
  /** The numbers of the documents in the order of the job, if failed pages were retried. */
  readonly order?: readonly number[];
  readonly timings?: readonly StoredTiming[];
}

/** The record of a job that has ended. */
export interface EndedJob {
  readonly end: StoredEnd;
  /** Reads the parts in sequence. Rejects with `STORAGE` when one of them is damaged or missing. */
  parts(): AsyncIterable<EndPart>;
}

/** A round in which a job revisits its failed pages. */
export interface RetryRound {
  /** Unique among all rounds, including one that the store has lost: milliseconds since 1970. */
  readonly number: number;
  /** Milliseconds since 1970: the end of the job that it follows. Absent if the job had not ended. */
  readonly after?: number;
  /** The number of that end's event, for a job with a webhook. */
  readonly endEvent?: number;
}

/** A job that is about to continue. */
export interface JobOpening {
  readonly createdAt: number;
  /** Milliseconds that it has run so far. */
  readonly ranBefore: number;
  /** Documents that its reader has processed. */
  readonly position: number;
  /** Events that need not be sent to its webhook again; undefined if none was sent so far. */
  readonly sent: number | undefined;
  /** See the manifest. */
  readonly learningDistance?: number | undefined;
  /** Rounds after the job's own work. @default none */
  readonly retries?: readonly RetryRound[];
  /** The record of an ended job, which does not continue. */
  readonly ended?: EndedJob;
}

/** The settings of a stored job. */
export interface DurableSetting {
  readonly id: string;
  readonly store: Store;
  readonly now: () => number;
  /** Milliseconds that results are stored after the end. */
  readonly retention: number;
  /** Set for a new job; undefined for a resumed one. */
  readonly manifest?: Promise<JobManifest>;
  /** A resumed job revisits its failed pages, also if it has ended. @default false */
  readonly retryFailed?: boolean;
  /** The initial URLs of a batch; for a resumed batch, the URLs that the caller passes again. */
  readonly urls?: readonly JobEntry[] | undefined;
  /** Seals secrets; undefined: secrets are not stored. */
  readonly vault?: OpenVault | undefined;
  /** Called with the stored job before it continues; an error thrown here aborts the resumption. */
  readonly onFound?: (manifest: JobManifest, urls: readonly JobEntry[]) => Promise<void>;
}

/** The names of values of a job. */
export const names = {
  end: 'end',
  parts: 'ledger/',
  reader: 'reader',
  retries: 'retries',
  urls: 'urls/',
  webhook: 'webhook-position',
  /** The numbers of the running job, for readers in other processes. */
  progress: 'progress',
  /** Any value: another process requests cancellation, or an earlier one could not store that it cancelled. */
  cancel: 'cancel',
} as const;

const progressInterval = 1000; // milliseconds between two writes of the numbers

function numbered(prefix: string, index: number): string {
  return prefix + String(index).padStart(8, '0');
}

/** The counts among the numbers of a job. */
export function countsOf({
  discovered,
  completed,
  failed,
  skipped,
  pending,
}: JobCounts): JobCounts {
  return { discovered, completed, failed, skipped, pending };
}

/** The numbers stored by the process that runs or ran the job; undefined if there are none. */
export async function readProgress<Progress extends JobCounts>(
  store: JobStore,
  id: string,
): Promise<Progress | undefined> {
  const value = await store.get(names.progress);
  if (value === undefined) return undefined;
  return unpackValue<Progress>(value, `The progress of job ${id}`).then(
    ({ facts }) => facts,
    // The next one replaces it.
    () => undefined,
  );
}

/** The rounds of a job after the first one. If they are damaged, their results have to be retried. */
export async function readRetries(
  store: JobStore,
  warn: (sentence: string) => void,
): Promise<readonly RetryRound[]> {
  try {
    const value = await store.get(names.retries);
    if (value === undefined) return [];
    return (await unpackValue<readonly RetryRound[]>(value, 'The list of retries')).facts;
  } catch (error) {
    if (!(error instanceof DamagedValueError)) throw error;
    warn(`${error.message} Retry the failed pages again.`);
    return [];
  }
}

/** The end of a job; rejects with `STORAGE` when it cannot be read. */
export async function readEnd(store: JobStore, id: string): Promise<EndedJob> {
  const read = async <Facts>(name: string, what: string): Promise<Facts> => {
    const value = await store.get(name);
    if (value !== undefined) return (await unpackValue<Facts>(value, what)).facts;
    throw new PagewrightError('STORAGE', `${what} is missing from the store. Start the job again.`);
  };
  const end = await read<StoredEnd>(names.end, `The end of job ${id}`);
  if (!Number.isInteger(end.parts)) {
    const message = `The end of job ${id} was stored by another version of pagewright. Start the job again.`;
    throw new PagewrightError('STORAGE', message);
  }
  return {
    end,
    async *parts() {
      for (let index = 0; index < end.parts; index += 1) {
        const what = `Part ${index + 1} of the record of job ${id}`;
        yield await read<EndPart>(numbered(names.parts, index), what);
      }
    },
  };
}

/** One job in a store. */
export class DurableJob {
  readonly journal: Journal;
  readonly documents: StoredDocuments;
  readonly isResumed: boolean;
  readonly #setting: DurableSetting;
  readonly #store: JobStore;
  #manifest: JobManifest | undefined;
  #lease: Lease | undefined;
  /** The last lease, even if it was released or lost. */
  #lastLease: Lease | undefined;
  #warn: (sentence: string) => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;
  #cancel: () => void = () => undefined;
  #progress: (() => JobCounts) | undefined;
  #progressAt = 0;
  #progressWritten: Uint8Array | undefined;
  #reporting: Promise<void> | undefined;
  /** The job's lease may outlast it, until the last event of its webhook is sent. */
  #hasEnded = false;
  /** Its end is stored: readers move their position without a lease. */
  #isOver = false;
  /** Its input is read: URL lists added from now on follow the stored ones. */
  #isOpen = false;
  /** Lists of URLs, the first one included. */
  #lists = 1;
  /** Lists added before the job was open. */
  readonly #early: (readonly JobEntry[])[] = [];
  /** By name: the positions that are stored or about to be. */
  readonly #positions = new Map<string, number>();
  /** The positions that are about to be written. */
  readonly #pending = new Map<string, { position: number }>();
  #isDropped = false;
  /** Serialises the writes of small values. */
  #written: Promise<void> = Promise.resolve();

  constructor(setting: DurableSetting) {
    this.#setting = setting;
    this.#store = new JobStore(setting.store, setting.id, () => this.confirm());
    this.isResumed = setting.manifest === undefined;
    const warn = (sentence: string): void => this.#warn(sentence);
    const fail = (error: unknown): void => this.#fail(error);
    const { isResumed } = this;
    const segments = new Segments<DocumentFacts>(this.#store, isResumed);
    this.journal = new Journal(this.#store, { isResumed, warn, fail, segments });
    this.documents = new StoredDocuments(this.#store, this.journal, warn, segments);
  }

  /**
   * Acquires the job, unless it has ended. `fail` is called when the job cannot continue: the store refuses a value, or
   * another process took the job over; `cancel` when another process requests its end. `progress` returns the numbers
   * to store for readers in other processes.
   */
  async open(tell: {
    readonly signal: AbortSignal;
    readonly warn: (sentence: string) => void;
    readonly fail: (error: unknown) => void;
    readonly cancel: () => void;
    readonly progress: () => JobCounts;
  }): Promise<JobOpening> {
    const { id, store, urls } = this.#setting;
    this.#warn = tell.warn;
    this.#fail = tell.fail;
    this.#cancel = tell.cancel;
    this.#progress = tell.progress;
    const begun = await this.#setting.manifest;
    if (begun !== undefined) await this.#begin(begun, urls);
    else {
      const found = await this.#find();
      if (!this.#runs(found)) return this.#openEnded(found);
    }
    const lease = await this.#take(tell.signal, () => {
      if (this.#hasEnded || this.#isDropped) return;
      this.#reporting ??= this.#report().finally(() => (this.#reporting = undefined));
    });
    // Everything is read now: the previous lease holder wrote until it lost the lease.
    const manifest = begun ?? (await this.#reopened(await readManifest(store, id)));
    if (manifest.state !== 'scraping') {
      await this.release();
      return this.#openEnded(manifest);
    }
    if (begun === undefined) await this.#readInput(manifest);
    this.#manifest = manifest;
    this.#isOpen = true;
    for (const given of this.#early.splice(0)) this.addUrls(given);
    const { createdAt, learningDistance } = manifest;
    const { ranBefore } = lease;
    if (begun !== undefined)
      return { createdAt, ranBefore, position: 0, sent: undefined, learningDistance };
    if (await this.#isCancelWanted()) this.#cancel();
    return {
      createdAt,
      ranBefore,
      learningDistance,
      position: (await this.#readPosition(names.reader)) ?? 0,
      sent: await this.#readPosition(names.webhook),
      retries: await readRetries(this.#store, this.#warn),
    };
  }

  /**
   * Acquires an ended job to send the events that its webhook did not receive. Returns the number of events that need
   * not be sent; undefined if there are no others. Rejects with `STORAGE` while another process sends them.
   */
  async takeUnsent({ end }: UnsentEvents, signal: AbortSignal): Promise<number | undefined> {
    const sent = (await this.#readPosition(names.webhook)) ?? 0;
    if (sent > end) return undefined;
    await this.#take(signal);
    // The previous lease holder may have sent some.
    return (await this.#readPosition(names.webhook)) ?? 0;
  }

  /**
   * Resolves while this process runs the job: called before anything is written or sent. Rejects with `STORAGE`
   * when another process has taken the job over.
   */
  async confirm(): Promise<void> {
    await this.#lastLease?.confirm();
  }

  /** Stores URLs added to the job. */
  addUrls(urls: readonly JobEntry[]): void {
    if (!this.#isOpen) {
      this.#early.push(urls);
      return;
    }
    const name = numbered(names.urls, this.#lists++);
    // A reader that continues from here has them: the position is stored after them.
    this.#pending.delete(names.reader);
    this.#write(async () => this.#store.set(name, await packValue(await this.#urlsToStore(urls))));
  }

  /** Records how many documents its reader has processed. Resolves once stored; never rejects. */
  async readUpTo(position: number): Promise<void> {
    if (position > (this.#positions.get(names.reader) ?? 0)) {
      await this.#setPosition(names.reader, position);
    }
  }

  /** Records how many of its events need not be sent to its webhook again. Resolves once stored; never rejects. */
  sentUpTo(position: number): Promise<void> {
    return this.#setPosition(names.webhook, position);
  }

  /**
   * Stores the end, after the parts of the record; the job is not resumed after that. A job with a webhook stays leased
   * until it is released, so that no other process sends its last events.
   */
  async finish(end: Omit<StoredEnd, 'parts'>, parts: Iterable<EndPart>): Promise<void> {
    if (this.#manifest === undefined) return;
    this.#hasEnded = true;
    await this.#written;
    await this.#reporting;
    try {
      let count = 0;
      for (const part of parts) {
        await this.#store.set(numbered(names.parts, count), await packValue(part));
        count += 1;
      }
      const whole: StoredEnd = { ...end, parts: count };
      await this.#store.set(names.end, await packValue(whole));
      const { state, completedAt } = end;
      const retention = this.#manifest.submitted?.retention ?? this.#setting.retention;
      const expiresAt = completedAt + retention;
      const counts = this.#progress ? countsOf(this.#progress()) : this.#manifest.counts;
      this.#manifest = compact({ ...this.#manifest, state, completedAt, expiresAt, counts });
      await writeManifest(this.#setting.store, this.#manifest);
      this.#isOver = true;
    } catch (error) {
      // A job whose end the store refuses can be resumed, in this process too.
      await this.release();
      throw error;
    }
    if (end.unsent === undefined) await this.release();
  }

  /** Makes the process that resumes the job next cancel it. Resolves with true once stored; never rejects. */
  keepCancelled(): Promise<boolean> {
    return this.#store.set(names.cancel, new Uint8Array([1])).then(
      () => true,
      () => false,
    );
  }

  /** Releases the job, which can be resumed. */
  async release(): Promise<void> {
    await this.#written;
    await this.#reporting;
    const lease = this.#lease;
    this.#lease = undefined;
    await lease?.release();
  }

  /** Drops everything but the fact that the job existed. */
  async drop(): Promise<void> {
    this.#isDropped = true;
    await this.#store.deleteAll();
  }

  async #take(signal: AbortSignal, onRenewed?: () => void): Promise<Lease> {
    const { store, id } = this.#setting;
    const lease = new Lease(new JobStore(store, id), id, (error) => this.#fail(error), onRenewed);
    await lease.take(signal);
    this.#lease = this.#lastLease = lease;
    return lease;
  }

  /** Writes the manifest first: whatever fails later, the job can be found. */
  async #begin(manifest: JobManifest, urls: readonly JobEntry[] | undefined): Promise<void> {
    await writeManifest(this.#setting.store, manifest, 'Nothing of it was stored: start it again.');
    if (urls === undefined) return;
    await this.#store.set(numbered(names.urls, 0), await packValue(await this.#urlsToStore(urls)));
  }

  async #find(): Promise<JobManifest> {
    const { store, id, now } = this.#setting;
    const manifest = await readManifest(store, id);
    try {
      refuseExpired(manifest, now());
    } catch (error) {
      await this.drop();
      throw error;
    }
    return manifest;
  }

  /** True for a job that continues. Throws `BAD_REQUEST` when its failed pages cannot be retried. */
  #runs({ id, state, counts }: JobManifest): boolean {
    if (state === 'scraping') return true;
    if (this.#setting.retryFailed !== true || counts?.failed === 0) return false;
    if (state !== 'cancelled') return true;
    const message = `retryFailed: job ${id} was cancelled, which ends it for good; start another`;
    throw new ValidationError('resume', [{ path: ['retryFailed'], message }]);
  }

  async #openEnded(manifest: JobManifest): Promise<JobOpening> {
    await this.#readInput(manifest);
    this.#manifest = manifest;
    this.#isOver = true;
    return {
      createdAt: manifest.createdAt,
      ranBefore: 0,
      position: (await this.#readPosition(names.reader)) ?? 0,
      sent: await this.#readPosition(names.webhook),
      ended: await readEnd(this.#store, this.#setting.id),
    };
  }

  /** The job to continue; an ended one runs again if its failed pages are retried. */
  async #reopened(manifest: JobManifest): Promise<JobManifest> {
    const { retryFailed = false, store, now } = this.#setting;
    if (!retryFailed || !this.#runs(manifest)) return manifest;
    const retries = await readRetries(this.#store, this.#warn);
    const number = Math.max(now(), (retries.at(-1)?.number ?? 0) + 1);
    const add = async (round: RetryRound): Promise<void> =>
      this.#store.set(names.retries, await packValue([...retries, round]));
    const { completedAt, expiresAt: _, counts, ...begun } = manifest;
    if (manifest.state === 'scraping') {
      await add({ number });
      return manifest;
    }
    const { end } = await readEnd(this.#store, manifest.id);
    const endEvent = end.unsent?.end;
    // A process may have been killed right after this.
    if (completedAt === undefined || retries.at(-1)?.after !== completedAt) {
      await add(compact({ number, after: completedAt, endEvent }));
    }
    // Documents present at the end are not new to a loop.
    if ((await this.#readPosition(names.reader)) === undefined) {
      await this.#store.set(names.reader, documentBytes(counts?.completed ?? 0));
    }
    const reopened: JobManifest = { ...begun, state: 'scraping' };
    await writeManifest(store, reopened);
    return reopened;
  }

  /** Reads the URLs of a batch, and checks the options of the job. */
  async #readInput(manifest: JobManifest): Promise<void> {
    const { id, onFound } = this.#setting;
    const urls: JobEntry[] = [];
    const lists = await this.#store.names(names.urls);
    if (manifest.verb === 'batchScrape' && manifest.state === 'scraping' && lists.length === 0) {
      const message = `The URLs of job ${id} did not get into the store before it failed. Start the batch again.`;
      throw new PagewrightError('STORAGE', message);
    }
    for (const name of lists) {
      const value = await this.#store.get(name);
      if (value === undefined) continue;
      const what = `A list of URLs of job ${id}`;
      const { facts } = await unpackValue<readonly StoredUrl[]>(value, what);
      for (const url of await this.#urlsToResume(facts)) urls.push(url);
      this.#lists = Math.max(this.#lists, Number(name.slice(names.urls.length)) + 1);
    }
    await onFound?.(manifest, urls);
  }

  /** A power loss may leave the request without its value. */
  async #isCancelWanted(): Promise<boolean> {
    try {
      return (await this.#store.get(names.cancel)) !== undefined;
    } catch (error) {
      if (error instanceof DamagedValueError) return true;
      throw error;
    }
  }

  async #urlsToStore(urls: readonly JobEntry[]): Promise<StoredUrl[]> {
    const { id } = this.#setting;
    const isSecret = urls.some(({ url }) => hasSecret(url));
    const vault = isSecret ? await this.#setting.vault?.() : undefined;
    return urls.map((one) => urlToStore(one, vault && ((text) => vault.seal(text, id))));
  }

  async #urlsToResume(stored: readonly StoredUrl[]): Promise<JobEntry[]> {
    const { id, urls = [] } = this.#setting;
    const isSealed = stored.some((one) => typeof one !== 'string' && one.$ === 'sealed');
    const vault = isSealed ? await this.#setting.vault?.() : undefined;
    return urlsToResume(stored, urls, vault && ((sealed) => vault.open(sealed, id)));
  }

  /**
   * Checks whether another process requests the end of the job, and stores the numbers if they have changed. Never
   * rejects: a store that stays unreachable costs the job its lease.
   */
  async #report(): Promise<void> {
    try {
      if (await this.#isCancelWanted()) this.#cancel();
      if (performance.now() - this.#progressAt < progressInterval) return;
      this.#progressAt = performance.now();
      const value = await packValue(this.#progress?.());
      if (sameBytes(value, this.#progressWritten)) return;
      await this.#store.set(names.progress, value);
      this.#progressWritten = value;
    } catch {
      // Repeated with the next renewal.
    }
  }

  /** A position in the store; undefined if it is missing or damaged. Rejects when the store fails. */
  async #readPosition(name: string): Promise<number | undefined> {
    try {
      const value = await this.#store.get(name);
      const position: unknown = value === undefined ? undefined : documentOf(value);
      if (!Number.isInteger(position)) return undefined;
      this.#positions.set(name, Number(position));
      return Number(position);
    } catch (error) {
      if (!(error instanceof DamagedValueError)) throwStoreError(error);
      return undefined;
    }
  }

  /** Of several concurrent calls, only the last one is written. */
  async #setPosition(name: string, position: number): Promise<void> {
    const mayWrite = this.#lease !== undefined || (this.#isOver && name === names.reader);
    if (!mayWrite || this.#isDropped) return;
    const pending = this.#pending.get(name);
    if (pending !== undefined) pending.position = position;
    else if (position !== this.#positions.get(name)) {
      const next = { position };
      this.#pending.set(name, next);
      this.#write(async () => {
        if (this.#pending.get(name) === next) this.#pending.delete(name);
        await this.#store.set(name, documentBytes(next.position));
      });
    }
    this.#positions.set(name, position);
    await this.#written;
  }

  #write(work: () => Promise<void>): void {
    this.#written = this.#written.then(work).catch((error: unknown) => {
      // A job that is over does not fail because of its reader.
      if (!this.#isOver || this.#lease !== undefined) this.#fail(error);
    });
  }
}
