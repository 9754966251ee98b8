/** Processes of this machine, as /proc tells them. */
import { readdirSync, readFileSync } from 'node:fs';

/** A process. */
export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  /** When it was started, in ticks since the machine was: a number that is used again is told apart. */
  readonly started: number;
  readonly command: readonly string[];
}

/** All that `root` started, and what those started. What has ended and was not fetched is not there. */
export function descendants(root: number): ProcessFacts[] {
  const all = readdirSync('/proc').flatMap((name) => processFacts(Number(name)) ?? []);
  const found: ProcessFacts[] = [];
  let parents = [root];
  while (parents.length > 0) {
    const children = all.filter(({ parent }) => parents.includes(parent));
    found.push(...children);
    parents = children.map(({ pid }) => pid);
  }
  return found;
}

/** True while this very process runs. */
export function isRunning({ pid, started }: ProcessFacts): boolean {
  return processFacts(pid)?.started === started;
}

/** Of a tree of Chromium: `browser` is the one that started the others. */
export function chromiumOf(root: number, kind: 'browser' | 'renderer'): ProcessFacts[] {
  const type = kind === 'browser' ? undefined : `--type=${kind}`;
  return descendants(root).filter(({ command }) => {
    const line = command.join(' ');
    if (!/chrom/i.test(line.split(' ', 1)[0] ?? '')) return false;
    return type === undefined ? !line.includes('--type=') : line.includes(type);
  });
}

function processFacts(pid: number): ProcessFacts | undefined {
  if (!Number.isInteger(pid)) return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name may have spaces and parentheses of its own.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent] = fields;
    if (state === 'Z' || state === 'X') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
    return { pid, parent: Number(parent), started: Number(fields[19]), command };
  } catch {
    return undefined;
  }
}
