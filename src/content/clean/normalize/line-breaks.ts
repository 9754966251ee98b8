/**
 * Line breaks of the source that a page displays: `white-space: pre-line` and the like, by attribute, class
 * or style sheet.
 */
import { type DomElement, type DomNode, isElement, isText, nextNode } from '../../html/dom.ts';
import { blockElements } from '../../html/tags.ts';
import { rememberedTest } from '../../../core/runtime/remembered-test.ts';
import { newElement, type PageState } from './normalizer.ts';
import { elementsByStyleSheet } from './style-rules.ts';

/** Writes displayed line breaks as `br`. Code keeps its lines anyway. */
export function keepLineBreaks({ root, sheets, showsBreaks }: PageState): void {
  const styled = new Set(elementsByStyleSheet(sheets, root, 'white-space', declaration));
  for (const element of styled) if (unread.has(element.localName)) styled.delete(element);
  if (!showsBreaks && styled.size === 0) return;
  /** Innermost elements that set how white space is displayed, with the first node after each. */
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

/** True for attributes that preserve line breaks. */
export function preservesLineBreaks(classes: string | null, style: string | null): boolean {
  if (classes !== null && isBreakName(classes)) return true;
  return style !== null && declaration.test(style);
}

/** Undefined if the element does not set it. */
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

/** Not at the edges of a box, where breaks only format the source. */
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
