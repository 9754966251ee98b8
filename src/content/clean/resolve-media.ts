/** Lazy and responsive media: sets `src` to the URL that a script or a browser would choose. */
import { type DomElement, type DomNode, isElement, nextNode } from '../html/dom.ts';
import {
  bestCandidate,
  fallbackImage,
  isPlaceholderUrl,
  lazySource,
  lazySrcset,
} from '../html/lazy-images.ts';
import type { Transformer } from './transformer.ts';

/** Sets the `src` that a reader would have seen on every image, source, video and frame. */
export const resolveMedia: Transformer = {
  name: 'resolveMedia',
  elements: [
    'img',
    'picture',
    'source',
    'noscript',
    'amp-img',
    'amp-anim',
    'iframe',
    'video',
    'audio',
  ],
  apply({ root }) {
    const pictures: PictureSources = new Map();
    let node: DomNode | null = root;
    while (node !== null) {
      // These elements are replaced by their children.
      const replaced = isElement(node) && replacedElements.has(node.localName);
      const next: DomNode | null = nextNode(node, root, replaced);
      if (isElement(node)) resolveElement(node, pictures);
      node = next;
    }
  },
};

const replacedElements: ReadonlySet<string> = new Set(['noscript', 'amp-img', 'amp-anim']);

/** The best source of each picture: one with many images is searched once. */
type PictureSources = Map<DomElement, string | undefined>;

function resolveElement(element: DomElement, pictures: PictureSources): void {
  switch (element.localName) {
    case 'img':
      return resolveImage(element, pictures);
    case 'picture':
      return completePicture(element);
    case 'source':
      return resolveSource(element);
    case 'noscript':
      return useFallback(element, pictures);
    case 'amp-img':
    case 'amp-anim':
      return replaceAmpImage(element);
    case 'iframe':
    case 'video':
    case 'audio':
      return resolveFrame(element);
    default:
  }
}

function resolveImage(image: DomElement, pictures: PictureSources): void {
  const src = image.getAttribute('src');
  const missing = src === null || isPlaceholderUrl(src);
  const srcset = lazySrcset(image);
  if (srcset !== undefined) image.setAttribute('srcset', srcset);
  const source =
    lazySource(image, missing) ??
    (missing || srcset !== undefined ? bestCandidate(image.getAttribute('srcset')) : undefined) ??
    (missing ? (bestOfPicture(image, pictures) ?? linkedPicture(image)) : undefined);
  if (source !== undefined) image.setAttribute('src', source);
}

