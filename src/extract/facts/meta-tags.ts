/** Reads meta tags by name, with OpenGraph and Twitter cards as objects. */
import type { DomDocument } from '../../content/html/dom.ts';
import { absoluteUrl, isSafeKey } from './element-text.ts';

/** One `<meta property|name|itemprop content>`. */
export interface MetaTag {
  /** Lower-case. A `property` with several names gives one entry for each. */
  readonly name: string;
  readonly content: string;
}

const maxTags = 10_000;
const maxNames = 10; // the content is copied for each name

/** Meta tags that have a name and a content, in document order; at most 10,000. */
export function readMetaTags(document: DomDocument): MetaTag[] {
  const tags: MetaTag[] = [];
  for (const meta of document.querySelectorAll('meta[content]')) {
    const content = (meta.getAttribute('content') ?? '').trim();
    if (content === '') continue;
    const names = `${meta.getAttribute('property') ?? ''} ${meta.getAttribute('name') ?? ''}`;
    const different = new Set(names.toLowerCase().split(/\s+/).filter(Boolean));
    for (const name of [...different].slice(0, maxNames)) tags.push({ name, content });
    if (tags.length >= maxTags) break;
  }
  return tags;
}

// OpenGraph: `og:*` and its sister vocabularies, with images, videos and sounds as objects.

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
 * `og:*` properties without the prefix (`title`, `site_name`, `locale:alternate`); properties of other
 * vocabularies in full (`article:published_time`, `product:price:amount`). A repeated property is an
 * array. `image`, `video` and `audio` are always arrays of objects.
 */
export interface OpenGraph {
  image?: OpenGraphMedia[];
  video?: OpenGraphMedia[];
  audio?: OpenGraphMedia[];
  [property: string]: string | string[] | OpenGraphMedia[] | undefined;
}

/** Prefixes of https://ogp.me and of the vocabularies used with it. */
const vocabularies = new Set(
  'og article product book profile music video fb business place restaurant books'.split(' '),
);

/** Reads `property`, and `name`, which many pages use instead. */
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
      add(result, key, urlsOfOpenGraph.has(key) ? absoluteUrl(content, baseUrl) : content);
    }
  }
  return result;
}

const urlsOfOpenGraph = new Set(['url', 'see_also']);

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

// Twitter cards: `twitter:*` meta tags.

const urlsOfTwitterCard = new Set(['image', 'image:src', 'url', 'player', 'player:stream']);

/** The properties without `twitter:`; the first of each wins; image and player URLs are absolute. */
export function readTwitterCard(document: DomDocument, baseUrl: string): Record<string, string> {
  const card = Object.create(null) as Record<string, string>;
  for (const { name, content } of readMetaTags(document)) {
    if (!name.startsWith('twitter:')) continue;
    const key = name.slice('twitter:'.length);
    if (!isSafeKey(key)) continue;
    card[key] ??= urlsOfTwitterCard.has(key) ? absoluteUrl(content, baseUrl) : content;
  }
  return card;
}
