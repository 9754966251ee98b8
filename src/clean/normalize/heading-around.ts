/** The heading that a link or a button belongs to. */
import type { DomElement } from '../../html/dom.ts';

/** The heading, term or summary that the element stands in, by tag or role. */
export function headingAround(element: DomElement): DomElement | undefined {
  let around = element.parentElement;
  for (let level = 0; level < 4 && around !== null; level++, around = around.parentElement) {
    if (/^(?:h[1-6]|dt|summary)$/.test(around.localName)) return around;
    if (around.getAttribute('role') === 'heading') return around;
  }
  return undefined;
}
