/** Presentation MathML to TeX, for formulas that carry no TeX themselves. */
import { type DomElement, type DomNode, isElement, isText } from '../../html/dom.ts';
import { nextNode } from '../../html/nodes.ts';
import { oneLine } from '../../text/one-line.ts';
import { isMarkedHidden } from '../marked-hidden.ts';

/** TeX for the common constructs; of others the content. */
export function mathmlToTex(element: DomElement): string {
  const name = element.localName;
  if (name === 'mtext' || name === 'ms') {
    const text = words(element);
    return text === '' ? '' : `\\text{${text}}`;
  }
  if (Object.hasOwn(leaves, name)) return leaves[name]?.(plain(element)) ?? '';
  const parts: string[] = [];
  for (let child = element.firstChild; child !== null; child = child.nextSibling) {
    if (isElement(child)) parts.push(mathmlToTex(child));
    else if (isText(child) && /\S/.test(child.data)) parts.push(child.data.trim());
  }
  return (Object.hasOwn(constructs, name) && constructs[name]?.(parts, element)) || joined(parts);
}

const functions =
  /^(?:sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|log|ln|exp|lim|max|min|sup|inf|det|dim|ker|gcd|arg)$/;

/** Words may be marked up in HTML, of which hidden parts are none. */
function words(element: DomElement): string {
  let text = '';
  for (let node: DomNode | null = element.firstChild; node !== null;) {
    if (isText(node)) text += node.data;
    node = nextNode(node, element, isElement(node) && isUnread(node));
  }
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

/** How the parts of an element are put together. */
const constructs: Readonly<
  Record<string, (parts: readonly string[], element: DomElement) => string>
> = {
  mfrac: ([over = '', under = '']) => `\\frac{${over}}{${under}}`,
  msqrt: (parts) => `\\sqrt{${joined(parts)}}`,
  mroot: ([radicand = '', degree = '']) => `\\sqrt[${degree}]{${radicand}}`,
  msub: ([base = '', sub = '']) => `${symbol(base)}_${group(sub)}`,
  msup: ([base = '', sup = '']) => `${symbol(base)}^${group(sup)}`,
  msubsup: ([base = '', sub = '', sup = '']) => `${symbol(base)}_${group(sub)}^${group(sup)}`,
  munderover: ([base = '', sub = '', sup = '']) => `${symbol(base)}_${group(sub)}^${group(sup)}`,
  munder: ([base = '', under = '']) =>
    takesLimits(base) ? `${base}_${group(under)}` : `\\underset{${under}}{${base}}`,
  mover: ([base = '', over = '']) => {
    const accent = Object.hasOwn(accents, over) ? accents[over] : undefined;
    if (accent !== undefined) return `${accent}{${base}}`;
    return takesLimits(base) ? `${base}^${group(over)}` : `\\overset{${over}}{${base}}`;
  },
  mfenced: (parts, element) => {
    const open = element.getAttribute('open') ?? '(';
    const close = element.getAttribute('close') ?? ')';
    return `${open}${parts.join(', ')}${close}`;
  },
  mtable: (rows) => `\\begin{matrix} ${rows.join(' \\\\ ')} \\end{matrix}`,
  mtr: (cells) => cells.join(' & '),
};

function plain(element: DomElement): string {
  // Whatever else stands in a symbol is no symbol.
  const text = [...element.childNodes].map((node) => (isText(node) ? node.data : '')).join('');
  return oneLine(text);
}

/** What an index is attached to: one symbol or command as it is, more in braces. */
function symbol(tex: string): string {
  return /^\\[a-zA-Z]+$/.test(tex) ? tex : group(tex);
}

function group(tex: string): string {
  return tex.length === 1 || (tex.length === 2 && [...tex].length === 1) ? tex : `{${tex}}`;
}

function takesLimits(tex: string): boolean {
  return /^(?:[∑∏∫⋃⋂]|\\(?:lim|max|min|sup|inf))$/.test(tex);
}

/** A command and a letter after it need a space between them. */
function joined(parts: readonly string[]): string {
  let tex = '';
  let before = '';
  for (const part of parts) {
    if (/^\\[a-zA-Z]+$/.test(before) && /^[a-zA-Z0-9]/.test(part)) tex += ' ';
    tex += part;
    before = part;
  }
  return tex;
}
