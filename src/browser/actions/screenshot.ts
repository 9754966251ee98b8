/** screenshot: takes a picture of the page at this step. */
import type { ScreenshotOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';
import { takePicture } from './take-picture.ts';

export const screenshot: ActionRun<ScreenshotOptions> = async (
  page,
  { fullPage = false, quality, viewport: size },
  context,
  outcome,
) => {
  const before = page.viewportSize();
  try {
    if (size !== undefined) {
      await page.setViewportSize(size);
      await context.settle();
    }
    const { picture, warning } = await takePicture(page, fullPage, quality);
    outcome.screenshots.push(picture);
    if (warning !== undefined) outcome.warnings.push(warning);
  } finally {
    if (size !== undefined && before !== null) await page.setViewportSize(before);
  }
};
