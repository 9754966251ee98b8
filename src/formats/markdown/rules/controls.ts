/** `input` and `button`: controls are not content, apart from check boxes and headings that open something. */
import type { DomElement } from '../../../html/dom.ts';
import type { Rule } from '../emitter.ts';

/** The check box of a task list: `[x]` at the start of an item. */
export const input: Rule = (element, out) => {
  if (element.getAttribute('type')?.toLowerCase() !== 'checkbox' || !out.atItemStart) return;
  out.run.raw(element.hasAttribute('checked') ? '[x]' : '[ ]');
  out.run.space();
};

/** Dropped, but not where it is the text of a heading, or a question that opens its answer. */
export const button: Rule = (element, out) => {
  if (isInHeading(element)) out.children(element);
  else if (isQuestion(element)) out.paragraph(element);
};

function isInHeading(element: DomElement): boolean {
  let around = element.parentElement;
  for (let level = 0; level < 4 && around !== null; level++, around = around.parentElement) {
    if (/^(?:h[1-6]|dt|summary)$/.test(around.localName)) return true;
    if (around.getAttribute('role') === 'heading') return true;
  }
  return false;
}

/** The button of an accordion has `aria-expanded`, as those of menus have, but more than two words. */
function isQuestion(element: DomElement): boolean {
  if (!element.hasAttribute('aria-expanded')) return false;
  const text = (element.textContent ?? '').trim();
  return /[?？]$/.test(text) || /\S\s+\S+\s+\S/.test(text);
}
