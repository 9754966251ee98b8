/** Finds image URLs in the attributes and placeholders that lazy-loading scripts use in place of `src`. */
import { cssUrls, largestCandidate, parseSrcset } from './image-urls.ts';
import { type DomElement, type DomNode, isElement, nextNode } from './dom.ts';
import { firstDefined } from '../../core/runtime/first-defined.ts';

/**
 * The URL that a lazy-loading script would put in `src`. Attributes that may hold something else are only
 * read if `srcIsMissing`; attributes of any other name count if their value ends like an image file.
 */
export function lazySource(image: DomElement, srcIsMissing: boolean): string | undefined {
  const names = srcIsMissing ? [...sourceAttributes, ...vagueSourceAttributes] : sourceAttributes;
  const source = firstDefined(names, (name) => sourceIn(image, name));
  if (source !== undefined || !srcIsMissing) return source;
  for (const { name, value } of image.attributes) {
    if (!name.startsWith('data-') || value.length > longestUrl) continue;
    if (imageFile.test(value)) return value.trim();
  }
  return undefined;
}

/** All URLs that lazy-loading scripts would find in the attributes of an image. */
export function lazySources(image: DomElement): string[] {
  const srcset = lazySrcset(image) ?? '';
  return [
    ...sourceAttributes.flatMap((name) => sourceIn(image, name) ?? []),
    ...parseSrcset(srcset).map(({ url }) => url),
  ];
}

/** The `srcset` that a lazy-loading script would set, if there is one. */
export function lazySrcset(element: DomElement): string | undefined {
  for (const name of srcsetAttributes) {
    const value = element.getAttribute(name);
    if (value !== null && !/[{}]/.test(value) && parseSrcset(value).length > 0) return value;
  }
  return filledTemplate(element);
}

/** The background images that a script would set on an element. Empty for elements that load something else. */
export function lazyBackgrounds(element: DomElement): string[] {
  if (loaders.has(element.localName)) return [];
  const found: string[] = [];
  for (const { name, value } of element.attributes) {
    if (!name.startsWith('data-') || value.length > longestUrl) continue;
    if (name === 'data-bgset') {
      // lazysizes: sets for conditions in brackets, with bars between them.
      const sets = value.replace(/\[[^\]]*\]/g, '').split('|');
      found.push(...sets.flatMap((set) => parseSrcset(set).map(({ url }) => url)));
    } else if (backgroundAttributes.has(name)) {
      for (const { url } of cssUrls(value)) found.push(url);
      if (isUrl(value.trim()) && isPath.test(value)) found.push(value.trim());
    } else if (sourceAttributes.includes(name) && imageFile.test(value)) {
      found.push(value.trim());
    }
  }
  return found;
}

/** The largest candidate of a `srcset`, placeholders left out. */
export function bestCandidate(srcset: string | null): string | undefined {
  const candidates = parseSrcset(srcset ?? '');
  return largestCandidate(candidates.filter(({ url }) => !isPlaceholderUrl(url)))?.url;
}

/** True for placeholders displayed until the image is loaded: tiny data URLs, `blank.gif`, `1x1.png`. */
export function isPlaceholderUrl(url: string): boolean {
  const value = url.trim();
  if (value === '' || value === '#' || value.startsWith('about:')) return true;
  if (scriptValue.test(value)) return true;
  if (/^data:/i.test(value)) return /^data:image\/svg/i.test(value) || value.length < 512;
  return placeholderFile.test(value) || isEmptyImageFile(value);
}

/** True for the names of empty images, such as `blank.gif` and `1x1.trans.png`. */
export function isEmptyImageFile(url: string): boolean {
  return url.length < longestUrl && emptyImageFile.test(url);
}

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

/** Attributes that always hold the image URL. */
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

/** Attributes that may also hold another picture, an identifier or settings. */
const vagueSourceAttributes: readonly string[] = (
  'lazyload lazy-load flickity-lazyload flickity-lazyload-src echo layzr normal cfsrc ezsrc opt-src ' +
  'image image-src image-url img img-src img-url imgsrc url src-retina large-file large_image defer-src'
)
  .split(' ')
  .map((name) => `data-${name}`);

