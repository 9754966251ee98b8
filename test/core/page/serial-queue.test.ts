/** Readings on the caller's thread: one a turn of the process. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SerialQueue } from '../../../src/core/page/on-demand-workers.ts';

/** Counts how often the process goes on. */
function turns(): { readonly count: () => number } & Disposable {
  let [count, isOver] = [0, false];
  const turn = async (): Promise<void> => {
    while (!isOver) {
      await setImmediate();
      count += 1;
    }
  };
  void turn();
  return { count: () => count, [Symbol.dispose]: () => void (isOver = true) };
}

describe('work in turn', () => {
  it.each([
    ['that comes together', () => Promise.resolve()],
    ['that comes when the work before it is done', (before: Promise<unknown>) => before],
  ])('%s: the process goes on before each', async (_, until) => {
    using process = turns();
    const line = new SerialQueue();
    const seen: number[] = [];
    let last: Promise<unknown> = Promise.resolve();
    const all: Promise<unknown>[] = [];
    for (let n = 0; n < 5; n += 1) {
      await until(last);
      last = line.run(async () => {
        seen.push(process.count());
        await Promise.resolve();
      });
      all.push(last);
    }
    await Promise.all(all);
    expect(new Set(seen).size).toBe(5);
  });

  it('is done in the order of asking, whatever becomes of it', async () => {
    const line = new SerialQueue();
    const order: number[] = [];
    const all = [3, 1, 2].map((turn) =>
      line.run(async () => {
        await setImmediate();
        order.push(turn);
        if (turn === 1) throw new Error('no');
        return turn;
      }),
    );
    const settled = await Promise.allSettled(all);
    expect(order).toEqual([3, 1, 2]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
