/** Formats that are not read of a page: an engine makes them while it is open. */
import { PagewrightError } from '../errors.ts';
import type { Page } from '../model/page.ts';

/** What such a format does with a page that is only HTML. */
export function captured(page: Page): never {
  throw new PagewrightError(
    'BROWSER_UNAVAILABLE',
    `${page.url} was not rendered: screenshot and branding need an engine that does so.`,
    { url: page.url },
  );
}
