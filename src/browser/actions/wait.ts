/** wait: for some time, until an element is visible, or for a response. */
import { setTimeout as sleep } from 'node:timers/promises';
import { responseWithin } from '../../core/model/network-request.ts';
import { urlFilter } from '../../core/checks/url-filter.ts';
import type { WaitOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';
import { withElement } from './target.ts';

const visibleWithin = 30_000;

export const wait: ActionRun<WaitOptions> = async (
  page,
  { milliseconds, selector, frame, response },
  { signal, waitForResponse },
) => {
  if (milliseconds !== undefined) {
    await sleep(milliseconds, undefined, { signal });
  } else if (response !== undefined) {
    if (waitForResponse === undefined) throw new Error('the engine does not record responses');
    await waitForResponse({ response: urlFilter(response), timeout: responseWithin });
  } else {
    await withElement(
      page,
      { selector, frame },
      (element) => element.waitFor({ state: 'visible', timeout: visibleWithin }),
      { timeout: visibleWithin },
    );
  }
};
