/** Markdown by turndown, for callers who have rules for it. */
import { ValidationError } from '../../core/runtime/errors.ts';
import { preview } from '../../core/checks/option-errors.ts';
import { withoutInvisible } from '../text/plain-text.ts';
import type { Format } from './format.ts';
import { html } from './html.ts';

/** The part of a `TurndownService` that is used; any object with this method will do. */
export interface Turndown {
  turndown(html: string): string;
}

/**
 * The format `markdown`, written by your turndown instead of by this library: with your options, rules
 * and plugins. It gets the cleaned content with absolute URLs, as the format `html` has it; a page
 * that is not HTML gets the markdown of the built-in format.
 *
 * Pass it in `formats`, or to `createClient()` for all pages. As with any custom format, the page is
 * read on your thread. `chunks` are still cut from the built-in markdown. Throws `BAD_REQUEST` for an
 * object that is not a turndown; a scrape is `HOOK_FAILED` when turndown throws or gives no text.
 *
 * @example const { markdown } = await scrape(url, { formats: [turndownMarkdown(new TurndownService())] });
 */
export function turndownMarkdown(turndown: Turndown): Format<'markdown', string, undefined> {
  if (!isTurndown(turndown)) {
    const message = `expected a TurndownService or another object with turndown(html), got ${preview(turndown)}`;
    throw new ValidationError('turndownMarkdown', [{ path: [], message }]);
  }
  return {
    name: 'markdown',
    needs: 'content',
    async run(page, options, context) {
      if (page.kind === 'text') return withoutInvisible(page.markdown);
      const written: unknown = turndown.turndown(await html.run(page, options, context));
      if (typeof written === 'string') return withoutInvisible(written);
      throw new TypeError(`turndown(html): expected markdown, got ${preview(written)}`);
    },
  };
}

/** JavaScript callers may pass a value that is not of the declared type. */
function isTurndown(value: unknown): boolean {
  return typeof (value as Partial<Turndown> | null | undefined)?.turndown === 'function';
}
