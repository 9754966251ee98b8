/** `video`, `audio`, `iframe`, `embed`, `object`. */
import { type DomElement, isElement } from '../../../html/dom.ts';
import type { Emitter, Rule } from '../emitter.ts';

/** A link to what is embedded. Frames too small to be seen are dropped. */
export const media: Rule = (element, out) => {
  const url = sourceOf(element, out);
  if (url === undefined || !/^https?:/i.test(url)) {
    // Without a source the content of an `object` is what is shown.
    if (element.localName === 'object') out.children(element);
    return;
  }
  if (element.localName === 'iframe' && isInvisible(element)) return;
  out.run.wrap({ kind: 'link', url, title: '' }, () => out.run.text(nameOf(element, url)));
};

function sourceOf(element: DomElement, out: Emitter): string | undefined {
  const own = element.getAttribute(element.localName === 'object' ? 'data' : 'src');
  if (own !== null) return out.urls.source(own);
  for (let child = element.firstChild; child !== null; child = child.nextSibling) {
    if (isElement(child) && child.localName === 'source') {
      return out.urls.source(child.getAttribute('src'));
    }
  }
  return undefined;
}

function isInvisible(frame: DomElement): boolean {
  const isTiny = (size: string | null): boolean =>
    size !== null && /^\s*[01](?:px)?\s*$/.test(size);
  return (
    isTiny(frame.getAttribute('width')) ||
    isTiny(frame.getAttribute('height')) ||
    /display:\s*none|visibility:\s*hidden/.test(frame.getAttribute('style') ?? '')
  );
}

/** What the page calls it, or what it is; for a frame where it comes from. */
function nameOf(element: DomElement, url: string): string {
  const name = element.getAttribute('title') ?? element.getAttribute('aria-label') ?? '';
  if (name.trim() !== '') return name;
  if (element.localName === 'video') return 'Video';
  if (element.localName === 'audio') return 'Audio';
  return /^https?:\/\/(?:www\.)?([^/?#]+)/i.exec(url)?.[1] ?? url;
}
