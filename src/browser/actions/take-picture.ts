/** Takes a picture of a page, cut to a size that the browser supports. */
import type { Page, PageScreenshotOptions } from 'playwright-core';
import type { Viewport } from '../../core/model/request.ts';
import type { Picture } from '../../core/model/snapshot.ts';

/** CSS pixels of each side at most: beyond, Chromium repeats content or runs out of memory. */
export const tallest = 16_384;

/** Options of a PNG, or of a JPEG of a quality. */
export function pictureOptions(
  quality: number | undefined,
): Pick<PageScreenshotOptions, 'style' | 'type' | 'quality'> & Pick<Picture, 'mediaType'> {
  // Scroll bars are not part of the page.
  const style = 'html { scrollbar-width: none !important }';
  return quality === undefined
    ? { style, type: 'png', mediaType: 'image/png' }
    : { style, type: 'jpeg', quality, mediaType: 'image/jpeg' };
}

/** Takes pictures in a window of another size, and restores the former size: the page may stay open. */
export async function withViewport<T>(
  page: Page,
  size: Viewport | undefined,
  settle: () => Promise<void>,
  take: () => Promise<T>,
): Promise<T> {
  if (size === undefined) return take();
  const before = page.viewportSize();
  try {
    await page.setViewportSize({ ...size });
    await settle();
    return await take();
  } finally {
    if (before !== null) await page.setViewportSize(before);
  }
}

/** Takes a PNG, or a JPEG of a quality. A page too tall for one picture is cut, with a warning. */
export async function takePicture(
  page: Page,
  fullPage: boolean,
  quality: number | undefined,
): Promise<{ readonly picture: Picture; readonly warning?: string }> {
  const size = fullPage ? await contentSize(page) : undefined;
  const isCut = size !== undefined && (size.height > tallest || size.width > tallest);
  const { mediaType, ...options } = pictureOptions(quality);
  const bytes = await page.screenshot({
    ...options,
    fullPage,
    ...(isCut
      ? {
          clip: {
            x: 0,
            y: 0,
            width: Math.min(size.width, tallest),
            height: Math.min(size.height, tallest),
          },
        }
      : {}),
  });
  const picture: Picture = { bytes, mediaType };
  if (!isCut) return { picture };
  const warning = `The page measures ${size.width} × ${size.height} px; the screenshot shows the first ${tallest} px.`;
  return { picture, warning };
}

/** The content size from the browser, not from the page's scripts. */
async function contentSize(
  page: Page,
): Promise<{ readonly width: number; readonly height: number }> {
  const session = await page.context().newCDPSession(page);
  try {
    const { cssContentSize } = await session.send('Page.getLayoutMetrics');
    return { width: Math.ceil(cssContentSize.width), height: Math.ceil(cssContentSize.height) };
  } finally {
    await session.detach().catch(() => undefined);
  }
}
