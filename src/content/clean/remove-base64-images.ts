/** The option removeBase64Images: inlined images are dead weight in text. */
import { type DomElement, elementsOf } from '../html/dom.ts';
import { parseSrcset } from '../html/image-urls.ts';
import type { Transformer } from './transformer.ts';

/** Replaces `data:` URLs of images by `<Base64-Image-Removed>`; the alt text stays. */
export const removeBase64Images: Transformer = {
  name: 'removeBase64Images',
  elements: ['img', 'source', 'image', 'input', 'video'],
  apply({ root }, options) {
    if (!options.removeBase64Images) return;
    for (const node of elementsOf(root)) {
      const attributes = imageAttributes.get(node.localName);
      if (attributes === undefined) continue;
      for (const name of attributes) replaceSource(node, name);
      dropCandidates(node);
    }
  },
};

const imageAttributes: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    img: ['src'],
    source: ['src'],
    image: ['href', 'xlink:href'],
    input: ['src'],
    video: ['poster'],
  }),
);

const dataUrl = /^\s*data:/i;

function replaceSource(element: DomElement, name: string): void {
  if (dataUrl.test(element.getAttribute(name) ?? '')) {
    element.setAttribute(name, '<Base64-Image-Removed>');
  }
}

function dropCandidates(element: DomElement): void {
  const srcset = element.getAttribute('srcset');
  if (srcset === null || !/data:/i.test(srcset)) return;
  const candidates = parseSrcset(srcset);
  const remaining = candidates.filter(({ url }) => !dataUrl.test(url));
  if (remaining.length === candidates.length) return;
  if (remaining.length === 0) element.removeAttribute('srcset');
  else {
    const written = remaining.map(({ url, width, density }) =>
      width !== undefined ? `${url} ${width}w` : density !== undefined ? `${url} ${density}x` : url,
    );
    element.setAttribute('srcset', written.join(', '));
  }
}
