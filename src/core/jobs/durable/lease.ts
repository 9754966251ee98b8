/** The lease of a job: one process at a time runs it, and another takes over at once when that process is dead. */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { PagewrightError } from '../../runtime/errors.ts';
import { isOnThisHost, isProcessGone, processMark } from '../../storage/process-mark.ts';
import { sameBytes } from '../../storage/store.ts';
import { DamagedValueError } from '../../storage/storage-failures.ts';
import type { JobStore } from './job-store.ts';

/** Milliseconds. */
const delays = {
  patience: 2000, // an unchanged lease expires after this time: clocks of hosts are not compared
  renewal: 500,
  glance: 100,
  freshness: 1500, // after a renewal in which no other process can have taken the lease
  longestTaking: 10_000, // to take a lease: a store may report every time that another process was faster
  absence: 30_000, // of a store before a job gives up its lease by itself
};

/** The content of a lease. */
interface LeaseText {
  /** The mark of the process that holds it; empty once released. */
  readonly holder: string;
  /** The same in readable form. */
  readonly by: string;
  /** Counts up while the holder lives. */
  readonly beat: number;
  /** Milliseconds that the job has run. */
  readonly ran: number;
}

const name = 'lease';

/** The lease of one job. */
export class Lease {
  readonly #store: JobStore;
  readonly #jobId: string;
  readonly #onLost: (error: PagewrightError) => void;
  readonly #onRenewed: () => void;
  readonly #mark: string = processMark();
  #takenAt = 0;
  #renewedAt = 0;
  #ranBefore = 0;
  #beat = 0;
  /** The lease as stored. */
  #current: Uint8Array | undefined;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<unknown> = Promise.resolve();
  #confirming: Promise<void> | undefined;
  #lost: PagewrightError | undefined;

  /** `onLost` is called when another process runs the job, `onRenewed` twice a second while this one does. */
  constructor(
    store: JobStore,
    jobId: string,
    onLost: (error: PagewrightError) => void,
    onRenewed: () => void = () => undefined,
  ) {
    this.#store = store;
    this.#jobId = jobId;
    this.#onLost = onLost;
    this.#onRenewed = onRenewed;
  }

  /** Milliseconds that the job had run before the lease was taken. */
  get ranBefore(): number {
    return this.#ranBefore;
  }

