/** `a`. */
import type { DomElement } from '../../../html/dom.ts';
import { elementsOf } from '../../../html/nodes.ts';
import { blockElements } from '../block-elements.ts';
import type { Emitter, Rule } from '../emitter.ts';

/**
 * `[text](absolute URL "title")`.
 *
 * Links without a target, placeholders (`#`) and scripts are text. Around blocks (a card with a
 * picture, a heading and a teaser) the heading, or else the first text, becomes the link.
 */
export const link: Rule = (element, out) => {
  const href = element.getAttribute('href');
  if (href === null || out.inLink) {
    out.children(element);
    return;
  }
  const label = out.footnotes.labelOfReference(element);
  if (label !== undefined) {
    out.run.raw(`[^${label}]`);
    return;
  }
  // A link on the page inside of a heading leads to the heading itself; the note of a reference is gone.
  const isText = out.inHeading && out.urls.isOnPage(href);
  if (isText || element.hasAttribute('data-footnote-ref')) {
    out.children(element);
    return;
  }
  const url = out.urls.link(href);
  if (url === undefined) out.children(element);
  else write(element, url, out);
};

function write(element: DomElement, url: string, out: Emitter): void {
  const mark = { kind: 'link', url, title: element.getAttribute('title') ?? '' } as const;
  if (!out.inCell && !out.inHeading) {
    const blocks = findBlocks(element);
    if (blocks.any) {
      out.card(mark, element, blocks.heading);
      return;
    }
  }
  out.run.wrap(mark, () => out.children(element));
}

interface Blocks {
  readonly any: boolean;
  /** The first heading with text. */
  readonly heading: DomElement | undefined;
}

function findBlocks(link: DomElement): Blocks {
  let any = false;
  for (const element of elementsOf(link)) {
    if (/^h[1-6]$/.test(element.localName) && /\S/.test(element.textContent ?? '')) {
      return { any: true, heading: element };
    }
    any ||= blockElements.has(element.localName);
  }
  return { any, heading: undefined };
}
