/** Runs in a page: removes what matches, never the page itself, and stops when its time is over. */
export function removeSelected(wanted: {
  readonly selectors: readonly string[];
  readonly milliseconds: number;
}): number {
  const end = performance.now() + wanted.milliseconds;
  let removed = 0;
  for (const selector of wanted.selectors) {
    if (performance.now() > end) break;
    let found: NodeListOf<Element>;
    try {
      found = document.querySelectorAll(selector);
    } catch {
      // One that this browser does not know.
      continue;
    }
    for (const element of found) {
      if (element === document.documentElement || element === document.body) continue;
      Element.prototype.remove.call(element);
      removed += 1;
    }
  }
  return removed;
}
