import { expect, test } from 'vitest';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import { HostGate } from '../../../src/core/fetch/host-gate.ts';
import { answered, refused } from '../../../src/core/fetch/host-state.ts';
import type { HostPermit } from '../../../src/core/model/pace.ts';
import { startDeadline } from '../../../src/core/runtime/deadline.ts';
import { failure } from '../../support/failure.ts';

const url = 'http://slow.test/a';

/** A gate at a given time, and requests that ended before. */
interface Health extends Pick<HostGate, 'acquire' | 'wait'> {
  succeeded(url: string): void;
  failed(url: string, sentFor: number, pause?: number): void;
}

function healthAt(time: { now: number }): Health {
  return healthOf(new HostGate(() => time.now), () => time.now);
}

function healthOf(gate: HostGate, clock: () => number = () => performance.now()): Health {
  const ended = (sentFor: number): Parameters<typeof refused>[1] => {
    const now = clock();
    return { now, sentAt: now - sentFor, inFlight: 1 };
  };
  return {
    acquire: (asked, options) => gate.acquire(asked, options),
    wait: (asked) => gate.wait(asked),
    succeeded: (asked) => answered(gate.stateOf(asked), ended(0)),
    failed: (asked, sentFor, pause = 0) => refused(gate.stateOf(asked), ended(sentFor), pause),
  };
}

test('a host that never failed is asked at once', async () => {
  const time = { now: 0 };
  const health = healthAt(time);
  using deadline = startDeadline(1000, [], 'test');
  for (let count = 0; count < 100; count += 1) await health.acquire(url, deadline);
  expect(health.wait(url)).toBe(0);
});

test('five failures in a row space the requests, further ones twice as far, to 10 s', async () => {
  const time = { now: 0 };
  const health = healthAt(time);
  using deadline = startDeadline(60_000, [], 'test');
  const gapAfter = async (failures: number): Promise<number> => {
    for (let count = 0; count < failures; count += 1) health.failed(url, 0);
    await health.acquire(url, deadline);
    const gap = health.wait(url);
    time.now += gap;
    return gap;
  };
  expect(await gapAfter(4)).toBe(0);
  expect(await gapAfter(1)).toBe(500);
  expect(await gapAfter(1)).toBe(1000);
  expect(await gapAfter(2)).toBe(4000);
  expect(await gapAfter(20)).toBe(10_000);
});

test('successes shorten the gaps until there is none', async () => {
  const time = { now: 0 };
  const health = healthAt(time);
  using deadline = startDeadline(60_000, [], 'test');
  for (let count = 0; count < 12; count += 1) health.failed(url, 0);
  const gaps: number[] = [];
  for (let count = 0; count < 4; count += 1) {
    health.succeeded(url);
    await health.acquire(url, deadline);
    gaps.push(health.wait(url));
    time.now += health.wait(url);
  }
  expect(gaps).toEqual([1000, 0, 0, 0]);
});

test('Retry-After closes the host and its port, and no other', () => {
  const time = { now: 0 };
  const health = healthAt(time);
  health.failed(url, 0, 2000);
  expect(health.wait('http://slow.test/b')).toBe(2000);
  expect(health.wait('http://slow.test:8080/b')).toBe(0);
  expect(health.wait('http://other.test/')).toBe(0);
  time.now = 1500;
  expect(health.wait(url)).toBe(500);
});

test('Retry-After closes a host for a minute at most, and is told as it was', async () => {
  const time = { now: 0 };
  const health = healthAt(time);
  health.failed(url, 0, 86_400_000);
  expect(health.wait(url)).toBe(86_400_000);
  using deadline = startDeadline(120_000, [], 'test');
  const error = await health.acquire(url, deadline).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 'HOST_BUSY', retryAfter: 86_400_000 });
  time.now = 60_000;
  expect(health.wait(url)).toBe(0);
  await health.acquire(url, deadline);
});

test('requests without a time limit give a host up that only asks for time for ten minutes', async () => {
  const time = { now: 0 };
  const health = healthAt(time);
  const controller = new AbortController();
  const { signal } = controller;
  const ask = (): Promise<HostPermit> => health.acquire(url, { signal });
  const answered = await ask();
  const refused = await ask();
  for (let minute = 0; minute < 10; minute += 1) {
    health.failed(url, 0, 60_000);
    time.now += 60_000;
  }
  health.failed(url, 0, 60_000);
  const waiting = failure(ask());
  refused.failed(60_000);
  expect(await waiting).toMatchObject({ code: 'HOST_BUSY', url });
  expect(await failure(ask())).toMatchObject({ code: 'HOST_BUSY' });
  answered.succeeded();
  const patient = failure(ask());
  controller.abort(new PagewrightError('CANCELLED', 'It waited.'));
  expect(await patient).toMatchObject({ code: 'CANCELLED' });
});

test('a turn that comes after the deadline is HOST_BUSY at once', async () => {
  const health = healthAt({ now: 0 });
  health.failed(url, 0, 30_000);
  using deadline = startDeadline(10_000, [], 'test');
  const started = performance.now();
  const error = await health.acquire(url, deadline).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(PagewrightError);
  expect(error).toMatchObject({ code: 'HOST_BUSY', retryAfter: 30_000 });
  expect((error as PagewrightError).message).toMatch(
    /^slow\.test gets no request .* for another 30 s/,
  );
  expect(performance.now() - started).toBeLessThan(5000);
});

test('an abort ends the wait for a turn', async () => {
  const health = healthAt({ now: 0 });
  health.failed(url, 0, 30_000);
  const controller = new AbortController();
  using deadline = startDeadline(60_000, [controller.signal], 'test');
  const hostPermit = health.acquire(url, deadline).catch((caught: unknown) => caught);
  controller.abort();
  expect(((await hostPermit) as PagewrightError).code).toBe('CANCELLED');
});

test('no more than 10,000 failing hosts are remembered, the oldest forgotten first', () => {
  const health = healthAt({ now: 0 });
  for (let count = 0; count <= 10_000; count += 1) health.failed(`http://h${count}.test/`, 0, 5000);
  expect(health.wait('http://h0.test/')).toBe(0);
  expect(health.wait('http://h1.test/')).toBe(5000);
  expect(health.wait('http://h10000.test/')).toBe(5000);
});

test('requests that were under way together fail together', async () => {
  const time = { now: 1000 };
  const health = healthAt(time);
  using deadline = startDeadline(60_000, [], 'test');
  for (let count = 0; count < 20; count += 1) health.failed(url, 500);
  await health.acquire(url, deadline);
  expect(health.wait(url)).toBe(0);
});

test('turns are given in order of arrival, at the distance that is asked for', async () => {
  const health = healthOf(new HostGate());
  const { signal } = new AbortController();
  const started = performance.now();
  const turns = await Promise.all(
    [0, 1, 2, 3].map(async () => {
      await health.acquire(url, { signal, delay: 50 });
      return performance.now() - started;
    }),
  );
  for (const [index, time] of turns.entries()) expect(time).toBeGreaterThanOrEqual(index * 50 - 2);
  expect(turns).toEqual([...turns].sort((one, other) => one - other));
});

test('a host that closes while turns are waited for keeps them waiting', async () => {
  const health = healthOf(new HostGate());
  const { signal } = new AbortController();
  await health.acquire(url, { signal, delay: 50 });
  const started = performance.now();
  const hostPermit = health.acquire(url, { signal });
  health.failed(url, 0, 200);
  await hostPermit;
  expect(performance.now() - started).toBeGreaterThanOrEqual(195);
});
