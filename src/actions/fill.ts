/** fill: replaces the text of a field. */
import { z } from 'zod';
import type { BuiltInAction } from './action.ts';
import { elementTimeout, selector, withElement } from './target.ts';

/** Options of fill. */
export interface FillOptions {
  /** A CSS selector of an input, a textarea or an editable element. */
  readonly selector: string;
  /** The new text; empty to clear the field. */
  readonly text: string;
}

/** Fills at once; the page sees one `input` event. */
export const fill: BuiltInAction<'fill', FillOptions> = {
  type: 'fill',
  options: z.strictObject({ selector, text: z.string() }),
  async run(page, { selector: target, text }) {
    await withElement(page, target, (element) => element.fill(text, { timeout: elementTimeout }));
  },
};
