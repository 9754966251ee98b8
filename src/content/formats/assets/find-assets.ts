/** The images and linked files of a cleaned page. Plain data in and out: it runs in a worker. */
import { type DomElement, elementsOf } from '../../html/dom.ts';
import { bestCandidate, isPlaceholderUrl } from '../../html/lazy-images.ts';
import type { Page } from '../../../core/model/page.ts';
import { fileExtension } from '../../../core/url/path-kind.ts';
import { resolveLink } from '../../../core/url/normalize-url.ts';
import { hrefsOf } from '../links.ts';

/** The kinds of assets to find. */
export interface WantedAssets {
  readonly images: boolean;
  /** Extensions in lower case. */
  readonly files: readonly string[];
  readonly maxCount: number;
}

/** An image or a file that a page refers to. */
export interface FoundAsset {
  readonly kind: 'image' | 'file';
  /** Absolute; for an image, its best candidate. */
  readonly url: string;
  /** The URL in the page's markdown and HTML, where it differs. */
  readonly src?: string;
  readonly alt?: string;
  /** The extension that selected the file. */
  readonly extension?: string;
}

/** The assets of a page. */
export interface FoundAssets {
  readonly found: readonly FoundAsset[];
  /** The number of further assets. */
  readonly leftOut: number;
}

const longestAlt = 1_000; // characters of an `alt`

/** In the order of the page, images first; each pair of URLs once. */
export function findAssets(page: Page, wanted: WantedAssets): FoundAssets {
  const found = new Map<string, FoundAsset>();
  let leftOut = 0;
  for (const asset of assetsIn(page, wanted)) {
    const key = `${asset.url} ${asset.src ?? ''}`;
    if (found.has(key)) continue;
    if (found.size < wanted.maxCount) found.set(key, asset);
    else leftOut += 1;
  }
  return { found: [...found.values()], leftOut };
}

function* assetsIn(page: Page, { images, files }: WantedAssets): Generator<FoundAsset> {
  if (images && page.kind === 'html') {
    for (const element of elementsOf(page.root)) {
      const asset = imageIn(element, page.baseUrl);
      if (asset !== undefined) yield asset;
    }
  }
  if (files.length === 0) return;
  for (const href of hrefsOf(page)) {
    const url = resolveLink(href, page.baseUrl);
    const extension = url && fileExtension(url.pathname);
    if (url === undefined || extension === undefined || !files.includes(extension)) continue;
    url.hash = '';
    yield { kind: 'file', url: url.href, extension };
  }
}

/** The image of an `img`, or the poster of a `video`. */
function imageIn(element: DomElement, base: string): FoundAsset | undefined {
  if (element.localName === 'video') {
    const poster = imageUrl(element.getAttribute('poster'), base);
    return poster === undefined ? undefined : { kind: 'image', url: poster };
  }
  if (element.localName !== 'img') return undefined;
  const src = imageUrl(element.getAttribute('src'), base);
  const url = imageUrl(bestSource(element), base) ?? src;
  if (url === undefined) return undefined;
  const alt = element.getAttribute('alt')?.trim().slice(0, longestAlt);
  return {
    kind: 'image',
    url,
    ...(src === undefined || src === url ? {} : { src }),
    ...(alt ? { alt } : {}),
  };
}

/** The largest image of the first source that a browser would choose, else of the image itself. */
function bestSource(image: DomElement): string | undefined {
  const picture = image.parentElement?.localName === 'picture' ? image.parentElement : undefined;
  const sources = [...(picture?.children ?? [])].filter(({ localName }) => localName === 'source');
  for (const element of [...sources, image]) {
    const best = bestCandidate(element.getAttribute('srcset'));
    if (best !== undefined) return best;
  }
  return undefined;
}

/** The http or https URL of an image; undefined for inlined images, fragments and placeholders. */
function imageUrl(value: string | null | undefined, base: string): string | undefined {
  if (value === null || value === undefined || isPlaceholderUrl(value)) return undefined;
  if (value === '<Base64-Image-Removed>' || value.trim().startsWith('#')) return undefined;
  const url = resolveLink(value, base);
  if (url === undefined) return undefined;
  url.hash = '';
  return url.href;
}
