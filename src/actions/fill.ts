/** fill: puts a text into a field in place of what is there. */
import { z } from 'zod';
import type { BuiltInAction } from './action.ts';
import { elementTimeout, selector, withElement } from './target.ts';

/** Options of fill. */
export interface FillOptions {
  /** A CSS selector of an input, a textarea or what is editable. */
  readonly selector: string;
  /** Empty to clear the field. */
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
