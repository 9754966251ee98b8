/** Reads the terms of an offer (price, availability, condition) and merges the terms of several offers. */
import { currencyCode } from '../../content/text/currency.ts';
import type { Entity } from '../facts/entities.ts';
import { fold } from '../facts/property-names.ts';
import { isPrice, type PriceRange, readPriceRange } from '../values/money.ts';
import { entitiesIn, rawText, termIn } from './entity-text.ts';
import {
  type PageContext,
  type ProductAvailability,
  type ProductCondition,
  type ProductTerms,
  type ProductUnitPrice,
} from './product.ts';
import { compact } from '../../core/runtime/compact.ts';
import { firstDefined } from '../../core/runtime/first-defined.ts';

/** The terms of an Offer or AggregateOffer itself, without its nested offers. */
export function termsOfOffer(offer: Entity, context: PageContext): ProductTerms {
  const { terms } = context.known;
  const read = terms.get(offer) ?? readOffer(offer, context);
  terms.set(offer, read);
  return read;
}

function readOffer(offer: Entity, context: PageContext): ProductTerms {
  const specifications = entitiesIn(offer, 'pricespecification').slice(0, 50).filter(isForAll);
  const current = specifications.filter((one) => !isFormer(one) && !isPerQuantity(one));
  const prices = [offer, ...current];
  const amounts = firstDefined(prices, (one) => amountsOf(one, context));
  const former = firstDefined(
    specifications.filter((one) => isFormer(one) && !isPerQuantity(one)),
    (one) => amountsOf(one, context),
  );
  const currency =
    firstDefined([...prices, ...specifications], (one) => {
      const code = rawText(one, 'pricecurrency', 'currency');
      return code === undefined ? undefined : currencyCode(code, context.language);
    }) ?? amounts?.currency;
  const availability = termIn(offer, 'availability');
  const condition = termIn(offer, 'itemcondition');
  return compact({
    ...priceTerms(amounts),
    originalPrice: originalOf(amounts, former),
    currency,
    availability: availability === undefined ? undefined : availabilityOf(availability),
    condition: condition === undefined ? undefined : conditionOf(condition),
    unitPrice: unitPriceOf(specifications.filter(isPerQuantity), context),
  });
}

/** One price, or a range. */
export function priceTerms(amounts: PriceRange | undefined): ProductTerms {
  if (amounts === undefined) return {};
  const { low, high } = amounts;
  if (high === undefined) return { lowPrice: low };
  return low === high ? { price: low } : { lowPrice: low, highPrice: high };
}

/** A former price counts only when it is higher than the current one. */
export function originalOf(
  current: PriceRange | undefined,
  former: PriceRange | undefined,
): number | undefined {
  if (current === undefined || former === undefined || current.low !== current.high)
    return undefined;
  return former.low === former.high && former.low > current.low ? former.low : undefined;
}

function amountsOf(entity: Entity, context: PageContext): PriceRange | undefined {
  const price = readPrice(rawText(entity, 'price'), entity, context);
  if (price !== undefined) return price;
  const low = readPrice(rawText(entity, 'lowprice', 'minprice'), entity, context);
  const high = readPrice(rawText(entity, 'highprice', 'maxprice'), entity, context);
  if (low === undefined) return undefined;
  const { high: _, ...from } = low;
  if (high === undefined) return from;
  if (high.low < low.low) {
    context.warn(`product: prices from ${low.low} to ${high.low} were left out.`);
    return undefined;
  }
  return { ...low, high: high.low };
}

function readPrice(
  text: string | undefined,
  { source }: Entity,
  { language, warn }: PageContext,
): PriceRange | undefined {
  if (text === undefined) return undefined;
  // An unreadable price is most often a text such as "on request".
  return plausible(
    machineAmount(text, source) ?? readPriceRange(text, language),
    text.slice(0, 40),
    warn,
  );
}

/** The amounts of a price; undefined, with a warning, where nothing costs that. */
export function plausible(
  amounts: PriceRange | undefined,
  text: string,
  warn: PageContext['warn'],
): PriceRange | undefined {
  if (amounts === undefined || (isPrice(amounts.low) && isPrice(amounts.high ?? 0))) return amounts;
  warn(`product: ${JSON.stringify(text)} was left out: nothing costs that.`);
  return undefined;
}

