/** Marks that identify a process and whether it still runs. */
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { sha256Of } from '../runtime/identifiers.ts';

/** The mark of this process, read once: it does not change. */
let ownMark: { readonly host: string; readonly start: string } | undefined;

/** A new mark of this process: `host-pid-start-random`, of letters and digits. */
export function processMark(): string {
  ownMark ??= { host: readHost(), start: startTimeOf(process.pid) };
  return [ownMark.host, process.pid, ownMark.start, randomUUID().replaceAll('-', '')].join('-');
}

/** True for a mark of a process on this host. */
export function isOnThisHost(mark: string): boolean {
  const [host, pid = '', , random] = mark.split('-');
  return random !== undefined && processMark().startsWith(`${host}-`) && /^\d+$/.test(pid);
}

/** True when the process that made `mark` has certainly ended; always false for other hosts. */
export function isProcessGone(mark: string): boolean {
  if (!isOnThisHost(mark)) return false;
  const [, pid, start] = mark.split('-');
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  // Another process may have the same id by now.
  const startNow = startTimeOf(Number(pid));
  return start !== 'unknown' && startNow !== 'unknown' && start !== startNow;
}

/**
 * The host, and on Linux its PID namespace: containers may share a host name, but not process ids.
 */
function readHost(): string {
  const table = linuxOnly(() => readlinkSync('/proc/self/ns/pid'));
  return sha256Of(`${hostname()} ${table}`).slice(0, 12);
}

/** The start time of a process, in the system's own unit; `ended` for a zombie. */
function startTimeOf(pid: number): string {
  return linuxOnly(() => {
    // After the name in parentheses, which may hold any character: the state, and 19 fields later
    // the start.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? 'ended' : fields[18];
  });
}

function linuxOnly(read: () => string | undefined): string {
  try {
    return read() ?? 'unknown';
  } catch {
    return 'unknown';
  }
}
