/** The part of a store that belongs to one job, each call within its time. */
import { messageOf, PagewrightError } from '../../errors.ts';
import { startDeadline, withSignal } from '../../network/deadline.ts';
import { sameBytes } from '../../storage/same-bytes.ts';
import type { Store } from '../../storage/store.ts';

/** Milliseconds for one call of the store: one that never answers must not hold a job up for ever. */
const storeTimeout = 60_000;

/** Waits for one call of a store; `verb` is for the error: "did not take a document". */
async function inStoreTime<T>(
  verb: string,
  work: Promise<T>,
  timeout: number = storeTimeout,
  signal?: AbortSignal,
): Promise<T> {
  using deadline = startDeadline(timeout, [signal], 'The store');
  try {
    return await withSignal(work, deadline.signal);
  } catch (error) {
    if (error !== deadline.signal.reason || signal?.aborted === true) throw error;
    const message = `The store did not ${verb} within ${timeout} ms. Check what is behind it.`;
    throw new PagewrightError('STORAGE', message, { cause: error });
  }
}

/** How long a call may take, and what the caller may do when it fails. */
interface StoreCall {
  /** Milliseconds. @default 60000 */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly remedy?: string;
}

/** The same, and what is wrong with the store is `STORAGE`, whatever it throws, and however. */
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

/** The keys of a store, each waited for as any other call. */
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
    // What a broken list does at its end is of no interest.
    void Promise.resolve(keys.return?.()).catch(() => undefined);
  }
}

/** Values of one job by their names below `jobs/<id>/`. */
export class JobStore {
  readonly #store: Store;
  readonly #prefix: string;

  constructor(store: Store, id: string) {
    this.#store = store;
    this.#prefix = `jobs/${id}/`;
  }

  get(name: string): Promise<Uint8Array | undefined> {
    return askStore(`give ${name} of the job`, () => this.#store.get(this.#prefix + name));
  }

  set(name: string, value: Uint8Array): Promise<void> {
    return askStore(`take ${name} of the job`, () => this.#store.set(this.#prefix + name, value));
  }

  delete(name: string): Promise<void> {
    return askStore(`drop ${name} of the job`, () => this.#store.delete(this.#prefix + name));
  }

  /** The names that start with `prefix`, sorted. */
  async names(prefix: string): Promise<string[]> {
    const names: string[] = [];
    for await (const key of listStore(this.#store, this.#prefix + prefix)) {
      names.push(key.slice(this.#prefix.length));
    }
    return names;
  }

  /** Replaces a value that nobody else has replaced meanwhile; true when it was. For small ones. */
  async replace(
    name: string,
    expected: Uint8Array | undefined,
    value: Uint8Array,
  ): Promise<boolean> {
    const key = this.#prefix + name;
    const { replace } = this.#store;
    if (replace !== undefined) {
      return askStore(`replace ${name} of the job`, () =>
        replace.call(this.#store, key, expected, value),
      );
    }
    const current = await this.get(name);
    if (!sameBytes(current, expected)) return false;
    await this.set(name, value);
    return true;
  }

  /** True when nothing is stored. */
  async isEmpty(): Promise<boolean> {
    for await (const _ of listStore(this.#store, this.#prefix)) return false;
    return true;
  }

  async deleteAll(): Promise<void> {
    const { deleteAll } = this.#store;
    if (deleteAll !== undefined) {
      return askStore('drop the job', () => deleteAll.call(this.#store, this.#prefix));
    }
    for (const name of await this.names('')) await this.delete(name);
  }
}
