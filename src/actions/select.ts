/** select: chooses an option of a drop-down list. */
import { z } from 'zod';
import type { BuiltInAction } from './action.ts';
import { elementTimeout, selector, withElement } from './target.ts';

/** Options of select. */
export interface SelectOptions {
  /** A CSS selector of a `<select>`. */
  readonly selector: string;
  /** The `value` of the option, or its text where it has no `value`. */
  readonly value: string;
}

/** Chooses the option; the page sees `input` and `change` events. */
export const select: BuiltInAction<'select', SelectOptions> = {
  type: 'select',
  options: z.strictObject({ selector, value: z.string() }),
  async run(page, { selector: target, value }) {
    await withElement(page, target, (element) =>
      element.selectOption({ value }, { timeout: elementTimeout }),
    );
  },
};
