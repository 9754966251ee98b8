/** scroll: scrolls one screen up or down. */
import { z } from 'zod';
import type { BuiltInAction } from './action.ts';
import { openList, scrollList } from './in-page/scrolled-list.ts';
import { pageWorld } from './isolated-world.ts';
import { elementTimeout, selector as selectorSchema, withElement } from './target.ts';

/** Options of scroll. */
export interface ScrollOptions {
  readonly direction: 'up' | 'down';
  /**
   * A CSS selector: scrolls this element, or a scrollable one inside or around it. @default the window, or
   * the largest that scrolls
   */
  readonly selector?: string | undefined;
}

/** Scrolls by the visible height. Does nothing at the end. */
export const scroll: BuiltInAction<'scroll', ScrollOptions> = {
  type: 'scroll',
  options: z.strictObject({
    direction: z.enum(['up', 'down']),
    selector: selectorSchema.optional(),
  }),
  async run(page, { direction, selector }) {
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
  },
};
