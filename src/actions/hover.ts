/** hover: moves the pointer over an element. */
import { z } from 'zod';
import type { BuiltInAction } from './action.ts';
import { elementTimeout, selector, withElement } from './target.ts';

/** Options of hover. */
export interface HoverOptions {
  /** A CSS selector. */
  readonly selector: string;
}

/** Moves the pointer over the element and leaves it there. */
export const hover: BuiltInAction<'hover', HoverOptions> = {
  type: 'hover',
  options: z.strictObject({ selector }),
  async run(page, { selector: target }) {
    await withElement(page, target, (element) => element.hover({ timeout: elementTimeout }));
  },
};
