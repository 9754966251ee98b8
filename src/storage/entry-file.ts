/** One value of the file store in its file: written whole, read with its key and its expiry. */
import { link, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type EntryHeader, headerEnd, unpackEntry, unpackHeader } from './entry-bytes.ts';
import { withFileLock } from './file-lock.ts';
import { isProcessGone, processMark } from './process-mark.ts';
import { hasCode, unlessMissing } from './unless-missing.ts';

/** What is stored may be secret: files and folders are for their owner only. Windows has no such modes. */
export const privateFile = 0o600;
export const privateFolder = 0o700;

/** How the name of a file ends that is not yet, or no more, a value. */
export const partialSuffix = '.partial';

/**
 * Writes a file whole or not at all, with the folders it needs. With `fsync` it is on the disk,
 * and not only with the operating system, when this resolves.
 */
export async function writeEntry(file: string, bytes: Uint8Array, fsync: boolean): Promise<void> {
  const partial = partialName(file);
  try {
    await inFolder(file, async () => {
      await writeFile(partial, bytes, { flush: fsync, mode: privateFile });
      await rename(partial, file);
    });
    if (fsync) await syncFolder(dirname(file));
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Does `work`, which makes a file; again when its folder was not there, or was just removed. */
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

/** Reads a file; undefined when there is none. Throws `STORAGE` when it is damaged. */
export async function readEntry(
  file: string,
): Promise<(EntryHeader & { readonly value: Uint8Array }) | undefined> {
  const bytes = await unlessMissing(readFile(file));
  return bytes && unpackEntry(bytes, file);
}

/** Reads as much of a file as tells its key: values may be large, and a list needs none. */
export async function readEntryHeader(file: string): Promise<EntryHeader | undefined> {
  const handle = await unlessMissing(open(file));
  if (handle === undefined) return undefined;
  try {
    const buffer = Buffer.alloc(1024);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    const start = buffer.subarray(0, bytesRead);
    const end = headerEnd(start);
    const isLong = end !== Infinity && end > start.length;
    return unpackHeader(isLong ? await readFile(file) : start, file);
  } finally {
    await handle.close();
  }
}

/** Removes an expired file; what has been written in its place since it was read is put back. */
export async function removeExpiredEntry(file: string, now: number): Promise<void> {
  const aside = partialName(file);
  try {
    // Under the lock, so that a `replace` never looks while the file is aside.
    await withFileLock(file, async () => {
      await rename(file, aside);
      const header = await readEntryHeader(aside);
      if (header !== undefined && header.expiresAt > now) await link(aside, file);
    });
  } catch (error) {
    // Another reader removed it first, or a still newer value is there.
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

/** Removes a partial file when its writer has ended, or has not touched it for an hour. */
export async function removeLeftPartial(partial: string): Promise<void> {
  const mark = partial.slice(0, -partialSuffix.length).split('.').at(-1) ?? '';
  const age = Date.now() - ((await unlessMissing(stat(partial)))?.mtimeMs ?? Date.now());
  if (isProcessGone(mark) || age > 3_600_000) await rm(partial, { force: true });
}

function partialName(file: string): string {
  return `${file}.${processMark()}${partialSuffix}`;
}

async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folder, and needs none of this.
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
