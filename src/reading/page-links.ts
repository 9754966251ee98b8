/** The links of a page: as they were found, or as a hook wants them. */
import { discoverLinks } from '../frontier/discover-links.ts';
import type { PageLink } from '../model/hooks.ts';
import type { Page } from '../model/page.ts';
import { linksLeftOut } from '../network/limits.ts';
import { normalizeUrl, resolveLink } from '../url/normalize-url.ts';

/** Links to follow, and those that cannot be. */
export interface PageLinks {
  /** Absolute and normalised, in their order, each once. */
  readonly links: readonly PageLink[];
  /** Links that are no pages: mail addresses, malformed URLs. */
  readonly refused: readonly { readonly href: string; readonly reason: 'PROTOCOL' | 'BAD_URL' }[];
}

/** Characters of a refused link that are told. */
const refusedLength = 2000;

/** Takes `limit` links at most, in document order. */
export function findLinks(page: Page, limit: number): PageLinks {
  const refused: PageLinks['refused'][number][] = [];
  const links = discoverLinks(page, {
    limit,
    onRefused: (href, reason) => {
      if (refused.length < limit) refused.push({ href: href.slice(0, refusedLength), reason });
    },
  });
  return { links, refused };
}

/** The links that a hook gave, which may be relative, in place of those that were found. */
export function takeLinks(
  page: Page,
  limit: number,
  given: readonly PageLink[],
  found: PageLinks | undefined,
): PageLinks {
  const links = new Map<string, PageLink>();
  const refused = [...(found?.refused ?? [])];
  for (const link of given) {
    const resolved = resolveLink(link.url, page.baseUrl);
    if (resolved === undefined) {
      const href = link.url.slice(0, refusedLength);
      if (refused.length < limit) refused.push({ href, reason: 'BAD_URL' });
      continue;
    }
    const url = normalizeUrl(resolved, {});
    if (links.has(url)) continue;
    if (links.size >= limit) {
      page.warnings.push(linksLeftOut(limit));
      break;
    }
    links.set(url, { ...link, url });
  }
  return { links: [...links.values()], refused };
}
