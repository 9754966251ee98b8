import { expect, onTestFinished, test, vi } from 'vitest';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import { HostGate } from '../../../src/core/fetch/host-gate.ts';
import { HostRules } from '../../../src/core/http/network/host-rules.ts';
import { JobSlots } from '../../../src/core/fetch/job-slots.ts';
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

/** A gate with rules, at the time of fake timers. */
function ruledGate(rule: ConstructorParameters<typeof HostRules>[0][string]): HostGate {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'queueMicrotask'] });
  onTestFinished(() => void vi.useRealTimers());
  const noBounds = { maxConcurrency: Infinity, maxConcurrencyPerHost: 2 };
  return new HostGate(undefined, noBounds, undefined, new HostRules({ 'slow.test': rule }));
}

const { signal: never } = new AbortController();

test('within any minute no more requests start than the rule allows, as early as it does', async () => {
  const gate = ruledGate({ perMinute: 5, concurrency: 100 });
  const starts: number[] = [];
  const ask = async (isHop: boolean, delay: number): Promise<void> => {
    const permit = await gate.acquire(url, { signal: never, isHop, delay });
    starts.push(performance.now());
    permit[Symbol.dispose]();
  };
  const asked: Promise<void>[] = [];
  // In bursts and one by one, with a redirect among them.
  for (const pause of [0, 0, 0, 100, 0, 0, 20_000, 0, 0, 70_000, 9000, 0, 0, 0, 130_000, 0, 0]) {
    await vi.advanceTimersByTimeAsync(pause);
    asked.push(ask(asked.length === 4, asked.length === 7 ? 3000 : 0));
  }
  await vi.advanceTimersByTimeAsync(600_000);
  await Promise.all(asked);
  expect(starts).toHaveLength(17);
  for (const from of starts) {
    const within = starts.filter((at) => at >= from && at < from + 60_000);
    expect(within.length).toBeLessThanOrEqual(5);
  }
  const [first = 0] = starts;
  expect(starts[4]! - first).toBeLessThanOrEqual(100);
  expect(starts[5]! - first).toBeLessThanOrEqual(61_001);
});

test('a request that waits too long for its minute is refused at once', async () => {
  const gate = ruledGate({ perMinute: 2 });
  for (let n = 0; n < 2; n += 1) {
    using permit = await gate.acquire(url, { signal: never });
    permit.succeeded();
  }
  expect(gate.wait(url)).toBe(61_000);
  const error = await failure(gate.acquire(url, { signal: never, remaining: 30_000 }));
  expect(error).toMatchObject({ code: 'HOST_BUSY', retryAfter: 61_000 });
  expect(error.message).toContain('or has had its 2 requests a minute');
  const postponed: number[] = [];
  const waiting = gate.acquire(url, {
    signal: never,
    postpone: (wait) => postponed.push(wait),
  });
  await vi.advanceTimersByTimeAsync(61_000);
  (await waiting)[Symbol.dispose]();
  expect(postponed).toEqual([61_000]);
  // Another port counts for itself.
  expect(gate.wait('http://slow.test:81/')).toBe(0);
});

test('a request that is not sent yet counts for the minute, and one that is given up does not', async () => {
  const gate = ruledGate({ perMinute: 1 });
  const slots = new JobSlots({ concurrency: 9, signal: never });
  const acquire = (): Promise<HostPermit> =>
    gate.acquire(url, { signal: never, permit: slots.permit() });
  const given = await acquire();
  let isGranted = false;
  const next = acquire().then((permit) => {
    isGranted = true;
    return permit;
  });
  await vi.advanceTimersByTimeAsync(70_000);
  expect(isGranted).toBe(false);
  given[Symbol.dispose]();
  const permit = await next;
  permit.start();
  permit.succeeded();
  expect(gate.wait(url)).toBe(61_000);
});

test('a request that a page waits for leaves the page its place in the minute', async () => {
  const gate = ruledGate({ perMinute: 2 });
  const slots = new JobSlots({ concurrency: 9, signal: never });
  const sent: number[] = [];
  const send = (permit: HostPermit): void => {
    permit.start();
    sent.push(performance.now());
    permit.succeeded();
  };
  send(await gate.acquire(url, { signal: never }));
  const page = await gate.acquire(url, { signal: never, permit: slots.permit() });
  const lent = gate.lend(page, async () => send(await gate.acquire(url, { signal: never })));
  await vi.advanceTimersByTimeAsync(61_000);
  await lent;
  send(page);
  expect(sent.map((at) => at - sent[0]!)).toEqual([0, 61_000, 61_000]);
  const alone = ruledGate({ perMinute: 1 });
  const only = await alone.acquire(url, { signal: never, permit: slots.permit() });
  await alone.lend(only, async () => send(await alone.acquire(url, { signal: never })));
});

test('a request that waits in its engine counts from when it is sent', async () => {
  const gate = ruledGate({ perMinute: 2 });
  const permits = [
    await gate.acquire(url, { signal: never }),
    await gate.acquire(url, { signal: never }),
  ];
  await vi.advanceTimersByTimeAsync(20_000);
  permits[0]!.start();
  expect(gate.wait(url)).toBe(41_000);
  permits[1]!.start();
  permits[1]!.succeeded();
  permits[1]!.start();
  expect(gate.wait(url)).toBe(61_000);
  expect(await failure(gate.acquire(url, { signal: never, remaining: 1000 }))).toMatchObject({
    retryAfter: 61_000,
  });
});

test('a dot after the name makes no other host', async () => {
  const gate = ruledGate({ perMinute: 1 });
  (await gate.acquire('http://slow.test.:81/', { signal: never })).succeeded();
  expect(gate.wait('http://slow.test:81/')).toBe(61_000);
});

test('the number in flight is that of the rule, more than the client allows or fewer', async () => {
  for (const concurrency of [1, 3]) {
    const gate = ruledGate({ concurrency });
    const permits: HostPermit[] = [];
    const asked = Array.from({ length: 5 }, () =>
      gate.acquire(url, { signal: never }).then((permit) => permits.push(permit)),
    );
    for (let done = 0; done < 5; done += 1) {
      await vi.advanceTimersByTimeAsync(10);
      expect(permits).toHaveLength(Math.min(5, concurrency + done));
      permits[done]?.[Symbol.dispose]();
    }
    await Promise.all(asked);
  }
});

test('of the delays of a rule and of a job the longer one counts', async () => {
  for (const [own, delay, wanted] of [
    [2, undefined, 2000],
    [2, 500, 2000],
    [1, 3000, 3000],
  ] as const) {
    const gate = ruledGate({ delay: own });
    const started = performance.now();
    for (let n = 0; n < 2; n += 1) {
      const acquiring = gate.acquire(url, { signal: never, delay });
      await vi.advanceTimersByTimeAsync(4000);
      if (n === 0) expect(gate.wait(url)).toBe(0);
      (await acquiring)[Symbol.dispose]();
    }
    expect(performance.now() - started).toBe(8000);
    const acquiring = gate.acquire(url, { signal: never, delay });
    const refused = failure(gate.acquire(url, { signal: never, delay, remaining: 100 }));
    expect(await refused).toMatchObject({ retryAfter: wanted });
    await vi.advanceTimersByTimeAsync(4000);
    (await acquiring)[Symbol.dispose]();
  }
});
