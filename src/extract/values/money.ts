/** Reads amounts of money: all amounts in an element with their currencies, and the price or range in one text. */
import {
  type DomElement,
  closestWhere,
  isElement,
  isText,
  nextNode,
} from '../../content/html/dom.ts';
import { strikes } from '../../content/html/struck-text.ts';
import {
  currencyIn,
  currencyOfSymbol,
  currencySymbols,
  writtenCodes,
} from '../../content/text/currency.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import { coerceNumber } from './numbers.ts';

const limits = {
  nodes: 100_000,
  amounts: 2000,
  price: 1e12, // a higher price is a mistake in every currency
  text: 100, // characters; a longer text with a price is a sentence
};

/** One amount that has a currency beside it. */
export interface MoneyAmount {
  readonly value: number;
  /** ISO 4217; undefined for a sign of several currencies, as `$` on a page without a country. */
  readonly currency: string | undefined;
  readonly isStruck: boolean;
}

const escaped = (texts: readonly string[]): string =>
  texts.map((text) => text.replace(/[$]/g, '\\$&')).join('|');

const ofCurrency = `${escaped(currencySymbols)}|${escaped(writtenCodes)}`;

const amountPattern = new RegExp(
  `(?<![\\p{L}\\d])(?:(${ofCurrency}|[A-Z]{1,2}\\$)\\s?([.,]?\\d[\\d.,'’ ]{0,15})|([.,]?\\d[\\d.,'’ ]{0,15}?)\\s?(${ofCurrency})(?![\\p{L}\\d]))`,
  'gu',
);

const anyCurrencyPattern = new RegExp(ofCurrency, 'u');

/** The amounts in an element's texts in their order, without side content. */
export function amountsIn(
  root: DomElement,
  isSide: (element: DomElement) => boolean,
  language: string | undefined,
): MoneyAmount[] {
  const amounts: MoneyAmount[] = [];
  let nodes = 0;
  for (let node = root.firstChild; node !== null; node = nextNode(node, root)) {
    if ((nodes += 1) > limits.nodes || amounts.length > limits.amounts) break;
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

/** True in `<del>`, `<s>` and elements styled like them: the text is no longer valid. */
export function isStruck(element: DomElement): boolean {
  return closestWhere(element, strikes, 4) !== undefined;
}

/** The amounts of one text. */
export function amountsOf(
  text: string,
  language: string | undefined,
): Omit<MoneyAmount, 'isStruck'>[] {
  if (!anyCurrencyPattern.test(text)) return [];
  const plain = text.replace(/[\u00a0\u202f\u2009]/g, ' ').slice(0, 1000);
  const found: Omit<MoneyAmount, 'isStruck'>[] = [];
  for (const match of plain.matchAll(amountPattern)) {
    const sign = match[1] ?? match[4] ?? '';
    const figure = (match[2] ?? match[3] ?? '').replace(/[\s.,'’]+$/, '');
    const value = coerceNumber(`${sign} ${figure}`, { language, unit: undefined });
    const currency = currencyOfSymbol(sign, language);
    // `6 Ft` is a length on pages of countries without the forint.
    const isOther = currency === undefined && /^\p{L}+$/u.test(sign);
    if (value !== undefined && !isOther) found.push({ value, currency });
  }
  return found;
}

// Prices as people and machines write them.

/** One price, or the ends of a range. */
export interface PriceRange {
  readonly low: number;
  /** Absent for "from 20 €". */
  readonly high?: number;
  readonly currency?: string;
}

/** True for a plausible price. */
export function isPrice(value: number): boolean {
  return Number.isFinite(value) && value >= 0 && value <= limits.price;
}

/**
 * Reads a written price: `1.299,00 €`, `CHF 1'299.–`, `₹1,29,999`, `$1,299.00 - $1,499.00`. Undefined
 * for other texts, and where several numbers may be meant. Negative prices are returned as they are.
 */
export function readPriceRange(text: string, language: string | undefined): PriceRange | undefined {
  if (text.length > limits.text) return undefined;
  const plain = text
    .replace(/[\u00a0\u202f\u2009]/g, ' ')
    .replaceAll('，', ',')
    .replaceAll('．', '.')
    .trim();
  if (plain.includes('%')) return undefined;
  const parts = plain.split(betweenPrices).filter((part) => /\p{Nd}/u.test(part));
  if (parts.length === 0 || parts.length > 2) return undefined;
  const numbers = parts.map((part) => numberIn(part, language));
  const [low, high] = numbers;
  if (low === undefined || (parts.length === 2 && high === undefined)) return undefined;
  const currency = currencyIn(plain, language);
  const inCurrency = currency === undefined ? {} : { currency };
  if (high === undefined) {
    return fromPrice.test(plain) ? { low, ...inCurrency } : { low, high: low, ...inCurrency };
  }
  return low <= high ? { low, high, ...inCurrency } : undefined;
}

/** The text between the ends of a range: not a minus sign, and not the dash of `20.–`. */
const betweenPrices =
  / (?:[-–—]|to|bis|à|hasta|a|do|до) |(?<=[\p{Nd}\p{Sc}])[–—-](?=[^\p{Nd}–—-]{0,4}\p{Nd})/iu;

const fromPrice =
  /^(?:from|ab|starting (?:at|from)|à partir de|dès|desde|da|od|vanaf|från|fra|от)(?!\p{L})/iu;

/** The only number of a text. */
function numberIn(text: string, language: string | undefined): number | undefined {
  const groups = text.match(/\p{Nd}(?:[\p{Nd}.,٫٬'’ ]*\p{Nd})?/gu) ?? [];
  return groups.length === 1 ? coerceNumber(text, { language, unit: undefined }) : undefined;
}
