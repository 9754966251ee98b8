import { fakeClock, seededRandom } from 'pagewright/testing';
import { expect, test } from 'vitest';

test('the time stands still until it is moved on', () => {
  const clock = fakeClock();
  expect(new Date(clock.now()).toISOString()).toBe('2026-01-01T00:00:00.000Z');
  clock.advance(1500);
  expect(new Date(clock.now()).toISOString()).toBe('2026-01-01T00:00:01.500Z');
  expect(fakeClock({ start: 42 }).now()).toBe(42);
});

test('chance is the same for the same seed', () => {
  const [one, same, other] = [fakeClock(), fakeClock(), fakeClock({ seed: 2 })];
  const draw = ({ random }: { random(): number }): number[] => [random(), random(), random()];
  const first = draw(one);
  expect(draw(same)).toEqual(first);
  expect(draw(other)).not.toEqual(first);
});

test('seeded numbers are spread from 0 up to 1', () => {
  const random = seededRandom('spread');
  const counts = Array.from({ length: 10 }, () => 0);
  for (let draw = 0; draw < 5000; draw++) {
    const number = random();
    expect(number >= 0 && number < 1).toBe(true);
    counts[Math.floor(number * 10)] = (counts[Math.floor(number * 10)] ?? 0) + 1;
  }
  for (const count of counts) expect(count).toBeGreaterThan(400);
});
