// The storage that the processes of a bench share.
import { fileStore } from '../../dist/index.js';
import { redisStore } from '../../dist/entries/storage/index.js';

/** Files where a folder is given, else Redis. */
export function openStorage({ redis, prefix, folder }) {
  return folder === undefined ? redisStore({ url: redis, prefix }) : fileStore(folder);
}
