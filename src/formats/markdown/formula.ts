/** Formulas in TeX: `$…$` in a line, `$$…$$` on lines of their own. */
import type { DomElement } from '../../html/dom.ts';
import { elementsOf } from '../../html/nodes.ts';
import type { Emitter } from './emitter.ts';
import { mathmlToTex } from './mathml-to-tex.ts';

/** Writes a formula, or nothing if it is empty. */
export function writeFormula(tex: string, display: boolean, out: Emitter): void {
  const lines = withoutStyle(tex.trim())
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) return;
  if (!display) out.run.raw(`$${lines.join(' ')}$`);
  else if (out.inCell || out.inHeading || out.inLink) out.run.raw(`$$${lines.join(' ')}$$`);
  else out.block(`$$\n${lines.join('\n')}\n$$`);
}

/** Writes a `math` element: its TeX annotation or alternative text, else its structure as TeX. */
export function writeMathml(math: DomElement, display: boolean, out: Emitter): void {
  const isBlock = display || math.getAttribute('display') === 'block';
  writeFormula(annotation(math) ?? math.getAttribute('alttext') ?? mathmlToTex(math), isBlock, out);
}

/** The first element of this name inside, in document order. */
export function findInside(root: DomElement, name: string): DomElement | undefined {
  for (const element of elementsOf(root)) {
    if (element.localName === name) return element;
  }
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
