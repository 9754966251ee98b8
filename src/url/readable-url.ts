/** What a URL says to a reader. */
import { registrableDomain } from './registrable-domain.ts';

/**
 * The words of a URL as a text: subdomain, path and query, decoded, `camelCase` also in its parts.
 * The site's own name and the extension of a page say nothing.
 *
 * @example readableUrl('http://docs.site.test/guides/nightTrain.html') // 'docs guides nightTrain night Train'
 */
export function readableUrl(url: string): string {
  const { hostname, pathname, search, hash } = new URL(url);
  const subdomain = hostname.slice(0, -registrableDomain(hostname).length).replace(/^www\./, '');
  const path = pathname.replace(/\.(?:html?|shtml|xhtml|php|aspx?|jsp)$/i, '');
  const words = [subdomain, decoded(path), decoded(search.replaceAll('+', ' ')), decoded(hash)];
  return words
    .join(' ')
    .replace(/[\p{L}\p{N}]+/gu, withParts)
    .split(separators)
    .join(' ')
    .trim();
}

const separators = /[^\p{L}\p{N}\p{M}]+/u;

/** What is no UTF-8 was written in an encoding that the URL does not tell. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/(?:%[\da-f]{2})+/gi, (escapes) => {
      try {
        return decodeURIComponent(escapes);
      } catch {
        return ' ';
      }
    });
  }
}

function withParts(word: string): string {
  const parts = word.replace(/(\p{Ll}|\p{N})(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$& ');
  return parts === word ? word : `${word} ${parts}`;
}
