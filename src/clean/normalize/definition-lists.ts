/** `dl`: the boxes around its groups go. */
import { type DomElement, isElement, isText } from '../../html/dom.ts';
import type { Normalizer } from './normalizer.ts';
import { unwrap } from './replace-element.ts';

/** Terms and definitions become children of the list. */
export const definitionList: Normalizer = (list) => {
  for (let child = list.firstElementChild; child !== null;) {
    const next = child.nextElementSibling;
    if (child.localName === 'div' && holdsOnlyTerms(child)) unwrap(child);
    child = next;
  }
  return list;
};

function holdsOnlyTerms(group: DomElement): boolean {
  let terms = 0;
  for (let child = group.firstChild; child !== null; child = child.nextSibling) {
    if (isText(child) && /\S/.test(child.data)) return false;
    if (!isElement(child)) continue;
    if (child.localName !== 'dt' && child.localName !== 'dd') return false;
    terms++;
  }
  return terms > 0;
}
