/** press: presses a key. */
import { z } from 'zod';
import type { BuiltInAction } from './action.ts';

/** Options of press. */
export interface PressOptions {
  /** A key as in `KeyboardEvent.key`, with modifiers before it: `Enter`, `a`, `Control+A`, `Shift+Tab`. */
  readonly key: string;
}

/** Presses and releases a key in the focused element. */
export const press: BuiltInAction<'press', PressOptions> = {
  type: 'press',
  options: z.strictObject({ key: z.string().min(1) }),
  async run(page, { key }) {
    try {
      await page.keyboard.press(key);
    } catch (error) {
      if (!/Unknown key/.test(String(error))) throw error;
      const message = `there is no key ${JSON.stringify(key)}; use names such as Enter, ArrowDown, a, Control+A`;
      throw new Error(message, { cause: error });
    }
  },
};
