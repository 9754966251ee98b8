/** Rules of blocks: headings, quotes, code, `summary`, `div`, `hr`, and the elements without content. */
import {
  type DomElement,
  elementsOf,
  findElement,
  isElement,
  isText,
  nextNode,
} from '../../html/dom.ts';
import { withoutInvisible } from '../../text/plain-text.ts';
import type { MarkdownRule } from '../emitter.ts';

/** A heading on one line; its level is in the tag name. */
export const heading: MarkdownRule = (element, out) => {
  out.heading(Number(element.localName.slice(1)), element);
};

// `blockquote`.

/** Every line begins with `>`. A callout begins with its kind, as in GitHub's alerts. */
export const blockquote: MarkdownRule = (element, out) => {
  const kind = element.getAttribute('data-callout') ?? '';
  const name = alertNames.get(kind);
  if (!out.inCell) {
    out.inside(out.writer.newQuote(name?.toUpperCase()), () => out.children(element));
    return;
  }
  out.boundary();
  if (name !== undefined) {
    out.run.wrap({ kind: 'strong' }, () => out.run.text(`${name}:`));
    out.run.space();
  }
  out.children(element);
  out.boundary();
};

const alertNames: ReadonlyMap<string, string> = new Map(
  ['Note', 'Tip', 'Important', 'Warning', 'Caution'].map((name) => [name.toLowerCase(), name]),
);

// `pre`, `xmp`, `listing`.

/**
 * A fenced block of the text, with the language that cleaning set on the `code` inside. A `pre` of only
 * pictures is not code. In a table cell, each line is a code span.
 */
export const codeBlock: MarkdownRule = (element, out) => {
  const code = textOfCode(element);
  if (code === '') {
    out.paragraph(element);
  } else if (out.inCell) {
    out.boundary();
    for (const line of code.split('\n')) {
      if (line.trim() !== '') out.run.code(line.trim());
      out.run.break();
    }
  } else {
    const fence = '`'.repeat(fenceLength(code));
    out.block(`${fence}${languageOfCode(element)}\n${code}\n${fence}`);
  }
};

/** The text of a code block, without surrounding blank lines and without the labels of SVGs. */
export function textOfCode(element: DomElement): string {
  let text = '';
  for (let node = element.firstChild; node !== null;) {
    const name = isElement(node) ? node.localName : undefined;
    if (isText(node)) text += node.data;
    else if (name === 'br') text += '\n';
    node = nextNode(node, element, name === 'svg');
  }
  text = withoutInvisible(text)
    .replace(/\r\n?/g, '\n')
    .replace(/^(?:[ \t]*\n)+/, '');
  const end = text.trimEnd().length;
  const rest = text.indexOf('\n', end);
  return end === 0 ? '' : rest === -1 ? text : text.slice(0, rest);
}

function languageOfCode(element: DomElement): string {
  for (const inner of elementsOf(element)) {
    const language = /(?:^|\s)language-([\w#+.-]{1,30})(?:\s|$)/.exec(inner.className)?.[1];
    if (language !== undefined) return language;
    if (inner !== element) break;
  }
  return '';
}

/** A length greater than any run of backticks in the code. */
function fenceLength(code: string): number {
  let length = 3;
  for (const run of code.match(/`{3,}/g) ?? []) length = Math.max(length, run.length + 1);
  return length;
}

// `summary` of `details`.

/** A bold line, unless it holds a heading; the rest of `details` follows as ordinary blocks. */
export const summary: MarkdownRule = (element, out) => {
  out.boundary();
  if (findElement(element, ({ localName }) => /^h[1-6]$/.test(localName)) !== undefined) {
    return out.paragraph(element);
  }
  out.run.wrap({ kind: 'strong' }, () => out.children(element));
  out.boundary();
};

// `div`.

/** A paragraph boundary, or a heading by role. */
export const div: MarkdownRule = (element, out) => {
  if (element.getAttribute('role') === 'heading') out.heading(headingLevel(element), element);
  else out.paragraph(element);
};

/** ARIA defaults to level 2. */
function headingLevel(element: DomElement): number {
  const level = Number(element.getAttribute('aria-level') ?? 2);
  return Number.isInteger(level) ? Math.min(Math.max(level, 1), 6) : 2;
}

// `hr`, and the beginnings of pages of a file.

/** `---`, but not at the start, where it would join a list item's dashes or begin front matter. */
export const thematicBreak: MarkdownRule = (element, out) => {
  // A rule inside a heading does not end the heading.
  if (out.inHeading) {
    out.run.space();
    return;
  }
  out.flush();
  const page = element.getAttribute('data-page');
  if (page !== null && !out.inCell && /^\d{1,6}$/.test(page)) {
    out.block(`<!-- page ${page} -->`);
    return;
  }
  if (!out.inCell && out.writer.level.used) out.block('---');
};

// Elements that render nothing, or nothing that text can represent.

/** Leaves out the element with its content. */
export const dropped: MarkdownRule = () => {};
