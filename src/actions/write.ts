/** write: text into the focused element. */
import { z } from 'zod';
import type { BuiltInAction } from './action.ts';
import { takesText } from './in-page/takes-text.ts';
import { IsolatedWorld } from './isolated-world.ts';

/** Options of write. */
export interface WriteOptions {
  /** Typed character by character, behind what is there; a line break is the Enter key. */
  readonly text: string;
}

/** Types. It fails when nothing that takes text has the focus. */
export const write: BuiltInAction<'write', WriteOptions> = {
  type: 'write',
  options: z.strictObject({ text: z.string() }),
  async run(page, { text }) {
    const world = await IsolatedWorld.open(page);
    try {
      if (!(await world.call(takesText))) {
        throw new Error('nothing that takes text has the focus; click it first, or use fill');
      }
    } finally {
      await world.close();
    }
    await page.keyboard.type(text);
  },
};
