/** The links that answer a query, best first: what `map({ search })` gives. */
import { setImmediate } from 'node:timers/promises';
import { readableUrl } from '../url/readable-url.ts';
import { type Match, Relevance } from '../text/relevance.ts';
import type { SearchedLink, SiteLink } from './site-map.ts';

/** How much title, URL, description and other texts count. */
const weights = [2.5, 2, 1, 1.5];

/**
 * Keeps the links that have enough of the query in title, URL or description, or in what else is said of
 * them, the texts of links among it. Equally good ones stay in their order. Other work goes on meanwhile.
 */
export async function searchLinks(
  links: readonly SearchedLink[],
  query: string,
): Promise<SiteLink[]> {
  const relevance = new Relevance(query, weights);
  const matches: { readonly link: SiteLink; readonly match: Match }[] = [];
  for (const [index, searched] of links.entries()) {
    if (index % atOnce === atOnce - 1) await setImmediate();
    const match = relevance.add(textsOf(searched));
    if (match !== undefined) matches.push({ link: searched.link, match });
  }
  return matches
    .map(({ link, match }) => ({ link, score: relevance.score(match) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ link }) => link);
}

/** Links that are read before the process goes on; 500 take 10 ms. */
const atOnce = 500;

function textsOf({ link, texts = [] }: SearchedLink): (string | undefined)[] {
  const { url, title, description } = link;
  const others = texts.filter((text) => text !== title && text !== description);
  return [title, readableUrl(url), description, others.join(' ')];
}
