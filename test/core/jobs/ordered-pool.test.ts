import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type OrderedWork, runOrdered } from '../../../src/core/jobs/ordered-pool.ts';
import type { TaskPermit } from '../../../src/core/model/pace.ts';

/** Resolves with a slot, or without it when the job's signal aborts. */
const acquire = (permit: TaskPermit): Promise<void> =>
  new Promise((resolve) => {
    const take = (): void => {
      if (permit.tryAcquire(take)) resolve();
    };
    permit.onAbort(resolve);
    take();
  });

const work = (
  delays: readonly number[],
  changes: Partial<OrderedWork<number, number>> = {},
): { committed: number[]; started: number[]; peak: () => number; run: () => Promise<void> } => {
  const committed: number[] = [];
  const started: number[] = [];
  let running = 0;
  let peak = 0;
  let index = 0;
  return {
    committed,
    started,
    peak: () => peak,
    run: () =>
      runOrdered<number, number>({
        concurrency: 4,
        signal: new AbortController().signal,
        mayStart: () => true,
        next: () => Promise.resolve(index < delays.length ? index++ : undefined),
        run: async (task, permit) => {
          await acquire(permit);
          started.push(task);
          peak = Math.max(peak, (running += 1));
          await sleep(delays[task] ?? 0);
          running -= 1;
          return task;
        },
        commit: (task) => {
          committed.push(task);
          return Promise.resolve();
        },
        ...changes,
      }),
  };
};

describe('runOrdered', () => {
  it('commits in order, whatever the timing', async () => {
    const pool = work([30, 1, 20, 1, 1, 15, 1, 1]);
    await pool.run();
    expect(pool.committed).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(pool.peak()).toBe(4);
  });

  it('asks again for tasks that a commit brought while it was being asked', async () => {
    const queue = [1];
    const pool = work([], {
      next: async () => {
        const task = queue.shift();
        await sleep(10);
        return task;
      },
      commit: (task) => {
        if (task < 4) queue.push(task + 1);
        pool.committed.push(task);
        return Promise.resolve();
      },
    });
    await pool.run();
    expect(pool.committed).toEqual([1, 2, 3, 4]);
  });

  it('asks again for tasks that a commit brought', async () => {
    const queue = [1];
    const seen: number[] = [];
    const pool = work([], {
      next: () => Promise.resolve(queue.shift()),
      commit: (task) => {
        seen.push(task);
        if (task < 8) queue.push(task * 2, task * 2 + 1);
        return Promise.resolve();
      },
    });
    await pool.run();
    expect(seen).toEqual(Array.from({ length: 15 }, (_, n) => n + 1));
  });

  it('starts nothing when no task may start, and ends', async () => {
    let kept = 0;
    const pool = work(new Array<number>(100).fill(1), {
      mayStart: (uncommitted) => kept + uncommitted < 10,
      commit: () => {
        kept += 1;
        return Promise.resolve();
      },
    });
    await pool.run();
    expect(pool.started).toHaveLength(10);
  });

  it('holds back when one task lags far behind', async () => {
    const pool = work([200, ...new Array<number>(1000).fill(0)]);
    const running = pool.run();
    await sleep(100);
    expect(pool.started.length).toBeLessThan(200);
    await running;
    expect(pool.committed).toHaveLength(1001);
  });

  it('rejects with what a commit threw, after the running tasks ended', async () => {
    const pool = work([1, 1, 50, 1], {
      commit: (task) => (task === 1 ? Promise.reject(new Error('full')) : Promise.resolve()),
    });
    await expect(pool.run()).rejects.toThrow('full');
  });

  it('rejects when asking for the next task fails', async () => {
    const pool = work([], { next: () => Promise.reject(new Error('queue')) });
    await expect(pool.run()).rejects.toThrow('queue');
  });

  it('ends when its signal aborts', async () => {
    const abort = new AbortController();
    const pool = work(new Array<number>(1000).fill(5), { signal: abort.signal });
    const running = pool.run();
    await sleep(30);
    abort.abort();
    await running;
    expect(pool.started.length).toBeLessThan(200);
  });

  it('gives slots to later tasks while earlier ones wait, commits in order all the same', async () => {
    const begun: number[] = [];
    const pool = work(new Array<number>(40).fill(1), {
      concurrency: 2,
      run: async (task, permit) => {
        if (task < 10) await sleep(150);
        await acquire(permit);
        begun.push(task);
        return task;
      },
    });
    await pool.run();
    expect(begun.slice(0, 30).every((task) => task >= 10)).toBe(true);
    expect(pool.committed).toEqual(Array.from({ length: 40 }, (_, task) => task));
  });

  it('bounds what is held, but never what all others wait for', async () => {
    let held = 0;
    let most = 0;
    const pool = work(new Array<number>(600).fill(0), {
      concurrency: 2,
      run: async (task, permit) => {
        if (task % 300 === 0) await sleep(100);
        await acquire(permit);
        most = Math.max(most, (held += 1));
        return task;
      },
      commit: () => Promise.resolve(void (held -= 1)),
    });
    await pool.run();
    expect(held).toBe(0);
    expect(most).toBeLessThanOrEqual(64 + 16 * 2 + 2);
  });

  it('asks mayStart with all that is taken, what waits included', async () => {
    let asked = 0;
    const pool = work(new Array<number>(100).fill(1), {
      mayStart: (uncommitted) => {
        asked = Math.max(asked, uncommitted);
        return uncommitted < 7;
      },
      run: async (task) => {
        await sleep(5);
        return task;
      },
    });
    await pool.run();
    expect(asked).toBe(7);
  });
});
