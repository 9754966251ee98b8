/** The screenshot format: the window, the whole page or one element. */
import type { Page } from 'playwright-core';
import { checkAnswer, pageWorld } from '../actions/isolated-world.ts';
import { pictureOptions, takePicture, tallest, withViewport } from '../actions/take-picture.ts';
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { Picture, PictureBox } from '../../core/model/snapshot.ts';
import type { ScreenshotSettings } from '../../core/model/request.ts';
import { measureBoxes, seeWholePage } from './in-page/screenshot.ts';

const limits = {
  scrolling: 2_000, // milliseconds of scrolling before the picture of a whole page
  patience: 5_000, // milliseconds to wait for the element of a picture
  boxes: 1_000, // elements that are measured
};

/**
 * Takes a screenshot; `settle` waits for changes after a resize of the window. Rejects with
 * `BAD_REQUEST` when no element matches the selector.
 */
export async function takeScreenshot(
  page: Page,
  settings: ScreenshotSettings,
  settle: () => Promise<void>,
): Promise<{ readonly picture: Picture; readonly warning?: string }> {
  if (settings.fullPage) {
    const world = await pageWorld(page);
    await world.call(seeWholePage, tallest, limits.scrolling);
    await settle();
  }
  return withViewport(page, settings.viewport, settle, () => take(page, settings));
}

/** Right before the picture, so that both show the same moment. */
async function boxesIn(
  page: Page,
  { fullPage, selector, measured = [] }: ScreenshotSettings,
): Promise<{ readonly boxes?: readonly PictureBox[] }> {
  if (measured.length === 0) return {};
  const world = await pageWorld(page);
  const wanted = {
    selectors: measured,
    isWhole: fullPage,
    of: selector ?? null,
    most: limits.boxes,
  };
  const sample = [{ x: 0, y: 0, width: 0, height: 0 }];
  const boxes = checkAnswer(await world.call(measureBoxes, wanted), sample, 'boxes');
  return { boxes: boxes.slice(0, limits.boxes) };
}

async function take(
  page: Page,
  settings: ScreenshotSettings,
): Promise<{ readonly picture: Picture; readonly warning?: string }> {
  const { fullPage, quality, selector } = settings;
  const measured = await boxesIn(page, settings);
  if (selector === undefined) {
    const { picture, ...details } = await takePicture(page, fullPage, quality);
    return { picture: { ...picture, ...measured }, ...details };
  }
  const { mediaType, ...options } = pictureOptions(quality);
  try {
    const element = page.locator(selector).first();
    const bytes = await element.screenshot({ ...options, timeout: limits.patience });
    return { picture: { bytes, mediaType, ...measured } };
  } catch (cause) {
    throw new PagewrightError(
      'BAD_REQUEST',
      `No visible element of ${page.url()} matches the screenshot's selector ${JSON.stringify(selector)}.`,
      { url: page.url(), cause },
    );
  }
}
