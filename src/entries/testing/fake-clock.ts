/** A clock and random numbers under a test's control: for `createClient({ clock })`. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../core/runtime/clock.ts';

/** A clock that stands still until `advance()`. */
export interface FakeClock extends Clock {
  /** Advances the time by `ms` milliseconds. */
  advance(ms: number): void;
}

/** Options of a fake clock. */
export interface FakeClockOptions {
  /** Milliseconds since 1970. @default 1767225600000, the start of 2026 in UTC */
  readonly start?: number;
  /** Decides the sequence of `random()`. @default 1 */
  readonly seed?: string | number;
}

/** Makes a clock. Timers are not faked: `setTimeout` waits in real time. */
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

// Pseudo-random numbers, the same in every run.

/** A generator of numbers from 0 up to 1. Equal seeds give equal sequences. */
export function seededRandom(seed: string | number): () => number {
  let count = 0;
  return () => {
    const hash = createHash('sha256').update(`${seed}:${count++}`).digest();
    return hash.readUIntBE(0, 6) / 2 ** 48;
  };
}
