/** `b`, `strong`, `em`, `i`, `del`, `s`, `strike`. */
import type { DomElement } from '../../../html/dom.ts';
import type { Rule } from '../emitter.ts';

/** `**bold**`; not where the style says that it is none, as pasted documents do around everything. */
export const strong: Rule = (element, out) => {
  if (hasStyle(element, /font-weight:\s*(?:normal|[1-4]00)\b/)) out.children(element);
  else out.run.wrap({ kind: 'strong' }, () => out.children(element));
};

/** `*italic*`. */
export const emphasis: Rule = (element, out) => {
  if (hasStyle(element, /font-style:\s*normal\b/)) out.children(element);
  else out.run.wrap({ kind: 'emphasis' }, () => out.children(element));
};

/** `~~struck~~`. */
export const strike: Rule = (element, out) => {
  out.run.wrap({ kind: 'strike' }, () => out.children(element));
};

function hasStyle(element: DomElement, pattern: RegExp): boolean {
  const style = element.getAttribute('style');
  return style !== null && pattern.test(style);
}
