import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HostGate } from '../../../src/core/fetch/host-gate.ts';
import { refused } from '../../../src/core/fetch/host-state.ts';
import { JobSlots, type JobSlotSettings } from '../../../src/core/fetch/job-slots.ts';

const slotsOf = (changes: Partial<JobSlotSettings> = {}): JobSlots =>
  new JobSlots({ concurrency: 2, signal: new AbortController().signal, ...changes });

test('slots go to tickets in the order of these, and to those first that had one before', () => {
  const slots = slotsOf();
  const permits = Array.from({ length: 5 }, () => slots.permit());
  const taken: number[] = [];
  const take = (index: number): void => {
    if (permits[index]?.tryAcquire(() => take(index)) === true) taken.push(index);
  };
  for (const index of [0, 1, 4, 2, 3]) take(index);
  expect(taken).toEqual([0, 1]);
  permits[1]?.release();
  take(1);
  permits[0]?.release();
  permits[2]?.release();
  expect(taken).toEqual([0, 1, 2, 1, 3]);
});

test('a ticket that asks often is called once, and holds one slot', () => {
  const slots = slotsOf({ concurrency: 1 });
  const [first, second] = [slots.permit(), slots.permit()];
  expect(first.tryAcquire(() => undefined)).toBe(true);
  expect(first.tryAcquire(() => undefined)).toBe(true);
  let calls = 0;
  for (let count = 0; count < 100; count += 1) second.tryAcquire(() => (calls += 1));
  first.release();
  first.release();
  expect(calls).toBe(1);
  expect(second.tryAcquire(() => undefined)).toBe(true);
  expect(slots.isIdle).toBe(false);
});

test('a ticket waits while its number is not open, and is called when it is', () => {
  let open = 1;
  const slots = slotsOf({ isOpen: (order) => order < open });
  const [first, second] = [slots.permit(), slots.permit()];
  let isCalled = false;
  expect(first.tryAcquire(() => undefined)).toBe(true);
  expect(second.tryAcquire(() => (isCalled = true))).toBe(false);
  slots.serve();
  expect(isCalled).toBe(false);
  open = 2;
  slots.serve();
  expect(isCalled).toBe(true);
});

test('who waits for a host holds no slot, and takes one together with the turn', async () => {
  const hosts = new HostGate();
  const { signal } = new AbortController();
  const slots = slotsOf({ concurrency: 1, signal });
  const hostPermit = (path: string, delay = 0): ReturnType<HostGate['acquire']> => {
    const permit = slots.permit();
    return hosts.acquire(`http://${path}`, { signal, delay, permit });
  };
  using first = await hostPermit('slow.test/1', 60_000);
  first.start();
  expect(slots.isIdle).toBe(false);
  void hostPermit('slow.test/2', 60_000);
  const other = hostPermit('other.test/1');
  await expect(Promise.race([other, sleep(20, 'none yet')])).resolves.toBe('none yet');
});

test('jobs of one client take turns at a host, and a full one is not waited for', async () => {
  const hosts = new HostGate();
  const { signal } = new AbortController();
  const given: string[] = [];
  const jobs = { a: slotsOf({ concurrency: 99 }), b: slotsOf({ concurrency: 99 }) };
  const full = slotsOf({ concurrency: 1 });
  full.permit().tryAcquire(() => undefined);
  const waiting = full.permit();
  void hosts.acquire('http://x.test/', { signal: waiting.signal, permit: waiting });
  const ask = async (name: 'a' | 'b'): Promise<void> => {
    const permit = jobs[name].permit();
    using hostPermit = await hosts.acquire('http://x.test/', {
      signal,
      permit,
      concurrency: 1,
      delay: 5,
    });
    hostPermit.start();
    given.push(name);
  };
  await Promise.all((['a', 'a', 'a', 'b', 'b', 'b'] as const).map(ask));
  // When the second turn was free, the other job had come last.
  expect(given.join('')).toBe('aababb');
});

test('all who wait leave with their job, and no timer stays', async () => {
  const hosts = new HostGate();
  const controller = new AbortController();
  const { signal } = controller;
  const slots = slotsOf({ signal });
  const timers = (): number =>
    process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const now = performance.now();
  refused(hosts.stateOf('http://slow.test/'), { now, sentAt: now, inFlight: 1 }, 30_000);
  const turns = Array.from({ length: 1000 }, (_, index) =>
    hosts
      .acquire(`http://slow.test/${index}`, { signal, permit: slots.permit() })
      .catch((error: unknown) => (error as Error).message),
  );
  const waiting = timers();
  controller.abort(new Error('over'));
  expect(new Set(await Promise.all(turns))).toEqual(new Set(['over']));
  expect(timers()).toBeLessThan(waiting);
});
