/** click: on the first matching element, or on all. */
import type { ElementHandle, Page } from 'playwright-core';
import type { ClickOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';
import { type ElementTarget, elementsOf, elementTimeout, withElement } from './target.ts';

const mostClicks = 1000;

export const click: ActionRun<ClickOptions> = async (
  page,
  { all = false, ...target },
  { signal },
) => {
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
};

/** Skips an element that an earlier click removed, hid or navigated away from. */
async function clickIfThere(
  page: Page,
  element: ElementHandle<Node>,
  target: ElementTarget,
): Promise<void> {
  const isThere = (): Promise<boolean> => element.isVisible().catch(() => false);
  if (!(await isThere())) return;
  try {
    await withElement(page, target, () => element.click({ timeout: elementTimeout }));
  } catch (error) {
    if (await isThere()) throw error;
  }
}
