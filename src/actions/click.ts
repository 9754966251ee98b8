/** click: on the first matching element, or on all. */
import type { ElementHandle, Page } from 'playwright-core';
import { z } from 'zod';
import type { BuiltInAction } from './action.ts';
import { elementsOf, elementTimeout, selector, withElement } from './target.ts';

/** Options of click. */
export interface ClickOptions {
  /** A CSS selector. */
  readonly selector: string;
  /** Clicks every visible match, in document order, at most 1,000; otherwise the first. @default false */
  readonly all?: boolean | undefined;
}

const mostClicks = 1000;

/** Clicks as a user would: on elements that are visible, enabled and not covered. */
export const click: BuiltInAction<'click', ClickOptions> = {
  type: 'click',
  options: z.strictObject({ selector, all: z.boolean().optional() }),
  async run(page, { selector: target, all = false }, { signal }) {
    if (!all) {
      await withElement(page, target, (element) => element.click({ timeout: elementTimeout }));
      return;
    }
    await withElement(page, target, (element) => element.waitFor({ timeout: elementTimeout }));
    const elements = await elementsOf(page, target).filter({ visible: true }).elementHandles();
    for (const element of elements.slice(0, mostClicks)) {
      if (signal.aborted) return;
      await clickIfThere(page, element, target);
    }
  },
};

/** Skips an element that an earlier click removed, hid or navigated away from. */
async function clickIfThere(
  page: Page,
  element: ElementHandle<Node>,
  target: string,
): Promise<void> {
  const isThere = (): Promise<boolean> => element.isVisible().catch(() => false);
  if (!(await isThere())) return;
  try {
    await withElement(page, target, () => element.click({ timeout: elementTimeout }));
  } catch (error) {
    if (await isThere()) throw error;
  }
}
