/** `sub` and `sup`. */
import { type DomElement, isElement } from '../../../html/dom.ts';
import type { Emitter, Rule } from '../emitter.ts';

/** Markdown has no form of its own: the HTML tags stay. */
export const subscript: Rule = (element, out) => {
  out.run.wrap({ kind: 'sub' }, () => out.children(element));
};

/** As `sub`; around references to footnotes nothing is needed. */
export const superscript: Rule = (element, out) => {
  if (holdsReference(element, out)) out.children(element);
  else out.run.wrap({ kind: 'sup' }, () => out.children(element));
};

function holdsReference(element: DomElement, out: Emitter): boolean {
  for (let child = element.firstChild; child !== null; child = child.nextSibling) {
    if (!isElement(child)) continue;
    const link = child.localName === 'a' ? child : child.firstElementChild;
    if (link?.localName === 'a' && out.footnotes.labelOfReference(link) !== undefined) return true;
  }
  return false;
}