/** The picture that the link around a placeholder opens. */
function linkedPicture(image: DomElement): string | undefined {
  const around = image.parentElement;
  const link = around?.localName === 'picture' ? around.parentElement : around;
  const href = link?.localName === 'a' ? (link.getAttribute('href') ?? '') : '';
  return /^[^?#]{1,2000}\.(?:avif|gif|jpe?g|png|webp)(?:[?#]|$)/i.test(href) ? href : undefined;
}

/** Some scripts create the image of a `<picture>`. */
function completePicture(picture: DomElement): void {
  let hasSource = false;
  for (let node = nextNode(picture, picture); node !== null; node = nextNode(node, picture)) {
    if (!isElement(node)) continue;
    if (node.localName !== 'source') return;
    hasSource = true;
  }
  const image = hasSource ? picture.ownerDocument?.createElement('img') : undefined;
  if (image === undefined) return;
  image.setAttribute('alt', picture.getAttribute('data-alt') ?? '');
  picture.append(image);
}

function resolveSource(source: DomElement): void {
  const srcset = lazySrcset(source);
  if (srcset !== undefined) source.setAttribute('srcset', srcset);
  const src = source.getAttribute('data-src');
  if (src !== null && !source.hasAttribute('src')) source.setAttribute('src', src);
}

function resolveFrame(frame: DomElement): void {
  const src = frame.getAttribute('src');
  if (src === null || isPlaceholderUrl(src)) {
    const lazy = frame.getAttribute('data-src') ?? frame.getAttribute('data-lazy-src');
    if (lazy !== null) frame.setAttribute('src', lazy);
  }
  const poster = frame.getAttribute('data-poster');
  if (poster !== null && !frame.hasAttribute('poster')) frame.setAttribute('poster', poster);
}

/** The best of the `<source>` elements of the image's `<picture>`: the first that has a candidate. */
function bestOfPicture(image: DomElement, pictures: PictureSources): string | undefined {
  const picture = image.parentElement;
  if (picture?.localName !== 'picture') return undefined;
  if (!pictures.has(picture)) pictures.set(picture, bestSource(picture));
  return pictures.get(picture);
}

function bestSource(picture: DomElement): string | undefined {
  for (let child = picture.firstChild; child !== null; child = child.nextSibling) {
    if (!isElement(child) || child.localName !== 'source') continue;
    const best = bestCandidate(lazySrcset(child) ?? child.getAttribute('srcset'));
    if (best !== undefined) return best;
  }
  return undefined;
}

/** `<noscript><img …></noscript>`: fills the adjacent placeholder, or replaces itself. */
function useFallback(noscript: DomElement, pictures: PictureSources): void {
  const fallback = fallbackImage(noscript);
  if (fallback === undefined) return;
  const placeholder =
    imageIn(noscript.previousElementSibling) ?? imageIn(noscript.nextElementSibling);
  if (placeholder === undefined) {
    noscript.replaceWith(fallback);
    resolveImage(fallback, pictures);
    removeThumbnails(fallback);
    return;
  }
  resolveImage(placeholder, pictures);
  const src = placeholder.getAttribute('src');
  if (src === null || isPlaceholderUrl(src)) {
    for (const name of ['src', 'srcset', 'alt']) {
      const value = fallback.getAttribute(name);
      if (value !== null && value !== '') placeholder.setAttribute(name, value);
    }
  }
  removeThumbnails(placeholder);
}

/** A lazy image may follow a small, blurred copy of it, displayed until it is loaded. */
function removeThumbnails(image: DomElement): void {
  const src = image.getAttribute('src') ?? '';
  const around = image.parentElement;
  const name = fileName(src);
  if (around === null || !wrappers.has(around.localName) || name.length < 5) return;
  const thumbnails: DomElement[] = [];
  let steps = 0;
  // Nodes after the image were not visited yet.
  for (let node = around.firstChild; node !== null && node !== image;) {
    const element = node;
    node = nextNode(node, around);
    if (++steps > 30) return;
    if (!isElement(element) || element.localName !== 'img') continue;
    const other = element.getAttribute('src') ?? '';
    const isNamed = (element.getAttribute('alt') ?? '') !== '';
    if (!isNamed && other !== src && fileName(other) === name) thumbnails.push(element);
  }
  for (const thumbnail of thumbnails) thumbnail.remove();
}

function fileName(url: string): string {
  return (
    url
      .replace(/[?#].*$/s, '')
      .split('/')
      .at(-1) ?? ''
  );
}

/** The element itself or the one image inside it. */
function imageIn(element: DomElement | null): DomElement | undefined {
  if (element === null) return undefined;
  if (element.localName === 'img') return element;
  if (!wrappers.has(element.localName)) return undefined;
  let found: DomElement | undefined;
  let steps = 0;
  for (let node = nextNode(element, element); node !== null; node = nextNode(node, element)) {
    if (++steps > 20) return undefined;
    if (!isElement(node)) {
      if ((node.textContent ?? '').trim() !== '') return undefined;
    } else if (node.localName === 'img') {
      if (found !== undefined) return undefined;
      found = node;
    }
  }
  return found;
}

const wrappers: ReadonlySet<string> = new Set(['a', 'div', 'figure', 'picture', 'span']);

function replaceAmpImage(element: DomElement): void {
  const image = element.ownerDocument?.createElement('img');
  if (image === undefined) return;
  for (const name of ['src', 'srcset', 'alt', 'title', 'width', 'height', 'class']) {
    const value = element.getAttribute(name);
    if (value !== null && value !== '') image.setAttribute(name, value);
  }
  element.replaceWith(image);
}
