/** `span`. */
import type { Rule } from '../emitter.ts';
import { writeRenderedFormula } from './math.ts';

/** Transparent, apart from rendered formulas and the edit and back links of MediaWiki. */
export const span: Rule = (element, out) => {
  if (element.hasAttribute('class')) {
    const names = element.className;
    if (/\bmw-(?:editsection|cite-backlink)\b/.test(names)) return;
    if (/MathJax|katex|mwe-math/.test(names) && writeRenderedFormula(element, out)) return;
  }
  out.children(element);
};
