/** Writes formulas as MathML: OMML (ECMA-376, 22.1) is translated, allowed MathML elements are passed on. */
import { escapeText } from '../../content/html/serialize.ts';
import {
  isXmlElement,
  xmlChild,
  xmlChildren,
  type XmlElement,
  xmlText,
} from '../../content/html/xml.ts';

/** `m:oMath` as a `math` element, a display formula if it is alone. */
export function formula(element: XmlElement, isBlock: boolean): string {
  const content = inner(element);
  if (content === '') return '';
  return `<math${isBlock ? ' display="block"' : ''}><mrow>${content}</mrow></math>`;
}

function inner(element: XmlElement | undefined): string {
  return (element?.children ?? []).map((node) => (isXmlElement(node) ? one(node) : '')).join('');
}

function one(element: XmlElement): string {
  const write = Object.hasOwn(constructs, element.name) ? constructs[element.name] : undefined;
  if (write !== undefined) return write(element);
  return element.name.endsWith('Pr') ? '' : inner(element);
}

function row(element: XmlElement, name: string): string {
  return `<mrow>${inner(xmlChild(element, name))}</mrow>`;
}

/** A property of the element: `m:fPr` / `m:type`. */
function property(element: XmlElement, group: string, name: string): string | undefined {
  return xmlChild(element, group, name)?.attributes['m:val'];
}

const constructs: Readonly<Record<string, (element: XmlElement) => string>> = {
  'm:r': (element) => symbols(xmlChildren(element, 'm:t').map(xmlText).join('')),
  'm:f': (element) => {
    const kind = property(element, 'm:fPr', 'm:type');
    const over = row(element, 'm:num');
    const under = row(element, 'm:den');
    return kind === 'lin' ? `${over}<mo>/</mo>${under}` : `<mfrac>${over}${under}</mfrac>`;
  },
  'm:sSup': (element) => `<msup>${row(element, 'm:e')}${row(element, 'm:sup')}</msup>`,
  'm:sSub': (element) => `<msub>${row(element, 'm:e')}${row(element, 'm:sub')}</msub>`,
  'm:sSubSup': (element) =>
    `<msubsup>${row(element, 'm:e')}${row(element, 'm:sub')}${row(element, 'm:sup')}</msubsup>`,
  'm:sPre': (element) =>
    `<msubsup><mrow></mrow>${row(element, 'm:sub')}${row(element, 'm:sup')}</msubsup>${row(element, 'm:e')}`,
  'm:rad': (element) => {
    const degree = inner(xmlChild(element, 'm:deg'));
    const content = row(element, 'm:e');
    return degree === ''
      ? `<msqrt>${content}</msqrt>`
      : `<mroot>${content}<mrow>${degree}</mrow></mroot>`;
  },
  'm:nary': (element) => {
    const sign = property(element, 'm:naryPr', 'm:chr') ?? '∫';
    const [sub, sup] = [inner(xmlChild(element, 'm:sub')), inner(xmlChild(element, 'm:sup'))];
    const operator = `<mo>${escapeText(sign)}</mo>`;
    const limits =
      sub === '' && sup === ''
        ? operator
        : sup === ''
          ? `<msub>${operator}<mrow>${sub}</mrow></msub>`
          : `<msubsup>${operator}<mrow>${sub}</mrow><mrow>${sup}</mrow></msubsup>`;
    return limits + row(element, 'm:e');
  },
  'm:d': (element) => {
    const begin = property(element, 'm:dPr', 'm:begChr') ?? '(';
    const end = property(element, 'm:dPr', 'm:endChr') ?? ')';
    const between = property(element, 'm:dPr', 'm:sepChr') ?? '|';
    const parts = xmlChildren(element, 'm:e').map((part) => `<mrow>${inner(part)}</mrow>`);
    const sign = (text: string): string => (text === '' ? '' : `<mo>${escapeText(text)}</mo>`);
    return `<mrow>${sign(begin)}${parts.join(sign(between))}${sign(end)}</mrow>`;
  },
  'm:func': (element) => row(element, 'm:fName') + row(element, 'm:e'),
  'm:limLow': (element) => `<munder>${row(element, 'm:e')}${row(element, 'm:lim')}</munder>`,
  'm:limUpp': (element) => `<mover>${row(element, 'm:e')}${row(element, 'm:lim')}</mover>`,
  'm:acc': (element) => {
    const sign = property(element, 'm:accPr', 'm:chr') ?? '\u0302';
    const accents = new Map([
      ['\u0302', '^'],
      ['\u0303', '~'],
      ['\u0304', '¯'],
      ['\u0305', '¯'],
      ['\u0307', '˙'],
      ['\u0308', '¨'],
    ]);
    return `<mover>${row(element, 'm:e')}<mo>${escapeText(accents.get(sign) ?? sign)}</mo></mover>`;
  },
  'm:bar': (element) => `<mover>${row(element, 'm:e')}<mo>¯</mo></mover>`,
  'm:m': (element) => {
    const rows = xmlChildren(element, 'm:mr').map((line) => {
      const cells = xmlChildren(line, 'm:e').map((cell) => `<mtd>${inner(cell)}</mtd>`);
      return `<mtr>${cells.join('')}</mtr>`;
    });
    return `<mtable>${rows.join('')}</mtable>`;
  },
  'm:eqArr': (element) => {
    const rows = xmlChildren(element, 'm:e').map((line) => `<mtr><mtd>${inner(line)}</mtd></mtr>`);
    return `<mtable>${rows.join('')}</mtable>`;
  },
};

/** Identifiers, numbers and operators of a run. */
function symbols(text: string): string {
  const parts = text.match(/\d+(?:[.,]\d+)*|\p{L}{2,}|\p{L}\p{M}*|\S/gu) ?? [];
  return parts
    .flatMap((part) => {
      if (/^\d/.test(part)) return [`<mn>${part}</mn>`];
      if (!/^\p{L}/u.test(part)) return [`<mo>${escapeText(part)}</mo>`];
      // Adjacent letters are a product, unless they are the name of a function.
      return functions.test(part)
        ? [`<mi>${part}</mi>`]
        : (part.match(/\P{M}\p{M}*/gu) ?? []).map((letter) => `<mi>${letter}</mi>`);
    })
    .join('');
}

const functions =
  /^(?:sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|log|ln|exp|lim|max|min|sup|inf|det|dim|ker|gcd|arg)$/;

// The formula elements (of MathML Core, and of office programs) that are passed on.

export const mathElements: ReadonlySet<string> = new Set(
  (
    'math mi mn mo ms mtext mspace mrow mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mfenced ' +
    'mstyle mpadded mphantom merror semantics'
  ).split(' '),
);
