/** `pre`, `xmp`, `listing`. */
import { type DomElement, isElement, isText } from '../../../html/dom.ts';
import { elementsOf, nextNode } from '../../../html/nodes.ts';
import { withoutUnseen } from '../../../text/unseen.ts';
import type { Rule } from '../emitter.ts';

/**
 * A fenced block of the text, with the language that cleaning left on the `code` inside. A `pre` of
 * pictures only is no code. In a table cell each line is a code span.
 */
export const codeBlock: Rule = (element, out) => {
  const code = textOf(element);
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
    out.block(`${fence}${languageOf(element)}\n${code}\n${fence}`);
  }
};

/** Without blank lines around it, and without the labels of drawings. */
function textOf(element: DomElement): string {
  let text = '';
  for (let node = element.firstChild; node !== null;) {
    const name = isElement(node) ? node.localName : undefined;
    if (isText(node)) text += node.data;
    else if (name === 'br') text += '\n';
    node = nextNode(node, element, name === 'svg');
  }
  text = withoutUnseen(text)
    .replace(/\r\n?/g, '\n')
    .replace(/^(?:[ \t]*\n)+/, '');
  const end = text.trimEnd().length;
  const rest = text.indexOf('\n', end);
  return end === 0 ? '' : rest === -1 ? text : text.slice(0, rest);
}

function languageOf(element: DomElement): string {
  for (const inner of elementsOf(element)) {
    const language = /(?:^|\s)language-([\w#+.-]{1,30})(?:\s|$)/.exec(inner.className)?.[1];
    if (language !== undefined) return language;
    if (inner !== element) break;
  }
  return '';
}

/** Longer than any run of backticks in the code. */
function fenceLength(code: string): number {
  let length = 3;
  for (const run of code.match(/`{3,}/g) ?? []) length = Math.max(length, run.length + 1);
  return length;
}
