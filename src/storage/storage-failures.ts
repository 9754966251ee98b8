/** Failures of stores: one error with the code STORAGE, and a store of the caller's whose failures become that error. */
import { messageOf, PagewrightError } from '../errors.ts';
import type { Store } from './store.ts';

const storeAdvice = 'Check what is behind it, then call again.';

async function callStore<T>(verb: string, key: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageError({ store: 'store', verb, place: quoted(key) }, error, storeAdvice);
  }
}

/** The same store; it has `replace`, `deleteAll` and `release` when the caller's has. */
export function checkedStore(store: Store): Store {
  return {
    get: (key) => callStore('read', key, () => store.get(key)),
    set: (key, value, options) => callStore('write', key, () => store.set(key, value, options)),
    delete: (key) => callStore('remove', key, () => store.delete(key)),
    async *list(prefix) {
      const keys = await callStore('list', prefix, () =>
        store.list(prefix)[Symbol.asyncIterator](),
      );
      try {
        for (;;) {
          const next = await callStore('list', prefix, () => keys.next());
          if (next.done === true) return;
          yield next.value;
        }
      } finally {
        await callStore('list', prefix, () => keys.return?.());
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

// The error of a store that could not do what it was asked to.

/** What was asked: `The file store could not write /a/b`. */
export interface StorageAction {
  /** `file store`. */
  readonly store: string;
  /** `write`. */
  readonly verb: string;
  /** The file or key. */
  readonly place: string;
}

/** Makes it: what failed, where, why, and what to do. What is an error of ours stays as it is. */
export function storageError(
  { store, verb, place }: StorageAction,
  cause: unknown,
  advice: string,
): PagewrightError {
  if (cause instanceof PagewrightError) return cause;
  const message = `The ${store} could not ${verb} ${place}: ${messageOf(cause)}. ${advice}`;
  return new PagewrightError('STORAGE', message, { cause });
}

/** A key in a message: short, and nothing in it can be mistaken for the rest. */
export function quoted(key: string): string {
  return JSON.stringify(key.length > 200 ? `${key.slice(0, 200)}…` : key);
}

/** A value that is there and cannot be read, whoever tries, and however often. */
export class DamagedValueError extends PagewrightError {
  constructor(message: string) {
    super('STORAGE', message);
  }
}
