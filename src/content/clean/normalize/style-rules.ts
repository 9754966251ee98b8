/** Elements with a certain declaration in the page's own style sheets. */
import type { DomElement } from '../../html/dom.ts';

const mostRules = 50; // that are read
const longestSelector = 300;

/** `declaration` must contain `word`, which selects the style sheets worth reading. */
export function elementsByStyleSheet(
  sheets: readonly DomElement[],
  root: DomElement,
  word: string,
  declaration: RegExp,
): ReadonlySet<DomElement> {
  const found = new Set<DomElement>();
  let left = mostRules;
  for (const sheet of sheets) {
    const css = sheet.textContent ?? '';
    if (!css.includes(word)) continue;
    for (const { index } of css.matchAll(new RegExp(declaration, 'gi'))) {
      if (--left < 0) return found;
      const brace = css.lastIndexOf('{', index);
      const before = Math.max(
        ...['}', '{', ';', '*/'].map((mark) => css.lastIndexOf(mark, brace - 1)),
      );
      const selector = css
        .slice(before + 1, Math.max(0, brace))
        .replace(/^\//, '')
        .trim();
      if (selector === '' || selector.length > longestSelector || tooWide.test(selector)) continue;
      for (const element of select(selector, root)) found.add(element);
    }
  }
  return found;
}

/** Selectors that match everything, or nothing on a static page. */
const tooWide = /^(?:\*|html|body|:root)$|^@|::|:(?:before|after|hover|focus)/i;

function select(selector: string, root: DomElement): Iterable<DomElement> {
  try {
    return root.querySelectorAll(selector);
  } catch {
    return [];
  }
}
