/** Multi-line code as highlighters and editors write it: its text, language and label. */
import {
  type DomElement,
  closestWhere,
  elementsOf,
  findElement,
  inkLength,
  isElement,
  isText,
  nodesOf,
} from '../../html/dom.ts';
import { oneLine, withoutInvisible } from '../../text/plain-text.ts';
import { isMarkedHidden } from '../hidden-elements.ts';
import {
  moveChildren,
  newElement,
  type Normalizer,
  type PageState,
  replaceElement,
} from './normalizer.ts';

const limits = {
  before: 30, // elements before the first cells
  beside: 5, // direct children of a `pre`; more are words of the code
  longestLabel: 300, // characters, white space included
  labelElements: 30,
  searchedElements: 100, // elements searched: the relevant ones come before highlighted words
  names: 10, // classes read of an element
  longestButton: 20, // characters
};

/** `pre`, `xmp`, `listing`: the content becomes one `code` of plain text. A `pre` of pictures only is not code. */
export const codeBlock: Normalizer = (element, page) => rewriteCode(element, page);

/** A table that shows the lines of a file beside line numbers. */
export const codeTable: Normalizer = (element, page) =>
  isCodeTable(element) ? rewriteCode(element, page) : undefined;

/** Code of highlighters and editors that do not use `pre`. */
export const codeByClass: Normalizer = (element, page) =>
  /^(?:div|figure|section)$/.test(element.localName) &&
  (editorClass.test(element.className) || isFragment(element) || isNamedCode(element))
    ? rewriteCode(element, page)
    : undefined;

/** Multi-line code without a `pre`; a `code` around a `pre` is only a wrapper. */
export const codeOnLines: Normalizer = (element, page) => {
  if (element.parentElement?.localName === 'code') return undefined;
  if (page.failed.covers('lines', element)) return undefined;
  let hasLines =
    /(?:^|\s)lang(?:uage)?-/.test(element.className) &&
    (element.textContent ?? '').trim().includes('\n');
  for (const inner of elementsOf(element)) {
    if (inner.localName === 'pre') return replaceElement(element, 'div');
    hasLines ||= inner.localName === 'br' || blockElements.has(inner.localName);
  }
  if (hasLines && !isInLine(element)) return rewriteCode(element, page);
  page.failed.add('lines', element);
  return undefined;
};

/** A button that copies the code, even if it is not a `button` element. */
export const copyControl: Normalizer = (element) => {
  if (!isCopyControl(element) || !/cop(?:y(?!right)|ied)/i.test(element.textContent ?? '')) return;
  if (/^(?:body|main|article|section|h[1-6]|p|li|td)$/.test(element.localName)) return undefined;
  element.remove();
  return 'done';
};

const editorClass =
  /(?:^|\s)(?:syntaxhighlighter|CodeMirror|cm-content|view-lines|ace_text-layer)(?:\s|$)/;

/** True for code of doxygen. */
function isFragment(element: DomElement): boolean {
  return (
    /(?:^|\s)fragment(?:\s|$)/.test(element.className) &&
    /(?:^|\s)line(?:\s|$)/.test(element.firstElementChild?.className ?? '')
  );
}

/** True for a box that is named as code and has a language, with only text and highlighted words. */
function isNamedCode(element: DomElement): boolean {
  if (
    !/(?:^|[\s_-])code-?(?:block|snippet)(?:\s|$)/i.test(element.className) ||
    languageOn(element) === ''
  )
    return false;
  const isOther = ({ localName }: DomElement): boolean =>
    !/^(?:div|span|br|b|i|em|strong|code|button|svg|path)$/.test(localName);
  return findElement(element, isOther) === undefined;
}

const blockElements: ReadonlySet<string> = new Set(
  'blockquote dd div dl dt li ol p section table tr ul'.split(' '),
);

/** Elements that contain one line of text. */
const lineHolders: ReadonlySet<string> = new Set(
  'a caption dt h1 h2 h3 h4 h5 h6 summary td th'.split(' '),
);

function isInLine(element: DomElement): boolean {
  const isHolder = ({ localName }: DomElement): boolean => lineHolders.has(localName);
  return closestWhere(element.parentElement, isHolder) !== undefined;
}

function rewriteCode(element: DomElement, page: PageState): 'done' | undefined {
  if (page.failed.covers('code', element)) return undefined;
  const inner = takeLabels(element);
  const text = codeText(element);
  if (text === '') {
    page.failed.add('code', element);
    return undefined;
  }
  const language = codeLanguage(element) || inner;
  const pre = element.localName === 'pre' ? element : replaceElement(element, 'pre');
  const code = newElement(pre, 'code');
  // Links and pictures stay if the text is unchanged.
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
  return findElement(pre, ({ localName }) => /^(?:a|img)$/.test(localName)) !== undefined;
}

