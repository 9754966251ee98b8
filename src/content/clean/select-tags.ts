/** The options includeTags and excludeTags: the caller's own choice of elements. */
import type { DomElement } from '../html/dom.ts';
import type { Transformer } from './transformer.ts';

/**
 * Keeps the elements that `includeTags` matches, in document order and once, without matches of
 * `excludeTags`.
 *
 * Both are matched against the original page, so that `main > .note` means the same in either list.
 */
export const selectTags: Transformer = {
  name: 'selectTags',
  apply({ root, warnings }, { includeTags, excludeTags }) {
    const excluded = matchAll(root, excludeTags);
    const included = includeTags.length === 0 ? undefined : outermost(matchAll(root, includeTags));
    for (const element of excluded) {
      if (element === root) clear(root);
      else element.remove();
    }
    if (included === undefined) return;
    const selected = included.filter((element) => root.contains(element));
    if (selected.length === 0) {
      warnings.push(`includeTags matched nothing: ${includeTags.join(', ')}`);
      clear(root);
    } else if (selected[0] !== root) {
      clear(root);
      for (const element of selected) root.appendChild(element);
    }
  },
};

/** Every match of any selector, in document order. A selector that cannot be used matches nothing. */
function matchAll(root: DomElement, selectors: readonly string[]): DomElement[] {
  const usable = selectors.filter((selector) => isUsable(root, selector));
  if (usable.length === 0) return [];
  const any = usable.join(', ');
  const below = [...root.querySelectorAll(any)];
  return root.matches(any) ? [root, ...below] : below;
}

function isUsable(root: DomElement, selector: string): boolean {
  try {
    root.matches(selector);
    return true;
  } catch {
    return false;
  }
}

/** Drops nested matches: the list is in document order, so comparing with the last selected one is enough. */
function outermost(elements: readonly DomElement[]): DomElement[] {
  const selected: DomElement[] = [];
  for (const element of elements) {
    if (selected.at(-1)?.contains(element) !== true) selected.push(element);
  }
  return selected;
}

function clear(root: DomElement): void {
  while (root.firstChild !== null) root.removeChild(root.firstChild);
}
