/**
 * Reads the visible facts of a product after the page's title: price, former price, availability, rating,
 * brand and number.
 */
import {
  type DomElement,
  type DomNode,
  closestWhere,
  findElement,
  isElement,
  isText,
  nextNode,
  nodesBelow,
} from '../../content/html/dom.ts';
import type { HtmlPage } from '../../core/model/page.ts';
import { currencyCode, hasCurrency } from '../../content/text/currency.ts';
import { labelText, propertyValue } from '../facts/element-text.ts';
import { fold } from '../facts/property-names.ts';
import { isPrice, type PriceRange, readPriceRange } from '../values/money.ts';
import type { ProductHints } from './choose-product.ts';
import { originalOf, priceTerms } from './offer-terms.ts';
import { emptyAttributes, type PageContext, type ProductFacts } from './product.ts';
import { compact } from '../../core/runtime/compact.ts';
import { isHidden, type VisibleAmount, visibleAmounts } from './visible-amounts.ts';
import { VisibleFacts } from './visible-facts.ts';

const limits = {
  headings: 20,
  nodes: 5_000, // read after the title
  characters: 3_000, // read after the title
  nearTitle: 500, // characters between the title and a price
  nearButton: 1_500, // characters between a price and a button
  nearPrice: 200, // characters between a price and the former one
  values: 3, // different amounts after one title; more are a filter or a table
  longestBox: 100, // characters of a box with prices and their labels
  siblings: 20,
  longestItem: 1_000, // characters; a longer one is a section
};

/** The visible facts, and signs that they describe a product. */
export interface VisibleProduct {
  readonly facts: ProductFacts;
  /** The page sells it: a buy button is beside the price, or the price is marked as one. */
  readonly isSold: boolean;
  /** A class of an element around the price names it as one. */
  readonly isNamed: boolean;
}

/**
 * Only reads a certain price: one title, and near it or near a buy button one price with a currency, perhaps
 * with a former one, that is not the price of a list entry. Undefined otherwise.
 */
export function factsOfMarkup(
  { document }: HtmlPage,
  hints: ProductHints,
  context: PageContext,
): VisibleProduct | undefined {
  const heading = titleHeading(
    [...document.querySelectorAll('h1')].slice(0, limits.headings),
    hints,
  );
  if (heading === undefined) return undefined;
  const visible = readAfter(heading, document.body, context);
  const { priceAt = 0 } = visible;
  const hasButton =
    priceAt < limits.nearButton &&
    visible.buttons.some((at) => Math.abs(at - priceAt) < limits.nearButton);
  const price =
    visible.marked ??
    (hasButton || priceAt < limits.nearTitle ? currentIn(visible.amounts) : undefined);
  if (price === undefined) return undefined;
  const { brand, sku, rating, availability } = visible.facts;
  return {
    isNamed: isNamedPrice(visible.amounts[0]?.element),
    isSold: hasButton || visible.marked !== undefined,
    facts: compact({
      source: 'markup',
      title: labelText(heading),
      brand,
      sku,
      rating,
      terms: compact({
        ...priceTerms(price),
        originalPrice: originalOf(price, formerIn(visible.amounts, price)),
        currency: price.currency,
        availability,
      }),
      images: [],
      attributes: emptyAttributes(),
      variants: [],
    }),
  };
}

function isNamedPrice(element: DomElement | undefined): boolean {
  const isPrice = ({ className }: DomElement): boolean =>
    /price(?!s)/i.test(className.slice(0, 300));
  return closestWhere(element ?? null, isPrice, 4) !== undefined;
}

/**
 * The only heading; of several, one that the page's title repeats, that microdata marks as a name, or that
 * occurs twice.
 */
