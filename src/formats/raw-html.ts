/** rawHtml: the page as it was received. */
import type { Format } from './format.ts';

/**
 * The text as received, decoded and otherwise untouched; empty for binary content. With its scripts:
 * show it in a sandbox only.
 */
export const rawHtml: Format<'rawHtml', string, undefined> = {
  name: 'rawHtml',
  needs: 'page',
  run: (page) => page.source,
};
