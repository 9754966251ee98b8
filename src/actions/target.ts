/** Finds the element of an action by its selector, and explains why it cannot be used. */
import type { Locator, Page } from 'playwright-core';
import { engineSelector, selectorKind } from './selector.ts';

/** Milliseconds for an element to appear and become usable: the page has settled before. */
export const elementTimeout = 5000;

/** No element matches, or none that matches is visible. */
export class MissingElementError extends Error {
  override readonly name: string = 'MissingElementError';
}

/** All elements that match a selector, in open shadow roots too. */
export function elementsOf(page: Page, selector: string): Locator {
  return page.locator(engineSelector(selector));
}

/** The visible elements that match, now. Rejects with a sentence when the selector is wrong. */
export async function visibleElements(page: Page, selector: string): Promise<Locator[]> {
  try {
    return await elementsOf(page, selector).filter({ visible: true }).all();
  } catch (cause) {
    const problem = problemOf(String(cause), selector, 0);
    throw new Error(problem ?? firstLine(String(cause)), { cause });
  }
}

/**
 * Uses the first visible element that matches, or the first of all with `visible: false`. Rejects
 * with a sentence for the caller when it cannot, as a `MissingElementError` if there is no such element.
 */
export async function withElement<T>(
  page: Page,
  selector: string,
  use: (element: Locator) => Promise<T>,
  {
    visible = true,
    timeout = elementTimeout,
  }: { readonly visible?: boolean; readonly timeout?: number } = {},
): Promise<T> {
  const all = elementsOf(page, selector);
  try {
    return await use((visible ? all.filter({ visible: true }) : all).first());
  } catch (error) {
    throw await explain(error, selector, all, timeout);
  }
}

/** An error that says why an element could not be used, from the many lines of Playwright's log. */
async function explain(
  cause: unknown,
  selector: string,
  all: Locator,
  timeout: number,
): Promise<Error> {
  const text = String(cause);
  const name = JSON.stringify(selector);
  const problem = problemOf(text, selector, timeout / 1000);
  if (problem !== undefined) return new Error(problem, { cause });
  const [count, shown] = await Promise.all([all.count(), all.filter({ visible: true }).count()]);
  if (shown > 0) {
    const message = `${name} could not be used within ${timeout / 1000} s: it kept changing`;
    return new Error(message, { cause });
  }
  const message =
    count === 0
      ? `nothing matched ${name} within ${timeout / 1000} s; correct the selector, or put a wait for it before`
      : `${name} matches ${count} ${count === 1 ? 'element, which is' : 'elements, all'} not visible; do what shows it first`;
  return new MissingElementError(message, { cause });
}

/** A sentence about an element that cannot be used; undefined when the time was over without a reason. */
function problemOf(text: string, selector: string, seconds: number): string | undefined {
  const name = JSON.stringify(selector);
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
