/** Boxes that stand out from the text: notes, tips, warnings. */
import { type DomElement, type DomNode, isElement, isText } from '../../html/dom.ts';
import { elementsOf, nextNode } from '../../html/nodes.ts';
import { type CalloutKind, calloutKind, kindOfWord } from './callout-kind.ts';
import type { Normalizer } from './normalizer.ts';
import { moveChildren, newElement, replaceElement, unwrap } from './replace-element.ts';

/**
 * `<blockquote data-callout="note">` with the content of the box. Its title is a bold line in it,
 * and left out where it says no more than the kind.
 */
export const callout: Normalizer = (element) => {
  if (!boxes.has(element.localName)) return undefined;
  const guess = calloutKind(element);
  if (guess === undefined) return undefined;
  const title = findTitle(element);
  if (!guess.isCertain && !(title !== undefined && isTitle(title))) return undefined;
  const said = title === undefined ? undefined : kindOfTitle(title);
  if (title !== undefined) rewriteTitle(title);
  dissolveIconTable(element);
  const quote =
    element.localName === 'blockquote' ? element : replaceElement(element, 'blockquote');
  quote.setAttribute('data-callout', said ?? guess.kind);
  return quote;
};

const boxes: ReadonlySet<string> = new Set(['aside', 'blockquote', 'div', 'p', 'section']);

/** What stands before the title: wrappers and icons. */
const maxBefore = 15;

const titleName = /(?:^|[-_\s])(?:title|heading|label)(?:$|[-_\s])|admonitionheading/i;

/** The element that is called a title, or else the first text in bold or on a line of its own. */
function findTitle(box: DomElement): DomElement | undefined {
  let left = maxBefore;
  let node = nextNode(box, box);
  while (node !== null && left > 0) {
    left -= 1;
    if (isText(node) && /\S/.test(node.data)) return kindLabel(node, box);
    let skip = false;
    if (isElement(node)) {
      if (node.hasAttribute('class') && titleName.test(node.className)) return node;
      skip = node.localName === 'svg' || /icon/i.test(node.className);
    }
    node = nextNode(node, box, skip);
  }
  return undefined;
}

/** The element around the text, if it says only which kind of box this is. */
function kindLabel(text: DomNode, box: DomElement): DomElement | undefined {
  let around = text.parentElement;
  if (around === null || around === box || kindOfTitle(around) === undefined) return undefined;
  for (let up = around.parentElement; up !== null && up !== box; up = up.parentElement) {
    if (kindOfTitle(up) === undefined) break;
    around = up;
  }
  return around;
}

function isTitle(element: DomElement): boolean {
  return titleName.test(element.className) || kindOfTitle(element) !== undefined;
}

/** Longer texts say more than the kind. */
const longestWord = 20;

function kindOfTitle(title: DomElement): CalloutKind | undefined {
  const text = titleText(title);
  return text.length > longestWord ? undefined : kindOfWord(text);
}

/** Without what stands around its words; long texts as they are, as the patterns take their time. */
function titleText(title: DomElement): string {
  const text = (title.textContent ?? '').trim();
  if (text.length > 100) return text;
  return text.replace(/[^\p{L}\p{N}]+$/u, '').replace(/^[^\p{L}\p{N}]+/u, '');
}

function rewriteTitle(title: DomElement): void {
  if (holdsParagraphs(title)) return;
  for (const icon of [...elementsOf(title)]) {
    if (icon !== title && /icon/i.test(icon.className) && !titleName.test(icon.className))
      icon.remove();
  }
  const text = titleText(title);
  if (text === '' || kindOfWord(text) !== undefined) {
    const next = title.nextSibling;
    if (isText(next)) next.data = next.data.replace(/^\s*(?:[:：]|[–—-]\s)\s*/, '');
    title.remove();
  } else if (/^(?:div|h[1-6]|header|p)$/.test(title.localName)) {
    const line = replaceElement(title, 'p');
    for (const inner of [...elementsOf(line)])
      if (/^(?:div|h[1-6]|p)$/.test(inner.localName) && inner !== line) unwrap(inner);
    const strong = newElement(line, 'strong');
    moveChildren(line, strong);
    line.appendChild(strong);
  }
}

/** Some call the box of the title and the text after it after the title. */
function holdsParagraphs(title: DomElement): boolean {
  let found = 0;
  for (const { localName } of elementsOf(title)) {
    if (/^(?:h[1-6]|li|p|pre|table)$/.test(localName) && ++found > 1) return true;
  }
  return false;
}

/** Asciidoctor puts the icon and the content of the box into the cells of a table. */
function dissolveIconTable(box: DomElement): void {
  const table = box.firstElementChild;
  if (table?.localName !== 'table') return;
  const cells: DomElement[] = [];
  let left = maxBefore;
  for (const inner of elementsOf(table)) {
    if (--left === 0) break;
    if (inner.localName === 'td' && /^(?:icon|content)$/.test(inner.className)) cells.push(inner);
    if (cells.length === 2) break;
  }
  const [icon, content] = cells;
  if (icon?.className !== 'icon' || content?.className !== 'content') return;
  if (content.nextElementSibling !== null || content.parentElement?.nextElementSibling) return;
  const holder = replaceElement(content, 'div');
  table.replaceWith(holder);
}
