/** The title of a page that is no heading: doxygen and Haddock write it into a `div` or a `p`. */
import type { DomElement } from '../../html/dom.ts';
import { type Normalizer, replaceElement } from './normalizer.ts';

/** Becomes an `h1`. */
export const pageTitle: Normalizer = (element) => {
  if (element.localName !== 'div' && element.localName !== 'p') return undefined;
  const around = element.parentElement;
  if (around === null || !isTitle(element, around)) return undefined;
  return replaceElement(element, 'h1');
};

function isTitle(element: DomElement, around: DomElement): boolean {
  return (
    (/(?:^|\s)title(?:\s|$)/.test(element.className) &&
      /(?:^|\s)headertitle(?:\s|$)/.test(around.className)) ||
    (/(?:^|\s)caption(?:\s|$)/.test(element.className) && around.id === 'module-header')
  );
}
