/** The links that answer a query, best first: what `map({ search })` gives. */
import { setImmediate } from 'node:timers/promises';
import { readableUrl } from '../url/readable-url.ts';
import { type Match, Relevance } from '../text/relevance.ts';
import type { SiteLink } from './site-map.ts';

/** How much title, URL and description count. */
const weights = [2.5, 2, 1];

/**
 * Keeps the links that have enough of the query in title, URL or description. Equally good ones stay
 * in their order. Other work goes on meanwhile.
 */
export async function searchLinks(links: readonly SiteLink[], query: string): Promise<SiteLink[]> {
  const relevance = new Relevance(query, weights);
  const matches: { readonly link: SiteLink; readonly match: Match }[] = [];
  for (const [index, link] of links.entries()) {
    if (index % atOnce === atOnce - 1) await setImmediate();
    const { url, title, description } = link;
    const match = relevance.add([title, readableUrl(url), description]);
    if (match !== undefined) matches.push({ link, match });
  }
  return matches
    .map(({ link, match }) => ({ link, score: relevance.score(match) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ link }) => link);
}

/** Links that are read before the process goes on; 500 take 10 ms. */
const atOnce = 500;
