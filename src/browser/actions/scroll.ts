/** scroll: scrolls one screen up or down. */
import type { Page } from 'playwright-core';
import type { ScrollOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';
import { inFrame, markedElement } from './frame-world.ts';
import { type ListState, openList, scrollList } from './in-page/scrolled-list.ts';
import type { InPage, IsolatedWorld } from './isolated-world.ts';
import type { FrameTarget } from './target.ts';

export const scroll: ActionRun<ScrollOptions> = async (page, { direction, ...target }) => {
  await withList(page, target, async (world, list) => {
    await world.call(scrollList, list, direction === 'up' ? -1 : 1, 'screens');
  });
};

/** Uses the list at the first match, or the one of the frame without a selector. */
export async function withList(
  page: Page,
  { selector, frame }: FrameTarget & { readonly selector?: string | undefined },
  use: (world: IsolatedWorld, list: InPage<ListState>) => Promise<void>,
): Promise<void> {
  await inFrame(page, frame, async (world) => {
    const element =
      selector === undefined ? null : await markedElement(page, world, { selector, frame });
    const list = await world.keep(openList, element);
    if (list === undefined) throw new Error('the list went away');
    await use(world, list);
  });
}
