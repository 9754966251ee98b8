/** `dt` and `dd`. */
import { elementsOf } from '../../../html/nodes.ts';
import type { Rule } from '../emitter.ts';

/**
 * A bold line; its definitions follow as lines that begin with `: `, which reads well as it is
 * and is a definition list in the dialects of markdown that have them.
 */
export const term: Rule = (element, out) => {
  if (element.previousElementSibling?.localName === 'dt') out.lineBreak();
  else out.boundary();
  for (const inner of elementsOf(element)) {
    if (/^(?:h[1-6]|p|div|ul|ol|table|pre)$/.test(inner.localName)) {
      out.paragraph(element);
      return;
    }
  }
  out.run.wrap({ kind: 'strong' }, () => out.children(element));
};

/** A definition; further blocks in it follow as ordinary blocks. */
export const definition: Rule = (element, out) => {
  const follows = element.previousElementSibling?.localName;
  if (out.run.isEmpty ? follows === 'dd' : follows === 'dd' || follows === 'dt') {
    out.run.break();
    out.run.lead(': ');
  } else {
    out.boundary();
  }
  out.children(element);
  out.run.lead('');
  if (element.nextElementSibling?.localName !== 'dd') out.boundary();
};
