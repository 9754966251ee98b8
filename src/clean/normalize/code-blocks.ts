/** Code of several lines, whatever a highlighter or an editor made of it. */
import { type DomElement, isElement } from '../../html/dom.ts';
import { elementsOf } from '../../html/nodes.ts';
import { removeCodeLabel } from './code-label.ts';
import { codeLanguage } from './code-language.ts';
import { codeText, isCopyControl, isGutter } from './code-text.ts';
import type { Normalizer, PageState } from './normalizer.ts';
import { moveChildren, newElement, replaceElement } from './replace-element.ts';

/** `pre`, `xmp`, `listing`: its content becomes one `code` of plain text. A `pre` of pictures only is no code. */
export const codeBlock: Normalizer = (element, page) => rewrite(element, page);

/** A table that shows the lines of a file beside their numbers. */
export const codeTable: Normalizer = (element, page) =>
  isCodeTable(element) ? rewrite(element, page) : undefined;

/** Highlighters and editors that do without `pre`. */
export const codeByClass: Normalizer = (element, page) =>
  /^(?:div|figure|section)$/.test(element.localName) && editorClass.test(element.className)
    ? rewrite(element, page)
    : undefined;

/** Code of several lines without a `pre` around it; a `code` around a `pre` is only a box. */
export const codeOnLines: Normalizer = (element, page) => {
  if (element.parentElement?.localName === 'code') return undefined;
  if (page.failed.covers('lines', element)) return undefined;
  let hasLines =
    /(?:^|\s)lang(?:uage)?-/.test(element.className) &&
    (element.textContent ?? '').trim().includes('\n');
  for (const inner of elementsOf(element)) {
    if (inner.localName === 'pre') return replaceElement(element, 'div');
    hasLines ||= inner.localName === 'br' || blocks.has(inner.localName);
  }
  if (hasLines && !isInLine(element)) return rewrite(element, page);
  page.failed.add('lines', element);
  return undefined;
};

/** A button that copies the code, also where it is no `button`. */
export const copyControl: Normalizer = (element) => {
  if (!isCopyControl(element) || !/cop(?:y(?!right)|ied)/i.test(element.textContent ?? '')) return;
  if (/^(?:body|main|article|section|h[1-6]|p|li|td)$/.test(element.localName)) return undefined;
  element.remove();
  return 'done';
};

const editorClass =
  /(?:^|\s)(?:syntaxhighlighter|CodeMirror|cm-content|view-lines|ace_text-layer)(?:\s|$)/;

const blocks: ReadonlySet<string> = new Set(
  'blockquote dd div dl dt li ol p section table tr ul'.split(' '),
);

/** In these, text is one line. */
const lineHolders: ReadonlySet<string> = new Set(
  'a caption dt h1 h2 h3 h4 h5 h6 summary td th'.split(' '),
);

function isInLine(element: DomElement): boolean {
  for (let around = element.parentElement; around !== null; around = around.parentElement) {
    if (lineHolders.has(around.localName)) return true;
  }
  return false;
}

function rewrite(element: DomElement, page: PageState): 'done' | undefined {
  if (page.failed.covers('code', element)) return undefined;
  const text = codeText(element);
  if (text === '') {
    page.failed.add('code', element);
    return undefined;
  }
  const language = codeLanguage(element);
  const pre = element.localName === 'pre' ? element : replaceElement(element, 'pre');
  const code = newElement(pre, 'code');
  // Links and pictures stay where the text is all there is beside them.
  if (holdsTargets(pre) && (pre.textContent ?? '').trim() === text.trim()) {
    moveChildren(pre, code);
  } else {
    pre.textContent = '';
    code.textContent = text;
  }
  pre.appendChild(code);
  const named = removeCodeLabel(pre, language);
  if (named !== '') code.className = `language-${named}`;
  return 'done';
}

function holdsTargets(pre: DomElement): boolean {
  for (const { localName } of elementsOf(pre))
    if (localName === 'a' || localName === 'img') return true;
  return false;
}

/** More elements than this do not stand before the first cells. */
const maxBefore = 30;

/** True when the first row has a cell of line numbers and one of code. */
function isCodeTable(table: DomElement): boolean {
  if (/(?:^|\s)lntable(?:\s|$)/.test(table.className)) return true;
  let left = maxBefore;
  for (const inner of elementsOf(table)) {
    if (inner.localName === 'tr') return isCodeRow(inner);
    if (--left === 0) return false;
  }
  return false;
}

function isCodeRow(row: DomElement): boolean {
  let hasGutter = false;
  let hasCode = false;
  for (let cell = row.firstChild; cell !== null; cell = cell.nextSibling) {
    if (!isElement(cell)) continue;
    if (isGutter(cell)) hasGutter = true;
    else if (isCodeCell(cell)) hasCode = true;
  }
  return hasGutter && hasCode;
}

function isCodeCell(cell: DomElement): boolean {
  if (/(?:^|[\s-])code(?:[\s-]|$)/.test(cell.className)) return true;
  return /^(?:pre|code)$/.test(cell.firstElementChild?.localName ?? '');
}
