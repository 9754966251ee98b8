/**
 * Functions that run in a page around a screenshot: they scroll through it and measure elements.
 */

export function measureBoxes(wanted: {
  readonly selectors: readonly string[];
  /** The picture shows the whole page. */
  readonly isWhole: boolean;
  /** The picture shows the first element that matches this. */
  readonly of: string | null;
  readonly most: number;
}): { x: number; y: number; width: number; height: number }[] {
  const find = (selector: string): Element[] => {
    try {
      return [...document.querySelectorAll(selector)].slice(0, wanted.most);
    } catch {
      // A selector that this browser does not know.
      return [];
    }
  };
  const container = wanted.of === null ? undefined : find(wanted.of)[0]?.getBoundingClientRect();
  const left = container?.left ?? (wanted.isWhole ? -scrollX : 0);
  const top = container?.top ?? (wanted.isWhole ? -scrollY : 0);
  return wanted.selectors
    .flatMap(find)
    .slice(0, wanted.most)
    .map((element) => {
      const box = element.getBoundingClientRect();
      const x = Math.floor((box.left - left) * devicePixelRatio);
      const y = Math.floor((box.top - top) * devicePixelRatio);
      const right = Math.ceil((box.right - left) * devicePixelRatio);
      const bottom = Math.ceil((box.bottom - top) * devicePixelRatio);
      return { x, y, width: right - x, height: bottom - y };
    });
}

// Scrolls through the page, so that lazy content is loaded when a picture is taken.

/** Ends at the top; takes `milliseconds` at most. */
export async function seeWholePage(tallest: number, milliseconds: number): Promise<void> {
  const end = Math.min(document.documentElement.scrollHeight, tallest);
  const started = performance.now();
  for (let y = 0; y < end && performance.now() - started < milliseconds; y += innerHeight) {
    scrollTo({ top: y, behavior: 'instant' });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  scrollTo({ top: 0, behavior: 'instant' });
}
