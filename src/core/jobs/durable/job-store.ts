/** One job's part of a store, with a time limit for each call, and the manifest: the job's options and state. */
import { messageOf, PagewrightError } from '../../runtime/errors.ts';
import type { JobCounts, JobState } from '../../model/job.ts';
import { startDeadline, withSignal } from '../../runtime/deadline.ts';
import { DamagedValueError } from '../../storage/storage-failures.ts';
import { sameBytes, type Store } from '../../storage/store.ts';
import type { OptionsFingerprint, StoredOptions } from './stored-options.ts';

const delays = {
  store: 60_000, // milliseconds for a store call: one that never answers must not block a job
  lookup: 10_000, // milliseconds to look up a value after the call that wrote it has failed
  memory: 30 * 24 * 60 * 60 * 1000, // milliseconds that the expiry of a job stays known
};

/** Waits for one call of a store; `verb` is for the error: "did not take a document". */
async function inStoreTime<T>(
  verb: string,
  work: Promise<T>,
  timeout: number = delays.store,
  signal?: AbortSignal,
): Promise<T> {
  using deadline = startDeadline(timeout, [signal], 'The store');
  try {
    return await withSignal(work, deadline.signal);
  } catch (error) {
    if (error !== deadline.signal.reason || signal?.aborted === true) throw error;
    const message = `The store did not ${verb} within ${timeout} ms. Check the storage backend.`;
    throw new PagewrightError('STORAGE', message, { cause: error });
  }
}

/** The time limit of a call, and the advice in its error. */
interface StoreCall {
  /** Milliseconds. @default 60000 */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly remedy?: string;
}

/** The same; any error of the store, thrown or rejected, becomes `STORAGE`. */
export async function askStore<T>(
  verb: string,
  ask: () => Promise<T>,
  { timeout, signal, remedy = 'The job can be resumed when it does.' }: StoreCall = {},
): Promise<T> {
  try {
    // A store that throws at once rejects.
    const work = (async () => ask())();
    return await inStoreTime(verb, work, timeout, signal);
  } catch (error) {
    if (error instanceof PagewrightError) throw error;
    const message = `The store did not ${verb}: ${messageOf(error)}. ${remedy}`;
    throw new PagewrightError('STORAGE', message, { cause: error });
  }
}

/**
 * True for an error with the code `STORAGE`. It is never the outcome of a page: the job fails with it, and visits
 * the page again when it is resumed.
 */
export function isStoreError(error: unknown): boolean {
  return error instanceof PagewrightError && error.code === 'STORAGE';
}

/** Rethrows a `STORAGE` error, which ends the job; any other error is a page failure. */
export function throwStoreError(error: unknown): undefined {
  if (isStoreError(error)) throw error;
  return undefined;
}

