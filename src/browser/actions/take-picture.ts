/** Takes a picture of a page, of a size that the browser supports. */
import type { Page } from 'playwright-core';
import type { Picture } from '../../core/model/snapshot.ts';

/** CSS pixels of the height at most: beyond, Chromium repeats content or runs out of memory. */
export const tallest = 16_384;

/** Hides scroll bars, which are not part of the page. */
export const pictureStyle = 'html { scrollbar-width: none !important }';

/** Takes a PNG, or a JPEG of a quality. A page too tall for one picture is cut, with a warning. */
export async function takePicture(
  page: Page,
  fullPage: boolean,
  quality: number | undefined,
): Promise<{ readonly picture: Picture; readonly warning?: string }> {
  const size = fullPage ? await contentSize(page) : undefined;
  const isCut = size !== undefined && (size.height > tallest || size.width > tallest);
  const bytes = await page.screenshot({
    fullPage,
    style: pictureStyle,
    ...(quality === undefined ? { type: 'png' } : { type: 'jpeg', quality }),
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
  const mediaType = quality === undefined ? 'image/png' : 'image/jpeg';
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
