/** CSS selectors as callers write them. */
import { parse } from 'css-what';

/** What is wrong with a selector, or undefined when it can be used. */
export function selectorError(selector: string): string | undefined {
  try {
    return parse(selector).length === 0 ? 'the selector is empty' : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
