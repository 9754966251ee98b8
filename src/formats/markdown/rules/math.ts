/** `math`. */
import type { Rule } from '../emitter.ts';
import { writeFormula } from '../formula.ts';

/** A formula, from the TeX that cleaning left in `alttext`. */
export const math: Rule = (element, out) => {
  const tex = element.getAttribute('alttext') ?? element.textContent ?? '';
  writeFormula(tex, element.getAttribute('display') === 'block', out);
};
