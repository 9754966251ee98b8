/** Amounts of money in texts, with their currencies. */
import { type DomElement, isElement, isText } from '../../html/dom.ts';
import { nextNode } from '../../html/nodes.ts';
import { currencyOfSign, currencySigns, writtenCodes } from '../../text/currency.ts';
import { oneLine } from '../../text/one-line.ts';
import { coerceNumber } from './coerce-number.ts';
import { isStruck } from './class-names.ts';
import type { IsSide } from './side-content.ts';

/** One amount that has a currency beside it. */
export interface Amount {
  readonly value: number;
  /** ISO 4217; undefined for a sign that several currencies share, as `$` on a page of no country. */
  readonly currency: string | undefined;
  readonly isStruck: boolean;
}

const maxNodes = 100_000;
const maxAmounts = 2000;

const escaped = (texts: readonly string[]): string =>
  texts.map((text) => text.replace(/[$]/g, '\\$&')).join('|');
const ofCurrency = `${escaped(currencySigns)}|${escaped(writtenCodes)}`;
const pattern = new RegExp(
  `(?<![\\p{L}\\d])(?:(${ofCurrency}|[A-Z]{1,2}\\$)\\s?(\\d[\\d.,'’ ]{0,15})|(\\d[\\d.,'’ ]{0,15}?)\\s?(${ofCurrency})(?![\\p{L}\\d]))`,
  'gu',
);
const anyCurrency = new RegExp(ofCurrency, 'u');

/** The amounts in an element's texts in their order, other parts of the page left aside. */
export function amountsIn(
  root: DomElement,
  isSide: IsSide,
  language: string | undefined,
): Amount[] {
  const amounts: Amount[] = [];
  let nodes = 0;
  for (let node = root.firstChild; node !== null; node = nextNode(node, root)) {
    if ((nodes += 1) > maxNodes || amounts.length > maxAmounts) break;
    if (!isText(node) || !/\d/.test(node.data)) continue;
    const parent = node.parentElement;
    if (parent === null || !isElement(parent) || /^(script|style)$/.test(parent.localName))
      continue;
    const found = amountsOf(aroundFigure(parent, node.data), language);
    if (found.length === 0 || isSide(parent)) continue;
    const struck = isStruck(parent);
    for (const amount of found) amounts.push({ ...amount, isStruck: struck });
  }
  return amounts;
}

/** `<span>€</span><b>20</b>` and `<b>20</b> €`: the sign may be in the next element. */
function aroundFigure(parent: DomElement, text: string): string {
  const own = oneLine(text);
  if (!/^[\d.,'’\s]+$/.test(own)) return own;
  const whole = (parent.parentElement?.textContent ?? '').slice(0, 60);
  return whole.length < 40 ? oneLine(whole) : own;
}

/** The amounts of one text. */
function amountsOf(text: string, language: string | undefined): Omit<Amount, 'isStruck'>[] {
  if (!anyCurrency.test(text)) return [];
  const plain = text.replace(/[\u00a0\u202f\u2009]/g, ' ').slice(0, 1000);
  const found: Omit<Amount, 'isStruck'>[] = [];
  for (const match of plain.matchAll(pattern)) {
    const sign = match[1] ?? match[4] ?? '';
    const figure = (match[2] ?? match[3] ?? '').replace(/[\s.,'’]+$/, '');
    const value = coerceNumber(figure, { language, unit: undefined });
    const currency = currencyOfSign(sign, language);
    // `6 Ft` is a length where nobody pays in forints.
    const isOther = currency === undefined && /^\p{L}+$/u.test(sign);
    if (value !== undefined && !isOther) found.push({ value, currency });
  }
  return found;
}
