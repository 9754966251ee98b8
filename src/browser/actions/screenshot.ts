/** screenshot: takes a picture of the page at this step. */
import type { ScreenshotOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';
import { takePicture, withViewport } from './take-picture.ts';

export const screenshot: ActionRun<ScreenshotOptions> = async (
  page,
  { fullPage = false, quality, viewport: size },
  context,
  outcome,
) => {
  await withViewport(page, size, context.settle, async () => {
    const { picture, warning } = await takePicture(page, fullPage, quality);
    outcome.screenshots.push(picture);
    if (warning !== undefined) outcome.warnings.push(warning);
  });
};
