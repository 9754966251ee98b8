/** Runs in a page: waits until it has painted and is idle. */

/**
 * By then, work of the page that needs no timer and no network is done: animation frames,
 * messages to itself, idle callbacks, observers. Never resolves where nothing is painted. It starts
 * no timer, which would count as one of the page's.
 */
export function nextFrame(): Promise<true> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      requestIdleCallback(() => resolve(true), { timeout: 100 });
    });
  });
}
