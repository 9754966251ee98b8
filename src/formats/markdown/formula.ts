/** Formulas in TeX: `$…$` in a line, `$$…$$` on lines of their own. */
import type { DomElement } from '../../html/dom.ts';
import { elementsOf } from '../../html/nodes.ts';
import type { Emitter } from './emitter.ts';
import type { FailedSearches } from './failed-searches.ts';
import { mathmlToTex } from './mathml-to-tex.ts';
import { withoutUnseen } from '../../text/unseen.ts';

/** Writes a formula, or nothing if it is empty. */
export function writeFormula(tex: string, display: boolean, out: Emitter): void {
  const lines = withoutStyle(withoutUnseen(tex).trim())
    .split(/\r\n?|\n/)
    .map((line) => inert(line.trim(), out.inCell))
    .filter((line) => line !== '');
  if (lines.length === 0) return;
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

/** Writes a `math` element: its TeX annotation or alternative text, else its structure as TeX. */
export function writeMathml(math: DomElement, display: boolean, out: Emitter): void {
  const isBlock = display || math.getAttribute('display') === 'block';
  writeFormula(annotation(math) ?? math.getAttribute('alttext') ?? mathmlToTex(math), isBlock, out);
}

/** The first element of this name inside, in document order. */
export function findInside(
  root: DomElement,
  name: string,
  failed: FailedSearches,
): DomElement | undefined {
  if (failed.covers(name, root)) return undefined;
  for (const element of elementsOf(root)) {
    if (element.localName === name) return element;
  }
  failed.add(name, root);
  return undefined;
}

function annotation(math: DomElement): string | undefined {
  for (const element of elementsOf(math)) {
    if (element.localName !== 'annotation') continue;
    if (/tex/i.test(element.getAttribute('encoding') ?? ''))
      return element.textContent ?? undefined;
  }
  return undefined;
}

/** MediaWiki wraps every formula in a style that says how it is displayed. */
function withoutStyle(tex: string): string {
  return tex.replace(/^\{\\(?:display|text)style\s*([^]*)\}$/, '$1');
}
