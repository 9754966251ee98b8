/** Finds URLs of pages in the JSON that a page loaded. */
import { canParseUrl } from '../../core/url/normalize-url.ts';
import { isAssetPath } from '../../core/url/path-kind.ts';

/**
 * Absolute URLs, and root-relative paths of the page's site, in order and without duplicates. Files such as
 * pictures and scripts are left out.
 */
export function pageUrlsIn(json: unknown, pageUrl: string, limit: number): string[] {
  const found = new Set<string>();
  collect(json, pageUrl, found, limit);
  return [...found];
}

const longest = 2_000;

function collect(value: unknown, pageUrl: string, found: Set<string>, limit: number): void {
  if (found.size >= limit) return;
  if (typeof value === 'string') {
    if (value.length > longest || !/^(?:https?:\/\/|\/(?!\/))\S+$/i.test(value)) return;
    if (!canParseUrl(value, pageUrl)) return;
    const { href, pathname } = new URL(value, pageUrl);
    if (!isAssetPath(pathname)) found.add(href);
  } else if (typeof value === 'object' && value !== null) {
    for (const one of Object.values(value)) collect(one, pageUrl, found, limit);
  }
}
