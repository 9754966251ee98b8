/** The page as readers see it who prefer the other colour scheme. */
import type { Page } from 'playwright-core';
import type { IsolatedWorld } from '../../../actions/isolated-world.ts';
import { withSignal } from '../../../network/deadline.ts';
import { inTime } from '../in-time.ts';
import { nextFrame } from '../settle/in-page/next-frame.ts';

/** Milliseconds that a page gets to go back to what it was. */
const restoreLimit = 1000;

/**
 * Does `work` while the page is told the opposite of `prefersDark`, and tells it back, also after
 * `signal` aborted.
 */
export async function inOtherScheme<T>(
  page: Page,
  world: IsolatedWorld,
  prefersDark: boolean,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const tell = async (isDark: boolean, until: AbortSignal): Promise<void> => {
    await withSignal(page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' }), until);
    // What depends on the change is done by then; where nothing is painted, soon.
    await withSignal(inTime(world.call(nextFrame), 100), until);
  };
  try {
    await tell(!prefersDark, signal);
    return await withSignal(work(), signal);
  } finally {
    // A page that hangs does not answer; the command is sent all the same.
    await tell(prefersDark, AbortSignal.timeout(restoreLimit)).catch(() => undefined);
  }
}
