/** The paragraphs of prose in a tree or in a markdown text. */
import {
  type DomElement,
  type DomNode,
  inkLength,
  isElement,
  isText,
  visitBelow,
} from '../../html/dom.ts';
import { isLayoutTable, readTableGrid } from '../../html/table-grid.ts';
import { blockElements } from '../../html/tags.ts';
import { readMarkdownBlocks } from '../../text/markdown-blocks.ts';
import { markdownWords } from '../../text/markdown-inline.ts';
import { oneLine } from '../../text/plain-text.ts';

/**
 * Paragraphs in document order: no headings, captions, code, tables of data, controls, navigation, and
 * nothing that is mostly links. Stops at `readCharacters`.
 */
export function pageParagraphs(root: DomElement): Paragraph[] {
  const reader = new ParagraphReader();
  visitBelow(
    root,
    (node) => (reader.isFull ? undefined : reader.open(node)),
    (node) => reader.close(node),
  );
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

/** Footnote references: `[3]`, `[23-24]`. */
const references = /\s?\[\d{1,3}(?:[-–,]\d{1,3}){0,5}\]/g;

class ParagraphReader {
  readonly paragraphs: Paragraph[] = [];
  #text = '';
  #characters = 0;
  #linked = 0;
  #links = 0;
  #beside = 0;
  /** True when only white space came since the last line break. */
  #isAfterBreak = false;

  get isFull(): boolean {
    return this.#characters > readCharacters;
  }

  /** False when the node's content is skipped. */
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

  /** Two line breaks in a row end the paragraph. */
  #lineBreak(): void {
    if (this.#isAfterBreak) this.endParagraph();
    else this.#text += ' ';
    this.#isAfterBreak = true;
  }

  #add(text: string): void {
    // The limit also holds for a page of one paragraph.
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
  if (localName === 'sup') return inkLength(element, { most: 7 }) < 7; // a footnote reference
  const role = element.getAttribute('role');
  return role === 'heading' || role === 'navigation' || role === 'contentinfo';
}

// The paragraphs of a markdown text.

/** Paragraphs in their order; paragraphs in lists and quotes do not count as prose. */
export function markdownParagraphs(markdown: string): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  // Reads more than a summary does, because code blocks and tables between are skipped.
  const start = markdown.slice(0, readCharacters * 5);
  const blocks = readMarkdownBlocks(start);
  let characters = 0;
  for (const [index, { kind, textStart, quotes, start: lineStart }] of blocks.entries()) {
    if (kind !== 'text' || characters > readCharacters) continue;
    const text = markdownWords(start.slice(textStart, blocks[index + 1]?.start));
    if (!/\p{L}/u.test(text)) continue;
    paragraphs.push({ text, isProse: quotes === 0 && textStart === lineStart });
    characters += text.length;
  }
  return paragraphs;
}

/** A paragraph that a summary may take sentences from. */
export interface Paragraph {
  /** The text on one line. */
  readonly text: string;
  /** False for list items, quotes and other text beside the prose of the page. */
  readonly isProse: boolean;
}

const readCharacters = 100_000; // some 500 sentences: important text comes early
