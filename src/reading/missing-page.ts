/** Pages that say that there is nothing here, though their status says that there is. */
import type { Page } from '../model/page.ts';
import { notFoundPhrase } from '../text/not-found-phrase.ts';
import { firstOf, roughContent } from './rough-content.ts';

/** Words of a page that says no more than that, apart from links. */
const mostWords = 120;

/** What the title or the first heading of such a page says, or undefined for any other page. */
export function missingPhrase(page: Page, title: string | undefined): string | undefined {
  if (page.kind !== 'html' || page.statusCode < 200 || page.statusCode >= 300) return undefined;
  const said = notFoundPhrase(title ?? '') ?? notFoundPhrase(firstHeading(page));
  if (said === undefined) return undefined;
  const words = roughContent(page).match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return words > mostWords ? undefined : said;
}

function firstHeading({ root }: Extract<Page, { kind: 'html' }>): string {
  return firstOf(root, ({ localName }) => localName === 'h1')?.textContent?.trim() ?? '';
}
