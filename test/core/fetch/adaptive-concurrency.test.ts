import { expect, test } from 'vitest';
import { AdaptiveConcurrency } from '../../../src/core/fetch/host-queue.ts';

/** Answers that each take `latency` ms, `inFlight` at a time, from `start` on; gives when the last came. */
function answers(
  load: AdaptiveConcurrency,
  count: number,
  { inFlight, latency, start }: { inFlight: number; latency: number; start: number },
): number {
  let now = start;
  for (let index = 0; index < count; index += 1) {
    load.answered(inFlight, now, now + latency);
    now += latency;
  }
  return now;
}

test('nothing is limited before the first sign of overload', () => {
  const load = new AdaptiveConcurrency();
  answers(load, 100, { inFlight: 50, latency: 20, start: 0 });
  expect(load.limit).toBe(Infinity);
});

test('overload halves what was under way, once for what was sent together', () => {
  const load = new AdaptiveConcurrency();
  for (let index = 0; index < 12; index += 1) load.overloaded(12 - index, 0, 100 + index);
  expect(load.limit).toBe(6);
  load.overloaded(6, 200, 300);
  expect(load.limit).toBe(3);
});

test('one request at a time is the least, and says nothing about more', () => {
  const load = new AdaptiveConcurrency();
  load.overloaded(1, 0, 10);
  expect(load.limit).toBe(Infinity);
  for (let time = 0; time < 10; time += 1) load.overloaded(2, time * 10, time * 10 + 5);
  expect(load.limit).toBe(1);
});

test('good answers at the limit raise it by one, until it is what it was', () => {
  const load = new AdaptiveConcurrency();
  load.overloaded(4, 0, 10);
  expect(load.limit).toBe(2);
  let now = answers(load, 8, { inFlight: 1, latency: 20, start: 20 });
  expect(load.limit).toBe(2);
  now = answers(load, 8, { inFlight: 2, latency: 20, start: now });
  expect(load.limit).toBe(3);
  answers(load, 8, { inFlight: 3, latency: 20, start: now });
  expect(load.limit).toBe(Infinity);
});

test('latency that rises far above what it was halves what is under way', () => {
  const load = new AdaptiveConcurrency();
  const now = answers(load, 20, { inFlight: 8, latency: 100, start: 0 });
  answers(load, 4, { inFlight: 8, latency: 5000, start: now });
  expect(load.limit).toBe(4);
});

test('latency that stays high with fewer requests does not lower the limit again', () => {
  const load = new AdaptiveConcurrency();
  let now = answers(load, 20, { inFlight: 8, latency: 100, start: 0 });
  for (let round = 0; round < 50; round += 1) {
    const inFlight = Math.min(8, load.limit);
    now = answers(load, 4, { inFlight, latency: 5000, start: now });
    expect(load.limit).toBeGreaterThanOrEqual(4);
  }
  expect(load.limit).toBe(Infinity);
});

test('a slow answer now and then, and rises that nobody feels, lower nothing', () => {
  const load = new AdaptiveConcurrency();
  let now = 0;
  for (let round = 0; round < 20; round += 1) {
    now = answers(load, 9, { inFlight: 8, latency: 100, start: now });
    now = answers(load, 1, { inFlight: 8, latency: 4000, start: now });
  }
  now = answers(load, 50, { inFlight: 8, latency: 20, start: now });
  answers(load, 50, { inFlight: 8, latency: 900, start: now });
  expect(load.limit).toBe(Infinity);
});
