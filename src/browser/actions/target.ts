/** Finds the element of an action by its selector, and explains why it cannot be used. */
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { engineSelector, selectorKind } from './selector.ts';

/** Milliseconds for an element to appear and become usable, on a settled page. */
export const elementTimeout = 5000;

/** No element matches, or none that matches is visible. */
export class MissingElementError extends Error {
  override readonly name: string = 'MissingElementError';
}

/** The frame of an action: the selector of an iframe, or of several, each inside the one before. */
export interface FrameTarget {
  readonly frame?: string | readonly string[] | undefined;
}

/** The element of an action. */
export interface ElementTarget extends FrameTarget {
  readonly selector: string;
}

/** All elements that match the selector, in open shadow roots too. */
export function elementsOf(page: Page, { selector, frame = [] }: ElementTarget): Locator {
  let scope: Page | FrameLocator = page;
  for (const outer of [frame].flat()) {
    scope = scope.locator(engineSelector(outer)).first().contentFrame();
  }
  return scope.locator(engineSelector(selector));
}

/** The visible elements that match, now. Rejects with a sentence when the selector is wrong. */
export async function visibleElements(page: Page, target: ElementTarget): Promise<Locator[]> {
  try {
    return await elementsOf(page, target).filter({ visible: true }).all();
  } catch (cause) {
    const problem = problemOf(String(cause), target, 0);
    throw new Error(problem ?? firstLine(String(cause)), { cause });
  }
}

/**
 * Uses the first visible element that matches, or the first of all with `visible: false`. Rejects
 * with a sentence for the caller when it cannot, as a `MissingElementError` if there is no such element.
 */
export async function withElement<T>(
  page: Page,
  target: ElementTarget,
  use: (element: Locator) => Promise<T>,
  {
    visible = true,
    timeout = elementTimeout,
  }: { readonly visible?: boolean; readonly timeout?: number } = {},
): Promise<T> {
  const all = elementsOf(page, target);
  try {
    return await use((visible ? all.filter({ visible: true }) : all).first());
  } catch (error) {
    throw await explain(error, page, target, timeout);
  }
}

/** An error that explains why an element could not be used, from Playwright's long log. */
async function explain(
  cause: unknown,
  page: Page,
  target: ElementTarget,
  timeout: number,
): Promise<Error> {
  const text = String(cause);
  const problem = problemOf(text, target, timeout / 1000);
  if (problem !== undefined) return new Error(problem, { cause });
  const all = elementsOf(page, target);
  const [count, visible] = await Promise.all([all.count(), all.filter({ visible: true }).count()]);
  const name = JSON.stringify(target.selector);
  if (visible > 0) {
    const message = `${name} could not be used within ${timeout / 1000} s: it kept changing`;
    return new Error(message, { cause });
  }
  const lost = count === 0 ? await missingFrame(page, target) : undefined;
  const message =
    count === 0
      ? `nothing matched ${lost ?? name} within ${timeout / 1000} s; correct the selector, or put a wait for it before`
      : `${name} matches ${count} ${count === 1 ? 'element, which is' : 'elements, all'} not visible; make it visible first`;
  return new MissingElementError(message, { cause });
}

/** The first missing frame on the path to an element. */
async function missingFrame(
  page: Page,
  { frame = [] }: ElementTarget,
): Promise<string | undefined> {
  const frames = [frame].flat();
  for (const [depth, selector] of frames.entries()) {
    const isThere = await elementsOf(page, { selector, frame: frames.slice(0, depth) }).count();
    if (isThere === 0) return `the frame ${JSON.stringify(selector)}`;
  }
  return undefined;
}

/** A sentence about an unusable element; undefined if the time ran out without a reason. */
function problemOf(
  text: string,
  { selector, frame = [] }: ElementTarget,
  seconds: number,
): string | undefined {
  const name = JSON.stringify(selector);
  if (/<iframe> was expected/.test(text)) {
    const frames = [frame].flat().map((outer) => JSON.stringify(outer));
    return `frame: ${frames.join(', ')} is not an iframe; correct the selector`;
  }
  if (/while parsing (?:css )?selector|is not a valid selector|Malformed selector/i.test(text)) {
    return `${name} is not a ${selectorKind(selector)}; correct it`;
  }
  if (/attribute (?:is only supported|must) /.test(text)) {
    return `${name} is not a ${selectorKind(selector)}: ${firstLine(text)}`;
  }
  if (!/Timeout \d+ms exceeded|did not find some options/.test(text)) return firstLine(text);
  const over = /- (<(?!html).*>) (?:from .* subtree )?intercepts pointer events/.exec(text)?.[1];
  if (over !== undefined) {
    return `${name} is covered by ${over.slice(0, 200)}; close that first, or click it`;
  }
  if (/did not find some options/.test(text)) {
    return `${name} has no option with that value; use the value attribute of one of its options`;
  }
  if (/element is not enabled/.test(text)) return `${name} stayed disabled for ${seconds} s`;
  if (/element is not stable/.test(text)) return `${name} kept moving for ${seconds} s`;
  if (/element is outside of the viewport/.test(text)) {
    return `${name} cannot be scrolled into view`;
  }
  return undefined;
}

/** The message without the name of the method and the log. */
function firstLine(text: string): string {
  const [line = ''] = text.replace(/^(?:\w*Error: )?(?:[\w.]+: )?(?:Error: )?/, '').split('\n');
  return line.slice(0, 500);
}
