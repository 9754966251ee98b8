/** OpenGraph: `og:*` and its sister vocabularies, with images, videos and sounds as objects. */
import { isSafeKey } from './safe-key.ts';
import type { DomDocument } from '../../html/dom.ts';
import { readMetaTags } from './meta-tags.ts';
import { absoluteUrl } from './property-value.ts';

/** An `og:image`, `og:video` or `og:audio` with the properties that follow it. */
export interface OpenGraphMedia {
  /** Absolute. */
  url: string;
  /** Absolute: `og:image:secure_url`. */
  secureUrl?: string;
  /** The media type: `image/png`. */
  type?: string;
  /** Pixels. */
  width?: number;
  /** Pixels. */
  height?: number;
  alt?: string;
}

/**
 * `og:*` properties without the prefix (`title`, `site_name`, `locale:alternate`); those of other
 * vocabularies in full (`article:published_time`, `product:price:amount`). A repeated property is an
 * array. `image`, `video` and `audio` are always arrays of objects.
 */
export interface OpenGraph {
  image?: OpenGraphMedia[];
  video?: OpenGraphMedia[];
  audio?: OpenGraphMedia[];
  [property: string]: string | string[] | OpenGraphMedia[] | undefined;
}

/** Prefixes of https://ogp.me and of the vocabularies used beside it. */
const vocabularies = new Set(
  'og article product book profile music video fb business place restaurant books'.split(' '),
);

/** Reads `property`, and `name`, which many pages use in its place. */
export function readOpenGraph(document: DomDocument, baseUrl: string): OpenGraph {
  const result = Object.create(null) as OpenGraph;
  for (const { name, content } of readMetaTags(document)) {
    const colon = name.indexOf(':');
    if (colon === -1 || !vocabularies.has(name.slice(0, colon))) continue;
    const key = name.startsWith('og:') ? name.slice(3) : name;
    if (!isSafeKey(key)) continue;
    const [kind = '', part = 'url', ...deeper] = key.split(':');
    if (name.startsWith('og:') && isMedia(kind) && deeper.length === 0) {
      addMedia((result[kind] ??= []), part, content, baseUrl);
    } else {
      add(result, key, urlProperties.has(key) ? absoluteUrl(content, baseUrl) : content);
    }
  }
  return result;
}

const urlProperties = new Set(['url', 'see_also']);

function isMedia(kind: string): kind is 'image' | 'video' | 'audio' {
  return kind === 'image' || kind === 'video' || kind === 'audio';
}

/** A structured property belongs to the last root tag before it (https://ogp.me, "Arrays"). */
function addMedia(list: OpenGraphMedia[], part: string, content: string, baseUrl: string): void {
  const last = list.at(-1);
  if (part === 'url') {
    const url = absoluteUrl(content, baseUrl);
    // `og:image` followed by the same `og:image:url` is one image.
    if (last?.url === '') last.url = url;
    else if (last?.url !== url) list.push({ url });
    return;
  }
  const media = last ?? { url: '' };
  if (last === undefined) list.push(media);
  if (part === 'secure_url') {
    media.secureUrl = absoluteUrl(content, baseUrl);
    if (media.url === '') media.url = media.secureUrl;
  } else if (part === 'width' || part === 'height') {
    const pixels = Number.parseInt(content, 10);
    if (pixels >= 0) media[part] = pixels;
  } else if (part === 'type' || part === 'alt') {
    media[part] = content;
  }
}

function add(result: OpenGraph, key: string, content: string): void {
  const known = result[key] as string | string[] | undefined;
  if (known === undefined) result[key] = content;
  else if (Array.isArray(known)) known.push(content);
  else result[key] = [known, content];
}
