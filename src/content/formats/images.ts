/** images: the images of the content, and the images that represent the page elsewhere. */
import { cssUrls, parseSrcset } from '../html/image-urls.ts';
import { type DomElement, elementsOf, attributeOf } from '../html/dom.ts';
import { isEmptyImageFile, lazyBackgrounds, lazySources } from '../html/lazy-images.ts';
import type { HtmlPage } from '../../core/model/page.ts';
import { resolveLink } from '../../core/url/normalize-url.ts';
import { builtInModule, type Format } from './format.ts';

/**
 * Absolute http and https URLs, each once: first images of the head (og:image, twitter:image, icons),
 * then images of the content in document order, lazy ones by their real source. Placeholders are left
 * out, and so are icons, emoji and portraits beside names in the content.
 */
export const images: Format<'images', string[], undefined> = {
  name: 'images',
  needs: 'content',
  showsContent: true,
  worker: builtInModule,
  run(page) {
    if (page.kind !== 'html') return [];
    const found = new Set<string>();
    for (const source of sourcesOf(page)) {
      // The placeholder that cleaning writes for an inlined image is not a URL, nor is a fragment.
      if (source === '<Base64-Image-Removed>' || source.trim().startsWith('#')) continue;
      if (isEmptyImageFile(source)) continue;
      const url = resolveLink(source, page.baseUrl);
      if (url !== undefined) found.add(url.href);
    }
    return [...found];
  },
};

function* sourcesOf(page: HtmlPage): Generator<string, void, undefined> {
  for (const element of elementsOf(page.document.head)) yield* headImage(element);
  for (const element of elementsOf(page.root)) {
    yield* elementImages(element);
    // Backgrounds, masks, and custom properties for a style sheet.
    const style = element.getAttribute('style');
    if (style !== null) yield* imagesOfCss(style);
  }
}

const imageMetas: ReadonlySet<string> = new Set([
  'og:image',
  'og:image:url',
  'og:image:secure_url',
  'twitter:image',
  'twitter:image:src',
  'image',
  'thumbnail',
  'msapplication-tileimage',
]);

function* headImage(element: DomElement): Generator<string, void, undefined> {
  if (element.localName === 'meta') {
    const names = ['property', 'name', 'itemprop'].map((name) => attributeOf(element, name));
    if (names.some((name) => imageMetas.has(name.trim().toLowerCase()))) {
      yield attributeOf(element, 'content');
    }
  } else if (element.localName === 'link') {
    // icon, shortcut icon, apple-touch-icon, apple-touch-icon-precomposed, mask-icon, image_src
    if (/icon|^image_src$/i.test(attributeOf(element, 'rel').trim()))
      yield attributeOf(element, 'href');
  }
}

/** Attributes that hold one URL, or a list of them in the syntax of srcset. */
const imageAttributes: Readonly<Record<string, readonly string[]>> = {
  img: ['src', 'srcset'],
  video: ['poster', 'data-poster'],
  image: ['href', 'xlink:href'],
  body: ['background'],
  table: ['background'],
  td: ['background'],
  th: ['background'],
  tr: ['background'],
};

function* elementImages(element: DomElement): Generator<string, void, undefined> {
  const { localName } = element;
  if (localName === 'source' && element.parentElement?.localName === 'picture') {
    yield* attributeImages(element, ['srcset']);
    yield* lazySources(element);
    yield* attributeImages(element, ['src']);
  } else if (localName === 'input') {
    if (attributeOf(element, 'type').toLowerCase() === 'image') yield attributeOf(element, 'src');
  } else if (localName === 'img' && isIcon(element)) {
    return;
  } else if (Object.hasOwn(imageAttributes, localName)) {
    yield* attributeImages(element, imageAttributes[localName] ?? []);
    if (localName === 'img') yield* lazySources(element);
  } else if (localName === 'object' || localName === 'embed') {
    const name = localName === 'object' ? 'data' : 'src';
    if (/^image\//i.test(attributeOf(element, 'type').trim())) yield attributeOf(element, name);
  }
  yield* lazyBackgrounds(element);
}

const iconSize = 32; // pixels
const pictureSize = 64;

const iconClasses =
  /(?:^|[\s_-])(?:sprites?|icons?|emojis?|smil(?:ey|ies)|wp-smiley|avatars?|gravatar|spacer|pixel|tracking)(?=[\s_-]|$)/i;

/** A folder, or the file's name: `google-pixel.jpg` is a phone, and `avatar-2009.jpg` may be a film. */
const iconPaths =
  /\/(?:sprites?|icons?|emojis?|smil(?:ey|ies)|avatars?)\/|\/(?:avatar|spacer|pixel)\.\w+(?:\?|$)|[/_-](?:sprite|icon|emoji)\.\w+(?:\?|$)/i;

/** True for an image displayed as small as a letter, and for one that is named an icon and not displayed large. */
function isIcon(image: DomElement): boolean {
  const [width, height] = ['width', 'height'].map((name) => {
    const pixels = /^\s*(\d{1,5})(?:px)?\s*$/.exec(attributeOf(image, name))?.[1];
    return pixels === undefined ? undefined : Number(pixels);
  });
  if (width !== undefined && height !== undefined && Math.max(width, height) <= iconSize)
    return true;
  if ((width ?? height ?? 0) > pictureSize) return false;
  const path = attributeOf(image, 'src').replace(/^.*?\/\/[^/]*/, '');
  return iconClasses.test(attributeOf(image, 'class')) || iconPaths.test(path.slice(-300));
}

function* attributeImages(
  element: DomElement,
  names: readonly string[],
): Generator<string, void, undefined> {
  for (const name of names) {
    const value = element.getAttribute(name);
    if (value === null) continue;
    if (name.endsWith('srcset')) yield* parseSrcset(value).map(({ url }) => url);
    // A lazy attribute may hold a template or settings instead of a URL.
    else if (!name.startsWith('data-') || !/[\s{}<>"]/.test(value.trim())) yield value;
  }
}

/** A fragment, empty or the name of a part of an SVG, is not an image. */
function* imagesOfCss(css: string): Generator<string, void, undefined> {
  for (const { url } of cssUrls(css)) if (!url.startsWith('#')) yield url;
}
