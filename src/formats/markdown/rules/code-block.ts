/** `pre`, `xmp`, `listing`, and tables of numbered lines. */
import type { DomElement } from '../../../html/dom.ts';
import { codeLanguage } from '../code-language.ts';
import { codeText } from '../code-text.ts';
import type { Emitter, Rule } from '../emitter.ts';

/** A fenced block, with its language where the page names one. A `pre` of pictures only is no code. */
export const codeBlock: Rule = (element, out) => {
  if (!writeCodeLines(element, out)) out.paragraph(element);
};

/** Writes the code in an element; false when there is none. In a table cell each line is a code span. */
export function writeCodeLines(element: DomElement, out: Emitter): boolean {
  if (out.failed.covers('code', element)) return false;
  const code = codeText(element);
  if (code === '') {
    out.failed.add('code', element);
    return false;
  }
  if (out.inCell) {
    out.boundary();
    for (const line of code.split('\n')) {
      if (line.trim() !== '') out.run.code(line.trim());
      out.run.break();
    }
  } else {
    const fence = '`'.repeat(fenceLength(code));
    out.block(`${fence}${codeLanguage(element)}\n${code}\n${fence}`);
  }
  return true;
}

/** Longer than any run of backticks in the code. */
function fenceLength(code: string): number {
  let length = 3;
  for (const run of code.match(/`{3,}/g) ?? []) length = Math.max(length, run.length + 1);
  return length;
}
