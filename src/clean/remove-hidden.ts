/** Elements that the page itself hides from its readers. */
import { type DomElement, type DomNode, isElement, isText } from '../html/dom.ts';
import { nextNode } from '../html/nodes.ts';
import { isMarkedHidden } from './marked-hidden.ts';
import type { Transformer } from './transformer.ts';

/**
 * Removes hidden elements, also where the whole page is wanted: nobody reads them, and text that is
 * hidden on purpose is written for programs. What `includeTags` named stays: the caller asked for
 * it. A page that hides all its text until its script has run is left alone.
 */
export const removeHidden: Transformer = {
  name: 'removeHidden',
  apply({ root }, options) {
    const chosen = options.includeTags.length > 0;
    const hidden: DomElement[] = [];
    let controlled: Set<string> | undefined;
    let hasVisibleText = false;
    for (let node: DomNode | null = root.firstChild; node !== null;) {
      let skip = false;
      if (isText(node)) hasVisibleText ||= /\S/.test(node.data);
      else if (isElement(node) && isHidden(node) && !(chosen && node.parentNode === root)) {
        controlled ??= controlledIds(root);
        skip = !isPanel(node, controlled);
        if (skip) hidden.push(node);
      }
      node = nextNode(node, root, skip);
    }
    if (hasVisibleText) for (const element of hidden) element.remove();
  },
};

function isHidden(element: DomElement): boolean {
  if (isMarkedHidden(element)) return true;
  return element.getAttribute('aria-hidden') === 'true' && !hasMeaning(element);
}

/** The ids that a button or tab of the page opens. */
function controlledIds(root: DomElement): Set<string> {
  const ids = new Set<string>();
  for (let node: DomNode | null = root; node !== null; node = nextNode(node, root)) {
    if (!isElement(node)) continue;
    for (const name of controlAttributes) {
      const value = node.getAttribute(name);
      if (value === null) continue;
      for (const id of value.split(/\s+/)) ids.add(id.replace(/^#/, ''));
    }
  }
  return ids;
}

const controlAttributes: readonly string[] = ['aria-controls', 'data-target', 'data-bs-target'];

/** A tab or an accordion's panel: one click of the reader shows it. */
function isPanel(element: DomElement, controlled: ReadonlySet<string>): boolean {
  const role = element.getAttribute('role');
  if (role === 'tabpanel' || (role === 'region' && element.hasAttribute('aria-labelledby')))
    return true;
  if (role === 'dialog' || role === 'menu') return false;
  const id = element.getAttribute('id');
  return id !== null && id !== '' && (controlled.has(id) || /^S:[0-9a-f]+$/.test(id));
}

/** `aria-hidden` also marks what is drawn for the eye only: formulas, prices, icons with text. */
function hasMeaning(element: DomElement): boolean {
  const name = element.localName;
  if (name === 'math' || name.startsWith('mjx-')) return true;
  if (/\b(?:katex|MathJax|mwe-math|math)/i.test(element.getAttribute('class') ?? '')) return true;
  return inline.has(name) && hasText(element);
}

const inline: ReadonlySet<string> = new Set([
  'a',
  'b',
  'code',
  'em',
  'i',
  'span',
  'strong',
  'sub',
  'sup',
]);

function hasText(element: DomElement): boolean {
  for (let node = nextNode(element, element); node !== null; node = nextNode(node, element)) {
    if (isText(node) && /[\p{L}\p{N}]/u.test(node.data)) return true;
  }
  return false;
}