const srcsetAttributes: readonly string[] = [
  'data-srcset',
  'data-lazy-srcset',
  'data-original-set',
  'data-flickity-lazyload-srcset',
  'data-opt-srcset',
];

const backgroundAttributes: ReadonlySet<string> = new Set(
  (
    'bg bg-src bg-url bg-image bg-img bg-hidpi bg-multi bg-multi-hidpi bg-set bgimage setbg background ' +
    'background-src background-url background-image background-image-set lazy-bg lazy-background ' +
    'lazy-background-image image image-src img-src parallax-image'
  )
    .split(' ')
    .map((name) => `data-${name}`),
);

/** Elements whose `data-src` is not an image, or is already read as one. */
const loaders: ReadonlySet<string> = new Set(
  'audio embed iframe img input link object script source track use video'.split(' '),
);

const longestUrl = 4_000; // characters; the patterns below take time with the square of the length

/** Values that scripts write in place of a missing URL. */
const scriptValue = /^(?:false|nan|none|null|true|undefined)$/i;

const imageFile = /^\s*[^\s{}"<>]+\.(?:avif|gif|jpe?g|png|svg|webp)(?:[?#][^\s]*)?\s*$/i;

/** Neither a number nor the name of a colour: `data-bg="dark"`, `data-background="rgba(0,0,0,.5)"`. */
const isPath = /^[^()]*\/|^[^()]+\.(?:avif|gif|jpe?g|png|svg|webp)(?:[?#]|\s*$)/i;

const placeholderFile =
  /(?:^|[/_-])(?:blank|spacer|pixel|transparent|placeholder|loading|lazy|1x1|empty|grey|gray)(?:[-_.][\w-]*)?\.(?:gif|png|svg|jpe?g|webp)(?:[?#]|$)/i;

const emptyImageFile =
  /(?:^|\/)(?:blank|clear(?=\.gif)|empty|spacer|pixel(?=\.gif|[-_])|trans(?:parent)?|placeholder|lazy(?=[-_.]?(?:load|place|trans|blank))|1x1|1px|loading|loader)(?:[-_.]?(?:1x1|1px|blank|pixel|trans(?:parent)?|placeholder|spacer|image|img|load(?:er|ing)?|\d{1,4}x\d{1,4})){0,3}\.(?:gif|png|svg)(?:[?#]|$)/i;

/** bLazy writes two URLs, for screens of different density. */
function sourceIn(image: DomElement, name: string): string | undefined {
  const value = (image.getAttribute(name) ?? '')
    .trim()
    .replace(/(\.(?:gif|jpe?g|png|webp))\|.*$/i, '$1');
  if (!isUrl(value) || isPlaceholderUrl(value)) return undefined;
  const isVague = !sourceAttributes.includes(name);
  return isVague && !isPath.test(value) ? undefined : value;
}

/** True unless the value is JSON or a template, such as `data-src='{"a":1}'`. */
function isUrl(value: string): boolean {
  return value !== '' && value.length <= longestUrl && !/[\s{}<>"]/.test(value);
}

/** lazysizes: `photo_{width}x.jpg` with the available widths, common in shops. */
function filledTemplate(image: DomElement): string | undefined {
  const template = image.getAttribute('data-src')?.trim() ?? '';
  const parts = template.split(/\{width\}|%7Bwidth%7D/i);
  if (parts.length < 2 || parts.length > 4 || !parts.every((part) => part === '' || isUrl(part))) {
    return undefined;
  }
  const widths = /^\s*\[?([\d\s,]{1,500})\]?\s*$/.exec(
    image.getAttribute('data-widths') ?? '',
  )?.[1];
  const found = (widths ?? '')
    .split(',')
    .map(Number)
    .filter((width) => width > 0);
  if (found.length === 0) return undefined;
  return found.map((width) => `${parts.join(String(width))} ${width}w`).join(', ');
}

function isTracker(image: DomElement): boolean {
  const tiny = (name: string): boolean => /^[01](?:px)?$/.test(image.getAttribute(name) ?? '');
  return (
    tiny('width') || tiny('height') || /display:\s*none/i.test(image.getAttribute('style') ?? '')
  );
}
