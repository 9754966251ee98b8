/** The screenshot format: the window, the whole page or one element. */
import type { Page } from 'playwright-core';
import { pageWorld } from '../../actions/page-session.ts';
import { pictureStyle, takePicture, tallest } from '../../actions/take-picture.ts';
import { PagewrightError } from '../../errors.ts';
import type { Picture } from '../../model/captures.ts';
import type { ScreenshotSettings } from '../../model/request.ts';
import { seeWholePage } from './in-page/see-whole-page.ts';

/** Milliseconds of scrolling before the picture of a whole page. */
const longestLook = 2_000;

/** Milliseconds to wait for the element of a picture. */
const patience = 5_000;

/**
 * Takes it; `settle` waits for what another size of the window changes. Rejects with `BAD_REQUEST` when
 * no element matches the selector.
 */
export async function takeScreenshot(
  page: Page,
  settings: ScreenshotSettings,
  settle: () => Promise<void>,
): Promise<{ readonly picture: Picture; readonly warning?: string }> {
  if (settings.fullPage) {
    const world = await pageWorld(page);
    await world.call(seeWholePage, tallest, longestLook);
    await settle();
  }
  return take(page, settings, settle);
}

async function take(
  page: Page,
  { fullPage, quality, viewport, selector }: ScreenshotSettings,
  settle: () => Promise<void>,
): Promise<{ readonly picture: Picture; readonly warning?: string }> {
  if (viewport !== undefined) {
    const before = page.viewportSize();
    await page.setViewportSize({ ...viewport });
    await settle();
    const taken = await take(page, { fullPage, quality, selector }, settle);
    // The tab may be used again.
    if (before !== null) await page.setViewportSize(before);
    return taken;
  }
  if (selector === undefined) return takePicture(page, fullPage, quality);
  const kind =
    quality === undefined ? ({ type: 'png' } as const) : ({ type: 'jpeg', quality } as const);
  try {
    const element = page.locator(selector).first();
    const bytes = await element.screenshot({ ...kind, style: pictureStyle, timeout: patience });
    return { picture: { bytes, mediaType: quality === undefined ? 'image/png' : 'image/jpeg' } };
  } catch (cause) {
    throw new PagewrightError(
      'BAD_REQUEST',
      `No visible element of ${page.url()} matches the screenshot's selector ${JSON.stringify(selector)}.`,
      { url: page.url(), cause },
    );
  }
}
