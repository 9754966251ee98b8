/** Queries of links in the encoding of their page, as browsers send them. */
// Registers the encodings of several bytes.
import '@exodus/bytes/encoding.js';
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js';

/**
 * The link with its query in this encoding (URL Standard, "percent-encode after encoding"): on a page in
 * windows-1251 `?q=да` is `?q=%E4%E0`. Paths are UTF-8 on every page, and stay as they are.
 */
export function withEncodedQuery(href: string, encoding: string): string {
  const start = href.indexOf('?');
  const hash = href.indexOf('#');
  const end = hash < 0 ? href.length : hash;
  if (start < 0 || start > end || !/[^\0-\x7f]/.test(href)) return href;
  if (/^\s*(?!https?:)[a-z][a-z0-9+.-]*:/i.test(href)) return href;
  const query = href.slice(start + 1, end).replace(/[\t\n\r]/g, '');
  const encoded = percentEncodeAfterEncoding(encoding, query, ' "#\'<>');
  return `${href.slice(0, start + 1)}${encoded}${href.slice(end)}`;
}
