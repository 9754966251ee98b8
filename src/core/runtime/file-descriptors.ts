/** File descriptors, which a process has in limited number: idle connections release theirs, and work waits for one. */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { messageOf, PagewrightError } from './errors.ts';
import { type AttemptFailure, retry, retryPolicies } from './retry.ts';

const mostIdle = 128; // of idle connections. A process often has 1024, and 256 on macOS

/**
 * The least recently used one is first. The limit is per process: clients have their own connections, and this list
 * only closes them.
 */
const idle = new Map<object, { readonly descriptors: number; readonly close: () => void }>();

let idleDescriptors = 0;

/** Lists a connection that waits for its next request; `close` is called when others need its descriptors. */
export function addIdle(connection: object, close: () => void, descriptors = 1): void {
  removeIdle(connection);
  idle.set(connection, { descriptors, close });
  idleDescriptors += descriptors;
  closeIdle(mostIdle);
}

/** Removes a connection: it is used again, or closed. */
export function removeIdle(connection: object): void {
  idleDescriptors -= idle.get(connection)?.descriptors ?? 0;
  idle.delete(connection);
}

/** Closes idle connections until they hold at most this many descriptors. */
function closeIdle(most: number): void {
  for (const [connection, { close }] of idle) {
    if (idleDescriptors <= most) return;
    removeIdle(connection);
    close();
  }
}

/**
 * Does work that opens files or sockets. If no descriptor is left, it closes idle connections and retries; after that
 * it rejects with `TOO_MANY_OPEN_FILES`, and with the signal's reason when it aborts.
 */
export function withDescriptors<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const failureOf = (error: unknown): AttemptFailure => {
    if (!isOutOfDescriptors(error) || isTooManyOpenFiles(error)) return { error, mayRetry: false };
    closeIdle(0);
    return { error: tooManyOpenFiles(error), mayRetry: true };
  };
  return retry(retryPolicies.fileDescriptor, work, { signal, failureOf });
}

/** Descriptors that a thread takes as it starts. */
export const threadDescriptors = 16;

/** Waits until this many descriptors are free; rejects as `withDescriptors` does. */
export async function freeDescriptors(count: number): Promise<void> {
  await withDescriptors(() => Promise.resolve(count).then(tryDescriptors));
}

/** True when a descriptor is free. */
export function hasDescriptor(): boolean {
  try {
    tryDescriptors(1);
    return true;
  } catch {
    return false;
  }
}

/** Throws when the system cannot open this many files; other errors of opening do not count. */
function tryDescriptors(count: number): void {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'));
  } catch (error) {
    if (isOutOfDescriptors(error)) throw error;
  } finally {
    for (const one of opened) closeSync(one);
  }
}

/** The error for a process or machine without free descriptors. */
export function tooManyOpenFiles(cause: unknown, url?: string): PagewrightError {
  const purpose = url === undefined ? '' : ` for ${url}`;
  const code = /\bENFILE\b/.test(messageOf(cause)) ? 'ENFILE' : 'EMFILE';
  const message = `This machine has no file descriptor left${purpose} (${code}). Close files and connections of the process, raise its limit (ulimit -n), or lower createClient({ maxConcurrency }).`;
  return new PagewrightError('TOO_MANY_OPEN_FILES', message, { url, cause });
}

/** True for an error that reports no free descriptor in the process or the machine. */
export function isOutOfDescriptors(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 4) return false;
  const { code, message, cause } = error as NodeJS.ErrnoException;
  if (code === 'EMFILE' || code === 'ENFILE' || isTooManyOpenFiles(error)) return true;
  // A thread that cannot start.
  if (code === 'ERR_WORKER_INIT_FAILED' && /\bE[MN]FILE\b/.test(message)) return true;
  const others: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return [...others, cause].some((one) => isOutOfDescriptors(one, depth + 1));
}

function isTooManyOpenFiles(error: unknown): boolean {
  return error instanceof PagewrightError && error.code === 'TOO_MANY_OPEN_FILES';
}
