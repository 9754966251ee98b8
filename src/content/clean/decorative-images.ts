/** Removes decorative pictures: tracking pixels, placeholders, icons, backgrounds, portraits beside posts. */
import {
  type DomElement,
  type DomNode,
  elementsOf,
  isElement,
  isText,
  nextNode,
} from '../html/dom.ts';
import { isEmptyImageFile } from '../html/lazy-images.ts';
import { urlOf } from '../../core/url/normalize-url.ts';
import type { Transformer } from './transformer.ts';

const limits = {
  longestIconAlt: 60, // characters; longer texts describe a picture
  largestPixel: 1, // pixels; smaller images count readers
  largestIcon: 32, // pixels of the longer side
  leastBadges: 3,
};

/** Removes decorative pictures from the main content; the whole page keeps them. */
export const removeDecoration: Transformer = {
  name: 'removeDecoration',
  elements: ['img'],
  apply({ root, url }, options) {
    if (!options.onlyMainContent) return;
    const wordsFor = wordsForLinks(root, url);
    for (let node: DomNode | null = root.firstChild; node !== null;) {
      const image = isElement(node) && node.localName === 'img' ? node : undefined;
      const isGone = image !== undefined && isDecoration(image);
      const next: DomNode | null = nextNode(node, root, isGone);
      if (isGone) {
        const words = wordsFor(image);
        if (words === undefined) image.remove();
        else image.replaceWith(words);
      }
      node = next;
    }
    removeBadges(root);
  },
};

function isDecoration(image: DomElement): boolean {
  const width = pixels(image, 'width');
  const height = pixels(image, 'height');
  if (Math.min(width, height) <= limits.largestPixel) return true;
  // The source was not resolved to the image that a script would load.
  const src = image.getAttribute('src') ?? '';
  if (isEmptyImageFile(src) || tinyData.test(src)) return true;
  if (portrait.test(image.className) || portrait.test(image.parentElement?.className ?? ''))
    return true;
  if (Math.max(width, height) <= limits.largestIcon && !hasWords(image)) return true;
  return isNamedDecoration(image, src);
}

/** True for a picture whose file name and text mark it as an icon or a background. */
function isNamedDecoration(image: DomElement, src: string): boolean {
  const alt = (image.getAttribute('alt') ?? '').trim();
  if (alt.length > limits.longestIconAlt) return false;
  return (iconAlt.test(alt) || isDecorationFile(src, alt)) && image.closest('figure') === null;
}

function isDecorationFile(src: string, alt: string): boolean {
  const file = /([^/?#]*)(?:[?#].*)?$/s.exec(src.slice(0, 2_000))?.[1] ?? '';
  const isNamed = decorationFile.test(file);
  return isNamed && (alt === '' || /\.svg$/i.test(file) || decorationAlt.test(alt));
}

/** "Rocket icon", "icon-check", "Background rounded left element". */
const iconAlt =
  /(?:^|[\s_-])(?:icon|button)\s*\d*$|^icons?[-_\s]\w+$|^(?:decorative|background)\b/i;
const decorationAlt =
  /\b(?:icon|background|bg|decorati\w*|shape|pattern|divider|separator|arrow|blob|wave)\b/i;
const decorationFile =
  /(?:^|[-_.\s])(?:icons?|ico|bg|background|shape|pattern|divider|separator|arrow|bullet|blob|wave|decoration|decor)\d*(?:[-_.\s]|$)/i;

/** One pixel, or an empty drawing of a certain size. */
const tinyData = /^\s*data:image\/(?:gif|png|svg\+xml)[^,]{0,30},.{0,150}$/is;

/** Class names that forum and blog builders give to the portrait of an author. */
const portrait = /(?:^|\s)(?:user-?|author-?|forum-?)?(?:avatar|gravatar)(?:[-_][\w-]*)?(?:\s|$)/i;

/** Infinity where the page does not say. */
function pixels(image: DomElement, name: 'width' | 'height'): number {
  const value = /^\s*(\d+)(?:px)?\s*$/.exec(image.getAttribute(name) ?? '')?.[1];
  return value === undefined ? Infinity : Number(value);
}

function hasWords(image: DomElement): boolean {
  return ['alt', 'title', 'aria-label'].some((name) => /\S/.test(image.getAttribute(name) ?? ''));
}

// A link that contains only a placeholder picture keeps its text, unless another link has the same target.

/** Gives the text of a removed picture, if its link would otherwise be empty. */
function wordsForLinks(root: DomElement, url: string): (image: DomElement) => DomNode | undefined {
  let named: Set<string> | undefined;
  return (image) => {
    const alt = (image.getAttribute('alt') ?? '').trim();
    const link = tinyData.test(image.getAttribute('src') ?? '') ? linkAlone(image) : undefined;
    const href = link?.getAttribute('href') ?? '';
    if (alt === '' || href === '' || !isOnSite(href, url)) return undefined;
    named ??= namedTargets(root);
    if (named.has(href)) return undefined;
    named.add(href);
    return image.ownerDocument?.createTextNode(alt);
  };
}

/** Links to other sites are advertisements more often than content. */
function isOnSite(href: string, url: string): boolean {
  const host = urlOf(href, url)?.host;
  return host !== undefined && host === urlOf(url)?.host;
}

function namedTargets(root: DomElement): Set<string> {
  const named = new Set<string>();
  for (const link of elementsOf(root)) {
    const href = link.localName === 'a' ? link.getAttribute('href') : null;
    if (href !== null && !named.has(href) && /\S/.test(link.textContent ?? '')) named.add(href);
  }
  return named;
}

/** The link around a picture that has no other content. */
function linkAlone(image: DomElement): DomElement | undefined {
  let around = image.parentElement;
  for (let level = 0; around !== null && level < 4; level++, around = around.parentElement) {
    if (hasOtherContent(around, image)) return undefined;
    if (around.localName === 'a') return around;
  }
  return undefined;
}

function hasOtherContent(box: DomElement, image: DomElement): boolean {
  let left = 20;
  for (let node = box.firstChild; node !== null; node = nextNode(node, box)) {
    if (--left === 0 || (isText(node) && /\S/.test(node.data))) return true;
    if (isElement(node) && node !== image && /^(?:iframe|img|svg|video)$/.test(node.localName))
      return true;
  }
  return false;
}

// Rows of linked pictures without words that lead to different sites: badges of networks and partners.

function removeBadges(root: DomElement): void {
  const badges: DomElement[] = [];
  let row: DomElement | undefined;
  let hosts = new Set<string>();
  let items: DomElement[] = [];
  const settle = (): void => {
    if (hosts.size >= limits.leastBadges && hosts.size === items.length) badges.push(...items);
  };
  for (const image of elementsOf(root)) {
    if (image.localName !== 'img' || hasWords(image)) continue;
    const link = linkAlone(image);
    const host = /^(?:https?:)?\/\/([^/?#]+)/i.exec(link?.getAttribute('href') ?? '')?.[1];
    if (link === undefined || host === undefined || hasWords(link)) continue;
    const item = link.parentElement?.localName === 'li' ? link.parentElement : link;
    if (item.parentElement === null) continue;
    if (item.parentElement !== row) {
      settle();
      row = item.parentElement;
      hosts = new Set();
      items = [];
    }
    hosts.add(host.toLowerCase());
    items.push(item);
  }
  settle();
  for (const badge of badges) badge.remove();
}
