/** Which pages of a site to read for a question, when there are more than may be read. */
import { searchLinks } from './search-links.ts';
import type { SiteLink } from './site-map.ts';

/**
 * At most `limit` links: those that answer the question best by title, URL and description, filled up
 * with the others in their order. They are given in the order in which they came.
 */
export async function mostRelevant(
  links: readonly SiteLink[],
  question: string,
  limit: number,
): Promise<SiteLink[]> {
  if (links.length <= limit) return [...links];
  const searched = links.map((link) => ({ link }));
  const chosen = new Set((await searchLinks(searched, question)).slice(0, limit));
  for (const link of links) {
    if (chosen.size >= limit) break;
    chosen.add(link);
  }
  return links.filter((link) => chosen.has(link));
}
