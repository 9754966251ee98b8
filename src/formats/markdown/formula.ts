/** Formulas in TeX: `$…$` in a line, `$$…$$` on lines of their own. */
import type { Emitter } from './emitter.ts';
import { withoutUnseen } from '../../text/unseen.ts';

/** Writes a formula, or nothing if it is empty. */
export function writeFormula(tex: string, display: boolean, out: Emitter): void {
  const lines = withoutUnseen(tex)
    .trim()
    .split(/\r\n?|\n/)
    .map((line) => inert(line.trim(), out.inCell))
    .filter((line) => line !== '');
  if (lines.every((line) => line === '\\text{}')) return;
  if (!display) out.run.raw(`$${lines.join(' ')}$`);
  else if (out.inCell || out.inHeading || out.inLink) out.run.raw(`$$${lines.join(' ')}$$`);
  else out.block(`$$\n${lines.join('\n')}\n$$`);
}

/**
 * TeX that means the same and that no reader of markdown takes for a tag, a link, a definition or
 * code: not every one knows formulas. In a table a bar would end the cell.
 */
function inert(line: string, inCell: boolean): string {
  const text = line
    .replace(/<(?=[a-z/!?])/gi, '< ')
    .replace(/\](?=[(:[])/g, '] ')
    .replace(/`/g, '\\lq ')
    .replace(/~~(?=~)/g, '~~ ')
    .trimEnd();
  return inCell ? text.replace(/\\\|/g, '\\Vert ').replace(/\|/g, '\\vert ').trimEnd() : text;
}
