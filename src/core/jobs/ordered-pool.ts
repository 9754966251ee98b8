/** Runs tasks concurrently and commits their results one by one in the order of the tasks. */
import { setImmediate } from 'node:timers/promises';
import { JobSlots } from '../fetch/job-slots.ts';
import type { TaskPermit } from '../model/pace.ts';

const limits = {
  windowPerSlot: 16, // results that may wait for a slow page before them: they are in memory
  windowMinimum: 64,
  bytes: 4_000_000, // of pages that may wait; their parsed content takes about three times as much
  waiting: 10_000, // tasks that may wait for their hosts: about 3 KB each
  takenAtOnce: 64, // tasks taken in one go: a queue in memory never pauses by itself
};

/** The work of an ordered pool. */
export interface OrderedWork<Task, Result> {
  /** Tasks that hold a permit at the same time; read whenever one may start, since it may change. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Ends waiting for permits and hosts, before `signal` does. @default signal */
  readonly waitSignal?: AbortSignal;
  /** False while no further task may be taken; checked again after each commit. */
  mayStart(uncommitted: number): boolean;
  /** The next task in order, or undefined while there is none; a commit may bring new ones. */
  next(): Promise<Task | undefined>;
  /**
   * Runs concurrently with others; must not reject. A task acquires its permit itself: `HostGate.acquire` does that
   * when the host is ready. Tasks that wait for a host hold none, so that tasks of other hosts continue. At the end the
   * permit is released.
   */
  run(task: Task, permit: TaskPermit): Promise<Result>;
  /** Bytes that a result holds until it is committed. @default none */
  sizeOf?(result: Result): number;
  /** Called once per task, strictly in order. */
  commit(task: Task, result: Result): Promise<void>;
  /** Called at the first failure: ends the tasks that run, whose results are dropped. */
  halt?(): void;
}

/**
 * Ends when nothing runs and `next` has nothing, or when no more tasks may start. Committing in order makes a crawl the
 * same at any speed: links of a page count only after the links of all earlier pages. Tasks are taken while there is a
 * free permit that no waiting task can use.
 */
export async function runOrdered<Task, Result>(work: OrderedWork<Task, Result>): Promise<void> {
  const { signal } = work;
  let taken = 0;
  let committed = 0;
  /** Tasks that hold, or held, a permit and are not committed. */
  let held = 0;
  let heldBytes = 0;
  let commits: Promise<void> = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;
  let wake: () => void = () => undefined;
  const isFull = (): boolean =>
    held >= work.concurrency * limits.windowPerSlot + limits.windowMinimum ||
    heldBytes >= limits.bytes;

  const slots = new JobSlots({
    get concurrency() {
      return work.concurrency;
    },
    signal: work.waitSignal ?? signal,
    // The tasks that all others wait for may always start, or the pool would stall.
    isOpen: (order) => !isFull() || order < committed + work.concurrency,
    onStart: () => (held += 1),
    onFree: () => wake(),
  });

  const fail = (error: unknown): void => {
    if (failure !== undefined) return;
    failure = { error };
    work.halt?.();
  };

  const start = (task: Task): void => {
    const permit = slots.permit();
    taken += 1;
    let bytes = 0;
    const run = async (): Promise<Result> => {
      try {
        const value = await work.run(task, permit);
        heldBytes += bytes = work.sizeOf?.(value) ?? 0;
        return value;
      } finally {
        permit.release();
      }
    };
    const result = run();
    commits = Promise.all([result, commits])
      .then(([value]) => (failure === undefined ? work.commit(task, value) : undefined))
      .catch(fail)
      .then(() => {
        committed += 1;
        if (permit.hasStarted) held -= 1;
        heldBytes -= bytes;
        slots.serve();
        wake();
      });
  };

  const hasRoom = (): boolean =>
    slots.isIdle && !isFull() && taken - committed - held < limits.waiting;

  while (!signal.aborted && failure === undefined) {
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const before = committed;
    if (hasRoom() && work.mayStart(taken - committed)) {
      const task = await work.next().catch(fail);
      if (task !== undefined) {
        start(task);
        if (taken % limits.takenAtOnce === 0) await setImmediate();
        continue;
      }
    }
    // A commit since the last check may have brought tasks.
    if (committed !== before) continue;
    if (taken === committed) break;
    await changed;
  }
  await commits;
  if (failure !== undefined) throw failure.error;
}
