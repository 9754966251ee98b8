/** `input`: controls are not content, apart from check boxes. */
import type { Rule } from '../emitter.ts';

/** The check box of a task list: `[x]` at the start of an item. */
export const input: Rule = (element, out) => {
  if (element.getAttribute('type')?.toLowerCase() !== 'checkbox' || !out.atItemStart) return;
  out.run.raw(element.hasAttribute('checked') ? '[x]' : '[ ]');
  out.run.space();
};
