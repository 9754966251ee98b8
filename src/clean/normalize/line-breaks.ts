/** Line breaks of the source that a page shows: `white-space: pre-line` and its like, by attribute, class or style sheet. */
import { type DomElement, type DomNode, isElement, isText, nextNode } from '../../html/dom.ts';
import { blockElements } from '../../html/tags.ts';
import { rememberedTest } from '../../text/remembered-test.ts';
import { newElement, type PageState } from './normalizer.ts';

/** Writes them as `br`. Code keeps its lines anyway. */
export function keepLineBreaks({ root, sheets, showsBreaks }: PageState): void {
  const styled = elementsByStyleSheet(sheets, root);
  if (!showsBreaks && styled.size === 0) return;
  /** The innermost elements that say how white space is shown, with the first node after each. */
  const open: { readonly end: DomNode | null; readonly keeps: boolean }[] = [];
  for (let node: DomNode | null = root; node !== null;) {
    while (open.length > 0 && open.at(-1)?.end === node) open.pop();
    const isOver = isElement(node) && unread.has(node.localName);
    if (isElement(node) && !isOver) {
      const keeps = keepsBreaks(node, styled);
      if (keeps !== undefined) open.push({ end: nextNode(node, root, true), keeps });
    }
    const next: DomNode | null = nextNode(node, root, isOver);
    if (isText(node) && open.at(-1)?.keeps === true && node.data.includes('\n')) breakLines(node);
    node = next;
  }
}

const unread: ReadonlySet<string> = new Set(
  'code math noscript pre script select style svg template textarea'.split(' '),
);

/** True for an element whose attributes ask for the breaks. */
export function asksForLineBreaks(element: DomElement, classes: string | null): boolean {
  if (classes !== null && isBreakName(classes)) return true;
  const style = element.getAttribute('style');
  return style !== null && declaration.test(style);
}

/** Undefined where the element does not say. */
function keepsBreaks(element: DomElement, styled: ReadonlySet<DomElement>): boolean | undefined {
  const style = element.getAttribute('style');
  if (style !== null && /white-space/i.test(style)) return declaration.test(style);
  const names = element.getAttribute('class');
  if (names !== null) {
    if (isBreakName(names)) return true;
    if (/(?:^|\s)whitespace-(?:normal|nowrap)(?:\s|$)/.test(names)) return false;
  }
  return styled.has(element) ? true : undefined;
}

const declaration = /white-space(?:-collapse)?\s*:\s*(?:pre(?!\w)|break-spaces|preserve)/i;

/** Classes of Tailwind, Vuetify and others. */
const isBreakName = rememberedTest(
  /(?:^|\s)(?:(?:white-?space|text|ws)-)?(?:pre-(?:wrap|line)|break-spaces)(?:\s|$)|(?:^|\s)white-?space-pre(?:\s|$)/i,
);

/** Rules and characters of a selector that are read. */
const mostRules = 50;
const longestSelector = 300;

function elementsByStyleSheet(
  sheets: readonly DomElement[],
  root: DomElement,
): ReadonlySet<DomElement> {
  const found = new Set<DomElement>();
  let left = mostRules;
  for (const sheet of sheets) {
    const css = sheet.textContent ?? '';
    if (!css.includes('white-space')) continue;
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
      for (const element of select(selector, root))
        if (!unread.has(element.localName)) found.add(element);
    }
  }
  return found;
}

/** Selectors of everything, and of what is not there while the page is read. */
const tooWide = /^(?:\*|html|body|:root)$|^@|::|:(?:before|after|hover|focus)/i;

function select(selector: string, root: DomElement): Iterable<DomElement> {
  try {
    return root.querySelectorAll(selector);
  } catch {
    return [];
  }
}

/** Not at the edges of a box, where the breaks are the source's own. */
function breakLines(text: DomNode & { data: string }): void {
  const lines = text.data.split(/\r\n?|\n/);
  const isBlank = !/\S/.test(text.data);
  const startsBox = !isInline(text.previousSibling);
  const endsBox = !isInline(text.nextSibling);
  if (isBlank && (startsBox || endsBox)) return;
  while (startsBox && lines.length > 1 && !/\S/.test(lines[0] ?? '')) lines.shift();
  while (endsBox && lines.length > 1 && !/\S/.test(lines.at(-1) ?? '')) lines.pop();
  const parent = text.parentNode;
  const document = text.ownerDocument;
  if (parent === null || document === null) return;
  for (const [index, line] of lines.entries()) {
    if (index > 0) parent.insertBefore(newElement(text, 'br'), text);
    if (line !== '') parent.insertBefore(document.createTextNode(line), text);
  }
  parent.removeChild(text);
}

function isInline(beside: DomNode | null): boolean {
  if (!isElement(beside)) return isText(beside);
  return beside.localName !== 'br' && !blockElements.has(beside.localName);
}
