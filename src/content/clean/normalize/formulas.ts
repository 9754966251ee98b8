/** Formulas of any renderer as `<math display="…" alttext="TeX">`; presentation MathML to TeX. */
import {
  type DomElement,
  closestWhere,
  elementsOf,
  findElement,
  isElement,
  isText,
  nodesBelow,
} from '../../html/dom.ts';
import { oneLine } from '../../text/plain-text.ts';
import { isMarkedHidden } from '../hidden-elements.ts';
import { newElement, type Normalizer, type PageState } from './normalizer.ts';

/** MathML: TeX from the annotation, else from the alternative text, else from the structure. */
export const math: Normalizer = (element) => {
  completeMath(element, element.getAttribute('display') === 'block');
  return 'done';
};

/** MathJax 3 and 4: the formula is in the assistive MathML. */
export const mathjaxContainer: Normalizer = (element, page) => {
  const inner = findMath(element, page);
  return inner && replaceByMath(inner, element, element.getAttribute('display') === 'true');
};

/** MathJax 2 has its TeX in a script. */
export const mathScript: Normalizer = (element) => {
  const type = element.getAttribute('type') ?? '';
  const tex = element.textContent ?? '';
  if (!/^math\/tex\b/i.test(type) || tex.trim() === '') return 'done';
  element.replaceWith(fromTex(element, tex, /mode=display/i.test(type)));
  return 'done';
};

/** Pictures of formulas, whose alternative text is the TeX. */
export const formulaImage: Normalizer = (element) => {
  const names = element.getAttribute('class') ?? '';
  const tex = (element.getAttribute('alt') ?? '').trim();
  if (tex === '') return undefined;
  const isFormula =
    /\bmwe-math-fallback-image/.test(names) ||
    (/(?:^|\s)(?:latex|tex|math)(?:\s|$)/i.test(names) && mayBeTex(tex)) ||
    /\/latex\.php\?|\blatex\.codecogs\.com\//.test(element.getAttribute('src') ?? '');
  if (!isFormula) return undefined;
  element.replaceWith(fromTex(element, tex, /display/.test(names)));
  return 'done';
};

/** Elements of KaTeX, MathJax 2 and MediaWiki that wrap or replace formulas. */
export const formulaByClass: Normalizer = (element, page) => {
  const names = element.className;
  const source = sourceOfFormula(element);
  if (source !== undefined) {
    element.replaceWith(fromTex(element, source, isSetApart(element)));
    return 'done';
  }
  if (/\bMathJax(?:_|\b)/.test(names)) return mathjaxDrawing(element, page);
  if (!/\bkatex(?:-display)?(?:\s|$)|\bmwe-math-element\b/.test(names)) return undefined;
  const inner = findMath(element, page);
  return inner && replaceByMath(inner, element, /\bkatex-display\b/.test(names));
};

/** The TeX beside a drawn formula; MathML in it, if any, is read instead. */
function sourceOfFormula(element: DomElement): string | undefined {
  if (!/math|katex|latex|formula|equation/i.test(element.className)) return undefined;
  for (const name of sourceAttributes) {
    const tex = element.getAttribute(name)?.trim() ?? '';
    if (tex !== '' && tex.length <= longestSource && mayBeTex(tex)) return tex;
  }
  return undefined;
}

const sourceAttributes: readonly string[] =
  'data-math data-tex data-latex data-katex data-formula data-equation data-expr data-value'.split(
    ' ',
  );

const longestSource = 5_000; // characters

function isSetApart(element: DomElement): boolean {
  return (
    /display|block/i.test(element.className) ||
    element.getAttribute('data-display') === 'true' ||
    element.localName === 'div'
  );
}

/** Drops the drawing of MathJax 2: its TeX follows in a script or as text, or the drawing contains MathML. */
function mathjaxDrawing(element: DomElement, page: PageState): 'done' | undefined {
  if (/\bMathJax_Preview\b/.test(element.className) || isTexNext(element)) {
    element.remove();
    return 'done';
  }
  const inner = findMath(element, page);
  return inner && replaceByMath(inner, element, /_Display\b/.test(element.className));
}

