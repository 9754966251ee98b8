/** write: types a text into the focused element. */
import { z } from 'zod';
import type { BuiltInAction } from './action.ts';
import { takesText } from './in-page/takes-text.ts';
import { pageWorld } from './isolated-world.ts';

/** Options of write. */
export interface WriteOptions {
  /** The text, typed character by character after existing text; a line break is the Enter key. */
  readonly text: string;
}

/** Types the text. It fails when no element that takes text has the focus. */
export const write: BuiltInAction<'write', WriteOptions> = {
  type: 'write',
  options: z.strictObject({ text: z.string() }),
  async run(page, { text }) {
    const world = await pageWorld(page);
    if ((await world.call(takesText)) !== true) {
      throw new Error('nothing that takes text has the focus; click it first, or use fill');
    }
    await page.keyboard.type(text);
  },
};
