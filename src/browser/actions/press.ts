/** press: presses a key. */
import type { Page } from 'playwright-core';
import type { PressOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';

export const press: ActionRun<PressOptions> = async (page, { key }) => {
  try {
    await pressKey(page, key);
  } catch (error) {
    if (!/Unknown key/.test(String(error))) throw error;
    const message = `there is no key ${JSON.stringify(key)}; use names such as Enter, ArrowDown, a, Control+A`;
    throw new Error(message, { cause: error });
  }
};

/** Presses a key; a failing one leaves no part held down, such as Shift in `Shift+Entr`. */
export async function pressKey(page: Page, key: string): Promise<void> {
  try {
    await page.keyboard.press(key);
  } catch (error) {
    for (const part of key.split('+')) await page.keyboard.up(part).catch(() => undefined);
    throw error;
  }
}
