/** drag: with the pointer, from an element to another or by some pixels. */
import type { Locator, Page } from 'playwright-core';
import type { DragOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';
import { elementTimeout, withElement } from './target.ts';

const steps = 10; // pointer moves: sortable lists and HTML5 drops need several
const threshold = 6; // pixels from which on Chromium takes a movement for a drag

export const drag: ActionRun<DragOptions> = async (page, { selector, frame, to }) => {
  // Hovering waits until the element can be grabbed.
  await withElement(page, { selector, frame }, (element) =>
    element.hover({ timeout: elementTimeout }),
  );
  const start = await withElement(page, { selector, frame }, middleOf);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  try {
    // Begins to drag before anything scrolls.
    await page.mouse.move(start.x + threshold, start.y + threshold);
    const end =
      typeof to === 'string'
        ? await withElement(page, { selector: to, frame }, middleOf)
        : { x: start.x + to.x, y: start.y + to.y };
    await page.mouse.move(end.x, end.y, { steps });
    // The target may have moved when the dragged element left its position.
    if (typeof to === 'string') await settleAt(page, end);
  } finally {
    await page.mouse.up();
  }
};

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The middle of an element, in the window. */
async function middleOf(element: Locator): Promise<Point> {
  await element.scrollIntoViewIfNeeded({ timeout: elementTimeout });
  const box = await element.boundingBox({ timeout: elementTimeout });
  if (box === null) throw new Error('the element went away');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** A drop counts at the last position the pointer moved to. */
async function settleAt(page: Page, { x, y }: Point): Promise<void> {
  await page.mouse.move(x + 1, y + 1);
  await page.mouse.move(x, y);
}
