/** The isolated world of the frame in which an action works. */
import { randomUUID } from 'node:crypto';
import type { CDPSession, Page } from 'playwright-core';
import { takeMarked } from './in-page/marked-element.ts';
import { type InPage, IsolatedWorld, pageWorld } from './isolated-world.ts';
import {
  type ElementTarget,
  elementsOf,
  elementTimeout,
  type FrameTarget,
  withElement,
} from './target.ts';

/** Uses the world of a frame, or of the page itself. */
export async function inFrame<T>(
  page: Page,
  frame: FrameTarget['frame'],
  use: (world: IsolatedWorld) => Promise<T>,
): Promise<T> {
  const path = [frame ?? []].flat();
  const opened: CDPSession[] = [];
  try {
    let world = await pageWorld(page);
    for (const [depth, selector] of path.entries()) {
      const owner = { selector, frame: path.slice(0, depth) };
      const { objectId } = await markedElement(page, world, owner);
      const { node } = await world.send('DOM.describeNode', { objectId });
      if (node.frameId === undefined)
        throw new Error(`${JSON.stringify(selector)} is not an iframe`);
      const session = await sessionOf(page, owner);
      if (session !== undefined) opened.push(session);
      world = await IsolatedWorld.open(session ?? world.session, node.frameId);
    }
    return await use(world);
  } finally {
    await Promise.all(opened.map((session) => session.detach().catch(() => undefined)));
  }
}

/**
 * The first match, in an isolated world. It is found by an attribute, since these worlds and Playwright's
 * share only the DOM.
 */
export async function markedElement(
  page: Page,
  world: IsolatedWorld,
  target: ElementTarget,
): Promise<InPage<Element>> {
  const mark = `data-${randomUUID()}`;
  const set = (element: Element, name: string): void => element.setAttribute(name, '');
  const timeout = elementTimeout;
  await withElement(page, target, (element) => element.evaluate(set, mark, { timeout }), {
    visible: false,
  });
  const element = await world.keep(takeMarked, mark);
  if (element === undefined) throw new Error(`${JSON.stringify(target.selector)} went away`);
  return element;
}

/** The session of a frame in a process of its own. */
async function sessionOf(page: Page, owner: ElementTarget): Promise<CDPSession | undefined> {
  const frame = await elementsOf(page, owner)
    .first()
    .elementHandle({ timeout: elementTimeout })
    .then((element) => element.contentFrame());
  if (frame === null) return undefined;
  return page
    .context()
    .newCDPSession(frame)
    .catch(() => undefined);
}
