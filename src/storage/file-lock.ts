/** A lock between processes: a file beside the file that it is about. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { PagewrightError } from '../errors.ts';
import { isProcessGone, processMark } from './process-mark.ts';
import { hasCode, unlessMissing } from './unless-missing.ts';

/** What is done under a lock takes a few ms: an older one is left over, whoever made it. */
const staleAfter = 10_000;
const waitFor = 15_000;

/**
 * Does `work` while no one else does any under the lock of `file`. The lock of a process that has
 * ended is taken over at once, one whose maker is unknown after 10 seconds. Throws `STORAGE` after
 * 15 seconds. The folder of `file` has to be there.
 */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const release = await acquire(`${file}.lock`, Date.now() + waitFor);
  try {
    return await work();
  } finally {
    await release();
  }
}

async function acquire(lock: string, deadline: number): Promise<() => Promise<void>> {
  const mark = processMark();
  while (!(await create(lock, mark))) {
    const holder = await markIn(lock);
    if (holder === undefined) continue;
    if (isProcessGone(holder) || (await ageOf(lock)) > staleAfter) {
      await takeAway(lock, holder, deadline);
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
 * Of all who find a lock left over, one takes it away: who holds the lock that is named after the
 * left one. A second to come finds another lock there, and leaves it.
 */
async function takeAway(lock: string, holder: string, deadline: number): Promise<void> {
  const letGo = await acquire(`${lock}.${holder.slice(-8)}`, deadline);
  try {
    await release(lock, holder);
  } finally {
    await letGo();
  }
}

async function release(lock: string, mark: string): Promise<void> {
  if ((await markIn(lock)) === mark) await rm(lock, { force: true });
}

async function create(lock: string, mark: string): Promise<boolean> {
  try {
    await writeFile(lock, mark, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    // It may be there, but empty: the disk is full.
    if (!hasCode(error, 'ENOENT')) await rm(lock, { force: true });
    throw error;
  }
}

function markIn(lock: string): Promise<string | undefined> {
  return unlessMissing(readFile(lock, 'utf8'));
}

async function ageOf(lock: string): Promise<number> {
  return Date.now() - ((await unlessMissing(stat(lock)))?.mtimeMs ?? Date.now());
}
