/** `rt` in `ruby`. */
import type { Rule } from '../emitter.ts';

/** The reading in parentheses after its base. The page's own fallback parentheses (`rp`) are dropped. */
export const reading: Rule = (element, out) => {
  if (!/\S/.test(element.textContent ?? '')) return;
  out.run.text('(');
  out.children(element);
  out.run.text(')');
};
