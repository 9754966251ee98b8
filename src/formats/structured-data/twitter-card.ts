/** Twitter cards: `twitter:*` meta tags. */
import type { DomDocument } from '../../html/dom.ts';
import { readMetaTags } from './meta-tags.ts';
import { absoluteUrl } from './property-value.ts';
import { isSafeKey } from './safe-key.ts';

const urlProperties = new Set(['image', 'image:src', 'url', 'player', 'player:stream']);

/** The properties without `twitter:`; the first of each wins; image and player URLs are absolute. */
export function readTwitterCard(document: DomDocument, baseUrl: string): Record<string, string> {
  const card = Object.create(null) as Record<string, string>;
  for (const { name, content } of readMetaTags(document)) {
    if (!name.startsWith('twitter:')) continue;
    const key = name.slice('twitter:'.length);
    if (!isSafeKey(key)) continue;
    card[key] ??= urlProperties.has(key) ? absoluteUrl(content, baseUrl) : content;
  }
  return card;
}
