/** screenshot: takes a picture of the page at this step. */
import { z } from 'zod';
import type { Viewport } from '../model/request.ts';
import type { BuiltInAction } from './action.ts';
import { takePicture } from './take-picture.ts';

/** Options of screenshot. */
export interface ScreenshotOptions {
  /** Captures the whole page instead of the visible part. @default false */
  readonly fullPage?: boolean | undefined;
  /** Gives a JPEG of this quality, 1 to 100. @default a PNG */
  readonly quality?: number | undefined;
  /** The viewport for this screenshot, in CSS pixels, at most 7680 × 4320. @default as it is */
  readonly viewport?: Viewport | undefined;
}

const viewport = z.strictObject({
  width: z.int().min(1).max(7680),
  height: z.int().min(1).max(4320),
});

/** Takes a picture. */
export const screenshot: BuiltInAction<'screenshot', ScreenshotOptions> = {
  type: 'screenshot',
  showsPage: true,
  options: z.strictObject({
    fullPage: z.boolean().optional(),
    quality: z.int().min(1).max(100).optional(),
    viewport: viewport.optional(),
  }),
  async run(page, { fullPage = false, quality, viewport: size }, context, outcome) {
    const before = page.viewportSize();
    if (size !== undefined) {
      await page.setViewportSize(size);
      await context.settle();
    }
    const { picture, warning } = await takePicture(page, fullPage, quality);
    outcome.screenshots.push(picture);
    if (warning !== undefined) outcome.warnings.push(warning);
    if (size !== undefined && before !== null) await page.setViewportSize(before);
  },
};