/** The keys of a store, each read within the time of a call. */
export async function* listStore(
  store: Store,
  prefix: string,
): AsyncGenerator<string, void, undefined> {
  const verb = 'list its keys';
  const keys = await askStore(verb, () =>
    Promise.resolve(store.list(prefix)[Symbol.asyncIterator]()),
  );
  try {
    for (;;) {
      const next = await askStore(verb, () => keys.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // An error at the end of a broken listing does not matter.
    void Promise.resolve(keys.return?.()).catch(() => undefined);
  }
}

/** The folder of an owner's values, and the owner's name in errors. */
interface OwnerPlace {
  readonly folder: string;
  readonly owner: string;
  readonly remedy: string;
}

const placeOfJobs: OwnerPlace = {
  folder: 'jobs',
  owner: 'the job',
  remedy: 'The job can be resumed when it does.',
};

/** Values of one job by their names below `jobs/<id>/`, or values of a monitor. */
export class JobStore {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #place: OwnerPlace;
  readonly #confirm: () => Promise<void>;

  /** `confirm` is called before each write; its rejection becomes the error of the call. */
  constructor(
    store: Store,
    id: string,
    confirm: () => Promise<void> = () => Promise.resolve(),
    place: OwnerPlace = placeOfJobs,
  ) {
    this.#store = store;
    this.#prefix = `${place.folder}/${id}/`;
    this.#place = place;
    this.#confirm = confirm;
  }

  get(name: string): Promise<Uint8Array | undefined> {
    return this.#ask(`give ${name} of ${this.#place.owner}`, () =>
      this.#store.get(this.#prefix + name),
    );
  }

  async set(name: string, value: Uint8Array): Promise<void> {
    await this.#confirm();
    await this.#ask(`take ${name} of ${this.#place.owner}`, () =>
      this.#store.set(this.#prefix + name, value),
    );
  }

  delete(name: string): Promise<void> {
    return this.#ask(`drop ${name} of ${this.#place.owner}`, () =>
      this.#store.delete(this.#prefix + name),
    );
  }

  /** The names that start with `prefix`, sorted. Rejects with a `DamagedValueError` when one cannot be read. */
  async names(prefix: string): Promise<string[]> {
    const names: string[] = [];
    for await (const key of listStore(this.#store, this.#prefix + prefix)) {
      names.push(key.slice(this.#prefix.length));
    }
    return names;
  }

  /** Compare and swap: replaces a small value unless another writer did; true when it was replaced. */
  async replace(
    name: string,
    expected: Uint8Array | undefined,
    value: Uint8Array,
  ): Promise<boolean> {
    await this.#confirm();
    const key = this.#prefix + name;
    const { replace } = this.#store;
    if (replace !== undefined) {
      return this.#ask(`replace ${name} of ${this.#place.owner}`, () =>
        replace.call(this.#store, key, expected, value),
      );
    }
    const current = await this.get(name);
    if (!sameBytes(current, expected)) return false;
    await this.set(name, value);
    return true;
  }

  /**
   * Stores a value unless one exists; false if another one exists. Rejects with a `DamagedValueError` when the existing
   * value cannot be read. A store without `replace` overwrites it.
   */
  async add(name: string, value: Uint8Array): Promise<boolean> {
    if (this.#store.replace === undefined) {
      await this.set(name, value);
      return true;
    }
    try {
      return await this.replace(name, undefined, value);
    } catch (error) {
      if (error instanceof DamagedValueError) throw error;
      // The call may have been executed, and cannot be repeated: its own value would then block it.
      const ask = (): Promise<Uint8Array | undefined> => this.#store.get(this.#prefix + name);
      const found = await this.#ask(
        `give ${name} of ${this.#place.owner}`,
        ask,
        delays.lookup,
      ).catch(() => undefined);
      if (found === undefined) throw error;
      return sameBytes(found, value);
    }
  }

  /** True when nothing is stored. */
  async isEmpty(): Promise<boolean> {
    for await (const _ of listStore(this.#store, this.#prefix)) return false;
    return true;
  }

  /** @default everything */
  async deleteAll(prefix = ''): Promise<void> {
    const { deleteAll } = this.#store;
    if (deleteAll !== undefined) {
      return this.#ask(`drop ${prefix || this.#place.owner}`, () =>
        deleteAll.call(this.#store, this.#prefix + prefix),
      );
    }
    for (const name of await this.names(prefix)) await this.delete(name);
  }

  #ask<T>(verb: string, ask: () => Promise<T>, timeout?: number): Promise<T> {
    return askStore(verb, ask, { timeout, remedy: this.#place.remedy });
  }
}

// The manifest of a job: its options and its state.

/** A job in a store. */
export interface JobManifest {
  /** The version of the storage format. */
  readonly version: 1;
  readonly id: string;
  /** An extraction is stored only while workers visit its pages, and is not resumed. */
  readonly verb: 'crawl' | 'batchScrape' | 'extract';
  /** The start URL of a crawl. */
  readonly url?: string;
  /** The data that the caller gave with it. */
  readonly data?: unknown;
  readonly options: StoredOptions;
  /** The hash of its secrets, if it has any. */
  readonly fingerprint?: OptionsFingerprint;
  /**
   * Signs the messages between the job's processes: a message from a sender without access to the store has no effect.
   * Absent in jobs of earlier versions.
   */
  readonly messageKey?: string;
  /**
   * The distance at which pages learn which pages of their host need a browser. It depends on `maxConcurrency`, which
   * may change when the job is resumed. Absent in jobs of earlier versions.
   */
  readonly learningDistance?: number;
  /** Set for a crawl that was handed over to workers. */
  readonly submitted?: {
    /** The queue of the workers that run it. */
    readonly queue: string;
    /** Milliseconds that its results are stored after the end, as declared by the submitting client. */
    readonly retention: number;
  };
  /** Milliseconds since 1970, as the other times. */
  readonly createdAt: number;
  readonly state: JobState;
  readonly completedAt?: number;
  /** Set for a job that has ended. */
  readonly counts?: JobCounts;
  /** When the results are dropped. */
  readonly expiresAt?: number;
}

/** Keys of manifests have a prefix of their own, so that a list of jobs reads nothing else. */
const prefix = 'job-index/';

/** Stores a manifest; `remedy` is for the error. */
export async function writeManifest(
  store: Store,
  manifest: JobManifest,
  remedy?: string,
): Promise<void> {
  const { id, expiresAt } = manifest;
  const bytes = Buffer.from(JSON.stringify(manifest));
  const options = expiresAt === undefined ? {} : { expiresAt: expiresAt + delays.memory };
  await askStore(`take job ${id}`, () => store.set(prefix + id, bytes, options), {
    ...(remedy === undefined ? {} : { remedy }),
  });
}

/** Reads a manifest; rejects with `JOB_NOT_FOUND`, and with `STORAGE` when it is damaged. */
export async function readManifest(store: Store, id: string): Promise<JobManifest> {
  const bytes = await askStore(`give job ${id}`, () => store.get(prefix + id));
  if (bytes === undefined) {
    const message = `There is no job ${JSON.stringify(id)} in the client's storage. client.jobs.list() lists its jobs.`;
    throw new PagewrightError('JOB_NOT_FOUND', message);
  }
  try {
    const manifest = JSON.parse(Buffer.from(bytes).toString()) as JobManifest;
    const version: number = manifest.version;
    if (version === 1 && manifest.id === id) return manifest;
  } catch {
    // Reported below.
  }
  const message = `The stored data of job ${id} is damaged, or was written by another version of pagewright. Start the job again.`;
  throw new PagewrightError('STORAGE', message);
}

/** The error for an extraction: only its pages are stored, while it runs. */
export function notResumed(id: string): PagewrightError {
  const message = `Job ${id} is an extraction, which is not resumed: client.jobs.get() of the client that runs it has it.`;
  return new PagewrightError('BAD_REQUEST', message);
}

/** Drops a job as if it had never been stored. */
export async function dropJob(store: Store, id: string): Promise<void> {
  await askStore(`drop job ${id}`, () => store.delete(prefix + id));
  await new JobStore(store, id).deleteAll();
}

/** Throws `JOB_EXPIRED` for a job whose results have expired. */
export function refuseExpired({ id, expiresAt = Infinity }: JobManifest, now: number): void {
  if (expiresAt > now) return;
  throw new PagewrightError('JOB_EXPIRED', `The results of job ${id} have expired.`);
}

/** The readable manifests of a store. */
export async function* manifests(store: Store): AsyncGenerator<JobManifest, void, undefined> {
  for await (const key of listStore(store, prefix)) {
    const manifest = await readManifest(store, key.slice(prefix.length)).catch(() => undefined);
    if (manifest !== undefined) yield manifest;
  }
}
