/** The DevTools session of a page that all share: to open one takes several round trips. */
import type { CDPSession, Frame, Page } from 'playwright-core';
import { IsolatedWorld, type WorldOptions } from './isolated-world.ts';

/** Leave no domain enabled in it, and do not detach it: it ends with its page. */
export interface PageSession {
  readonly session: CDPSession;
  /** The main frame's. */
  readonly frameId: string;
}

interface Known {
  readonly opening: Promise<PageSession>;
  /** That of the document which is shown. */
  world: Promise<IsolatedWorld> | undefined;
}

const known = new WeakMap<Page, Known>();

/** Opens the session, or gives the one that is open. */
export function pageSession(page: Page): Promise<PageSession> {
  return remember(page).opening;
}

/** A world of ours in the main frame; one for all who ask while the document is the same. */
export async function pageWorld(
  page: Page,
  options: Omit<WorldOptions, 'name'> = {},
): Promise<IsolatedWorld> {
  const { within } = options;
  const one = remember(page);
  const opening = (one.world ??= one.opening.then(({ session, frameId }) =>
    IsolatedWorld.open(session, frameId),
  ));
  opening.catch(() => {
    if (one.world === opening) one.world = undefined;
  });
  const world = await (within === undefined ? opening : within(opening));
  return world.with(options);
}

/** For one that was navigated away from without a word. */
export function forgetWorld(page: Page): void {
  remember(page).world = undefined;
}

function remember(page: Page): Known {
  const before = known.get(page);
  if (before !== undefined) return before;
  const made: Known = { opening: open(page), world: undefined };
  made.opening.catch(() => known.delete(page));
  known.set(page, made);
  page.on('framenavigated', (frame: Frame) => {
    if (frame.parentFrame() === null) made.world = undefined;
  });
  return made;
}

async function open(page: Page): Promise<PageSession> {
  const session = await page.context().newCDPSession(page);
  const { targetInfo } = await session.send('Target.getTargetInfo');
  return { session, frameId: targetInfo.targetId };
}