  /** Takes the lease; rejects with `STORAGE` when a live process holds it, and when the store fails. */
  async take(signal: AbortSignal): Promise<void> {
    let seen = await this.#look(signal);
    let held = readLease(seen);
    let first = held;
    let since = performance.now();
    const end = since + delays.longestTaking;
    while (!(await this.#takeFrom(seen, held, performance.now() - since))) {
      if (held.holder === first.holder && held.beat !== first.beat) {
        throw this.#taken('is run', held);
      }
      if (performance.now() > end) {
        const message = `The store did not give the lease of job ${this.#jobId} within ${delays.longestTaking} ms. Check the storage backend, then resume the job.`;
        throw new PagewrightError('STORAGE', message);
      }
      await sleep(delays.glance, undefined, { signal });
      const now = await this.#look(signal);
      if (!sameBytes(now, seen)) since = performance.now();
      seen = now;
      held = readLease(now);
      if (held.holder !== first.holder) first = held;
    }
    this.#timer = setInterval(() => {
      this.#renewing = this.#renewing.then(() => this.#renew());
    }, delays.renewal).unref();
  }

  /**
   * Resolves at once while no other process can have taken the lease. A stalled process checks the store first. Rejects
   * with `STORAGE` when the lease is lost.
   */
  async confirm(): Promise<void> {
    if (this.#lost !== undefined) throw this.#lost;
    if (performance.now() - this.#renewedAt < delays.freshness) return;
    this.#confirming ??= this.#renewNow().finally(() => (this.#confirming = undefined));
    await this.#confirming;
  }

  /** Releases the lease. */
  async release(): Promise<void> {
    if (this.#timer === undefined) return;
    this.#stop();
    await this.#renewing;
    await this.#store.replace(name, this.#current, this.#text(''));
  }

  /**
   * The lease as stored. A damaged one, as after a power loss, is dropped when no process has rewritten it in time: its
   * holder gives it up at once. One that the store fails to read may have a holder, and stays.
   */
  async #look(signal: AbortSignal): Promise<Uint8Array | undefined> {
    let isDropped = false;
    for (const since = performance.now(); ;) {
      const asked = performance.now();
      try {
        return await this.#store.get(name);
      } catch (error) {
        const isOver = performance.now() - since > delays.patience;
        const isDamaged = error instanceof DamagedValueError && !isDropped;
        // A store that is slow to fail is unreachable.
        if (performance.now() - asked > delays.patience || (isOver && !isDamaged)) throw error;
        if (isOver) {
          await this.#store.delete(name);
          isDropped = true;
        }
        await sleep(delays.glance, undefined, { signal });
      }
    }
  }

  async #takeFrom(
    seen: Uint8Array | undefined,
    { holder, ran }: LeaseText,
    age: number,
  ): Promise<boolean> {
    if (holder !== '' && !isProcessGone(holder) && age <= delays.patience) return false;
    this.#ranBefore = ran;
    this.#takenAt = this.#renewedAt = performance.now();
    this.#current = this.#text(this.#mark);
    return this.#store.replace(name, seen, this.#current);
  }

  async #renewNow(): Promise<void> {
    while (this.#timer !== undefined) {
      const renewing = this.#renewing.then(() => this.#renew());
      this.#renewing = renewing;
      if (await renewing) return;
      await sleep(delays.glance);
    }
    if (this.#lost !== undefined) throw this.#lost;
  }

  /** True when this process holds the lease. Never rejects. */
  async #renew(): Promise<boolean> {
    if (this.#timer === undefined) return false;
    const asked = performance.now();
    const next = this.#text(this.#mark);
    try {
      if (await this.#store.replace(name, this.#current, next)) this.#current = next;
      else {
        const now = await this.#store.get(name);
        const held = readLease(now);
        if (held.holder !== this.#mark) {
          this.#lose(this.#taken('was taken over', held));
          return false;
        }
        // The answer to an earlier call was lost.
        this.#current = now;
      }
      this.#renewedAt = asked;
      this.#onRenewed();
      return true;
    } catch (error) {
      const isDamaged = error instanceof DamagedValueError;
      if (!isDamaged && performance.now() - this.#renewedAt < delays.absence) return false;
      const message = `The lease of job ${this.#jobId} could not be renewed. Resume the job when the store is back.`;
      this.#lose(new PagewrightError('STORAGE', message, { cause: error }));
      return false;
    }
  }

  #lose(error: PagewrightError): void {
    this.#stop();
    this.#lost = error;
    this.#onLost(error);
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #text(holder: string): Uint8Array {
    this.#beat += 1;
    const ran = Math.round(this.#ranBefore + performance.now() - this.#takenAt);
    const by = `process ${process.pid} on ${hostname()}`;
    return Buffer.from(JSON.stringify({ holder, by, beat: this.#beat, ran } satisfies LeaseText));
  }

  #taken(what: string, { by }: LeaseText): PagewrightError {
    const message = `Job ${this.#jobId} ${what} by ${by || 'another process'}. One process at a time can run a job.`;
    return new PagewrightError('STORAGE', message);
  }
}

/** True while a process not known to be dead holds the lease or, with `isNew`, is about to take it. */
export async function isLeased(store: JobStore, isNew = false): Promise<boolean> {
  const lease = await store.get(name);
  const { holder } = readLease(lease);
  return lease === undefined ? isNew : holder !== '' && !isProcessGone(holder);
}

/** True if the lease's holder is alive. A process on another host proves it within two seconds. */
export async function isHeldByLiving(store: JobStore): Promise<boolean> {
  const seen = await store.get(name);
  const { holder } = readLease(seen);
  if (isOnThisHost(holder)) return !isProcessGone(holder);
  for (const since = performance.now(); performance.now() - since <= delays.patience;) {
    if (!(await isLeased(store))) return false;
    if (!sameBytes(await store.get(name), seen)) return true;
    await sleep(delays.glance);
  }
  return false;
}

/** The mark of a lease holder that is dead or silent; undefined if there is none. */
export async function lostHolder(store: JobStore): Promise<string | undefined> {
  const { holder } = readLease(await store.get(name));
  return holder === '' || (await isHeldByLiving(store)) ? undefined : holder;
}

/** The lease as seen by a reader of the job, which never takes it. */
export class LeaseWatch {
  readonly #store: JobStore;
  #seen: Uint8Array | undefined;
  /** When it changed last, by the clock of this process. */
  #changedAt: number = performance.now();

  constructor(store: JobStore) {
    this.#store = store;
  }

  /** True if no process had ever held it at the last read. */
  get isUntaken(): boolean {
    return this.#seen === undefined;
  }

  /** False when no process holds the lease, or when its holder is dead or silent for two seconds. */
  async isHeld(): Promise<boolean> {
    const asked = performance.now();
    const lease = await this.#store.get(name);
    const now = performance.now();
    // While the store was unreachable no process could renew it.
    if (!sameBytes(lease, this.#seen) || now - asked > delays.renewal) this.#changedAt = now;
    this.#seen = lease;
    const { holder } = readLease(lease);
    // A job that has just begun is about to take its lease.
    const isFree = lease !== undefined && (holder === '' || isProcessGone(holder));
    return !isFree && performance.now() - this.#changedAt <= delays.patience;
  }
}

/** Reads a lease; bytes that are not a lease are a free one. */
function readLease(bytes: Uint8Array | undefined): LeaseText {
  const free: LeaseText = { holder: '', by: '', beat: 0, ran: 0 };
  if (bytes === undefined) return free;
  try {
    const lease = { ...free, ...(JSON.parse(Buffer.from(bytes).toString()) as LeaseText) };
    return typeof lease.holder === 'string' && Number.isFinite(lease.ran) ? lease : free;
  } catch {
    return free;
  }
}
