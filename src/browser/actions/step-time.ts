/** The time that a step of many parts may take. */
import type { ActionContext } from './action.ts';

const usualTime = 20_000; // milliseconds where the call's time limit is not known
const longestTime = 300_000;

/** Milliseconds for a step; the rest of the call's time is for reading the page. */
export function stepTime({ timeLeft }: ActionContext): number {
  return Math.min(timeLeft === undefined ? usualTime : timeLeft() * 0.7, longestTime);
}
