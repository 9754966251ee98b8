/** Pauses in long work, so that the event loop is not blocked. */
import { setImmediate } from 'node:timers/promises';

const stretch = 15; // milliseconds of work without a pause
const slice = 4_000_000; // bytes copied without a pause: 1 ms, or 10 ms into new memory

/** Copies all parts into one array. */
export async function copyBytes(parts: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>> {
  const copy = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  const pause = pauses();
  let at = 0;
  for (const part of parts) {
    for (let from = 0; from < part.length; from += slice) {
      const piece = part.subarray(from, from + slice);
      copy.set(piece, at);
      at += piece.length;
      await pause();
    }
  }
  return copy;
}

/** Returns a function to await regularly: it pauses if the last pause is long ago. */
export function pauses(): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < stretch) return;
    await setImmediate();
    begun = performance.now();
  };
}
