/** A store in one directory, a file a key. Values appear whole or not at all. */
import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PagewrightError } from '../errors.ts';
import {
  packEntry,
  readEntry,
  readEntryHeader,
  removeExpiredEntry,
  unlessMissing,
  writeEntry,
} from './entry-file.ts';
import type { Store } from './store.ts';

/**
 * Keeps everything below `directory`, which is made when first written to. A key's parts become
 * folders; names are escaped, so no key reaches outside. Throws `STORAGE` for what cannot be read
 * or written. `now` is for tests.
 */
export function fileStore(directory: string, now: () => number = Date.now): Store {
  const root = resolve(directory);
  const fileOf = (key: string): string => join(root, ...key.split('/').map(fileName)) + suffix;

  return {
    async get(key) {
      const file = fileOf(key);
      const entry = await orStorageError('read', file, () => readEntry(file));
      if (entry === undefined || entry.expiresAt > now()) return entry?.value;
      await orStorageError('remove', file, () => removeExpiredEntry(file, now()));
      return undefined;
    },
    async set(key, value, options = {}) {
      const file = fileOf(key);
      // Packed before anything is awaited: the caller may change the value meanwhile.
      const bytes = packEntry({ key, expiresAt: options.expiresAt ?? Infinity }, value);
      await orStorageError('write', file, () => writeEntry(file, bytes));
    },
    async delete(key) {
      const file = fileOf(key);
      await orStorageError('remove', file, () => rm(file, { force: true }));
    },
    async *list(prefix) {
      const keys: string[] = [];
      const folder = join(root, ...prefix.split('/').slice(0, -1).map(fileName));
      for (const file of await orStorageError('list', folder, () => filesBelow(folder))) {
        const header = await orStorageError('read', file, () => readEntryHeader(file));
        if (header === undefined || !header.key.startsWith(prefix)) continue;
        if (header.expiresAt > now()) keys.push(header.key);
        else await orStorageError('remove', file, () => removeExpiredEntry(file, now()));
      }
      yield* keys.sort();
    },
  };
}

const suffix = '.entry';

/** Names that Windows keeps for devices, whatever follows the first dot. */
const deviceName = /^(?:aux|con|nul|prn|com\d|lpt\d)$/;

/**
 * The name of a part of a key: legal in every file system, and different from every other part's
 * where upper and lower case are one. What has no such name goes by its hash.
 */
function fileName(part: string): string {
  const escaped = part.replace(/[^a-z0-9_-]/g, (unit) => {
    const hex = unit.charCodeAt(0).toString(16);
    return hex.length > 2 ? `%u${hex.padStart(4, '0')}` : `%${hex.padStart(2, '0')}`;
  });
  if (escaped !== '' && escaped.length <= 120 && !deviceName.test(escaped)) return escaped;
  return `~${createHash('sha256').update(part, 'utf16le').digest('hex')}`;
}

async function filesBelow(folder: string): Promise<string[]> {
  const reading = readdir(folder, { recursive: true, withFileTypes: true });
  const entries = (await unlessMissing(reading)) ?? [];
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(suffix))
    .map((entry) => join(entry.parentPath, entry.name));
}

async function orStorageError<T>(verb: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PagewrightError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new PagewrightError(
      'STORAGE',
      `Could not ${verb} ${path} (${code}). Check that the directory exists, is writable and has room.`,
      { cause: error },
    );
  }
}
