/** `hr`, and the beginnings of pages of a file. */
import type { Rule } from '../emitter.ts';

/** `---`, but not as the first thing: there it would begin a list item's dashes or a front matter. */
export const thematicBreak: Rule = (element, out) => {
  out.flush();
  const page = element.getAttribute('data-page');
  if (page !== null && !out.inCell && /^\d{1,6}$/.test(page)) {
    out.block(`<!-- page ${page} -->`);
    return;
  }
  if (!out.inCell && out.writer.level.used) out.block('---');
};
