/** `h1` to `h6`. */
import type { Rule } from '../emitter.ts';

/** A heading on one line; its level is in the tag name. */
export const heading: Rule = (element, out) => {
  out.heading(Number(element.localName.slice(1)), element);
};
