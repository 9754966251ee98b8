/** Marks that tell which process made something, and whether that process is still there. */
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Of this process, read once: nothing in it changes. */
let ownMark: { readonly host: string; readonly start: string } | undefined;

/** A mark of this process, a new one each time: `host-pid-start-random`, of letters and digits. */
export function processMark(): string {
  ownMark ??= { host: readHost(), start: startTimeOf(process.pid) };
  return [ownMark.host, process.pid, ownMark.start, randomUUID().replaceAll('-', '')].join('-');
}

/** True when the process that made `mark` has ended for sure; one on another host never has. */
export function isProcessGone(mark: string): boolean {
  const [host, pid = '', start, random] = mark.split('-');
  if (random === undefined || !processMark().startsWith(`${host}-`) || !/^\d+$/.test(pid))
    return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  // Another process may have been given the number.
  const startNow = startTimeOf(Number(pid));
  return start !== 'unknown' && startNow !== 'unknown' && start !== startNow;
}

/**
 * The host, and on Linux its table of processes: containers may share a host's name, and their
 * process numbers mean nothing to each other.
 */
function readHost(): string {
  const table = linuxOnly(() => readlinkSync('/proc/self/ns/pid'));
  return createHash('sha256').update(`${hostname()} ${table}`).digest('hex').slice(0, 12);
}

/** When a process started, in the system's own unit; `ended` for one that waits to be reaped. */
function startTimeOf(pid: number): string {
  return linuxOnly(() => {
    // After the name in parentheses, which may hold anything: the state, and 19 fields on the start.
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
