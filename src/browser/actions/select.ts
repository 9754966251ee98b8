/** select: chooses an option of a drop-down list. */
import type { SelectOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';
import { elementTimeout, withElement } from './target.ts';

export const select: ActionRun<SelectOptions> = async (page, { value, ...target }) => {
  await withElement(page, target, (element) =>
    element.selectOption({ value }, { timeout: elementTimeout }),
  );
};
