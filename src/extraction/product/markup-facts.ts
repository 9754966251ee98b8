/** Reads the price that a page shows beside its heading and its buy button, where no other source has it. */
import { type DomElement, elementsOf } from '../../html/dom.ts';
import type { HtmlPage } from '../../model/page.ts';
import { labelText } from '../page-facts/element-text.ts';
import { type PriceRange, isPrice, readPriceRange } from '../values/money.ts';
import { hasCurrency } from '../../text/currency.ts';
import { originalOf, priceTerms } from './offer-terms.ts';
import { emptyAttributes, type PageContext, present, type ProductFacts } from './product.ts';

/**
 * Reads only a certain price: one heading, one add-to-cart button, and around both one price with a
 * currency, or one and a former one. Undefined otherwise.
 */
export function factsOfMarkup(page: HtmlPage, context: PageContext): ProductFacts | undefined {
  const headings = [...page.document.querySelectorAll('h1')].slice(0, 2);
  const [heading] = headings;
  if (heading === undefined || headings.length > 1) return undefined;
  const title = labelText(heading);
  const area = areaOf(heading, buttonsOf(page.document.body));
  if (title === '' || area === undefined) return undefined;
  const prices = pricesIn(area, context.language);
  if (prices === undefined) return undefined;
  const { asked, former } = prices;
  return {
    source: 'markup',
    title,
    terms: {
      ...priceTerms(asked),
      ...present({ originalPrice: originalOf(asked, former), currency: asked.currency }),
    },
    images: [],
    attributes: emptyAttributes(),
    variants: [],
  };
}

/** Limit of elements read of a page, or of its part around heading and button. */
const maxElements = 50_000;
const maxButtons = 20;

const cart =
  /^(?:add (?:it )?to (?:my |your )?(?:cart|basket|bag|trolley)|in den (?:warenkorb|einkaufswagen)|ajouter au panier|añadir (?:al carrito|a la cesta)|aggiungi al carrello|in winkelwagen|lägg i (?:varukorg|varukorgen)|læg i kurv|dodaj do koszyka|adicionar ao carrinho|в корзину|カートに入れる|加入购物车)[.!]?$/iu;

function buttonsOf(body: DomElement): DomElement[] {
  const buttons: DomElement[] = [];
  let count = 0;
  for (const element of elementsOf(body)) {
    count += 1;
    if (count > maxElements || buttons.length > maxButtons) break;
    const { localName } = element;
    if (localName !== 'button' && localName !== 'input' && localName !== 'a') continue;
    const text = localName === 'input' ? (element.getAttribute('value') ?? '') : labelText(element);
    if (text.length < 60 && cart.test(text.trim())) buttons.push(element);
  }
  return buttons;
}

/** The smallest element around the heading with a button; undefined when it has several. */
function areaOf(heading: DomElement, buttons: readonly DomElement[]): DomElement | undefined {
  if (buttons.length === 0 || buttons.length > maxButtons) return undefined;
  let area = heading.parentElement;
  while (area !== null) {
    const around = area;
    const inside = buttons.filter((button) => around.contains(button));
    if (inside.length > 0) return inside.length === 1 ? area : undefined;
    area = area.parentElement;
  }
  return undefined;
}

interface Prices {
  readonly asked: PriceRange;
  readonly former: PriceRange | undefined;
}

const named = /(?:^|[-_\s])prices?(?:$|[-_\s])|(?:^|[\s_-])price[A-Z]|[a-z]Price(?:$|[\s_-])/;
const formerName =
  /(?:^|[-_\s])(?:old|was|regular|compare|original|list|rrp|msrp|uvp|strike|crossed|before|former)(?:$|[-_\s])/i;

function pricesIn(area: DomElement, language: string | undefined): Prices | undefined {
  const asked = new Map<string, PriceRange>();
  const former = new Map<string, PriceRange>();
  let count = 0;
  for (const element of elementsOf(area)) {
    count += 1;
    if (count > maxElements) return undefined;
    const isStruck = element.localName === 'del' || element.localName === 's';
    if (!isStruck && !named.test(element.className)) continue;
    if (isHidden(element, area) || isAroundPrices(element)) continue;
    const text = labelText(element);
    if (!/\p{Nd}/u.test(text)) continue;
    const amounts = readPriceRange(text, language);
    // An unreadable price may be the valid one.
    if (amounts === undefined || !hasCurrency(text, language) || !isPrice(amounts.low)) {
      return undefined;
    }
    const isFormer = isStruck || formerName.test(element.className) || isInStruck(element, area);
    (isFormer ? former : asked).set(JSON.stringify(amounts), amounts);
  }
  const [price] = asked.values();
  const [other] = former.values();
  if (price === undefined || asked.size > 1 || former.size > 1) return undefined;
  return { asked: price, former: other };
}

function isAroundPrices(element: DomElement): boolean {
  let count = 0;
  for (const inner of elementsOf(element)) {
    count += 1;
    // A larger text is not a price.
    if (count > 100) return true;
    if (inner === element) continue;
    if (inner.localName === 'del' || inner.localName === 's') return true;
    if (named.test(inner.className) && /\p{Nd}/u.test(inner.textContent ?? '')) return true;
  }
  return false;
}

function isInStruck(element: DomElement, area: DomElement): boolean {
  const struck = element.closest('del, s');
  return struck !== null && area.contains(struck);
}

function isHidden(element: DomElement, area: DomElement): boolean {
  const hidden = element.closest('[hidden], template, noscript');
  return hidden !== null && area.contains(hidden);
}
