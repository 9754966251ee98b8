/** Runs tasks side by side and commits their results one by one in the order of the tasks. */
import PQueue from 'p-queue';

/** What an ordered pool needs to know. */
export interface OrderedWork<Task, Result> {
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** False while no further task may start; asked again after each commit. */
  mayStart(uncommitted: number): boolean;
  /** The next task in order, or undefined while there is none; a commit may bring new ones. */
  next(): Promise<Task | undefined>;
  /** Runs beside others; must not reject. */
  run(task: Task): Promise<Result>;
  /** Called once per task, strictly in order. */
  commit(task: Task, result: Result): Promise<void>;
  /** Called at the first failure: ends what still runs, whose results are dropped. */
  halt?(): void;
}

/**
 * Ends when nothing runs and `next` has nothing, or when no task may start any more. Committing in
 * order is what makes a crawl the same at any speed: links of a page count only after those of all
 * pages before it. Results that wait for a slow predecessor are bounded.
 */
export async function runOrdered<Task, Result>(work: OrderedWork<Task, Result>): Promise<void> {
  const pool = new PQueue({ concurrency: work.concurrency });
  const window = work.concurrency * windowPerSlot + windowMinimum;
  let uncommitted = 0;
  let commits: Promise<void> = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;
  let wake: () => void = () => undefined;

  const fail = (error: unknown): void => {
    if (failure !== undefined) return;
    failure = { error };
    work.halt?.();
  };

  const start = (task: Task): void => {
    uncommitted += 1;
    const result = pool.add(() => work.run(task));
    commits = Promise.all([result, commits])
      .then(([value]) => (failure === undefined ? work.commit(task, value) : undefined))
      .catch(fail)
      .then(() => {
        uncommitted -= 1;
        wake();
      });
    void result.then(() => wake());
  };

  while (!work.signal.aborted && failure === undefined) {
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    if (pool.pending < work.concurrency && uncommitted < window && work.mayStart(uncommitted)) {
      const task = await work.next().catch(fail);
      if (task !== undefined) {
        start(task);
        continue;
      }
    }
    if (uncommitted === 0) break;
    await changed;
  }
  await commits;
  if (failure !== undefined) throw failure.error;
}

/** How many results may wait for a slow page before them. */
const windowPerSlot = 16;
const windowMinimum = 64;
