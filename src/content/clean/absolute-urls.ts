/** Makes relative URLs absolute, against the page's base. */
import { cssUrls, parseSrcset } from '../html/image-urls.ts';
import { type DomElement, elementsOf } from '../html/dom.ts';
import { PlainLinks } from '../../core/url/links.ts';
import { urlOf } from '../../core/url/normalize-url.ts';
import type { Transformer } from './transformer.ts';

/**
 * Makes every URL in an attribute absolute, also in inline styles. A value that is not a URL stays as it is,
 * and so does a reference to a part of a drawing on the same page (`url(#shade)`, `<use href="#arrow">`).
 */
export const absoluteUrls: Transformer = {
  name: 'absoluteUrls',
  apply({ root, baseUrl }) {
    const plain = new PlainLinks(baseUrl);
    let styleRoom = maxStyles;
    for (const node of elementsOf(root)) {
      for (const name of urlAttributes.get(node.localName) ?? []) {
        const value = node.getAttribute(name);
        if (value === null) continue;
        const url = plain.resolve(value) ?? absolute(value, baseUrl);
        if (url !== value) node.setAttribute(name, url);
      }
      for (const name of drawingAttributes(node)) {
        const value = node.getAttribute(name);
        if (value === null || value.trim().startsWith('#')) continue;
        node.setAttribute(name, absolute(value, baseUrl));
      }
      if (node.localName === 'img' || node.localName === 'source') resolveSrcset(node, baseUrl);
      if (styleRoom > 0) styleRoom -= resolveStyle(node, baseUrl, styleRoom);
    }
  },
};

/** URL attributes by element: only attributes that the element may carry are looked up. */
const urlAttributes: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    a: ['href'],
    area: ['href'],
    audio: ['src'],
    blockquote: ['cite'],
    body: ['background'],
    button: ['formaction'],
    del: ['cite'],
    embed: ['src'],
    form: ['action'],
    iframe: ['src', 'longdesc'],
    img: ['src', 'longdesc'],
    input: ['src', 'formaction'],
    ins: ['cite'],
    link: ['href'],
    object: ['data'],
    q: ['cite'],
    source: ['src'],
    table: ['background'],
    tbody: ['background'],
    td: ['background'],
    tfoot: ['background'],
    th: ['background'],
    thead: ['background'],
    tr: ['background'],
    track: ['src'],
    video: ['src', 'poster'],
  }),
);

/** URL attributes of SVG elements; any of them may have the older name. */
function drawingAttributes({ localName }: DomElement): readonly string[] {
  return drawn.has(localName) ? drawnAttributes : otherAttributes;
}

const drawnAttributes: readonly string[] = ['href', 'xlink:href'];
const otherAttributes: readonly string[] = ['xlink:href'];

const drawn: ReadonlySet<string> = new Set(['image', 'use', 'feimage']);

const scheme = /^[a-z][a-z0-9+.-]*:/i;

/** `javascript:`, `data:`, `mailto:` and all other URLs that are not fetched over HTTP stay as written. */
function absolute(value: string, baseUrl: string): string {
  const trimmed = value.trim();
  if (trimmed === '' || (scheme.test(trimmed) && !/^https?:/i.test(trimmed))) return value;
  return urlOf(trimmed, baseUrl)?.href ?? value;
}

function resolveSrcset(element: DomElement, baseUrl: string): void {
  const value = element.getAttribute('srcset');
  if (value === null) return;
  const candidates = parseSrcset(value).map(({ url, width, density }) => {
    const size = width === undefined ? (density === undefined ? '' : ` ${density}x`) : ` ${width}w`;
    return `${absolute(url, baseUrl)}${size}`;
  });
  element.setAttribute('srcset', candidates.join(', '));
}

const maxStyles = 2_000_000; // characters, so that a long base does not multiply a page

/** Returns the length of the new style; one longer than `room` is left unchanged. */
function resolveStyle(element: DomElement, baseUrl: string, room: number): number {
  const style = element.getAttribute('style');
  if (style === null || !/url\(/i.test(style)) return 0;
  let resolved = '';
  let at = 0;
  for (const { url, start, end } of cssUrls(style)) {
    // A backslash is an escape in CSS and a slash in a URL.
    if (url.startsWith('#') || url.includes('\\')) continue;
    resolved += style.slice(at, start) + inCss(url, absolute(url, baseUrl));
    if (resolved.length > room) return 0;
    at = end;
  }
  if (at === 0) return 0;
  resolved += style.slice(at);
  element.setAttribute('style', resolved);
  return resolved.length;
}

/** Escapes characters of the base URL that would close the `url()`. */
function inCss(url: string, resolved: string): string {
  if (url === resolved) return url;
  return resolved.replace(/['()]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
}
