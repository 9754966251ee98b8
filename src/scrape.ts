/** scrape() and parse(): one page to a document. */
import type { FormatRequest } from './content/formats/format.ts';
import type { ScrapeRequest } from './core/model/request.ts';
import type { PageSettings } from './core/options/scrape-options.ts';
import type { ScrapeTarget } from './core/options/scrape-target.ts';
import type { ClientParts } from './parts.ts';
import { scrapeDocument } from './core/page/pipeline.ts';
import type { PlainDocument } from './core/page/compose-document.ts';

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
  const { authorization, data: _, ...page } = target;
  const headers =
    authorization === undefined ? settings.headers : { authorization, ...settings.headers };
  return { ...settings, ...page, headers };
}
