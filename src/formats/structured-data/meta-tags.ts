/** The meta tags of a page by name. */
import type { DomDocument } from '../../html/dom.ts';

/** One `<meta property|name|itemprop content>`. */
export interface MetaTag {
  /** Lower-case. A `property` of several names gives one entry each. */
  readonly name: string;
  readonly content: string;
}

const maxTags = 10_000;
/** Each name has the whole content. */
const maxNames = 10;

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
