/** The storage of a run with a profile: profiles stay in a folder, everything else goes with the run. */
import { fileStore, memoryStore, type Store } from '../index.ts';

/** Opens a folder for profiles, which is made when one is saved. */
export function profileStore(folder: string): Store {
  const profiles = fileStore(folder);
  const others = memoryStore();
  const storeOf = (key: string): Store => (key.startsWith('profiles/') ? profiles : others);
  return {
    get: (key) => storeOf(key).get(key),
    set: (key, value, options) => storeOf(key).set(key, value, options),
    delete: (key) => storeOf(key).delete(key),
    list: (prefix) => storeOf(prefix).list(prefix),
  };
}
