/** `div`. */
import type { DomElement } from '../../../html/dom.ts';
import type { Rule } from '../emitter.ts';
import { writeCodeLines } from './code-block.ts';
import { writeRenderedFormula } from './math.ts';

/** A paragraph boundary; also headings by role, rendered formulas and highlighters without a `pre`. */
export const div: Rule = (element, out) => {
  if (element.hasAttribute('class')) {
    const names = element.className;
    if (/MathJax|katex/.test(names) && writeRenderedFormula(element, out)) return;
    if (/(?:^|\s)syntaxhighlighter\b/.test(names) && writeCodeLines(element, out)) return;
  }
  if (element.getAttribute('role') === 'heading') {
    out.heading(headingLevel(element), element);
    return;
  }
  out.paragraph(element);
};

/** ARIA takes level 2 where none is given. */
function headingLevel(element: DomElement): number {
  const level = Number(element.getAttribute('aria-level') ?? 2);
  return Number.isInteger(level) ? Math.min(Math.max(level, 1), 6) : 2;
}
