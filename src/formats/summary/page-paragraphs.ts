/** The paragraphs of a tree, without what is no prose. */
import { type DomElement, type DomNode, isElement, isText } from '../../html/dom.ts';
import { nodesOf } from '../../html/nodes.ts';
import { readTableGrid } from '../../html/table-grid.ts';
import { isLayoutTable } from '../../html/table-kind.ts';
import { oneLine } from '../../text/one-line.ts';
import { blockElements } from '../markdown/block-elements.ts';
import { type Paragraph, readCharacters } from './paragraph.ts';

/**
 * Paragraphs in document order: no headings, captions, code, tables of data, controls, navigation, and
 * nothing that is mostly links. Stops after as much as a summary reads.
 */
export function pageParagraphs(root: DomElement): Paragraph[] {
  const reader = new ParagraphReader();
  let node: DomNode | null = root.firstChild;
  while (node !== null && !reader.isFull) {
    const isOpened = reader.open(node);
    if (isOpened && node.firstChild !== null) {
      node = node.firstChild;
      continue;
    }
    if (isOpened) reader.close(node);
    while (node !== null && node !== root && node.nextSibling === null) {
      node = node.parentNode;
      if (node !== null && node !== root) reader.close(node);
    }
    node = node === null || node === root ? null : node.nextSibling;
  }
  reader.endParagraph();
  return reader.paragraphs;
}

const leftOut = new Set(
  (
    'h1 h2 h3 h4 h5 h6 figcaption caption pre xmp listing nav footer button select textarea ' +
    'input label legend dt script style template noscript svg math iframe object video ' +
    'audio canvas rp rt address menu dialog summary time'
  ).split(' '),
);

const besideProse = new Set(['li', 'blockquote', 'aside', 'dd', 'td', 'th', 'q']);

/** Numbers of notes: `[3]`, `[23-24]`. */
const references = /\s?\[\d{1,3}(?:[-–,]\d{1,3}){0,5}\]/g;

class ParagraphReader {
  readonly paragraphs: Paragraph[] = [];
  #text = '';
  #characters = 0;
  #linked = 0;
  #links = 0;
  #beside = 0;
  /** Only white space came since the last line break. */
  #isAfterBreak = false;

  get isFull(): boolean {
    return this.#characters > readCharacters;
  }

  /** False when nothing in the node is read. */
  open(node: DomNode): boolean {
    if (isText(node)) this.#add(node.data);
    if (!isElement(node)) return false;
    const { localName } = node;
    if (blockElements.has(localName)) this.endParagraph();
    if (localName === 'br') this.#lineBreak();
    if (isLeftOut(node)) return false;
    if (localName === 'a') this.#links += 1;
    if (besideProse.has(localName)) this.#beside += 1;
    return true;
  }

  close(node: DomNode): void {
    if (!isElement(node)) return;
    const { localName } = node;
    if (blockElements.has(localName)) this.endParagraph();
    if (localName === 'a') this.#links -= 1;
    if (besideProse.has(localName)) this.#beside -= 1;
  }

  endParagraph(): void {
    const text = oneLine(this.#text.replace(references, ''));
    if (/\p{L}/u.test(text) && this.#linked <= text.length / 2) {
      this.paragraphs.push({ text, isProse: this.#beside === 0 });
      this.#characters += text.length;
    }
    this.#text = '';
    this.#linked = 0;
  }

  /** Two of them end the paragraph. */
  #lineBreak(): void {
    if (this.#isAfterBreak) this.endParagraph();
    else this.#text += ' ';
    this.#isAfterBreak = true;
  }

  #add(text: string): void {
    // A page of one paragraph is not read to its end either.
    if (/\S/.test(text)) this.#isAfterBreak = false;
    if (this.#text.length > readCharacters) return;
    this.#text += text.slice(0, readCharacters);
    if (this.#links > 0) this.#linked += text.trim().length;
  }
}

function isLeftOut(element: DomElement): boolean {
  const { localName } = element;
  if (leftOut.has(localName)) return true;
  if (localName === 'table') return !isLayoutTable(element, readTableGrid(element));
  if (localName === 'sup') return isReference(element);
  const role = element.getAttribute('role');
  return role === 'heading' || role === 'navigation' || role === 'contentinfo';
}

/** True for the few characters of a reference to a note. */
function isReference(raised: DomElement): boolean {
  let length = 0;
  for (const node of nodesOf(raised)) {
    if (isText(node)) length += node.data.trim().length;
    if (length > 6) return false;
  }
  return true;
}
