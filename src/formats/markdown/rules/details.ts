/** `summary` of `details`. */
import { elementsOf } from '../../../html/nodes.ts';
import type { Rule } from '../emitter.ts';

/** A bold line, unless it holds a heading; what it opens follows as ordinary blocks. */
export const summary: Rule = (element, out) => {
  out.boundary();
  for (const inner of elementsOf(element)) {
    if (/^h[1-6]$/.test(inner.localName)) {
      out.paragraph(element);
      return;
    }
  }
  out.run.wrap({ kind: 'strong' }, () => out.children(element));
  out.boundary();
};
