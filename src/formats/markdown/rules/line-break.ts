/** `br`. */
import type { Rule } from '../emitter.ts';

/** Two spaces at the end of the line; two breaks in a row end the paragraph. */
export const lineBreak: Rule = (_element, out) => {
  out.lineBreak();
};
