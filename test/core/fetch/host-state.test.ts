import { expect, test } from 'vitest';
import {
  answered,
  type HostState,
  newHostState,
  refused,
} from '../../../src/core/fetch/host-state.ts';

/** Answers that each take `latency` ms, `inFlight` at a time, from `start` on; gives when the last came. */
function answers(
  load: HostState,
  count: number,
  { inFlight, latency, start }: { inFlight: number; latency: number; start: number },
): number {
  let now = start;
  for (let index = 0; index < count; index += 1) {
    answered(load, { inFlight, sentAt: now, now: now + latency });
    now += latency;
  }
  return now;
}

test('nothing is limited before the first sign of overload', () => {
  const load = newHostState();
  answers(load, 100, { inFlight: 50, latency: 20, start: 0 });
  expect(load.limit).toBe(Infinity);
});

test('overload halves what was under way, once for what was sent together', () => {
  const load = newHostState();
  for (let index = 0; index < 12; index += 1)
    refused(load, { inFlight: 12 - index, sentAt: 0, now: 100 + index }, 0);
  expect(load.limit).toBe(6);
  refused(load, { inFlight: 6, sentAt: 200, now: 300 }, 0);
  expect(load.limit).toBe(3);
});

test('one request at a time is the least, and says nothing about more', () => {
  const load = newHostState();
  refused(load, { inFlight: 1, sentAt: 0, now: 10 }, 0);
  expect(load.limit).toBe(Infinity);
  for (let time = 0; time < 10; time += 1)
    refused(load, { inFlight: 2, sentAt: time * 10, now: time * 10 + 5 }, 0);
  expect(load.limit).toBe(1);
});

test('good answers at the limit raise it by one, until it is what it was', () => {
  const load = newHostState();
  refused(load, { inFlight: 4, sentAt: 0, now: 10 }, 0);
  expect(load.limit).toBe(2);
  let now = answers(load, 8, { inFlight: 1, latency: 20, start: 20 });
  expect(load.limit).toBe(2);
  now = answers(load, 8, { inFlight: 2, latency: 20, start: now });
  expect(load.limit).toBe(3);
  answers(load, 8, { inFlight: 3, latency: 20, start: now });
  expect(load.limit).toBe(Infinity);
});

test('latency that rises far above what it was halves what is under way', () => {
  const load = newHostState();
  const now = answers(load, 20, { inFlight: 8, latency: 100, start: 0 });
  answers(load, 4, { inFlight: 8, latency: 5000, start: now });
  expect(load.limit).toBe(4);
});

test('latency that stays high with fewer requests does not lower the limit again', () => {
  const load = newHostState();
  let now = answers(load, 20, { inFlight: 8, latency: 100, start: 0 });
  for (let round = 0; round < 50; round += 1) {
    const inFlight = Math.min(8, load.limit);
    now = answers(load, 4, { inFlight, latency: 5000, start: now });
    expect(load.limit).toBeGreaterThanOrEqual(4);
  }
  expect(load.limit).toBe(Infinity);
});

test('a slow answer now and then, and rises that nobody feels, lower nothing', () => {
  const load = newHostState();
  let now = 0;
  for (let round = 0; round < 20; round += 1) {
    now = answers(load, 9, { inFlight: 8, latency: 100, start: now });
    now = answers(load, 1, { inFlight: 8, latency: 4000, start: now });
  }
  now = answers(load, 50, { inFlight: 8, latency: 20, start: now });
  answers(load, 50, { inFlight: 8, latency: 900, start: now });
  expect(load.limit).toBe(Infinity);
});
