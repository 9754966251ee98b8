/** `span`. */
import type { Rule } from '../emitter.ts';

/** Transparent, apart from the edit links of MediaWiki. */
export const span: Rule = (element, out) => {
  if (element.hasAttribute('class') && /\bmw-editsection\b/.test(element.className)) return;
  out.children(element);
};
