/** What relative links are resolved against, unless that would make a small page a huge one. */

/** Bases of usual length are taken without a look at the page. */
const usualLength = 200;
/** Characters that resolving may add to a page. */
const budget = 4_000_000;

/**
 * False when a long URL before each link of the page would take more than 4,000,000 characters: a
 * `<base>` or a redirect of some kilobytes turns 60 KB of links into 60 MB.
 */
export function isAffordableBase(base: string, source: string): boolean {
  const [url = ''] = base.split('#', 1);
  if (url.length <= usualLength) return true;
  const [path = ''] = url.split('?', 1);
  const directory = path.lastIndexOf('/') + 1;
  const candidates = /srcset/i.test(source) ? count(source, /,/g) : 0;
  const added = directory * (count(source, reference) + candidates);
  return added + url.length * count(source, referenceToHere) <= budget;
}

const names =
  'href|src|srcset|action|formaction|cite|poster|data|background|longdesc|content|resource|about|itemid|ping';
const reference = new RegExp(`\\b(?:${names})\\s*=|url\\(`, 'gi');
/** A query, a fragment or nothing goes after the whole URL, not only its folder. */
const referenceToHere = new RegExp(`\\b(?:${names})\\s*=\\s*["']?\\s*[?#"'>]`, 'gi');

function count(source: string, pattern: RegExp): number {
  let found = 0;
  pattern.lastIndex = 0;
  while (pattern.test(source)) found += 1;
  return found;
}
