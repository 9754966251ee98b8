/** `q`. */
import type { Rule } from '../emitter.ts';

/** Quotation marks, as browsers add them. */
export const quotation: Rule = (element, out) => {
  out.run.text('“');
  out.children(element);
  out.run.text('”');
};
