/** `div`. */
import type { DomElement } from '../../../html/dom.ts';
import type { Rule } from '../emitter.ts';

/** A paragraph boundary, and a heading by its role. */
export const div: Rule = (element, out) => {
  if (element.getAttribute('role') === 'heading') out.heading(headingLevel(element), element);
  else out.paragraph(element);
};

/** ARIA takes level 2 where none is given. */
function headingLevel(element: DomElement): number {
  const level = Number(element.getAttribute('aria-level') ?? 2);
  return Number.isInteger(level) ? Math.min(Math.max(level, 1), 6) : 2;
}
