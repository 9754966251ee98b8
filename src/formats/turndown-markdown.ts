/** Markdown by turndown, for those who have rules for it. */
import { withoutUnseen } from '../text/unseen.ts';
import type { Format } from './format.ts';
import { html } from './html.ts';

/** The part of a `TurndownService` that is used: anything with it will do. */
export interface Turndown {
  turndown(html: string): string;
}

/**
 * The format `markdown`, written by your turndown instead of by us: with your options, rules and
 * plugins. It gets the cleaned content with absolute URLs, as the format `html` has it; of a page
 * that is not HTML the markdown is that of our own format.
 *
 * Give it in `formats`, or to `createClient()` for all pages. As with any format of your own, the
 * page is read on your thread.
 *
 * @example const { markdown } = await scrape(url, { formats: [turndownMarkdown(new TurndownService())] });
 */
export function turndownMarkdown(turndown: Turndown): Format<'markdown', string, undefined> {
  return {
    name: 'markdown',
    needs: 'content',
    async run(page, options, context) {
      if (page.kind === 'text') return withoutUnseen(page.markdown);
      return withoutUnseen(turndown.turndown(await html.run(page, options, context)));
    },
  };
}
