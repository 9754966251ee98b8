/** Recognizes elements that strike their text through, by name, class or inline style. */
import type { DomElement } from './dom.ts';

/** True if the element strikes its own text through; ancestors are not checked. */
export function strikes(element: DomElement): boolean {
  if (struckElements.has(element.localName)) return true;
  const classes = element.getAttribute('class');
  if (classes !== null && struckName.test(classes)) return true;
  const style = element.getAttribute('style');
  return style !== null && struckDeclaration.test(style);
}

export const struckElements: ReadonlySet<string> = new Set(['del', 's', 'strike']);

export const struckDeclaration: RegExp = /text-decoration(?:-line)?\s*:[^;}]*line-through/i;

/** Class names of utilities and themes; not for states (`hover:line-through`) or other things (`strike-highlight`). */
export const struckName: RegExp =
  /(?:^|[\s_-])(?:(?<!no-)line-?through|strike-?through|striked?(?:-?out)?|struck|crossed(?:-?out)?|cross-?out)(?:[-_]{1,2}(?:price|amount|text))?(?:$|\s)|(?:^|\s)cross(?:\s|$)/i;
