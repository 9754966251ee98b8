/** `hr`. */
import type { Rule } from '../emitter.ts';

/** `---`, but not as the first thing: there it would begin a list item's dashes or a front matter. */
export const thematicBreak: Rule = (_element, out) => {
  out.flush();
  if (!out.inCell && out.writer.level.used) out.block('---');
};
