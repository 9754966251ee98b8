/** Rules of texts and of formulas in TeX: `$…$` in a line, `$$…$$` on lines of their own. */
import { withoutInvisible } from '../../text/plain-text.ts';
import type { Emitter, MarkdownRule } from '../emitter.ts';

/**
 * Text of the page, escaped where necessary. In pages not rendered by a browser, formulas are between MathJax
 * delimiters: `\(…\)`, `\[…\]`, `$$…$$`.
 */
export function text(data: string, out: Emitter): void {
  if (!data.includes('\\') && !data.includes('$$')) {
    out.run.text(data);
    return;
  }
  let from = 0;
  for (const { start, end, tex, isBlock } of findFormulas(data)) {
    out.run.text(data.slice(from, start));
    from = end;
    writeFormula(tex, isBlock, out);
  }
  out.run.text(data.slice(from));
}

interface FoundFormula {
  readonly start: number;
  readonly end: number;
  readonly tex: string;
  readonly isBlock: boolean;
}

const longestFormula = 1000;

/** Searches each closing delimiter once: text with only openings must not be read again for each. */
function* findFormulas(data: string): Generator<FoundFormula, void, undefined> {
  const openings = /\\\(|\\\[|\$\$/g;
  const ends = new Map<string, number>();
  const endAfter = (mark: string, from: number): number => {
    let end = ends.get(mark) ?? -1;
    if (end < from) {
      end = data.indexOf(mark, from);
      if (end === -1) end = Infinity;
      ends.set(mark, end);
    }
    return end;
  };
  for (let match = openings.exec(data); match !== null; match = openings.exec(data)) {
    const [opening] = match;
    const inner = match.index + opening.length;
    const isDollars = opening === '$$';
    const closing = isDollars ? '$$' : opening === '\\(' ? '\\)' : '\\]';
    const end = isDollars ? endAfter('$', inner) : endAfter(closing, inner + 1);
    const fits = end > inner && end - inner <= longestFormula && data.startsWith(closing, end);
    if (!fits) {
      openings.lastIndex = match.index + 1;
      continue;
    }
    openings.lastIndex = end + closing.length;
    const tex = data.slice(inner, end);
    if (isDollars && !/[\\^_{=]/.test(tex)) continue;
    yield { start: match.index, end: end + closing.length, tex, isBlock: opening !== '\\(' };
  }
}

// `math`.

/** A formula, from the TeX that cleaning put into `alttext`. */
export const math: MarkdownRule = (element, out) => {
  const tex = element.getAttribute('alttext') ?? element.textContent ?? '';
  writeFormula(tex, element.getAttribute('display') === 'block', out);
};

// Formulas in TeX: `$…$` in a line, `$$…$$` on lines of their own.

/** Writes a formula, or nothing if it is empty. */
function writeFormula(tex: string, display: boolean, out: Emitter): void {
  const lines = withoutInvisible(tex)
    .trim()
    .split(/\r\n?|\n/)
    .map((line) => inertFormula(line.trim(), out.inCell))
    .filter((line) => line !== '');
  if (lines.every((line) => line === '\\text{}')) return;
  if (!display) out.run.raw(`$${lines.join(' ')}$`);
  else if (out.inCell || out.inHeading || out.inLink) out.run.raw(`$$${lines.join(' ')}$$`);
  else out.block(`$$\n${lines.join('\n')}\n$$`);
}

/**
 * Equivalent TeX that no markdown parser reads as a tag, a link, a definition or code: not every parser knows
 * formulas. In a table, a bar would end the cell.
 */
function inertFormula(line: string, inCell: boolean): string {
  const text = line
    .replace(/<(?=[a-z/!?])/gi, '< ')
    .replace(/\](?=[(:[])/g, '] ')
    .replace(/`/g, '\\lq ')
    .replace(/~~(?=~)/g, '~~ ')
    .trimEnd();
  return inCell ? text.replace(/\\\|/g, '\\Vert ').replace(/\|/g, '\\vert ').trimEnd() : text;
}
