/** The attributes and stand-ins that lazy-loading scripts use in place of `src`. */
import { type DomElement, type DomNode, isElement } from '../html/dom.ts';
import { nextNode } from '../html/nodes.ts';
import { parseSrcset } from '../html/srcset.ts';

/**
 * The URL that a lazy-loading script would put in `src`. Attributes of any other name are looked at
 * only where `srcIsMissing`, and count when their value ends like an image file.
 */
export function lazySource(image: DomElement, srcIsMissing: boolean): string | undefined {
  for (const name of sourceAttributes) {
    const value = image.getAttribute(name)?.trim();
    if (value !== undefined && isUrl(value) && !isPlaceholderUrl(value)) return value;
  }
  if (!srcIsMissing) return undefined;
  for (const { name, value } of image.attributes) {
    if (!name.startsWith('data-') || value.length > longestUrl) continue;
    if (imageFile.test(value)) return value.trim();
  }
  return undefined;
}

/** The `srcset` that a lazy-loading script would set, when there is one. */
export function lazySrcset(element: DomElement): string | undefined {
  for (const name of srcsetAttributes) {
    const value = element.getAttribute(name);
    if (value !== null && parseSrcset(value).length > 0) return value;
  }
  return undefined;
}

/** True for what stands in until the image is loaded: tiny data URLs, `blank.gif`, `1x1.png`. */
export function isPlaceholderUrl(url: string): boolean {
  const value = url.trim();
  if (value === '' || value === '#' || value.startsWith('about:')) return true;
  if (scriptValue.test(value)) return true;
  if (/^data:/i.test(value)) return /^data:image\/svg/i.test(value) || value.length < 512;
  return placeholderFile.test(value);
}

/** What scripts write into an attribute in place of nothing. */
const scriptValue = /^(?:false|nan|none|null|true|undefined)$/i;

/** The image of a `<noscript>`, unless it is a tracking pixel. */
export function fallbackImage(noscript: DomElement): DomElement | undefined {
  let steps = 0;
  for (
    let node: DomNode | null = nextNode(noscript, noscript);
    node !== null;
    node = nextNode(node, noscript)
  ) {
    // A fallback is an image and its wrappers; a long noscript is a page of its own.
    if (++steps > 20) return undefined;
    if (isElement(node) && node.localName === 'img') return isTracker(node) ? undefined : node;
  }
  return undefined;
}

const sourceAttributes: readonly string[] = [
  'data-src',
  'data-original',
  'data-lazy-src',
  'data-lazy',
  'data-original-src',
  'data-actualsrc',
  'data-hi-res-src',
  'data-orig-file',
  'data-full-src',
];

const srcsetAttributes: readonly string[] = [
  'data-srcset',
  'data-lazy-srcset',
  'data-original-set',
];

/** Characters; the pattern below takes time with the square of the length. */
const longestUrl = 4_000;

const imageFile = /^\s*[^\s{}"<>]+\.(?:avif|gif|jpe?g|png|svg|webp)(?:[?#][^\s]*)?\s*$/i;

const placeholderFile =
  /(?:^|[/_-])(?:blank|spacer|pixel|transparent|placeholder|loading|lazy|1x1|empty|grey|gray)(?:[-_.][\w-]*)?\.(?:gif|png|svg|jpe?g|webp)(?:[?#]|$)/i;

/** No JSON, no template: `data-src='{"a":1}'` is for a script to read. */
function isUrl(value: string): boolean {
  return value !== '' && !/[\s{}<>"]/.test(value);
}

function isTracker(image: DomElement): boolean {
  const tiny = (name: string): boolean => /^[01](?:px)?$/.test(image.getAttribute(name) ?? '');
  return (
    tiny('width') || tiny('height') || /display:\s*none/i.test(image.getAttribute('style') ?? '')
  );
}
