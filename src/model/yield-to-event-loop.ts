/** Pauses in long work, so that the process goes on meanwhile. */
import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work without a pause. */
const stretch = 15;

/** Gives a function to be awaited now and then: it pauses when the last pause is long ago. */
export function pauses(): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < stretch) return;
    await setImmediate();
    begun = performance.now();
  };
}
