/** Marks by which an element strikes its text through: its name, a class, an inline style. */
import type { DomElement } from './dom.ts';

/** True where the element strikes its own text through; what is around it is not asked. */
export function strikes(element: DomElement): boolean {
  if (struckElements.has(element.localName)) return true;
  const classes = element.getAttribute('class');
  if (classes !== null && struckName.test(classes)) return true;
  const style = element.getAttribute('style');
  return style !== null && struckDeclaration.test(style);
}

export const struckElements: ReadonlySet<string> = new Set(['del', 's', 'strike']);

export const struckDeclaration: RegExp = /text-decoration(?:-line)?\s*:[^;}]*line-through/i;

/** Names of utilities and of themes; not those for a state (`hover:line-through`) or of something else (`strike-highlight`). */
export const struckName: RegExp =
  /(?:^|[\s_-])(?:(?<!no-)line-?through|strike-?through|striked?(?:-?out)?|struck|crossed(?:-?out)?|cross-?out)(?:[-_]{1,2}(?:price|amount|text))?(?:$|\s)|(?:^|\s)cross(?:\s|$)/i;
