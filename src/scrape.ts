/** scrape() and parse(): one page to a document. */
import type { FormatRequest } from './formats/format.ts';
import type { ScrapeRequest } from './model/request.ts';
import type { PageSettings } from './options/scrape-options.ts';
import type { ScrapeTarget } from './options/scrape-target.ts';
import type { Parts } from './parts.ts';
import { runPipeline } from './pipeline.ts';
import type { PlainDocument } from './reading/compose-document.ts';

/** Takes one page through the pipeline. */
export async function scrapePage(
  parts: Parts,
  target: ScrapeTarget,
  settings: PageSettings,
): Promise<PlainDocument> {
  const { authorization, ...page } = target;
  const headers =
    authorization === undefined ? settings.headers : { authorization, ...settings.headers };
  const request: ScrapeRequest<FormatRequest> = { ...settings, ...page, headers };
  return (await runPipeline(parts, request)).document;
}