/** Schema.org's form has a decimal point. In markup, `1.299` may as well be the displayed text. */
function machineAmount(text: string, source: Entity['source']): PriceRange | undefined {
  const trimmed = text.trim();
  if (!/^-?\d{1,400}(?:\.\d{1,40})?(?:e[+-]?\d{1,4})?$/i.test(trimmed)) return undefined;
  if (source !== 'json-ld' && /^\d{1,3}\.\d{3}$/.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return { low: value, high: value };
}

/** False for prices of delivery, and for prices only for members or large quantities. */
function isForAll(specification: Entity): boolean {
  const isOther = specification.types.some((type) =>
    /^(?:deliverycharge|paymentcharge|membership)/.test(type),
  );
  if (isOther || specification.get('validformembertier').length > 0) return false;
  return entitiesIn(specification, 'eligiblequantity').every((quantity) => {
    const least = Number(rawText(quantity, 'minvalue', 'value') ?? 1);
    return !(least > 1);
  });
}

/** True for terms of schema.org's PriceTypeEnumeration, and similar words. */
function isFormer(specification: Entity): boolean {
  const type = termIn(specification, 'pricetype')?.slice(0, 200) ?? '';
  return /(?:list|strikethrough|msrp|srp|regular|suggestedretail|original|was)(?:price)?$/i.test(
    type,
  );
}

/** `referenceQuantity` alone means a price per quantity; with `valueReference` it is the whole price. */
function isPerQuantity(specification: Entity): boolean {
  const [quantity] = entitiesIn(specification, 'referencequantity');
  return quantity !== undefined && quantity.get('valuereference').length === 0;
}

function unitPriceOf(
  specifications: readonly Entity[],
  context: PageContext,
): ProductUnitPrice | undefined {
  return firstDefined(specifications, (specification) => {
    const amounts = amountsOf(specification, context);
    const [quantity] = entitiesIn(specification, 'referencequantity');
    if (amounts === undefined || amounts.low !== amounts.high || quantity === undefined) {
      return undefined;
    }
    const value = Number(rawText(quantity, 'value') ?? 1);
    if (!(value > 0) || !Number.isFinite(value)) return undefined;
    const unit = rawText(quantity, 'unittext', 'unitcode')?.trim().slice(0, 50);
    return compact({ price: amounts.low, quantity: value, unit });
  });
}

// The terms of a product from the terms of its offers or variants.

/** One price if all are equal, else the range; the best availability; other terms if all agree. */
export function mergeTerms(all: readonly ProductTerms[]): ProductTerms {
  const [first] = all;
  if (first === undefined) return {};
  if (all.length === 1) return first;
  // Prices of different currencies cannot be compared: the first currency counts.
  const priced = all.filter(hasPrice);
  const currency = priced[0]?.currency ?? first.currency;
  const same = priced.filter((terms) => terms.currency === priced[0]?.currency);
  return compact({
    ...rangeOf(same),
    currency,
    availability: bestAvailability(all.map((terms) => terms.availability)),
    condition: agreed(all.map((terms) => terms.condition)),
  });
}

function rangeOf(priced: readonly ProductTerms[]): ProductTerms {
  const lows = priced.flatMap((terms) => lowOf(terms) ?? []);
  const highs = priced.flatMap((terms) => terms.price ?? terms.highPrice ?? []);
  const low = lows.reduce((a, b) => Math.min(a, b), Infinity);
  const high = highs.reduce((a, b) => Math.max(a, b), -Infinity);
  if (low === Infinity) return {};
  if (highs.length < lows.length) return { lowPrice: low };
  if (low < high) return { lowPrice: low, highPrice: high };
  return compact({
    price: low,
    originalPrice: agreed(priced.map((terms) => terms.originalPrice)),
    unitPrice: priced[0]?.unitPrice,
  });
}

/** True if the terms have a price. */
export function hasPrice(terms: ProductTerms): boolean {
  return lowOf(terms) !== undefined;
}

function lowOf(terms: ProductTerms): number | undefined {
  return terms.price ?? terms.lowPrice;
}

/** The value, if all agree on it. */
function agreed<T>(values: readonly (T | undefined)[]): T | undefined {
  const [first] = values;
  return values.every((value) => value === first) ? first : undefined;
}

// Availability and condition in schema.org's terms, from any wording.

/** By rank: the offer that is available soonest counts. */
const ranked: readonly ProductAvailability[] = [
  'InStock',
  'LimitedAvailability',
  'OnlineOnly',
  'InStoreOnly',
  'PreSale',
  'PreOrder',
  'MadeToOrder',
  'BackOrder',
  'Reserved',
  'SoldOut',
  'OutOfStock',
  'Discontinued',
];

/** Other words, folded: from OpenGraph, from feeds, and from marked-up texts. */
const words: ReadonlyMap<string, ProductAvailability> = new Map(
  Object.entries({
    InStock:
      'available instock instocknow ispresent true yes auflager lieferbar verfugbar sofortlieferbar ' +
      'sofortverfugbar vorratig enstock disponible disponibile opvoorraad ilager palager pålager skladem',
    OutOfStock:
      'oos unavailable notavailable notinstock outofstock false no nichtauflager nichtlieferbar nichtverfugbar ' +
      'ausverkauft rupturedestock epuise agotado sinstock nondisponibile esaurito uitverkocht slutilager',
    PreOrder: 'preorder presales vorbestellbar precommande',
    BackOrder: 'backorder backordered availablefororder surcommande',
    LimitedAvailability: 'limited limitedstock lowstock fewleft',
    Discontinued: 'discontinued nolongeravailable',
    SoldOut: 'soldout',
    InStoreOnly: 'instoreonly onlyinstore',
    OnlineOnly: 'onlineonly onlyonline',
  }).flatMap(([name, list]) =>
    list.split(' ').map((word) => [fold(word), name as ProductAvailability] as const),
  ),
);

/** Reads `https://schema.org/InStock`, `in stock`, `oos`; undefined for unknown words. */
export function availabilityOf(text: string): ProductAvailability | undefined {
  const word = lastPart(text);
  return ranked.find((name) => name.toLowerCase() === word) ?? words.get(word);
}

/** The best of several. */
function bestAvailability(
  all: readonly (ProductAvailability | undefined)[],
): ProductAvailability | undefined {
  return ranked.find((name) => all.includes(name));
}

/** Reads `https://schema.org/NewCondition`, `refurbished`. */
export function conditionOf(text: string): ProductCondition | undefined {
  const word = lastPart(text).replace(/condition$/, '');
  const conditions: readonly ProductCondition[] = ['New', 'Refurbished', 'Used', 'Damaged'];
  return conditions.find((name) => name.toLowerCase() === word);
}

function lastPart(text: string): string {
  return fold(
    text
      .trim()
      .slice(0, 200)
      .replace(/^(?:https?:\/\/|schema:).*[#/:]/, ''),
  );
}
