/** `blockquote`. */
import type { Rule } from '../emitter.ts';

/** Every line begins with `>`. */
export const blockquote: Rule = (element, out) => {
  if (out.inCell) {
    out.paragraph(element);
    return;
  }
  out.inside(out.writer.newLevel('quote', '> ', '> '), () => out.children(element));
};
