/** hover: moves the pointer over an element. */
import type { HoverOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';
import { elementTimeout, withElement } from './target.ts';

export const hover: ActionRun<HoverOptions> = async (page, target) => {
  await withElement(page, target, (element) => element.hover({ timeout: elementTimeout }));
};
