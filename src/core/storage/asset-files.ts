/** The files of pages in a store, by the hash of their content: those of a job end with it, others expire. */
import { PagewrightError } from '../runtime/errors.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Store } from './store.ts';
import { sha256Of } from '../runtime/identifiers.ts';

/** Below `jobs/<id>/` a file is removed with its job. */
const keyPattern = /^(?:jobs\/[\w-]{1,100}\/)?assets\/[0-9a-f]{64}$/;

const mostUrls = 20_000; // URLs of all jobs whose files are remembered
const mostJobs = 1_000; // jobs whose bytes are counted

/** The files of one client. Remembers in memory which URLs a job has downloaded. */
export class AssetFiles {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #retention: number;
  /** By job and URL; the newest is last. */
  readonly #made = new Map<string, Promise<unknown>>();
  /** Bytes and keys of each job in this process. */
  readonly #jobs = new Map<string, { bytes: number; readonly keys: Set<string> }>();
  /** When files of single pages expire, by key: a store in memory removes nothing by itself. */
  readonly #ends = new Map<string, number>();

  /** Files of single pages last `retention` ms. */
  constructor(store: Store, clock: Clock, retention: number) {
    this.#store = store;
    this.#clock = clock;
    this.#retention = retention;
  }

  /**
   * Stores a file and returns its key. Rejects with `BODY_TOO_LARGE` when the job's files stored by this process would
   * exceed `maxJobBytes`, and with `STORAGE`.
   */
  async set(jobId: string | undefined, bytes: Uint8Array, maxJobBytes: number): Promise<string> {
    const name = `assets/${sha256Of(bytes)}`;
    if (jobId !== undefined) return this.#setOfJob(jobId, name, bytes, maxJobBytes);
    const now = this.#clock.now();
    for (const [key, end] of this.#ends) {
      if (end > now) break;
      this.#ends.delete(key);
      // Reading drops an expired file; another process may have rewritten it.
      await this.#store.get(key);
    }
    const expiresAt = now + this.#retention;
    await this.#store.set(name, bytes, { expiresAt });
    this.#ends.delete(name);
    this.#ends.set(name, expiresAt);
    return name;
  }

  /** The bytes of a file; undefined after its end. Rejects with `BAD_REQUEST` for any other key. */
  async get(key: string): Promise<Uint8Array | undefined> {
    if (!keyPattern.test(key)) {
      const message = `${JSON.stringify(key.slice(0, 200))} is not the key of an asset: pass an entry of document.assets.`;
      throw new PagewrightError('BAD_REQUEST', message);
    }
    return this.#store.get(key);
  }

  /** The result of work for a URL of a job; work aborted by `signal` is not remembered. */
  async once<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const known = this.#made.get(key);
    if (known !== undefined) {
      try {
        return (await known) as T;
      } catch (error) {
        // The page that began it may have been cancelled.
        if (this.#made.get(key) === known || signal.aborted) throw error;
        return this.once(key, signal, work);
      }
    }
    const made = work();
    this.#made.set(key, made);
    for (const oldest of this.#made.keys()) {
      if (this.#made.size <= mostUrls) break;
      this.#made.delete(oldest);
    }
    try {
      return await made;
    } catch (error) {
      if (signal.aborted || isPassing(error)) this.#made.delete(key);
      throw error;
    }
  }

  async #setOfJob(
    jobId: string,
    name: string,
    bytes: Uint8Array,
    maxJobBytes: number,
  ): Promise<string> {
    const key = `jobs/${jobId}/${name}`;
    const job = this.#jobs.get(jobId) ?? { bytes: 0, keys: new Set<string>() };
    this.#jobs.delete(jobId);
    this.#jobs.set(jobId, job);
    for (const oldest of this.#jobs.keys()) {
      if (this.#jobs.size <= mostJobs) break;
      this.#jobs.delete(oldest);
    }
    if (job.keys.has(key)) return key;
    if (job.bytes + bytes.length > maxJobBytes) {
      const message = `The assets of the job have more than ${maxJobBytes} bytes. Raise assets.maxJobBytes.`;
      throw new PagewrightError('BODY_TOO_LARGE', message);
    }
    job.bytes += bytes.length;
    job.keys.add(key);
    try {
      await this.#store.set(key, bytes);
    } catch (error) {
      // The next page with the same file stores it.
      job.bytes -= bytes.length;
      job.keys.delete(key);
      throw error;
    }
    return key;
  }
}

/** True for an error that is not about the file. */
function isPassing(error: unknown): boolean {
  const code = error instanceof PagewrightError ? error.code : undefined;
  return code === 'CANCELLED' || code === 'TIMEOUT' || code === 'STORAGE';
}
