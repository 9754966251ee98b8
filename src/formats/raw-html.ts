/** rawHtml: the page as it was received. */
import type { Format } from './format.ts';

/**
 * The text as received, decoded and otherwise untouched; of a PDF or an office file the HTML that was
 * made of it; empty for other binary content. With its scripts: show it in a sandbox only.
 */
export const rawHtml: Format<'rawHtml', string, undefined> = {
  name: 'rawHtml',
  needs: 'page',
  run: (page) => page.source,
};
