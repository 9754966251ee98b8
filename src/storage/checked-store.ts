/** A store of the caller's, as the client uses it: whatever it throws, and however, is STORAGE. */
import { quoted, storageError } from './storage-error.ts';
import type { Store } from './store.ts';

const advice = 'Check what is behind it, then call again.';

async function attempt<T>(verb: string, key: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageError({ store: 'store', verb, place: quoted(key) }, error, advice);
  }
}

/** The same store; it has `replace`, `deleteAll` and `release` when the caller's has. */
export function checkedStore(store: Store): Store {
  return {
    get: (key) => attempt('read', key, () => store.get(key)),
    set: (key, value, options) => attempt('write', key, () => store.set(key, value, options)),
    delete: (key) => attempt('remove', key, () => store.delete(key)),
    async *list(prefix) {
      const keys = await attempt('list', prefix, () => store.list(prefix)[Symbol.asyncIterator]());
      try {
        for (;;) {
          const next = await attempt('list', prefix, () => keys.next());
          if (next.done === true) return;
          yield next.value;
        }
      } finally {
        await attempt('list', prefix, () => keys.return?.());
      }
    },
    ...(store.replace === undefined
      ? {}
      : {
          replace: (...[key, expected, value, options]: Parameters<Required<Store>['replace']>) =>
            attempt('write', key, () => store.replace?.(key, expected, value, options) ?? false),
        }),
    ...(store.deleteAll === undefined
      ? {}
      : {
          deleteAll: (prefix: string) => attempt('remove', prefix, () => store.deleteAll?.(prefix)),
        }),
    ...(store.release === undefined
      ? {}
      : { release: () => attempt('release', '', () => store.release?.()) }),
  };
}