function titleHeading(
  headings: readonly DomElement[],
  { titles }: ProductHints,
): DomElement | undefined {
  const named = headings
    .map((heading) => ({ heading, name: fold(labelText(heading).slice(0, 300)) }))
    .filter(({ name }) => name !== '');
  const isTitle = (name: string): boolean =>
    titles.some((title) => title.includes(name) || (title.length > 5 && name.startsWith(title)));
  const [first, ...others] = named;
  if (first === undefined) return undefined;
  if (others.every(({ name }) => name === first.name)) return first.heading;
  const isMarked = (heading: DomElement): boolean =>
    heading.getAttribute('itemprop') === 'name' ||
    heading.querySelector('[itemprop="name"]') !== null;
  return [
    named.find(({ name }) => name.length > 3 && isTitle(name)),
    named.find(({ heading }) => isMarked(heading)),
    // Once for phones, once for desktops.
    named.find(({ name, heading }) => named.some((o) => o.name === name && o.heading !== heading)),
  ].find((one) => one !== undefined)?.heading;
}

interface TextAfterTitle {
  /** The first amounts after the title. */
  readonly amounts: readonly VisibleAmount[];
  /** Characters between the title and the first of them. */
  readonly priceAt: number | undefined;
  /** The price that microdata marks. */
  readonly marked: PriceRange | undefined;
  /** Positions of buy buttons, in characters after the title. */
  readonly buttons: readonly number[];
  readonly facts: VisibleFacts;
}

function readAfter(heading: DomElement, body: DomElement, context: PageContext): TextAfterTitle {
  const amounts: VisibleAmount[] = [];
  const buttons: number[] = [];
  const facts = new VisibleFacts(context);
  const finder = new AmountFinder(heading, context.language);
  let button: DomElement | undefined;
  let marked: PriceRange | undefined;
  let priceAt: number | undefined;
  let isBoxOver = false;
  let characters = 0;
  let nodes = 0;
  let node = nextNode(heading, body, true);
  while (node !== null && nodes < limits.nodes && characters < limits.characters) {
    nodes += 1;
    const isOver = isElement(node) && isUnread(node);
    if (isElement(node)) {
      isBoxOver ||= priceAt !== undefined && /^h[1-6]$/.test(node.localName);
      if (isPriceMark(node) && !finder.isEntry(node)) marked ??= markedPrice(node, context);
      if (!isOver && isCartButton(node) && !finder.isEntry(node)) {
        buttons.push(characters);
        button ??= node;
      }
    }
    if (!isOver && !isBoxOver) facts.read(node);
    if (isText(node)) {
      if (!isBoxOver && characters - (priceAt ?? characters) < limits.nearPrice) {
        const found = finder.amountsAt(node);
        amounts.push(...found);
        if (found.length > 0) priceAt ??= characters;
      }
      characters += node.data.trim().length;
    }
    node = nextNode(node, body, isOver);
  }
  if (amounts.length === 0 && button !== undefined) {
    amounts.push(...amountsBefore(heading, button, finder));
  }
  return { amounts, priceAt, marked, buttons, facts };
}

/** The amounts between the title and the start of the smallest box that has title and button. */
function amountsBefore(
  heading: DomElement,
  button: DomElement,
  finder: AmountFinder,
): VisibleAmount[] {
  const area = closestWhere(heading.parentElement, (around) => around.contains(button));
  const amounts: VisibleAmount[] = [];
  if (area === undefined || isUnread(area)) return amounts;
  let nodes = 0;
  for (const node of nodesBelow(area, isUnread)) {
    if (node === heading) break;
    if (++nodes > limits.nodes) return [];
    if (isText(node)) amounts.push(...finder.amountsAt(node));
  }
  return amounts;
}

/** Finds amounts in separate boxes that do not belong to list entries. */
class AmountFinder {
  readonly #heading: DomElement;
  readonly #language: string | undefined;
  /** Remaining boxes and elements to check. */
  #left = 200;
  /** The last box read. */
  #box: DomElement | undefined;

  constructor(heading: DomElement, language: string | undefined) {
    this.#heading = heading;
    this.#language = language;
  }