function isTexNext(element: DomElement): boolean {
  for (let next = element.nextSibling; next !== null; next = next.nextSibling) {
    if (isText(next) && !/\S/.test(next.data)) continue;
    return isText(next)
      ? /^\s*\\[([]/.test(next.data)
      : isElement(next) && /^math\/tex/.test(next.getAttribute('type') ?? '');
  }
  return false;
}

function mayBeTex(text: string): boolean {
  return /[\\^_={}+]/.test(text) || text.length <= 3;
}

function findMath(root: DomElement, { failed }: PageState): DomElement | undefined {
  if (failed.covers('math', root)) return undefined;
  const math = findElement(root, ({ localName }) => localName === 'math');
  if (math === undefined) failed.add('math', root);
  return math;
}

function replaceByMath(inner: DomElement, outer: DomElement, display: boolean): 'done' {
  outer.replaceWith(inner);
  completeMath(inner, display || inner.getAttribute('display') === 'block');
  return 'done';
}

/** Removes the annotations: their text would appear beside the formula. */
function completeMath(element: DomElement, display: boolean): void {
  const annotations: DomElement[] = [];
  let annotated: string | undefined;
  for (const inner of elementsOf(element)) {
    if (inner.localName !== 'annotation' && inner.localName !== 'annotation-xml') continue;
    annotations.push(inner);
    const isTex = /tex/i.test(inner.getAttribute('encoding') ?? '');
    if (isTex && inner.localName === 'annotation') annotated ??= inner.textContent ?? '';
  }
  const tex = annotated ?? element.getAttribute('alttext') ?? mathmlToTex(element);
  for (const annotation of annotations) annotation.remove();
  const [, words] = /^\\text\{([^{}\\]*)\}$/.exec(tex.trim()) ?? [];
  const text = words === undefined ? undefined : element.ownerDocument?.createTextNode(words);
  if (text !== undefined && isInDrawing(element)) return element.replaceWith(text);
  describeFormula(element, tex, display);
  element.removeAttribute('aria-hidden');
}

/** If one label of a diagram is a formula, all are written as formulas: labels of words alone are not formulas. */
function isInDrawing(element: DomElement): boolean {
  return closestWhere(element, ({ localName }) => localName === 'svg') !== undefined;
}

function fromTex(beside: DomElement, tex: string, display: boolean): DomElement {
  const element = newElement(beside, 'math');
  describeFormula(element, tex, display);
  const text = newElement(beside, 'mtext');
  text.textContent = element.getAttribute('alttext');
  element.appendChild(text);
  return element;
}

function describeFormula(element: DomElement, tex: string, display: boolean): void {
  element.setAttribute('display', display ? 'block' : 'inline');
  element.setAttribute('alttext', withoutStyle(tex.trim()));
}

/** Removes the style that MediaWiki wraps around every formula. */
function withoutStyle(tex: string): string {
  return tex.replace(/^\{\\(?:display|text)style\s*([^]*)\}$/, '$1');
}

// Presentation MathML to TeX, for formulas without TeX.

/** TeX for common constructs; the content of others. */
function mathmlToTex(element: DomElement): string {
  const name = element.localName;
  if (name === 'mtext' || name === 'ms') {
    const text = functionWords(element);
    return text === '' ? '' : `\\text{${text}}`;
  }
  if (Object.hasOwn(leaves, name)) return leaves[name]?.(plainToken(element)) ?? '';
  const parts: string[] = [];
  for (let child = element.firstChild; child !== null; child = child.nextSibling) {
    if (isElement(child)) parts.push(mathmlToTex(child));
    else if (isText(child) && /\S/.test(child.data)) parts.push(child.data.trim());
  }
  return (
    (Object.hasOwn(constructs, name) && constructs[name]?.(parts, element)) || joinedTex(parts)
  );
}

const functions =
  /^(?:sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|log|ln|exp|lim|max|min|sup|inf|det|dim|ker|gcd|arg)$/;

/** Words may be marked up in HTML; hidden parts are left out. */
function functionWords(element: DomElement): string {
  let text = '';
  for (const node of nodesBelow(element, isUnread)) if (isText(node)) text += node.data;
  return oneLine(text);
}

function isUnread(element: DomElement): boolean {
  return /^(?:script|style|template)$/.test(element.localName) || isMarkedHidden(element);
}

/** Elements that hold text only. */
const leaves: Readonly<Record<string, (text: string) => string>> = {
  mi: (text) => {
    if (functions.test(text)) return `\\${text}`;
    return [...text].length > 1 ? `\\mathrm{${text}}` : text;
  },
  mo: (text) => text.replace('−', '-').replace(/^[{}%#&]$/, '\\$&'),
  mspace: () => ' ',
  mphantom: () => '',
  annotation: () => '',
  'annotation-xml': () => '',
};

const accents: Readonly<Record<string, string>> = {
  '¯': '\\overline',
  '‾': '\\overline',
  '^': '\\hat',
  '~': '\\tilde',
  '→': '\\vec',
  '⃗': '\\vec',
  '˙': '\\dot',
  '¨': '\\ddot',
};

/** Builds the TeX of an element from the TeX of its parts. */
const constructs: Readonly<
  Record<string, (parts: readonly string[], element: DomElement) => string>
> = {
  // A fraction without a bar is a column; in parentheses, a binomial coefficient.
  mfrac: ([over = '', under = ''], element) =>
    /^\s*0+(?:\.0*)?[a-z%]*\s*$/i.test(element.getAttribute('linethickness') ?? '')
      ? `\\genfrac{}{}{0pt}{}{${over}}{${under}}`
      : `\\frac{${over}}{${under}}`,
  msqrt: (parts) => `\\sqrt{${joinedTex(parts)}}`,
  mroot: ([radicand = '', degree = '']) => `\\sqrt[${degree}]{${radicand}}`,
  msub: ([base = '', sub = '']) => `${texSymbol(base)}_${texGroup(sub)}`,
  msup: ([base = '', sup = '']) => `${texSymbol(base)}^${texGroup(sup)}`,
  msubsup: ([base = '', sub = '', sup = '']) =>
    `${texSymbol(base)}_${texGroup(sub)}^${texGroup(sup)}`,
  munderover: ([base = '', sub = '', sup = '']) =>
    `${texSymbol(base)}_${texGroup(sub)}^${texGroup(sup)}`,
  munder: ([base = '', under = '']) =>
    takesLimits(base) ? `${base}_${texGroup(under)}` : `\\underset{${under}}{${base}}`,
  mover: ([base = '', over = '']) => {
    const accent = Object.hasOwn(accents, over) ? accents[over] : undefined;
    if (accent !== undefined) return `${accent}{${base}}`;
    return takesLimits(base) ? `${base}^${texGroup(over)}` : `\\overset{${over}}{${base}}`;
  },
  mfenced: (parts, element) => {
    const open = element.getAttribute('open') ?? '(';
    const close = element.getAttribute('close') ?? ')';
    return `${open}${parts.join(', ')}${close}`;
  },
  mtable: (rows) => `\\begin{matrix} ${rows.join(' \\\\ ')} \\end{matrix}`,
  mtr: (cells) => cells.join(' & '),
};

function plainToken(element: DomElement): string {
  // Child elements are not part of a symbol.
  const text = [...element.childNodes].map((node) => (isText(node) ? node.data : '')).join('');
  return oneLine(text);
}

/** The base of an index: a single symbol or command as it is, more in braces. */
function texSymbol(tex: string): string {
  return /^\\[a-zA-Z]+$/.test(tex) ? tex : texGroup(tex);
}

function texGroup(tex: string): string {
  return tex.length === 1 || (tex.length === 2 && [...tex].length === 1) ? tex : `{${tex}}`;
}

function takesLimits(tex: string): boolean {
  return /^(?:[∑∏∫⋃⋂]|\\(?:lim|max|min|sup|inf))$/.test(tex);
}

/** A command needs a space before a letter or digit. */
function joinedTex(parts: readonly string[]): string {
  let tex = '';
  let before = '';
  for (const part of parts) {
    if (/^\\[a-zA-Z]+$/.test(before) && /^[a-zA-Z0-9]/.test(part)) tex += ' ';
    tex += part;
    before = part;
  }
  return tex;
}
