/** One value of the file store in its file: written whole, read with its key and its expiry, locked between processes. */
import { link, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PagewrightError } from '../runtime/errors.ts';
import { withDescriptors } from '../runtime/file-descriptors.ts';
import { type EntryHeader, headerEnd, unpackEntry, unpackHeader } from './entry-encoding.ts';
import { isProcessGone, processMark } from './process-mark.ts';

/**
 * Stored data may be secret: files and folders are for their owner only. Windows has no such modes.
 */
export const privateFile = 0o600;

export const privateFolder = 0o700;

/** The suffix of a file that is not yet, or no longer, a value. */
export const partialSuffix = '.partial';

/**
 * Writes a file atomically, with its folders. With `fsync` it is on the disk, not just with the
 * operating system, when this resolves.
 */
export async function writeEntry(file: string, bytes: Uint8Array, fsync: boolean): Promise<void> {
  const partial = partialName(file);
  try {
    await inFolder(file, async () => {
      await withDescriptors(() => writeFile(partial, bytes, { flush: fsync, mode: privateFile }));
      await rename(partial, file);
    });
    if (fsync) await syncFolder(dirname(file));
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Runs `work`, which creates a file; again if its folder was missing, or just removed. */
export async function inFolder<T>(file: string, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!hasCode(error, 'ENOENT') || attempt > 3) throw error;
      await mkdir(dirname(file), { recursive: true, mode: privateFolder });
    }
  }
}

/** Reads a file; undefined if there is none. Throws `STORAGE` when it is damaged. */
export async function readEntry(
  file: string,
): Promise<(EntryHeader & { readonly value: Uint8Array }) | undefined> {
  const bytes = await unlessMissing(withDescriptors(() => readFile(file)));
  return bytes && unpackEntry(bytes, file);
}

/** Reads only the part of a file with its key: values may be large, and a list needs none. */
export async function readEntryHeader(file: string): Promise<EntryHeader | undefined> {
  const handle = await unlessMissing(withDescriptors(() => open(file)));
  if (handle === undefined) return undefined;
  try {
    const buffer = Buffer.alloc(1024);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    const start = buffer.subarray(0, bytesRead);
    const end = headerEnd(start);
    const isLong = end !== Infinity && end > start.length;
    return unpackHeader(isLong ? await withDescriptors(() => readFile(file)) : start, file);
  } finally {
    await handle.close();
  }
}

/** Removes an expired file; a newer value written since it was read is restored. */
export async function removeExpiredEntry(file: string, now: number): Promise<void> {
  const aside = partialName(file);
  try {
    // Under the lock, so that a `replace` never reads while the file is aside.
    await withFileLock(file, async () => {
      await rename(file, aside);
      const header = await readEntryHeader(aside);
      if (header !== undefined && header.expiresAt > now) await link(aside, file);
    });
  } catch (error) {
    // Another reader removed it first, or a still newer value exists.
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

/** Removes a partial file when its writer has ended, or has not written to it for an hour. */
export async function removeLeftPartial(partial: string): Promise<void> {
  const mark = partial.slice(0, -partialSuffix.length).split('.').at(-1) ?? '';
  const age = Date.now() - ((await unlessMissing(stat(partial)))?.mtimeMs ?? Date.now());
  if (isProcessGone(mark) || age > 3_600_000) await rm(partial, { force: true });
}

function partialName(file: string): string {
  return `${file}.${processMark()}${partialSuffix}`;
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and does not need this.
  if (process.platform === 'win32') return;
  const handle = await withDescriptors(() => open(folder));
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

// A lock between processes: a file next to the locked file.

const staleAfter = 10_000; // milliseconds; work under a lock takes a few, so an older lock is stale
const lockPatience = 15_000;

/**
 * Runs `work` exclusively under the lock of `file`. The lock of an ended process is taken over at
 * once, one of an unknown process after 10 seconds. Throws `STORAGE` after 15 seconds. The folder
 * of `file` must exist.
 */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const release = await acquireLock(`${file}.lock`, Date.now() + lockPatience);
  try {
    return await work();
  } finally {
    await release();
  }
}

async function acquireLock(lock: string, deadline: number): Promise<() => Promise<void>> {
  const mark = processMark();
  while (!(await createLock(lock, mark))) {
    const holder = await lockMark(lock);
    if (holder === undefined) continue;
    if (isProcessGone(holder) || (await lockAge(lock)) > staleAfter) {
      await removeStaleLock(lock, holder, deadline);
    } else if (Date.now() > deadline) {
      throw new PagewrightError(
        'STORAGE',
        `The file store waited 15 s for ${lock}. If no other process uses the directory, delete this file.`,
      );
    } else {
      await sleep(2 + Math.random() * 10);
    }
  }
  return () => release(lock, mark);
}

/**
 * Of all processes that find a stale lock, one removes it: the holder of a second lock named after
 * the stale one. A later process finds another lock there, and leaves it.
 */
async function removeStaleLock(lock: string, holder: string, deadline: number): Promise<void> {
  const letGo = await acquireLock(`${lock}.${holder.slice(-8)}`, deadline);
  try {
    await release(lock, holder);
  } finally {
    await letGo();
  }
}

async function release(lock: string, mark: string): Promise<void> {
  if ((await lockMark(lock)) === mark) await rm(lock, { force: true });
}

async function createLock(lock: string, mark: string): Promise<boolean> {
  let isOurs = false;
  try {
    const handle = await withDescriptors(() => open(lock, 'wx', privateFile));
    isOurs = true;
    await handle.writeFile(mark).finally(() => handle.close());
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    // Ours may be empty: the disk is full. If none could be opened, another process's stays.
    if (isOurs) await rm(lock, { force: true });
    throw error;
  }
}

function lockMark(lock: string): Promise<string | undefined> {
  return unlessMissing(withDescriptors(() => readFile(lock, 'utf8')));
}

async function lockAge(lock: string): Promise<number> {
  return Date.now() - ((await unlessMissing(stat(lock)))?.mtimeMs ?? Date.now());
}

// Handles missing files.

/** Settles like `work`, but with undefined when the file or folder does not exist. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** True when a file system error has this code. */
function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
