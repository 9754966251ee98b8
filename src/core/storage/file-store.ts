/** A store in one directory with one file per key. Values are written atomically. */
import { readdir, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isOutOfDescriptors, withDescriptors } from '../runtime/file-descriptors.ts';
import { entrySuffix, packEntry, safeFolders, safePath } from './entry-encoding.ts';
import {
  inFolder,
  partialSuffix,
  readEntry,
  readEntryHeader,
  removeExpiredEntry,
  removeLeftPartial,
  unlessMissing,
  withFileLock,
  writeEntry,
} from './entry-file.ts';
import { storageError } from './storage-failures.ts';
import { sameBytes, type Store } from './store.ts';

/** Options of a file store. */
export interface FileStoreOptions {
  /**
   * Wait until each value is on the disk. Without it a value outlives the process from the moment
   * it is set, but may be lost in a power failure in the seconds after. @default false
   */
  readonly fsync?: boolean;
  /** The time in ms since 1970; for tests. @default Date.now */
  readonly now?: () => number;
}

/**
 * Keeps everything below `directory`, which is made at the first write. A key's parts become
 * folders; names are escaped, so no key reaches outside. Several processes may use it concurrently,
 * on a file system that renames atomically. Throws `STORAGE` for read and write errors.
 */
export function fileStore(directory: string, options: FileStoreOptions = {}): Store {
  const { fsync = false, now = Date.now } = options;
  const root = resolve(directory);
  const fileOf = (key: string): string => join(root, ...safePath(key));

  const store: Required<Omit<Store, 'dispose' | 'release'>> = {
    async get(key) {
      const file = fileOf(key);
      const entry = await callFileSystem('read', file, () => readEntry(file));
      if (entry === undefined || entry.expiresAt > now()) return entry?.value;
      await callFileSystem('remove', file, () => removeExpiredEntry(file, now()));
      return undefined;
    },
    async set(key, value, { expiresAt = Infinity } = {}) {
      const file = fileOf(key);
      // Packed before the first await: the caller may change the value meanwhile.
      const bytes = packEntry({ key, expiresAt }, value);
      await callFileSystem('write', file, () => writeEntry(file, bytes, fsync));
    },
    async delete(key) {
      const file = fileOf(key);
      await callFileSystem('remove', file, () => rm(file, { force: true }));
    },
    async *list(prefix) {
      const keys: string[] = [];
      const folder = join(root, ...safeFolders(prefix));
      for (const file of await callFileSystem('list', folder, () => filesBelow(folder))) {
        if (file.endsWith(partialSuffix)) {
          await callFileSystem('remove', file, () => removeLeftPartial(file));
          continue;
        }
        const header = await callFileSystem('read', file, () => readEntryHeader(file));
        if (header === undefined || !header.key.startsWith(prefix)) continue;
        if (header.expiresAt > now()) keys.push(header.key);
        else await callFileSystem('remove', file, () => removeExpiredEntry(file, now()));
      }
      yield* keys.sort();
    },
    async replace(key, expected, value, { expiresAt = Infinity } = {}) {
      const file = fileOf(key);
      const wanted = expected && new Uint8Array(expected);
      const bytes = packEntry({ key, expiresAt }, value);
      const swap = async (): Promise<boolean> => {
        const entry = await readEntry(file);
        const found = entry && entry.expiresAt > now() ? entry.value : undefined;
        if (!sameBytes(found, wanted)) return false;
        await writeEntry(file, bytes, fsync);
        return true;
      };
      return callFileSystem('write', file, () => inFolder(file, () => withFileLock(file, swap)));
    },
    async deleteAll(prefix) {
      const folder = join(root, ...safeFolders(prefix));
      if (prefix === '' || prefix.endsWith('/')) {
        await callFileSystem('remove', folder, () => removeBelow(folder));
      } else {
        for await (const key of store.list(prefix)) await store.delete(key);
      }
    },
  };
  return store;
}

async function filesBelow(folder: string): Promise<string[]> {
  const read = () => readdir(folder, { recursive: true, withFileTypes: true });
  const entries = (await unlessMissing(withDescriptors(read))) ?? [];
  return entries
    .filter(({ name }) => name.endsWith(entrySuffix) || name.endsWith(partialSuffix))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/**
 * Removes the store's files, damaged ones too, and folders that are then empty: never other files.
 */
async function removeBelow(folder: string): Promise<void> {
  const read = () => readdir(folder, { withFileTypes: true });
  const entries = (await unlessMissing(withDescriptors(read))) ?? [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await removeBelow(path);
    else if (/\.entry(?:\.\S+\.partial|\.lock\S*)?$/.test(entry.name))
      await rm(path, { force: true });
  }
  await rmdir(folder).catch(() => undefined);
}

async function callFileSystem<T>(verb: string, target: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const error = isOutOfDescriptors(thrown) ? ((thrown as Error).cause ?? thrown) : thrown;
    throw storageError({ store: 'file store', verb, target }, error, adviceFor(error));
  }
}

/** Advice for a file system error. */
function adviceFor(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'Free space on the disk and call again: what was stored before is still there.';
    case 'EFBIG':
      return 'Raise the limit on the size of files: what was stored before is still there.';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'Give this user write access to the directory, or choose another one.';
    case 'ENOTDIR':
    case 'EEXIST':
    case 'EISDIR':
      return 'Something else has this path: choose another directory.';
    case 'EMFILE':
    case 'ENFILE':
      return 'Too many files are open: raise the limit, or do less at once.';
    default:
      return 'Check that the directory exists, is writable and has free space.';
  }
}
