/** write: types a text into the focused element. */
import type { WriteOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';
import { takesText } from './in-page/takes-text.ts';
import { pageWorld } from './isolated-world.ts';

export const write: ActionRun<WriteOptions> = async (page, { text }) => {
  const world = await pageWorld(page);
  if ((await world.call(takesText)) !== true) {
    throw new Error('nothing that takes text has the focus; click it first, or use fill');
  }
  await page.keyboard.type(text);
};
