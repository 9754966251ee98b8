/** Amounts of money in texts, with their currencies. */
import { type DomElement, isElement, isText } from '../../html/dom.ts';
import { nextNode } from '../../html/nodes.ts';
import { collapse } from '../structured-data/element-text.ts';
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

const codes =
  'EUR|USD|GBP|CHF|JPY|CNY|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|TRY|INR|BRL|MXN|ZAR|SGD|HKD|KRW|ILS|UAH|RUB';
const pattern = new RegExp(
  `(?<![\\p{L}\\d])(?:(€|£|¥|₹|₩|₺|₴|zł|Kč|[A-Z]{0,2}\\$|${codes})\\s?(\\d[\\d.,'’ ]{0,15})|(\\d[\\d.,'’ ]{0,15}?)\\s?(€|£|¥|₹|₩|₺|₴|zł|Kč|\\$|${codes})(?![\\p{L}\\d]))`,
  'gu',
);

const signs: Readonly<Record<string, string>> = {
  '€': 'EUR',
  '£': 'GBP',
  '₹': 'INR',
  '₩': 'KRW',
  '₺': 'TRY',
  '₴': 'UAH',
  zł: 'PLN',
  Kč: 'CZK',
  US$: 'USD',
  CA$: 'CAD',
  C$: 'CAD',
  A$: 'AUD',
  AU$: 'AUD',
  NZ$: 'NZD',
  HK$: 'HKD',
  R$: 'BRL',
};

const dollars: Readonly<Record<string, string>> = {
  us: 'USD',
  ca: 'CAD',
  au: 'AUD',
  nz: 'NZD',
  mx: 'MXN',
  sg: 'SGD',
  hk: 'HKD',
};

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
  const own = collapse(text);
  if (!/^[\d.,'’\s]+$/.test(own)) return own;
  const whole = (parent.parentElement?.textContent ?? '').slice(0, 60);
  return whole.length < 40 ? collapse(whole) : own;
}

/** The amounts of one text. */
function amountsOf(text: string, language: string | undefined): Omit<Amount, 'isStruck'>[] {
  if (!/[€£¥₹₩₺₴$łč]|[A-Z]{3}/.test(text)) return [];
  const plain = text.replace(/[\u00a0\u202f\u2009]/g, ' ').slice(0, 1000);
  const found: Omit<Amount, 'isStruck'>[] = [];
  for (const match of plain.matchAll(pattern)) {
    const sign = match[1] ?? match[4] ?? '';
    const figure = (match[2] ?? match[3] ?? '').replace(/[\s.,'’]+$/, '');
    const value = coerceNumber(figure, { language, unit: undefined });
    if (value !== undefined) found.push({ value, currency: currencyOf(sign, language) });
  }
  return found;
}

function currencyOf(sign: string, language = ''): string | undefined {
  if (/^[A-Z]{3}$/.test(sign)) return sign;
  if (Object.hasOwn(signs, sign)) return signs[sign];
  const region = /[-_]([a-z]{2})$/i.exec(language)?.[1]?.toLowerCase() ?? '';
  if (sign === '$') return Object.hasOwn(dollars, region) ? dollars[region] : undefined;
  if (sign === '¥')
    return /^ja/i.test(language) ? 'JPY' : /^zh/i.test(language) ? 'CNY' : undefined;
  return undefined;
}
