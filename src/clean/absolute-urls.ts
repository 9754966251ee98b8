/** Relative URLs to absolute ones, against the page's base. */
import { type DomElement, type DomNode, isElement } from '../html/dom.ts';
import { nextNode } from '../html/nodes.ts';
import { parseSrcset } from '../html/srcset.ts';
import type { Transformer } from './transformer.ts';

/** Makes every URL attribute absolute; what is no URL stays as it is. */
export const absoluteUrls: Transformer = {
  name: 'absoluteUrls',
  apply({ root, baseUrl }) {
    for (let node: DomNode | null = root; node !== null; node = nextNode(node, root)) {
      if (!isElement(node)) continue;
      for (const name of urlAttributes.get(node.localName) ?? []) {
        const value = node.getAttribute(name);
        if (value === null) continue;
        node.setAttribute(name, absolute(value, baseUrl));
      }
      if (node.localName === 'img' || node.localName === 'source') resolveSrcset(node, baseUrl);
    }
  },
};

/** Only what the element may carry: an attribute is looked up in a list. */
const urlAttributes: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    a: ['href'],
    area: ['href'],
    audio: ['src'],
    blockquote: ['cite'],
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
    td: ['background'],
    track: ['src'],
    video: ['src', 'poster'],
  }),
);

const scheme = /^[a-z][a-z0-9+.-]*:/i;

/** `javascript:`, `data:`, `mailto:` and everything else that is not fetched over HTTP stays as written. */
function absolute(value: string, baseUrl: string): string {
  const trimmed = value.trim();
  if (trimmed === '' || (scheme.test(trimmed) && !/^https?:/i.test(trimmed))) return value;
  try {
    return new URL(trimmed, baseUrl).href;
  } catch {
    return value;
  }
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
