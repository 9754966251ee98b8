/** Decodes addresses that Cloudflare hides from programs, as its script does in a browser. */
import { type DomDocument, type DomElement, elementsOf } from '../html/dom.ts';

const hiddenLink = '/cdn-cgi/l/email-protection';

/**
 * Writes the addresses into the text and links of the page. A link that cannot be decoded loses its target,
 * which is a page of Cloudflare, not of the site.
 */
export function decodeHiddenAddresses(document: DomDocument, source: string): void {
  if (!source.includes('data-cfemail') && !source.includes(hiddenLink)) return;
  const texts: [DomElement, string][] = [];
  for (const element of elementsOf(document.documentElement)) {
    const text = decoded(element.getAttribute('data-cfemail'));
    if (text !== undefined) texts.push([element, text]);
    const href = element.localName === 'a' ? element.getAttribute('href') : null;
    if (href === null || !href.includes(hiddenLink)) continue;
    const target = text ?? decoded(/#([\da-f]+)/i.exec(href)?.[1] ?? null);
    if (target === undefined) element.removeAttribute('href');
    else element.setAttribute('href', `mailto:${target}`);
  }
  for (const [element, text] of texts) {
    if (element.localName === 'a') element.textContent = text;
    else element.replaceWith(document.createTextNode(text));
  }
}

/** Hexadecimal: a key, then each byte XORed with it. Undefined for anything but an address. */
function decoded(code: string | null): string | undefined {
  if (code === null || !/^(?:[\da-f]{2}){4,1000}$/i.test(code)) return undefined;
  const [key = 0, ...bytes] = Buffer.from(code, 'hex');
  const text = Buffer.from(bytes.map((byte) => byte ^ key)).toString('utf8');
  return /^[^\s@<>"]+@[^\s@<>"]+$/.test(text.split('?', 1)[0] ?? '') ? text : undefined;
}
