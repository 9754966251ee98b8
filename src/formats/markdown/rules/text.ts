/** Text. */
import type { Emitter } from '../emitter.ts';
import { writeFormula } from '../formula.ts';

/**
 * Text of the page, escaped where it has to be. In pages of which no browser has made anything yet,
 * formulas stand between the delimiters of MathJax: `\(…\)`, `\[…\]`, `$$…$$`.
 */
export function text(data: string, out: Emitter): void {
  if (!data.includes('\\') && !data.includes('$$')) {
    out.run.text(data);
    return;
  }
  let from = 0;
  for (const match of data.matchAll(formulas)) {
    const [whole, inline, block, dollars] = match;
    if (dollars !== undefined && !/[\\^_{=]/.test(dollars)) continue;
    out.run.text(data.slice(from, match.index));
    from = match.index + whole.length;
    writeFormula(inline ?? block ?? dollars ?? '', inline === undefined, out);
  }
  out.run.text(data.slice(from));
}

/** Bounded, so that many openings without an end cost little. */
const formulas = /\\\(([^]{1,1000}?)\\\)|\\\[([^]{1,1000}?)\\\]|\$\$([^$]{1,1000})\$\$/g;
