/** Time and chance of the system, for a model that no client has lent its own. */
import type { Clock } from '../model/clock.ts';

/** The chance decides gaps between attempts, nothing that must not be guessed. */
export const systemClock: Clock = { now: Date.now, random: Math.random };
