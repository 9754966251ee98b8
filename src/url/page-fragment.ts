/** Links that stay on the page. */

/** The part after `#` of a link that leads to a place on the page, decoded; else nothing. */
export function pageFragment(href: string | null, baseUrl: string): string | undefined {
  if (href === null) return undefined;
  const trimmed = href.trim();
  if (trimmed.startsWith('#')) return decoded(trimmed.slice(1));
  const hash = baseUrl.indexOf('#');
  const base = hash === -1 ? baseUrl : baseUrl.slice(0, hash);
  const isHere = base !== '' && trimmed.startsWith(base) && trimmed[base.length] === '#';
  return isHere ? decoded(trimmed.slice(base.length + 1)) : undefined;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
