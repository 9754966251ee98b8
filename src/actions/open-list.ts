/** Opens the list that an action scrolls. */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { type ListState, openList } from './in-page/scrolled-list.ts';
import { type InPage, type IsolatedWorld, pageWorld } from './isolated-world.ts';
import { elementTimeout, withElement } from './target.ts';

/** A list in a page, and the world in which it is read. */
export interface OpenList {
  readonly world: IsolatedWorld;
  readonly list: InPage<ListState>;
}

/** The list at the first match, or the page's own without a selector. */
export async function openListAt(page: Page, selector: string | undefined): Promise<OpenList> {
  const mark = selector === undefined ? null : await markElement(page, selector);
  const world = await pageWorld(page);
  const list = await world.keep(openList, mark);
  if (list === undefined) throw new Error(`${JSON.stringify(selector)} went away`);
  return { world, list };
}

/** Gives the first match an attribute: isolated worlds and Playwright have only the DOM in common. */
async function markElement(page: Page, selector: string): Promise<string> {
  const mark = `data-${randomUUID()}`;
  const set = (element: Element, name: string): void => element.setAttribute(name, '');
  await withElement(
    page,
    selector,
    (element) => element.evaluate(set, mark, { timeout: elementTimeout }),
    { visible: false },
  );
  return mark;
}