/** True when the first row has a cell of line numbers and one of code. */
function isCodeTable(table: DomElement): boolean {
  if (/(?:^|\s)lntable(?:\s|$)/.test(table.className)) return true;
  const row = findElement(table, ({ localName }) => localName === 'tr', limits.before);
  return row !== undefined && isCodeRow(row);
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

// The line above a code block with its language and a copy button.

/**
 * Removes the label before a `pre`, if it only has the language and button texts. Returns the known language,
 * else the label's.
 */
function removeCodeLabel(pre: DomElement, language: string): string {
  const box = isBox(pre.parentElement) ? pre.parentElement : undefined;
  if (box !== undefined) removeTryLink(pre);
  const before = pre.previousElementSibling ?? box?.previousElementSibling;
  if (!before || !isShortLabel(before)) return language;
  const named = knownLanguage(labelWords(before));
  if (named === '' || !(isBox(before) || box !== undefined)) return language;
  before.remove();
  return language === '' ? named : language;
}

/**
 * Removes labels from the element around the code: the language is dropped, a file name is moved before the
 * code. Returns the language. Labels are siblings of `code`, in boxes of their own.
 */
function takeLabels(pre: DomElement): string {
  let language = '';
  const labels: DomElement[] = [];
  let left = limits.beside;
  for (let child = pre.firstElementChild; child !== null; child = child.nextElementSibling) {
    if (--left < 0) break;
    if (isCodeBox(child) || !(labelName.test(child.className) || hasCodeBeside(child))) continue;
    if (!isShortLabel(child)) continue;
    const words = labelWords(child);
    const named = knownLanguage(words);
    if (named !== '') language ||= named;
    else if (words === '' || !labelName.test(child.className)) continue;
    labels.push(child);
  }
  for (const label of labels) {
    const words = labelWords(label);
    label.remove();
    if (knownLanguage(words) !== '' || languageLabel.test(label.className)) continue;
    const line = newElement(pre, 'p');
    line.textContent = words;
    pre.before(line);
  }
  return language;
}

/** Class names of labels, and of labels that only name the language. */
const labelName =
  /(?:^|[\s_-])(?:lang(?:uage)?(?:-(?:id|name|label|tag))?|(?:code|file)-?(?:lang|name|title|label|header|caption)|file-?name|filename)(?:\s|$)/i;
const languageLabel = /(?:^|[\s_-])lang(?:uage)?(?:-(?:id|name|label|tag))?(?:\s|$)/i;

/** True for `code`, and for a box around it. */
function isCodeBox(element: DomElement): boolean {
  let box: DomElement | null = element;
  for (let level = 0; box !== null && level < 3; level++, box = box.firstElementChild)
    if (box.localName === 'code') return true;
  return false;
}

function hasCodeBeside(label: DomElement): boolean {
  return [label.nextElementSibling, label.previousElementSibling].some(
    (beside) => beside !== null && isCodeBox(beside),
  );
}

/** Removes a link right before the code that opens the code in an editor. */
function removeTryLink(pre: DomElement): void {
  const before = pre.previousElementSibling;
  if (before?.localName === 'a' && tryWords.test((before.textContent ?? '').trim()))
    before.remove();
}

const tryWords =
  /^(?:try(?: it)?(?: (?:out|live|online|yourself))?|run|play|open in playground) ?[»→]?$/i;

/** The text of a label without button texts; empty if it is too long for a label. */
function labelWords(label: DomElement): string {
  let text = '';
  for (const node of nodesOf(label)) if (isText(node)) text += ` ${node.data}`;
  return text.length > limits.longestLabel ? '' : oneLine(text.replace(buttonWords, ' '));
}

const buttonWords =
  /\b(?:copy(?: code| to clipboard)?|copied!?|edit|run|try(?: it)?|download|wrap|collapse|expand)\b/gi;

/** True for a box with a class name for code. */
function isBox(element: DomElement | null): boolean {
  return element !== null && /code|highlight|snippet|\blang/i.test(element.className);
}

function isShortLabel(element: DomElement): boolean {
  if (!/^(?:div|span|p|header|figcaption|small)$/.test(element.localName)) return false;
  let left = limits.labelElements;
  for (const inner of elementsOf(element)) {
    if (--left === 0 || /^(?:h[1-6]|pre|code|img|ul|ol|table)$/.test(inner.localName)) return false;
  }
  return true;
}

// The language of a code block, as highlighters write it in class names.

/** The language named on the element, on a `code` or `pre` inside, or on a wrapper around it. */
function codeLanguage(element: DomElement): string {
  let left = limits.searchedElements;
  for (const inner of elementsOf(element)) {
    if (--left < 0) break;
    if (inner !== element && inner.localName !== 'code' && inner.localName !== 'pre') continue;
    const language = languageOn(inner);
    if (language !== '') return language;
  }
  let around = element.parentElement;
  for (
    let level = 0;
    level < 6 && around !== null && wrapperElements.has(around.localName);
    level++
  ) {
    const language = languageOn(around);
    if (language !== '') return language;
    around = around.parentElement;
  }
  return '';
}

const wrapperElements = new Set([
  'code',
  'div',
  'figure',
  'pre',
  'section',
  'span',
  'table',
  'tbody',
  'td',
  'tr',
]);

function languageOn(element: DomElement): string {
  const named =
    element.getAttribute('data-lang') ??
    element.getAttribute('data-language') ??
    element.getAttribute('data-code-language') ??
    element.getAttribute('data-enlighter-language') ??
    element.getAttribute('data-syntax');
  if (named !== null && acceptedLanguage(named) !== '') return acceptedLanguage(named);
  if (element.hasAttribute('class')) {
    const language = languageInClass(element.className);
    if (language !== '') return language;
  }
  const attribute = element.getAttribute('lang')?.toLowerCase() ?? '';
  const isCode = element.localName === 'pre' || element.localName === 'code';
  if (!isCode) return '';
  if (knownLanguages.has(attribute)) return attribute;
  // Without a highlighter's class, a name of one letter is ambiguous.
  for (const name of element.className.toLowerCase().split(/\s+/, limits.names)) {
    if (name.length > 1 && knownLanguage(name) !== '') return name;
  }
  return '';
}

function languageInClass(names: string): string {
  const brush = /(?:^|\s)brush:\s*([^\s;]+)/.exec(names)?.[1];
  if (brush !== undefined) return acceptedLanguage(brush);
  const prefixed = /(?:^|\s)(?:language|lang)[-:]([^\s;]+)/i.exec(names)?.[1];
  if (prefixed !== undefined) return acceptedLanguage(prefixed);
  const [, scope, highlighted] =
    /(?:^|\s)(?:highlight|src)-(source-|text-)?([^\s;]+)/.exec(names) ?? [];
  if (highlighted !== undefined && !notLanguages.test(highlighted)) {
    // Scopes of TextMate have several parts: `source-css-scss`, `text-html-basic`.
    const parts = scope === undefined ? [] : highlighted.toLowerCase().split('-');
    const known = parts.findLast((part) => knownLanguage(part) !== '');
    return known ?? acceptedLanguage(highlighted);
  }
  if (
    !/(?:^|\s)(?:hljs|source-?code|(?:syntax)?highlight(?:er)?|prettyprint|prism|code)(?:\s|$)/i.test(
      names,
    )
  ) {
    return '';
  }
  return (
    names
      .toLowerCase()
      .split(/\s+/)
      .find((name) => knownLanguages.has(name)) ?? ''
  );
}

const notLanguages =
  /^(?:area|block|body|box|code|container|content|copy|inner|lines?|pre|table|title|wrap(?:per)?)$/i;

/** The language of a displayed word: `Python`, `C++`; else empty. */
function knownLanguage(word: string): string {
  const name = word.toLowerCase();
  return knownLanguages.has(name) && name !== 'text' ? name : '';
}

/** The name if it can follow the fence; empty for words such as "none". */
function acceptedLanguage(name: string): string {
  const language = name.trim().toLowerCase();
  if (!/^[\w#+.-]{1,30}$/.test(language)) return '';
  return /^(?:none|no-?highlight|default|auto|undefined|null|unknown)$/.test(language)
    ? ''
    : language;
}

/** Class names accepted as a language beside the class of a highlighter. */
const knownLanguages = new Set(
  (
    'apache bash c c# c++ clojure cmake console cpp cs csharp crystal css d dart diff docker dockerfile elixir ' +
    'elm erlang f# fortran fsharp go golang graphql groovy haskell hcl html http ini java javascript ' +
    'js json jsx julia kotlin latex less lisp lua make makefile markdown matlab md mermaid nginx nix ' +
    'objc objective-c ocaml pascal perl php plaintext powershell prolog properties proto protobuf py ' +
    'python qml r rb rs ruby rust scala scheme scss sh shell solidity sql swift tcl terraform tex text ' +
    'toml ts tsx typescript vb vim vue wasm xml yaml yml zig zsh'
  ).split(' '),
);

// The text of preformatted code: every byte, without line numbers and buttons.

/**
 * The lines of code in an element. Line elements end a line, line number gutters and copy buttons are
 * skipped, no-break spaces become plain ones, surrounding blank lines are dropped.
 */
function codeText(element: DomElement): string {
  const code = new CodeLines();
  appendCode(element, code);
  return code.finish();
}

/** True for elements in code that show line numbers. */
function isGutter(element: DomElement): boolean {
  const name = element.localName;
  if (name === 'code') return false;
  if (name === 'td' && element.firstElementChild?.localName === 'pre') {
    return isNumbered(element.textContent ?? '');
  }
  const number = element.getAttribute('data-line-number');
  const isNamedGutter =
    (number !== null && !/-code\b/.test(element.className)) ||
    (element.hasAttribute('class') && gutterClass.test(element.className)) ||
    /user-select:\s*none/.test(element.getAttribute('style') ?? '');
  return isNamedGutter && /^[\s\d:.|]*$/.test(element.textContent ?? '');
}

/** True for consecutive line numbers. */
function isNumbered(text: string): boolean {
  if (!/^[\s\d]*\d\s*$/.test(text)) return false;
  const numbers = text.trim().split(/\s+/).map(Number);
  return numbers.every((number, index) => index === 0 || number === (numbers[index - 1] ?? 0) + 1);
}

const gutterClass =
  /(?:^|\s)(?:line-?no(?:s|div)?|linenodiv|(?:\w+-)*gutters?|lnt?|(?:\w+-)*line-?numbers?(?:-rows)?|hljs-ln-(?:numbers|n)|ln-num|blob-num)(?:\s|$)/i;

const copyClass =
  /(?:^|\s)(?:(?:code-|btn-|button-)?(?:copy|clipboard)(?:-?(?:btn|button|code|icon|to-clipboard))?|toolbar)(?:\s|$)/i;

/** Doxygen puts tooltips after the lines. */
const tooltipClass = /(?:^|\s)ttc(?:\s|$)/;

const lineClass = /(?:^|\s)(?:line|token-line|code-line|view-line|CodeMirror-line)(?:\s|$)/;

/** Highlighted lines, whose line ends highlighters remove. */
const markedLineClass = /(?:^|\s)(?:gatsby-highlight-code-line|highlight(?:ed)?-line)(?:\s|$)/;

const hiddenElements = new Set([
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

/** Collects text and tracks whether it is at the start of a line. */
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
    const text = withoutInvisible(this.#chunks.join(''))
      .replace(/\r\n?/g, '\n')
      .replace(/\u00a0/g, ' ')
      .replace(/^(?:[ \t]*\n)+/, '');
    const end = text.trimEnd().length;
    const rest = text.indexOf('\n', end);
    return end === 0 ? '' : rest === -1 ? text : text.slice(0, rest);
  }
}

function appendCode(parent: DomElement, code: CodeLines): void {
  for (let child = parent.firstChild; child !== null; child = child.nextSibling) {
    if (isText(child)) code.add(child.data);
    else if (!isElement(child) || isHiddenInCode(child)) continue;
    else if (child.localName === 'br') code.add('\n');
    else if (isLine(child)) appendLine(child, code);
    else {
      appendCode(child, code);
      if (isInlineLine(child)) code.endLine();
    }
  }
}

function isHiddenInCode(element: DomElement): boolean {
  if (hiddenElements.has(element.localName) || isGutter(element) || isMarkedHidden(element))
    return true;
  if (tooltipClass.test(element.className)) return true;
  return isCopyControl(element);
}

/** True for a button, or a box of buttons, that copies the code. */
function isCopyControl(element: DomElement): boolean {
  if (!element.hasAttribute('class') || !copyClass.test(element.className)) return false;
  // Boxes around the whole code may have the same class.
  return inkLength(element, { most: limits.longestButton }) < limits.longestButton;
}

function isLine(element: DomElement): boolean {
  if (lineElements.has(element.localName)) return true;
  const style = element.getAttribute('style');
  return style !== null && /display:\s*(?:block|flex|grid|table-row)/.test(style);
}

/** An empty line between lines counts, too. */
function appendLine(element: DomElement, code: CodeLines): void {
  code.endLine();
  const before = code.length;
  appendCode(element, code);
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

/** True for a line in a `span` or `code` that is displayed as a block, with no text before the next one. */
function isInlineLine(element: DomElement): boolean {
  const next = element.nextSibling;
  const names = element.hasAttribute('class') ? element.className : '';
  if (isText(next) && markedLineClass.test(names)) return !/^\s*\n/.test(next.data);
  if (!isElement(next) || next.localName !== element.localName) return false;
  if (element.localName === 'code') return element.parentElement?.localName === 'pre';
  return element.hasAttribute('data-line') || lineClass.test(names) || markedLineClass.test(names);
}
