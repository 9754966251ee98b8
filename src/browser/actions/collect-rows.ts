/** Collects the rows of a list that come and go while an action scrolls it repeatedly. */
import type { Page } from 'playwright-core';
import type { ActionOutcome } from '../../core/model/snapshot.ts';
import type { ActionContext } from './action.ts';
import type { ScrollOptions } from './action-options.ts';
import { withList } from './scroll.ts';
import { ListWalk, mostRows } from './scroll-to-end.ts';
import { MissingElementError } from './target.ts';

/**
 * Reads the rows before and after each scroll of `scrolling`, and at the end puts back the rows that left
 * the DOM. A list that is missing rejects the scroll, not `collectRows`.
 */
export async function collectRows(
  page: Page,
  { direction, ...target }: ScrollOptions,
  context: ActionContext,
  outcome: ActionOutcome,
  scrolling: (around: (scroll: () => Promise<void>) => Promise<void>) => Promise<void>,
): Promise<void> {
  const { signal } = context;
  const progress = { isOpen: false };
  try {
    await withList(page, target, async (world, list) => {
      progress.isOpen = true;
      const walk = new ListWalk(page, world, list, signal, direction === 'up');
      let problem: string | undefined;
      /** After a problem, scrolling continues and the rows stay as they are. */
      const unlessLost = async (step: () => Promise<unknown>): Promise<void> => {
        if (problem !== undefined) return;
        try {
          await step();
        } catch {
          signal.throwIfAborted();
          problem = 'the page replaced the list';
        }
      };
      const readRows = (): Promise<void> =>
        unlessLost(async () => {
          if (walk.rows.length < mostRows) await walk.readAtRest();
        });
      try {
        await scrolling(async (scroll) => {
          await readRows();
          await scroll();
          await readRows();
        });
      } finally {
        walk.close();
      }
      await unlessLost(() => walk.putBack());
      if (walk.rows.length >= mostRows) problem = `its limit is ${mostRows} rows`;
      if (problem !== undefined) {
        outcome.warnings.push(`scroll did not keep all rows that left the page: ${problem}.`);
      }
    });
  } catch (error) {
    if (progress.isOpen || !(error instanceof MissingElementError)) throw error;
    await scrolling(() => Promise.reject(error));
  }
}
