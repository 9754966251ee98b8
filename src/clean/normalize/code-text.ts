/** The text of preformatted code: every byte of it, but no line numbers and buttons. */
import { type DomElement, isElement, isText } from '../../html/dom.ts';
import { nodesOf } from '../../html/nodes.ts';
import { withoutUnseen } from '../../text/unseen.ts';
import { isMarkedHidden } from '../marked-hidden.ts';

/**
 * The lines of code in an element. Elements that stand for a line end it, line number gutters and
 * copy buttons are left out, no-break spaces become plain ones, blank lines around are dropped.
 */
export function codeText(element: DomElement): string {
  const code = new CodeLines();
  append(element, code);
  return code.finish();
}

/** True for elements in code that show line numbers. */
export function isGutter(element: DomElement): boolean {
  const name = element.localName;
  if (name === 'code') return false;
  const number = element.getAttribute('data-line-number');
  const looksLike =
    (number !== null && !/-code\b/.test(element.className)) ||
    (element.hasAttribute('class') && gutterClass.test(element.className)) ||
    /user-select:\s*none/.test(element.getAttribute('style') ?? '');
  return looksLike && /^[\s\d:.|]*$/.test(element.textContent ?? '');
}

const gutterClass =
  /(?:^|\s)(?:line-?no(?:s|div)?|linenodiv|(?:\w+-)*gutters?|lnt?|(?:\w+-)*line-?numbers?(?:-rows)?|hljs-ln-(?:numbers|n)|ln-num|blob-num)(?:\s|$)/i;
const copyClass =
  /(?:^|\s)(?:(?:code-|btn-|button-)?(?:copy|clipboard)(?:-?(?:btn|button|code|icon|to-clipboard))?|toolbar)(?:\s|$)/i;
const lineClass = /(?:^|\s)(?:line|token-line|code-line|view-line|CodeMirror-line)(?:\s|$)/;
/** Lines that stand out; their highlighters take the line end away. */
const markedLineClass = /(?:^|\s)(?:gatsby-highlight-code-line|highlight(?:ed)?-line)(?:\s|$)/;
const unseen = new Set([
  'button',
  'clipboard-copy',
  'script',
  'style',
  'svg',
  'template',
  'input',
  'textarea',
]);
const lineElements = new Set(
  'blockquote dd div dl dt figure h1 h2 h3 h4 h5 h6 li ol p pre section table tbody tr ul'.split(
    ' ',
  ),
);

/** Text that is being collected; knows whether it stands at the start of a line. */
class CodeLines {
  readonly #chunks: string[] = [];
  atLineStart = true;

  add(text: string): void {
    if (text === '') return;
    this.#chunks.push(text);
    this.atLineStart = text.endsWith('\n');
  }

  endLine(): void {
    if (!this.atLineStart) this.add('\n');
  }

  get length(): number {
    return this.#chunks.length;
  }

  finish(): string {
    const text = withoutUnseen(this.#chunks.join(''))
      .replace(/\r\n?/g, '\n')
      .replace(/\u00a0/g, ' ')
      .replace(/^(?:[ \t]*\n)+/, '');
    const end = text.trimEnd().length;
    const rest = text.indexOf('\n', end);
    return end === 0 ? '' : rest === -1 ? text : text.slice(0, rest);
  }
}

function append(parent: DomElement, code: CodeLines): void {
  for (let child = parent.firstChild; child !== null; child = child.nextSibling) {
    if (isText(child)) code.add(child.data);
    else if (!isElement(child) || isUnseen(child)) continue;
    else if (child.localName === 'br') code.add('\n');
    else if (isLine(child)) appendLine(child, code);
    else {
      append(child, code);
      if (isInlineLine(child)) code.endLine();
    }
  }
}

function isUnseen(element: DomElement): boolean {
  if (unseen.has(element.localName) || isGutter(element) || isMarkedHidden(element)) return true;
  return isCopyControl(element);
}

/** True for a button, or a box of them, that copies the code. */
export function isCopyControl(element: DomElement): boolean {
  return element.hasAttribute('class') && copyClass.test(element.className) && isShort(element);
}

/** As long as what buttons say. Boxes around all of the code are called so, too: it is not read for that. */
function isShort(element: DomElement): boolean {
  let length = 0;
  for (const node of nodesOf(element)) {
    if (isText(node)) length += node.data.trim().length;
    if (length >= 20) return false;
  }
  return true;
}

function isLine(element: DomElement): boolean {
  if (lineElements.has(element.localName)) return true;
  const style = element.getAttribute('style');
  return style !== null && /display:\s*(?:block|flex|grid|table-row)/.test(style);
}

/** An empty line among other lines is a line too. */
function appendLine(element: DomElement, code: CodeLines): void {
  code.endLine();
  const before = code.length;
  append(element, code);
  if (code.length > before) code.endLine();
  else if (hasSiblingLine(element)) code.add('\n');
}

function hasSiblingLine(element: DomElement): boolean {
  const name = element.localName;
  return (
    element.previousElementSibling?.localName === name ||
    element.nextElementSibling?.localName === name
  );
}

/** A line in a `span` or `code` that is displayed as a block: nothing stands between it and the next. */
function isInlineLine(element: DomElement): boolean {
  const next = element.nextSibling;
  const names = element.hasAttribute('class') ? element.className : '';
  if (isText(next) && markedLineClass.test(names)) return !/^\s*\n/.test(next.data);
  if (!isElement(next) || next.localName !== element.localName) return false;
  if (element.localName === 'code') return element.parentElement?.localName === 'pre';
  return element.hasAttribute('data-line') || lineClass.test(names) || markedLineClass.test(names);
}
