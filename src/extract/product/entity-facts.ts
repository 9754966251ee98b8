/** Reads the facts of a product from JSON-LD, microdata or RDFa. */
import type { Entity } from '../facts/entities.ts';
import { coerceNumber } from '../values/numbers.ts';
import { attributesOf, gtinOf } from './attributes.ts';
import { entitiesIn, lineOf, nameIn, plainLines, rawText, urlIn } from './entity-text.ts';
import { hasPrice, mergeTerms, termsOfOffer } from './offer-terms.ts';
import { listImages, picturesOf } from './pictures.ts';
import {
  maxVariants,
  type PageContext,
  type ProductFacts,
  type ProductIdentifiers,
  type ProductRating,
  type ProductTerms,
  type ProductVariant,
} from './product.ts';
import { compact } from '../../core/runtime/compact.ts';
import { firstDefined } from '../../core/runtime/first-defined.ts';

/**
 * The facts of `entity`. `forms` are its variants, where they are described separately; `wrappers` are
 * offers whose item is the entity.
 */
export function factsOfEntity(
  entity: Entity,
  forms: readonly Entity[],
  wrappers: readonly Entity[],
  context: PageContext,
): ProductFacts {
  const offers = offersOf(entity, wrappers, maxOffers, context);
  const variants = variantsOf(entity, forms, offers.single, context);
  const ownTerms = termsOfAll(offers, context);
  const terms = hasPrice(ownTerms)
    ? ownTerms
    : { ...mergeTerms(variants.map(termsOnly)), ...ownTerms };
  const description = rawText(entity, 'description');
  return compact({
    source: entity.source,
    title: lineOf(entity, 'name', 'title'),
    brand: nameIn(entity, 'brand'),
    category: nameIn(entity, 'category'),
    description: description === undefined ? undefined : plainLines(description) || undefined,
    url: urlIn(entity, context.baseUrl, 'url', 'mainentityofpage'),
    rating: ratingOf(entity, context),
    ...identifiersOf(entity, offers.single.length === 1 ? offers.single : []),
    terms,
    images: listImages(picturesOf(entity), context.baseUrl),
    attributes: attributesOf(entity, 100, context),
    variants,
  });
}

/** The same limit as for variants. */
const maxOffers = maxVariants;

interface Offers {
  /** Offers with one price. */
  readonly single: readonly Entity[];
  /** Offers that aggregate others. */
  readonly sums: readonly Entity[];
}

function offersOf(
  entity: Entity,
  wrappers: readonly Entity[],
  most: number,
  context: PageContext,
): Offers {
  const single = new Set<Entity>();
  const sums = new Set<Entity>();
  const warn = (): void => {
    context.warn(`product: only the first ${most} offers were read.`);
  };
  if (entity.get('offers').length > most) warn();
  const pending = [...entitiesIn(entity, 'offers'), ...wrappers].reverse();
  for (let offer = pending.pop(); offer !== undefined; offer = pending.pop()) {
    if (single.has(offer) || sums.has(offer)) continue;
    if (single.size + sums.size >= most) {
      warn();
      break;
    }
    const inner = entitiesIn(offer, 'offers').slice(0, most);
    if (offer.get('offers').length > most) warn();
    const isSum = inner.length > 0 || offer.types.includes('aggregateoffer');
    (isSum ? sums : single).add(offer);
    pending.push(...inner.reverse());
  }
  return { single: [...single], sums: [...sums] };
}

/** An aggregate offer knows all prices; the single offers may be only some of them. */
function termsOfAll({ single, sums }: Offers, context: PageContext): ProductTerms {
  const merged = mergeTerms(single.map((offer) => termsOfOffer(offer, context)));
  const [sum] = sums
    .slice(0, 10)
    .map((offer) => termsOfOffer(offer, context))
    .sort(byPrice);
  if (sum === undefined) return merged;
  if (!hasPrice(sum)) return { ...sum, ...merged };
  const { currency, availability, condition } = merged;
  const isSame = sum.price !== undefined && sum.price === merged.price;
  return compact({ currency, availability, condition, ...(isSame ? merged : {}), ...sum });
}

/** Sorts offers with a price first. */
function byPrice(a: ProductTerms, b: ProductTerms): number {
  return Number(hasPrice(b)) - Number(hasPrice(a));
}

function variantsOf(
  entity: Entity,
  forms: readonly Entity[],
  offers: readonly Entity[],
  context: PageContext,
): ProductVariant[] {
  const all = new Set([...entitiesIn(entity, 'hasvariant'), ...forms]);
  all.delete(entity);
  const isOfOffers = all.size === 0 && areForms(offers, context);
  const listed = isOfOffers ? offers : [...all];
  const count = Math.min(listed.length, maxVariants, context.left.variants);
  if (count < listed.length || entity.get('hasvariant').length > maxVariants) {
    context.warn(`product: only the first ${maxVariants} variants were read.`);
  }
  context.left.variants -= count;
  return listed.slice(0, count).map((one) => {
    const terms = isOfOffers
      ? termsOfOffer(one, context)
      : termsOfAll(offersOf(one, [], maxOffersOfVariant, context), context);
    return variantOf(one, terms, context);
  });
}

