/** `math`, and what KaTeX, MathJax and MediaWiki make of formulas. */
import { type DomElement, isElement, isText } from '../../../html/dom.ts';
import type { Emitter, Rule } from '../emitter.ts';
import { findInside, writeFormula, writeMathml } from '../formula.ts';

/** A formula in MathML. */
export const math: Rule = (element, out) => {
  writeMathml(element, false, out);
};

/** MathJax 3 and 4: the formula is in the assistive MathML. */
export const mathjaxContainer: Rule = (element, out) => {
  const inner = findInside(element, 'math', out.failed);
  if (inner) writeMathml(inner, element.getAttribute('display') === 'true', out);
};

/** MathJax 2 keeps the TeX in a script. All other scripts are dropped. */
export const script: Rule = (element, out) => {
  const type = element.getAttribute('type') ?? '';
  if (type.startsWith('math/tex')) {
    writeFormula(element.textContent ?? '', type.includes('display'), out);
  }
};

/** Writes the formula that a `span` or `div` of these libraries shows. False when it is none. */
export function writeRenderedFormula(element: DomElement, out: Emitter): boolean {
  const names = element.className;
  if (/\bMathJax(?:_|\b)/.test(names)) return writeMathjax(element, out);
  if (/\bkatex(?:-display)?(?:\s|$)|\bmwe-math-element\b/.test(names)) {
    const inner = findInside(element, 'math', out.failed);
    if (inner) writeMathml(inner, /\bkatex-display\b/.test(names), out);
    return inner !== undefined;
  }
  return false;
}

/** What MathJax 2 draws is dropped: its TeX follows in a script or as text, or else it carries MathML. */
function writeMathjax(element: DomElement, out: Emitter): boolean {
  if (/\bMathJax_Preview\b/.test(element.className)) return true;
  for (let next = element.nextSibling; next !== null; next = next.nextSibling) {
    if (isText(next) && !/\S/.test(next.data)) continue;
    const isTex = isText(next)
      ? /^\s*\\[([]/.test(next.data)
      : isElement(next) && /^math\/tex/.test(next.getAttribute('type') ?? '');
    if (isTex) return true;
    break;
  }
  const inner = findInside(element, 'math', out.failed);
  if (inner) writeMathml(inner, /_Display\b/.test(element.className), out);
  return inner !== undefined;
}