  /** The amounts of the box around a text; none for the second text of a box. */
  amountsAt(text: DomNode & { data: string }): VisibleAmount[] {
    if (this.#box?.contains(text) === true || !mayBeAmount(text.data, this.#language)) return [];
    const box = (this.#left -= 1) < 0 ? undefined : boxAround(text, this.#heading);
    const found = box === undefined ? [] : visibleAmounts(box, this.#language);
    const [first] = found;
    if (first === undefined) return [];
    this.#box = box;
    return this.isEntry(first.element) ? [] : found;
  }

  /** True for a list entry, and once too many were checked. */
  isEntry(element: DomElement): boolean {
    return (this.#left -= 1) < 0 || isEntry(element, this.#heading, this.#language);
  }
}

const skipped: ReadonlySet<string> = new Set(
  'script style template noscript select svg nav footer aside dialog'.split(' '),
);

function isUnread(element: DomElement): boolean {
  return skipped.has(element.localName) || isHidden(element);
}

/** The only price among the amounts; the first one if those after it are styled differently. */
function currentIn(amounts: readonly VisibleAmount[]): PriceRange | undefined {
  const [kind] = (['current', 'labelled'] as const).filter((one) =>
    amounts.some((a) => a.kind === one),
  );
  const current = amounts.filter((one) => one.kind === kind);
  const [first] = current;
  if (first === undefined) return undefined;
  const { low, high } = first.amounts;
  const isRival = (one: VisibleAmount): boolean =>
    (low !== one.amounts.low || high !== one.amounts.high) && isAlike(one.element, first.element);
  const values = new Set(current.map((one) => one.amounts.low));
  return values.size > limits.values || current.some(isRival) ? undefined : first.amounts;
}

function isAlike(one: DomElement, other: DomElement): boolean {
  return one.localName === other.localName && one.className === other.className;
}

/** The only higher amount that is struck through or labelled as the former price. */
function formerIn(amounts: readonly VisibleAmount[], current: PriceRange): PriceRange | undefined {
  const former = amounts.filter((one) => one.kind !== 'current' && one.amounts.low > current.low);
  const values = new Set(former.map((one) => one.amounts.low));
  return values.size === 1 ? former[0]?.amounts : undefined;
}

/** True for text with a figure or a sign of a currency. */
function mayBeAmount(text: string, language: string | undefined): boolean {
  return text.length < 200 && /\S/.test(text) && (/\d/.test(text) || hasCurrency(text, language));
}

/** The largest element around a text with only a few words, and without the title. */
function boxAround(text: DomNode, heading: DomElement): DomElement | undefined {
  let box: DomElement | undefined;
  let around = text.parentElement;
  while (around !== null && !around.contains(heading)) {
    if (!isShort(around)) break;
    box = around;
    around = around.parentElement;
  }
  return box;
}

function isShort(element: DomElement): boolean {
  let characters = 0;
  let nodes = 0;
  for (let node: DomNode | null = element; node !== null;) {
    const isOver = isElement(node) && skipped.has(node.localName);
    if (isText(node)) characters += node.data.trim().length;
    if ((nodes += 1) > 200 || characters > limits.longestBox) return false;
    node = nextNode(node, element, isOver);
  }
  return true;
}

// List entries: siblings of one kind, each with its own price and link or picture.

function isEntry(element: DomElement, heading: DomElement, language: string | undefined): boolean {
  let entry = element;
  let around = element.parentElement;
  while (around !== null && !entry.contains(heading)) {
    if (entry.localName === 'a' && hasPicture(entry)) return true;
    if (isItem(entry, language)) {
      let left = limits.siblings;
      let other = around.firstElementChild;
      for (; other !== null && left > 0; other = other.nextElementSibling, left -= 1) {
        if (other !== entry && isSameKind(other, entry) && isItem(other, language)) return true;
      }
    }
    entry = around;
    around = around.parentElement;
  }
  return false;
}

/** True for a link to another product, with its picture or its name. */
function hasPicture(link: DomElement): boolean {
  const isTitle = ({ localName }: DomElement): boolean =>
    /^(?:img|picture|h[1-6])$/.test(localName);
  return findElement(link, isTitle, 101) !== undefined;
}

function isSameKind(one: DomElement, other: DomElement): boolean {
  const kind = ({ className }: DomElement): string | undefined => className.trim().split(/\s+/)[0];
  return one.localName === other.localName && kind(one) === kind(other);
}

function isItem(element: DomElement, language: string | undefined): boolean {
  let hasLink = false;
  let text = '';
  let nodes = 0;
  for (let node: DomNode | null = element; node !== null;) {
    if ((nodes += 1) > 500 || text.length > limits.longestItem) return false;
    const isOver = isElement(node) && skipped.has(node.localName);
    if (isElement(node)) hasLink ||= /^(?:a|img|picture|h[1-6])$/.test(node.localName);
    else if (isText(node)) text += node.data.trim();
    node = nextNode(node, element, isOver);
  }
  return hasLink && /\d/.test(text) && hasCurrency(text, language);
}

// Marks: the microdata property of a price, and the buy button.

function isPriceMark(element: DomElement): boolean {
  const property = element.getAttribute('itemprop');
  return property === 'price' || property === 'lowPrice';
}

function markedPrice(element: DomElement, context: PageContext): PriceRange | undefined {
  const { language, baseUrl } = context;
  const value = propertyValue(element, baseUrl).slice(0, 100);
  const amounts = readPriceRange(value, language) ?? visibleAmounts(element, language)[0]?.amounts;
  if (amounts === undefined || !isPrice(amounts.low)) return undefined;
  const currency = amounts.currency ?? currencyAround(element, context);
  return compact({ ...amounts, currency });
}

/** From the currency's microdata beside the price's, or from the text around it. */
function currencyAround(element: DomElement, context: PageContext): string | undefined {
  let around: DomElement | null = element;
  for (let levels = 0; around !== null && levels < 4; levels += 1) {
    const mark = around.querySelector('[itemprop="priceCurrency"]');
    const code =
      mark === null ? labelText(around).slice(0, 100) : propertyValue(mark, context.baseUrl);
    const currency = currencyCode(code, context.language);
    if (currency !== undefined) return currency;
    around = around.parentElement;
  }
  return undefined;
}

const cart =
  /^(?:(?:add|put) (?:it )?(?:to|in) (?:my |your |the )?(?:shopping )?(?:cart|basket|bag|trolley)|buy (?:it )?now|buy|pre-?order(?: now)?|sign in to buy|(?:in den|zum) (?:warenkorb|einkaufswagen)(?: legen| hinzufügen)?|jetzt kaufen|ajouter au panier|acheter|añadir (?:al carrito|a la cesta)|agregar al carrito|comprar(?: ya| ahora| agora)?|aggiungi al carrello|acquista(?: ora)?|in (?:mijn )?winkelwagen|bestellen|lägg i (?:varukorg|varukorgen|kundvagn)|köp(?: nu)?|læg i kurv|køb(?: nu)?|legg i handlekurv|kjøp(?: nå)?|lisää ostoskoriin|dodaj do koszyka|do koszyka|do košíku|vložit do košíku|kosárba(?: teszem)?|adaugă în coș|adicionar ao carrinho|sepete ekle|в корзину|добавить в корзину|купить|до кошика|купити|カートに入れる|加入购物车|加入購物車|장바구니)(?: [-–—|(].{0,20}| [$€£].{0,12})?[.!]?$/iu;

const cartName =
  /add[-_]?(?:item)?[-_]?to[-_]?(?:cart|basket|bag)|(?:^|[\s_-])buy-?now(?:$|[\s_-])/i;

function isCartButton(element: DomElement): boolean {
  const { localName } = element;
  if (localName !== 'button' && localName !== 'input' && localName !== 'a') return false;
  const names = ['class', 'id', 'name'].map((name) => element.getAttribute(name) ?? '').join(' ');
  if (localName !== 'a' && names.length < 500 && cartName.test(names)) return true;
  const text = localName === 'input' ? (element.getAttribute('value') ?? '') : labelText(element);
  return text.length < 60 && cart.test(text.trim());
}
