// Bundles of some packages only what is used of them. Of undici that is one connection; the rest takes 0.1 s
// to load. Of Crawlee it is the request queue; the rest takes 0.4 s and handles signals. Our queue opens no
// storage by name, and reads no configuration and no list of URLs. Of the MCP SDK ajv is left out: it checks
// what a user fills in for a server, which ours does not ask.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from './checks.mjs';

const require = createRequire(import.meta.url);
const undici = dirname(require.resolve('undici'));
const core = dirname(require.resolve('@crawlee/core'));
const utils = dirname(createRequire(join(core, 'index.js')).resolve('@crawlee/utils'));
const mcp = dirname(require.resolve('@modelcontextprotocol/server'));

/** A value that can be called and has every property, which are the same value. */
const anything = 'const any = new Proxy(() => any, { get: () => any })';

/** The constants of Crawlee's queue. */
const queueConstants =
  'API_PROCESSED_REQUESTS_DELAY_MILLIS, MAX_QUERIES_FOR_CONSISTENCY, QUERY_HEAD_BUFFER, QUERY_HEAD_MIN_LENGTH, STORAGE_CONSISTENCY_DELAY_MILLIS';

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
  ow: `${anything}; export default any;`,
  // Ours is turned off.
  '../log': `${anything}; export { any as log };`,
  '../configuration': 'export class Configuration {}',
  // Crawlee's defines twenty properties one by one, and checks them.
  '../request': 'export class Request { constructor(fields) { Object.assign(this, fields); } }',
  './storage_manager': 'export const StorageManager = undefined;',
  // Our storage knows every key. Crawlee's cache has two arrays of a million slots.
  './request_dedup_cache':
    'export class RequestDeduplicationCache { get() { return null; } add() {} }',
  // Crawlee's id of a request is a hash of its key.
  './utils': `export const getRequestId = (key) => key; ${from(core, {
    [queueConstants]: 'storages/utils.js',
  })}`,
  '@modelcontextprotocol/server/_shims':
    "export { default as process } from 'node:process'; export class DefaultJsonSchemaValidator {}",
  './key_value_store': 'export const KeyValueStore = undefined;',
  '@apify/utilities': "export const cryptoRandomObjectId = () => '';",
};

/** @type {import('rolldown').Plugin} */
export const packageParts = {
  name: 'package-parts',
  resolveId(id, importer = '') {
    const places = [join(root, 'src'), core, utils, mcp];
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
