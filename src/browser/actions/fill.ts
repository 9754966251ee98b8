/** fill: replaces the text of a field. */
import type { FillOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';
import { elementTimeout, withElement } from './target.ts';

export const fill: ActionRun<FillOptions> = async (page, { text, ...target }) => {
  await withElement(page, target, (element) => element.fill(text, { timeout: elementTimeout }));
};
