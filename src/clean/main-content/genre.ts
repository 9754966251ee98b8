/** What the page says it is, for search engines. */
import type { DomDocument } from '../../html/dom.ts';

/** A discussion's comments are its content; an article's are not. */
export type Genre = 'article' | 'discussion';

/** From schema.org types and `og:type`; undefined when the page does not say. */
export function readGenre(document: DomDocument, source: string): Genre | undefined {
  if (/DiscussionForumPosting|\bQAPage\b/.test(source)) return 'discussion';
  const type = document.head.querySelector('meta[property="og:type"]')?.getAttribute('content');
  return type === 'article' || /"(?:News|Blog|Tech)?(?:Article|Posting)"/.test(source)
    ? 'article'
    : undefined;
}
