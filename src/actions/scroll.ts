/** scroll: scrolls one screen up or down. */
import type { ScrollOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';
import { openList, scrollList } from './in-page/scrolled-list.ts';
import { pageWorld } from './isolated-world.ts';
import { elementTimeout, withElement } from './target.ts';

export const scroll: ActionRun<ScrollOptions> = async (page, { direction, selector }) => {
  if (selector !== undefined) {
    await withElement(
      page,
      selector,
      (element) => element.waitFor({ state: 'attached', timeout: elementTimeout }),
      { visible: false },
    );
  }
  const world = await pageWorld(page);
  const list = await world.keep(openList, selector ?? null);
  if (list === undefined) throw new Error(`${JSON.stringify(selector)} went away`);
  await world.call(scrollList, list, direction === 'up' ? -1 : 1, 'screens');
};
