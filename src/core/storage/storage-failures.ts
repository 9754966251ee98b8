/**
 * Failures of stores: one error with the code STORAGE, and a wrapper that maps failures of the
 * caller's store to it.
 */
import { messageOf, PagewrightError } from '../runtime/errors.ts';
import { mayPass, retry, retryPolicies } from '../runtime/retry.ts';
import type { Store } from './store.ts';

const storeAdvice = 'Check the storage backend, then call again.';

async function callStore<T>(verb: string, key: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageError({ store: 'store', verb, target: quoted(key) }, error, storeAdvice);
  }
}

/** The same store; it has `replace`, `deleteAll` and `release` if the caller's has. */
export function checkedStore(store: Store): Store {
  return {
    get: (key) => callStore('read', key, () => store.get(key)),
    set: (key, value, options) => callStore('write', key, () => store.set(key, value, options)),
    delete: (key) => callStore('remove', key, () => store.delete(key)),
    async *list(prefix) {
      // `list` in JavaScript may be a promise, whose rejection would end the process.
      const keys = await callStore('list', prefix, async () => {
        const listed = await (store.list(prefix) as ReturnType<Store['list']> | Promise<never>);
        return {
          iterator: await (listed[Symbol.asyncIterator]() as
            AsyncIterator<string> | Promise<never>),
        };
      });
      try {
        for (;;) {
          const next = await callStore('list', prefix, () => keys.iterator.next());
          if (next.done === true) return;
          yield next.value;
        }
      } finally {
        await callStore('list', prefix, () => keys.iterator.return?.());
      }
    },
    ...(store.replace === undefined
      ? {}
      : {
          replace: (...[key, expected, value, options]: Parameters<Required<Store>['replace']>) =>
            callStore('write', key, () => store.replace?.(key, expected, value, options) ?? false),
        }),
    ...(store.deleteAll === undefined
      ? {}
      : {
          deleteAll: (prefix: string) =>
            callStore('remove', prefix, () => store.deleteAll?.(prefix)),
        }),
    ...(store.release === undefined
      ? {}
      : { release: () => callStore('release', '', () => store.release?.()) }),
  };
}

/** A permanent failure, or one waited out already: the cause of a `STORAGE` error. */
export class LastingFailure extends Error {}

/**
 * The same store, from {@link checkedStore}: a value is requested and written again while the store is away, until
 * `signal` aborts.
 */
export function patientStore(store: Store, signal: AbortSignal): Store {
  const again = <T>(call: () => T | Promise<T>): Promise<T> =>
    retry(retryPolicies.store, call, {
      hurry: signal,
      failureOf: (error) => ({ error, mayRetry: isAway(error) }),
    });
  return {
    ...store,
    get: (key) => again(() => store.get(key)),
    set: (key, value, options) => again(() => store.set(key, value, options)),
    delete: (key) => again(() => store.delete(key)),
  };
}

/** A store's own refusal, such as for a damaged value or a key that is too long, has no cause. */
function isAway(error: unknown): boolean {
  if (!(error instanceof PagewrightError) || !mayPass(retryPolicies.store, error)) return false;
  return error.cause !== undefined && !(error.cause instanceof LastingFailure);
}

// The error of a failed store operation.

/** The operation: `The file store could not write /a/b`. */
export interface StorageAction {
  /** `file store`. */
  readonly store: string;
  /** `write`. */
  readonly verb: string;
  /** The file or key. */
  readonly target: string;
}

/**
 * Makes the error: the operation, its path, the cause, and advice. A `PagewrightError` stays
 * unchanged.
 */
export function storageError(
  { store, verb, target }: StorageAction,
  cause: unknown,
  advice: string,
): PagewrightError {
  if (cause instanceof PagewrightError) return cause;
  const message = `The ${store} could not ${verb} ${target}: ${messageOf(cause)}. ${advice}`;
  return new PagewrightError('STORAGE', message, { cause });
}

/** A key in a message: short, and clearly delimited. */
export function quoted(key: string): string {
  return JSON.stringify(key.length > 200 ? `${key.slice(0, 200)}…` : key);
}

/** A stored value that can never be read. */
export class DamagedValueError extends PagewrightError {
  constructor(message: string) {
    super('STORAGE', message);
  }
}
