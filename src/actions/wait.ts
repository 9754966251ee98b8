/** wait: for some time, or until an element is visible. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WaitOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';
import { withElement } from './target.ts';

const visibleWithin = 30_000;

export const wait: ActionRun<WaitOptions> = async (
  page,
  { milliseconds, selector, frame },
  { signal },
) => {
  if (milliseconds !== undefined) {
    await sleep(milliseconds, undefined, { signal });
  } else {
    await withElement(
      page,
      { selector, frame },
      (element) => element.waitFor({ state: 'visible', timeout: visibleWithin }),
      { timeout: visibleWithin },
    );
  }
};
