/** The screenshot format: the window, the whole page or one element. */
import type { Page } from 'playwright-core';
import { takePicture } from '../../actions/take-picture.ts';
import { PagewrightError } from '../../errors.ts';
import type { Picture } from '../../model/captures.ts';
import type { ScreenshotSettings } from '../../model/request.ts';

/** Milliseconds to wait for the element of a picture. */
const patience = 5_000;

/**
 * Takes it; `settle` waits for what another size of the window changes. Rejects with `BAD_REQUEST` when
 * no element matches the selector.
 */
export async function takeScreenshot(
  page: Page,
  { fullPage, quality, viewport, selector }: ScreenshotSettings,
  settle: () => Promise<void>,
): Promise<{ readonly picture: Picture; readonly warning?: string }> {
  if (viewport !== undefined) {
    await page.setViewportSize({ ...viewport });
    await settle();
  }
  if (selector === undefined) return takePicture(page, fullPage, quality);
  const kind =
    quality === undefined ? ({ type: 'png' } as const) : ({ type: 'jpeg', quality } as const);
  try {
    const element = page.locator(selector).first();
    const bytes = await element.screenshot({ ...kind, timeout: patience });
    return { picture: { bytes, mediaType: quality === undefined ? 'image/png' : 'image/jpeg' } };
  } catch (cause) {
    throw new PagewrightError(
      'BAD_REQUEST',
      `No visible element of ${page.url()} matches the screenshot's selector ${JSON.stringify(selector)}.`,
      { url: page.url(), cause },
    );
  }
}
