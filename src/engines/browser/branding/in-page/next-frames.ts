/** Runs in the page: waits until it was painted twice, so that what depends on a change is done. */

/** Resolves after two frames, or after 100 ms where none are painted. */
export function nextFrames(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 100);
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  });
}
