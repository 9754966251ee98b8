/** Runs in a page: waits until it was painted and has nothing to do. */

/**
 * What a page does without a timer and without the network is done by then: animation frames,
 * messages to itself, idle callbacks, observers. Never resolves where nothing is painted. It starts
 * no timer of its own, which would count as one of the page's.
 */
export function nextFrame(): Promise<true> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      requestIdleCallback(() => resolve(true), { timeout: 100 });
    });
  });
}
