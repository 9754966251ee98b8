/** scrape() and parse(): one page to a document. */
import type { FormatRequest } from './formats/format.ts';
import type { ScrapeRequest } from './model/request.ts';
import type { PageSettings } from './options/scrape-options.ts';
import type { ScrapeTarget } from './options/scrape-target.ts';
import type { ClientParts } from './parts.ts';
import { scrapeDocument } from './pipeline.ts';
import type { PlainDocument } from './processing/compose-document.ts';

/** Takes one page through the pipeline. */
export async function scrapePage(
  parts: ClientParts,
  target: ScrapeTarget,
  settings: PageSettings,
): Promise<PlainDocument> {
  return scrapeDocument(parts, scrapeRequest(target, settings));
}

/** The request for one page. */
export function scrapeRequest(
  target: ScrapeTarget,
  settings: PageSettings,
): ScrapeRequest<FormatRequest> {
  const { authorization, ...page } = target;
  const headers =
    authorization === undefined ? settings.headers : { authorization, ...settings.headers };
  return { ...settings, ...page, headers };
}
