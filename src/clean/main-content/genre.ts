/** What the page says it is, for search engines. */
import { type DomDocument, isElement } from '../../html/dom.ts';

/** A discussion's comments are its content; an article's are not. */
export type Genre = 'article' | 'discussion';

/** From schema.org types and `og:type`; undefined when the page does not say. */
export function readGenre(document: DomDocument, source: string): Genre | undefined {
  if (source.includes('DiscussionForumPosting')) return 'discussion';
  // Searching for a plain string first is several times as fast.
  if (source.includes('QAPage') && /\bQAPage\b/.test(source)) return 'discussion';
  return openGraphType(document) === 'article' ||
    /"(?:News|Blog|Tech)?(?:Article|Posting)"/.test(source)
    ? 'article'
    : undefined;
}

function openGraphType(document: DomDocument): string | undefined {
  for (let node = document.head.firstChild; node !== null; node = node.nextSibling) {
    if (isElement(node) && node.getAttribute('property') === 'og:type') {
      return node.getAttribute('content') ?? undefined;
    }
  }
  return undefined;
}
