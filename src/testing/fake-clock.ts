/** Time and chance that a test decides: for `createClient({ clock })`. */
import type { Clock } from '../model/clock.ts';
import { seededRandom } from './seeded-random.ts';

/** A clock that stands still until it is told to go on. */
export interface FakeClock extends Clock {
  /** Moves the time on by `ms` milliseconds. */
  advance(ms: number): void;
}

/** Where a fake clock starts. */
export interface FakeClockOptions {
  /** Milliseconds since 1970. @default 1767225600000, the start of 2026 in UTC */
  readonly start?: number;
  /** Decides the sequence of `random()`. @default 1 */
  readonly seed?: string | number;
}

/** Makes a clock. Timers are not touched: what waits with `setTimeout` waits in real time. */
export function fakeClock(options: FakeClockOptions = {}): FakeClock {
  let time = options.start ?? Date.UTC(2026, 0, 1);
  return {
    now: () => time,
    random: seededRandom(options.seed ?? 1),
    advance: (ms) => {
      time += ms;
    },
  };
}
