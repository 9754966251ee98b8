/** scroll: scrolls one screen up or down. */
import type { ScrollOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';
import { scrollList } from './in-page/scrolled-list.ts';
import { openListAt } from './open-list.ts';

export const scroll: ActionRun<ScrollOptions> = async (page, { direction, selector }) => {
  const { world, list } = await openListAt(page, selector);
  await world.call(scrollList, list, direction === 'up' ? -1 : 1, 'screens');
};
