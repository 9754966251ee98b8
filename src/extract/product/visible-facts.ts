/**
 * Collects a product's brand, item number, availability and rating from the nodes it is given: short lines, labels, and
 * microdata that belongs to no entity.
 */
import {
  type DomElement,
  type DomNode,
  isElement,
  isText,
  nextNode,
} from '../../content/html/dom.ts';
import { blockElements } from '../../content/html/tags.ts';
import { coerceNumber } from '../values/numbers.ts';
import { labelText, propertyValue } from '../facts/element-text.ts';
import { availabilityOf } from './offer-terms.ts';
import { type PageContext, type ProductAvailability, type ProductRating } from './product.ts';
import { compact } from '../../core/runtime/compact.ts';

/** Each from the first line that has it. */
export class VisibleFacts {
  brand: string | undefined;
  sku: string | undefined;
  availability: ProductAvailability | undefined;
  readonly #rating: Record<'value' | 'best' | 'count', number | undefined> = {
    value: undefined,
    best: undefined,
    count: undefined,
  };
  #last: DomElement | undefined;
  readonly #context: PageContext;

  constructor(context: PageContext) {
    this.#context = context;
  }

  get rating(): ProductRating | undefined {
    const { value, best, count } = this.#rating;
    // Zero means not rated yet.
    if (value === undefined || value === 0 || value > (best ?? 5)) return undefined;
    return compact({ value, best, reviewCount: count });
  }

  /** Reads an element's microdata, and the line that a text is in. */
  read(node: DomNode): void {
    if (isElement(node)) {
      this.#readMark(node);
      const label = node.getAttribute('aria-label') ?? node.getAttribute('title');
      if (label !== null && label.length <= longestLine) this.#readRating(label);
    } else if (isText(node) && /\S/.test(node.data)) {
      const element = lineAround(node);
      if (element !== undefined && element !== this.#last)
        this.#readLine(labelText(element), element);
      this.#last = element;
    }
  }

  /** Microdata that belongs to no entity. */
  #readMark(element: DomElement): void {
    const property = element.getAttribute('itemprop');
    if (property === null) return;
    const value = propertyValue(element, this.#context.baseUrl).slice(0, 200);
    if (value === '') return;
    if (property === 'brand' && value.length <= longestName) this.brand ??= value;
    else if (property === 'sku') this.sku ??= value;
    else if (property === 'availability') this.availability ??= availabilityOf(value);
    else if (property === 'ratingValue') this.#rating.value ??= this.#number(value);
    else if (property === 'bestRating') this.#rating.best ??= this.#number(value);
    else if (property === 'reviewCount' || property === 'ratingCount') {
      this.#rating.count ??= countIn(value);
    }
  }

  #readLine(text: string, element: DomElement): void {
    if (text === '' || text.length > longestLine) return;
    const [, label = '', value = ''] = /^([^:#\d]{2,30}?)\s*[:#]+\s*(\S.*)$/.exec(text) ?? [];
    if (skuLabel.test(label) && /^[\w./-]{2,40}$/.test(value)) this.sku ??= value;
    else if (brandLabel.test(label) && value.length <= longestName) this.brand ??= value;
    else if (label === '' && brandName.test(element.className) && isName(text)) this.brand ??= text;
    else if (label === '' || stockLabel.test(label)) {
      const state = (value === '' ? text : value).replace(/^\d+\s+|\s*[(–-].*$|[.!]$/g, '');
      const found = state.length > 6 ? availabilityOf(state) : undefined;
      // Themes have hidden words for sold out products on every product page.
      if (found !== 'SoldOut' && found !== 'OutOfStock') this.availability ??= found;
    }
    this.#readRating(text);
  }

  #readRating(text: string): void {
    const [, value, best] = ratingPattern.exec(text) ?? [];
    if (value !== undefined && best !== undefined) {
      this.#rating.best ??= this.#rating.value === undefined ? Number(best) : undefined;
      this.#rating.value ??= this.#number(value);
    }
    const [, count] = countPattern.exec(text) ?? [];
    if (count !== undefined) this.#rating.count ??= countIn(count);
  }

  #number(text: string): number | undefined {
    return coerceNumber(text, { language: this.#context.language, unit: undefined });
  }
}

const longestLine = 80; // characters
const longestName = 40;

/** The block around a text, or the element if the block has much more. */
function lineAround(text: DomNode): DomElement | undefined {
  let around = text.parentElement;
  let line: DomElement | undefined;
  for (let levels = 0; around !== null && levels < 4; levels += 1) {
    if (isLong(around)) break;
    line = around;
    if (blockElements.has(around.localName)) break;
    around = around.parentElement;
  }
  return line;
}

/** True for more than a line: more text, or blocks. */
function isLong(element: DomElement): boolean {
  let characters = 0;
  let nodes = 0;
  for (let node: DomNode | null = element; node !== null; node = nextNode(node, element)) {
    if (isText(node)) characters += node.data.trim().length;
    else if (isElement(node) && node !== element && blockElements.has(node.localName)) return true;
    if ((nodes += 1) > 50 || characters > longestLine) return true;
  }
  return false;
}

function isName(text: string): boolean {
  return text.length <= longestName && /\p{L}/u.test(text) && !/[:?!]/.test(text);
}

function countIn(text: string): number | undefined {
  const count = Number(text.replace(/\D/g, ''));
  return Number.isSafeInteger(count) ? count : undefined;
}

const skuLabel =
  /^(?:sku|item(?: (?:no\.?|number|code))?|art(?:ikel|icle)?[.-]? ?(?:nr|no|nummer|number)\.?|product code|référence|réf\.?|ref(?:erencia)?\.?|código|codice)$/i;
const brandLabel = /^(?:brand|marke|hersteller|manufacturer|marque|marca|merk|märke|mærke|бренд)$/i;
const stockLabel =
  /^(?:availability|stock(?: status)?|status|verfügbarkeit|lieferstatus|disponibilité|disponibilidad|disponibilità|beschikbaarheid)$/i;
const brandName = /(?:^|[\s_-])(?:brand|vendor|manufacturer)(?:$|[\s_-](?:name|link|$))/i;

const ratingPattern =
  /(?:^|\s)(\d(?:[.,]\d{1,2})?)\s?(?:\/|out of|of|von|sur|de|su|van|av|af|z|из)\s?(5|10)(?:[.,]0)?(?:$|[^\d.,])/i;
const countPattern =
  /(?:^|[\s(])(\d[\d.,]*)\)?\s?(?:customer |verified |product )?(?:reviews?|ratings?|bewertung|rezension|avis|opinion|valoracion|reseña|recension|beoordeling|anmeldelse|отзыв)/i;
