/** Links within a book, whose documents become one page. */
import { isSafeUrl } from '../../../url/safe-url.ts';

/** The number of each document by the name of its file. */
export type BookPlaces = ReadonlyMap<string, number>;

/** The name of a file by a link in another. */
export function fileAt(href: string, from: string): string {
  const [path = ''] = href.split(/[?#]/);
  const parts = path.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const part of decoded(path).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/**
 * Where a link leads to on the page: `chapter-2.xhtml#part` to `#document-2-part`. Links out of the
 * book stay; links to files that are not part of the page lead nowhere.
 */
export function linkInPage(href: string, from: string, places: BookPlaces): string | undefined {
  if (/^\s*[a-z][a-z\d+.-]*:/i.test(href)) return isSafeUrl(href) ? href : undefined;
  if (href.startsWith('//')) return href;
  const hash = href.indexOf('#');
  const file = hash === 0 || href === '' ? from : fileAt(href, from);
  const number = places.get(file);
  if (number === undefined) return undefined;
  const id = hash < 0 ? '' : decoded(href.slice(hash + 1));
  return `#${idInPage(number, id)}`;
}

/** The id of an element of a document, or of the document itself. */
export function idInPage(number: number, id: string): string {
  return id === '' ? `document-${number}` : `document-${number}-${id}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
