// Bundles of two packages only what is used of them. Of undici that is one connection; the rest takes 0.1 s
// to load. Of Crawlee it is the request queue; the rest takes 0.4 s and handles signals. Our queue opens no
// storage by name, and reads no configuration and no list of URLs.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from './checks.mjs';

const require = createRequire(import.meta.url);
const undici = dirname(require.resolve('undici'));
const core = dirname(require.resolve('@crawlee/core'));
const utils = dirname(createRequire(join(core, 'index.js')).resolve('@crawlee/utils'));

/** The code in place of a module that our sources or Crawlee's load. */
const parts = {
  undici: from(undici, {
    'default as Client': 'lib/dispatcher/client.js',
    'default as buildConnector': 'lib/core/connect.js',
  }),
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
export const packageParts = {
  name: 'package-parts',
  resolveId(id, importer = '') {
    const places = [join(root, 'src'), core, utils];
    const isPart = Object.hasOwn(parts, id) && places.some((place) => importer.startsWith(place));
    return isPart ? `\0${id}` : undefined;
  },
  load: (id) => parts[id.replace(/^\0/, '')],
};

/** True for the module that stands for the used part of a package. */
export function isPackagePart(id) {
  return id.startsWith('\0');
}

function from(folder, names) {
  return Object.entries(names)
    .map(([name, file]) => `export { ${name} } from ${JSON.stringify(join(folder, file))};`)
    .join('\n');
}
