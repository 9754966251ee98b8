/** Runs in a page: waits until it has painted and is idle. */

/**
 * By then, all page work without timers and network is done: animation frames, messages to itself, idle
 * callbacks, observers. Never resolves if nothing is painted. Starts no timer, which would count as one of
 * the page's.
 */
export function nextFrame(): Promise<true> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      requestIdleCallback(() => resolve(true), { timeout: 100 });
    });
  });
}