const maxOffersOfVariant = 100; // a variant with more offers gets the price range of the first ones

function variantOf(entity: Entity, terms: ProductTerms, context: PageContext): ProductVariant {
  const [item] = entitiesIn(entity, 'itemoffered');
  const described = item ?? entity;
  const { baseUrl } = context;
  const offers = entitiesIn(entity, 'offers').slice(0, 1);
  const [address] = [entity, described, ...offers].flatMap(
    (one) => urlIn(one, baseUrl, 'url') ?? [],
  );
  return compact({
    ...identifiersOf(entity, [...offers, described]),
    title: lineOf(entity, 'name') ?? lineOf(described, 'name'),
    url: address,
    image: listImages([...picturesOf(entity), ...picturesOf(described)].slice(0, 10), baseUrl)[0],
    ...terms,
    attributes: attributesOf(described, 20, context),
  });
}

/** Offers of one seller that each name another item are variants, as older pages list them. */
function areForms(offers: readonly Entity[], { baseUrl }: PageContext): boolean {
  if (offers.length < 2) return false;
  const sellers = new Set(offers.map((offer) => nameIn(offer, 'seller', 'offeredby')));
  if (sellers.size > 1) return false;
  const keys = offers.map((offer) => {
    const { sku, gtin, mpn, id } = identifiersOf(offer, entitiesIn(offer, 'itemoffered'));
    const key = sku ?? gtin ?? mpn ?? id ?? lineOf(offer, 'name');
    if (key !== undefined) return key;
    const url = urlIn(offer, baseUrl, 'url');
    // A URL on another host belongs to another seller.
    return url !== undefined && new URL(url).host === new URL(baseUrl).host ? url : undefined;
  });
  return !keys.includes(undefined) && new Set(keys).size === keys.length;
}

function identifiersOf(entity: Entity, others: readonly Entity[]): ProductIdentifiers {
  const all = [entity, ...others];
  const first = (...names: readonly string[]): string | undefined =>
    firstDefined(all, (one) => lineOf(one, ...names)?.slice(0, 200));
  const numbers = ['gtin', 'gtin13', 'gtin14', 'gtin12', 'gtin8', 'ean', 'isbn'].flatMap((name) =>
    all.flatMap((one) => gtinOf(rawText(one, name) ?? '') ?? []),
  );
  return compact({
    id: first('productid', 'productgroupid', 'identifier'),
    sku: first('sku'),
    gtin: numbers[0],
    mpn: first('mpn'),
  });
}

function termsOnly(variant: ProductVariant): ProductTerms {
  const { price, lowPrice, highPrice, originalPrice, currency } = variant;
  const { availability, condition, unitPrice } = variant;
  return compact({
    price,
    lowPrice,
    highPrice,
    originalPrice,
    currency,
    availability,
    condition,
    unitPrice,
  });
}

// The rating of a product on the page.

/** From schema.org's `aggregateRating`; undefined without a value, or with a value off its scale. */
function ratingOf(product: Entity, context: PageContext): ProductRating | undefined {
  const [rating] = entitiesIn(product, 'aggregaterating');
  if (rating === undefined) return undefined;
  const value = numberOf(rating, context, 'ratingvalue');
  if (value === undefined) return undefined;
  const best = numberOf(rating, context, 'bestrating');
  // Schema.org's default is 5, but pages omit it for other scales, too.
  if (value < 0 || value > (best ?? 100)) {
    context.warn(`product: the rating ${value} was left out: it is not on its scale.`);
    return undefined;
  }
  return compact({
    value,
    best,
    count: countOf(rating, context, 'ratingcount'),
    reviewCount: countOf(rating, context, 'reviewcount'),
  });
}

function countOf(rating: Entity, context: PageContext, name: string): number | undefined {
  const text = rawText(rating, name)?.slice(0, 100) ?? '';
  // Counts of ratings are whole: a point separates thousands.
  const isGrouped = /^\s*\d{1,3}(?:[.,]\d{3})+\s*$/.test(text);
  const count = isGrouped ? Number(text.replace(/\D/g, '')) : numberOf(rating, context, name);
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function numberOf(rating: Entity, { language }: PageContext, name: string): number | undefined {
  const text = rawText(rating, name)?.slice(0, 100);
  if (text === undefined) return undefined;
  if (/^\s*-?\d+(?:\.\d+)?\s*$/.test(text)) return Number(text);
  return coerceNumber(text, { language, unit: undefined });
}
