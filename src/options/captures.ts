/** Formats that an engine makes while the page is open in it. */
import { trackingOf } from '../formats/change-tracking/index.ts';
import type { FormatRequest } from '../formats/format.ts';
import { branding, screenshot } from '../formats/registry.ts';
import type { ScreenshotOptions } from '../formats/screenshot.ts';
import type { Capability, Rendering } from '../model/request.ts';

/** What such a format asks of the engine. */
interface Capture {
  readonly capability: Capability;
  readonly rendering: Pick<Rendering, 'screenshot' | 'branding'>;
}

/** What the format asks of an engine; undefined for one that reads the page. `formats` are all of them. */
export function captureOf(
  { format, options }: FormatRequest,
  formats: readonly FormatRequest[],
): Capture | undefined {
  if (format === screenshot) {
    const { fullPage = false, ...others } = (options ?? {}) as ScreenshotOptions;
    const measured = trackingOf(formats)?.regionSelectors ?? [];
    const settings = { fullPage, ...others, ...(measured.length > 0 ? { measured } : {}) };
    return { capability: 'screenshot', rendering: { screenshot: settings } };
  }
  if (format === branding) return { capability: 'branding', rendering: { branding: true } };
  return undefined;
}
