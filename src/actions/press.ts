/** press: presses a key. */
import type { PressOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';

export const press: ActionRun<PressOptions> = async (page, { key }) => {
  try {
    await page.keyboard.press(key);
  } catch (error) {
    if (!/Unknown key/.test(String(error))) throw error;
    const message = `there is no key ${JSON.stringify(key)}; use names such as Enter, ArrowDown, a, Control+A`;
    throw new Error(message, { cause: error });
  }
};
