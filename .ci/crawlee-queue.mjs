// Bundles the request queue of @crawlee/core alone: the rest takes 0.4 s to load, handles signals and is
// never used. Our queue opens no storage by name, and reads no configuration and no list of URLs.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const core = dirname(require.resolve('@crawlee/core'));
const utils = dirname(createRequire(join(core, 'index.js')).resolve('@crawlee/utils'));

/** What stands in for a module that the queue requires. */
const parts = {
  '@crawlee/core': from(core, { RequestQueueV1: 'storages/request_queue.js' }),
  '@crawlee/utils': from(utils, {
    'chunkedAsyncIterable, isAsyncIterable, isIterable, peekableAsyncIterable':
      'internals/iterables.js',
    sleep: 'internals/general.js',
    getObjectType: 'internals/debug.js',
  }),
  // Checks arguments; those of ours are checked by the compiler.
  ow: 'const any = new Proxy(() => any, { get: () => any }); export default any;',
  '../configuration': 'export class Configuration {}',
  './key_value_store': 'export const KeyValueStore = undefined;',
  './storage_manager': 'export const StorageManager = undefined;',
  // Crawlee's has two arrays of a million slots.
  './request_dedup_cache': `export class RequestDeduplicationCache extends Map {
    get(key) { return super.get(key) ?? null; }
    add(key, id) { super.set(key, id); }
  }`,
};

/** @type {import('rolldown').Plugin} */
export const crawleeQueue = {
  name: 'crawlee-queue',
  resolveId(id, importer = '') {
    const isPart =
      id === '@crawlee/core' || importer.startsWith(core) || importer.startsWith(utils);
    return isPart && Object.hasOwn(parts, id) ? `\0${id}` : undefined;
  },
  load: (id) => parts[id.replace(/^\0/, '')],
};

function from(folder, names) {
  return Object.entries(names)
    .map(([name, file]) => `export { ${name} } from ${JSON.stringify(join(folder, file))};`)
    .join('\n');
}
