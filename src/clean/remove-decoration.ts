/** Pictures that say nothing: tracking pixels, placeholders, small icons without words, portraits beside posts. */
import { type DomElement, type DomNode, isElement } from '../html/dom.ts';
import { isEmptyImageFile } from '../html/lazy-images.ts';
import { nextNode } from '../html/nodes.ts';
import type { Transformer } from './transformer.ts';

/** Removes them from the main content; the whole page keeps them. */
export const removeDecoration: Transformer = {
  name: 'removeDecoration',
  apply({ root }, options) {
    if (!options.onlyMainContent) return;
    for (let node: DomNode | null = root.firstChild; node !== null;) {
      const gone = isElement(node) && node.localName === 'img' && isDecoration(node);
      const next: DomNode | null = nextNode(node, root, gone);
      if (gone) node.parentNode?.removeChild(node);
      node = next;
    }
  },
};

function isDecoration(image: DomElement): boolean {
  const width = pixels(image, 'width');
  const height = pixels(image, 'height');
  if (Math.min(width, height) <= largestPixel) return true;
  // What could not be resolved to an image that a script would load.
  const src = image.getAttribute('src') ?? '';
  if (isEmptyImageFile(src) || (tinyData.test(src) && !hasWords(image))) return true;
  if (portrait.test(image.className) || portrait.test(image.parentElement?.className ?? ''))
    return true;
  return Math.max(width, height) <= largestIcon && !hasWords(image);
}

/** Pixels; smaller ones count readers. */
const largestPixel = 1;

/** One pixel, or an empty drawing of a certain size. */
const tinyData = /^\s*data:image\/(?:gif|png|svg\+xml)[^,]{0,30},.{0,150}$/is;

/** Pixels of the longer side. */
const largestIcon = 32;

/** What builders of forums and blogs call the portrait of an author. */
const portrait = /(?:^|\s)(?:user-?|author-?|forum-?)?(?:avatar|gravatar)(?:[-_][\w-]*)?(?:\s|$)/i;

/** Infinity where the page does not say. */
function pixels(image: DomElement, name: 'width' | 'height'): number {
  const value = /^\s*(\d+)(?:px)?\s*$/.exec(image.getAttribute(name) ?? '')?.[1];
  return value === undefined ? Infinity : Number(value);
}

function hasWords(image: DomElement): boolean {
  return ['alt', 'title', 'aria-label'].some((name) => /\S/.test(image.getAttribute(name) ?? ''));
}
