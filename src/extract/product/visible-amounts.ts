/** Reads the visible amounts of money, each with its role: current, former, or neither. */
import {
  type DomElement,
  type DomNode,
  closestWhere,
  isElement,
  isText,
  nextNode,
} from '../../content/html/dom.ts';
import { blockElements } from '../../content/html/tags.ts';
import { strikes } from '../../content/html/struck-text.ts';
import { hasCurrency } from '../../content/text/currency.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import { amountsOf, isPrice, type PriceRange, readPriceRange } from '../values/money.ts';
import { compact } from '../../core/runtime/compact.ts';

/** An amount in a short text of its own. */
export interface VisibleAmount {
  readonly amounts: PriceRange;
  /**
   * `labelled`: marked as the former price by words (`was`, `RRP`) or a class, which themes also use for the
   * only price.
   */
  readonly kind: 'current' | 'labelled' | 'struck';
  /** The innermost element that has the whole line. */
  readonly element: DomElement;
}

/** The amounts in a box with little text, in order; savings, rates and sentences with amounts are left out. */
export function visibleAmounts(box: DomElement, language: string | undefined): VisibleAmount[] {
  return linesOf(box, language).flatMap((line): VisibleAmount[] => {
    const text = oneLine(line.text).slice(0, longestLine);
    const amounts = amountIn(text, language);
    if (amounts === undefined || !isPrice(amounts.low)) return [];
    const label = text.replace(/[\d.,'’]+/g, ' ');
    if (otherLabel.test(label) || wordsIn(label) > mostWords) return [];
    const isLabelled = formerLabel.test(label) || isWithin(isNamedFormer, line.element, box);
    const kind = line.isStruck ? 'struck' : isLabelled ? 'labelled' : 'current';
    return [{ amounts, kind, element: line.element }];
  });
}

const longestLine = 100; // characters
const mostWords = 5; // beside an amount; more are a sentence

function wordsIn(label: string): number {
  return label.match(/\p{L}{2,}/gu)?.length ?? 0;
}

function amountIn(text: string, language: string | undefined): PriceRange | undefined {
  if (!/\d/.test(text) || !hasCurrency(text, language)) return undefined;
  const range = readPriceRange(text, language) ?? onlyAmount(text, language);
  if (range === undefined || !fromLabel.test(text.slice(0, text.search(/\d/)))) return range;
  const { high: _, ...from } = range;
  return from;
}

function onlyAmount(text: string, language: string | undefined): PriceRange | undefined {
  const [only, another] = amountsOf(text, language);
  if (only === undefined || another !== undefined) return undefined;
  const { value, currency } = only;
  return compact({ low: value, high: value, currency });
}

const fromLabel =
  /(?:^|\s)(?:from|starting at|ab|à partir de|dès|desde|da|od|vanaf|från|fra|от)\s*(?:\p{Sc}|[A-Z]{3})?\s*$/iu;

/** Labels of former prices, and of prices elsewhere. */
const formerLabel =
  /(?:^|[^\p{L}])(?:was|rrp|msrp|srp|uvp|list(?: price)?|listenpreis|regular(?: price)?|original(?: price|preis|ly)?|compare(?:d)? at|before|instead of|statt|vorher|bisher|alter preis|prix (?:conseillé|public|d['’]origine)|ancien prix|au lieu de|avant|antes|precio anterior|pvp|prezzo (?:di listino|precedente)|prima|adviesprijs|van|ord(?:\.|inarie)?(?: pris)?|tidigare|før|førpris|veil\.?|cena regularna|de:)(?:$|[^\p{L}])/iu;

/** Not the price of one product. */
const otherLabel =
  /[%×]|\/\s?\p{L}|(?:^|[^\p{L}])(?:save[ds]?|saving|off|discount|spare?|sparen|ersparnis|rabatt|économi\p{L}*|remise|ahorr\p{L}*|risparmi\p{L}*|korting|coupon|code|shipping|delivery|postage|versand\p{L}*|lieferung|livraison|envío|spedizione|verzend\p{L}*|frakt|orders?|over|up to|under|as low as|spend|minimum|bestellwert|months?|monthly|mo|monat\p{L}*|mois|mes|week|year|yearly|annual\p{L}*|yr|per|pro|je|installments?|instalments?|payments?|raten?|rate|earn|rewards?|points|credit|cashback|gift|worth|value|trade-in|deposit|tax|subtotal|total|donat\p{L}*)(?:$|[^\p{L}])/iu;

const formerName =
  /(?:^|[\s_-])(?:old|was|former|before|compare|compare-?at|regular|original|list|rrp|msrp|uvp)(?:$|[\s_-])|(?:^|[\s_-])(?:old|was|regular|original|list|before)Price/;

function isNamedFormer(element: DomElement): boolean {
  return formerName.test((element.getAttribute('class') ?? '').slice(0, 300));
}

/** True if the element, or one around it within the box, passes the test. */
function isWithin(
  test: (element: DomElement) => boolean,
  element: DomElement,
  box: DomElement,
): boolean {
  const found = closestWhere(element, (around) => around === box || test(around));
  return found !== undefined && test(found);
}

interface Line {
  text: string;
  readonly isStruck: boolean;
  readonly element: DomElement;
}

/** Separate runs of text: split at blocks, between struck and other text, and between whole amounts. */
function linesOf(box: DomElement, language: string | undefined): Line[] {
  const lines: Line[] = [];
  let line: Line | undefined;
  let block: DomElement | undefined;
  for (let node: DomNode | null = box; node !== null;) {
    const isOver = isElement(node) && (unread.has(node.localName) || isHidden(node));
    if (isText(node) && /\S/.test(node.data)) {
      const element = node.parentElement ?? box;
      const around = blockOf(element, box);
      const isStruck = isWithin(strikes, element, box);
      const isBroken = block !== around;
      block = around;
      const isNext =
        line?.isStruck !== isStruck || isWhole(line.text, node.data, isBroken, language);
      if (line === undefined || isNext) {
        line = { text: node.data, isStruck, element };
        lines.push(line);
      } else line.text += joint(line.text, node.data, element, isBroken) + node.data;
    } else if (isText(node) && line !== undefined) line.text += ' ';
    node = nextNode(node, box, isOver);
  }
  return lines;
}

function blockOf(element: DomElement, box: DomElement): DomElement {
  const isBlock = (one: DomElement): boolean => one === box || blockElements.has(one.localName);
  return closestWhere(element, isBlock) ?? box;
}

const unread: ReadonlySet<string> = new Set(
  'script style template noscript select svg textarea'.split(' '),
);

/** True if an attribute or an inline style hides the element. */
export function isHidden(element: DomElement): boolean {
  if (element.hasAttribute('hidden')) return true;
  const style = element.getAttribute('style');
  return style !== null && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style);
}

/** True if an amount ends before the text: a lone sign or figure continues, in any box. */
function isWhole(
  line: string,
  text: string,
  isBroken: boolean,
  language: string | undefined,
): boolean {
  if (!/\d/.test(line) || !hasCurrency(line, language)) return false;
  if (/^\s*[.,]?\d{1,2}\s*$/.test(text) && !/[.,]\d{2}\s*$/.test(line)) return false;
  return isBroken || /[\d\p{Sc}]/u.test(text);
}

/** Cents separated only by their size: `<sup>99</sup>`. */
function joint(line: string, text: string, parent: DomElement, isBroken: boolean): string {
  const isCents =
    /\d\s*$/.test(line) &&
    /^\s*\d{2}\s*$/.test(text) &&
    (parent.localName === 'sup' || /cent|decimal|fraction|minor/i.test(parent.className));
  if (isCents) return '.';
  return isBroken ? ' ' : '';
}
