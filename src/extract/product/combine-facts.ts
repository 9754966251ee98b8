/** Combines the facts of several sources into one product. */
import { hasPrice } from './offer-terms.ts';
import {
  emptyAttributes,
  maxImages,
  type Product,
  type ProductFacts,
  type ProductIdentifiers,
  type ProductTerms,
  type ProductVariant,
} from './product.ts';
import { compact } from '../../core/runtime/compact.ts';

/** The most trusted source first: each part comes from the first source that has it. */
export function combineFacts(
  all: readonly ProductFacts[],
  title: string,
  url: string,
  category: string | undefined,
): Product {
  const first = <Key extends keyof ProductFacts>(key: Key): ProductFacts[Key] | undefined =>
    all.find((facts) => facts[key] !== undefined)?.[key];
  const terms = combineTerms(all.map((facts) => facts.terms));
  const variants = combineVariants(all.map((facts) => facts.variants)).map((variant) =>
    withCurrency(variant, terms),
  );
  const images = all.find((facts) => facts.images.length > 0)?.images;
  const ofVariants = new Set(variants.flatMap(({ image }) => image ?? []));
  return compact({
    title,
    brand: first('brand'),
    category: first('category') ?? category,
    description: first('description'),
    url: first('url') ?? url,
    ...identifiers(all),
    ...terms,
    images: [...(images ?? ofVariants)].slice(0, maxImages),
    rating: first('rating'),
    attributes: mergeAttributes(all.map(({ attributes }) => attributes)),
    variants,
    sources: [...new Set(all.map(({ source }) => source))],
  });
}

/** Each attribute once, ignoring the case of its name. */
function mergeAttributes(all: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const attributes = emptyAttributes();
  const names = new Set<string>();
  for (const [name, value] of all.flatMap((one) => Object.entries(one))) {
    if (names.has(name.toLowerCase())) continue;
    names.add(name.toLowerCase());
    attributes[name] = value;
  }
  return attributes;
}

/** A price within the product's price range has the product's currency. */
function withCurrency(variant: ProductVariant, terms: ProductTerms): ProductVariant {
  const { price, currency } = variant;
  if (price === undefined || currency !== undefined || terms.currency === undefined) return variant;
  const low = terms.price ?? terms.lowPrice ?? Infinity;
  const high = terms.price ?? terms.highPrice ?? low;
  return price >= low && price <= high ? { ...variant, currency: terms.currency } : variant;
}

function identifiers(all: readonly ProductIdentifiers[]): ProductIdentifiers {
  const first = (key: keyof ProductIdentifiers): string | undefined =>
    all.find((one) => one[key] !== undefined)?.[key];
  return compact({ id: first('id'), sku: first('sku'), gtin: first('gtin'), mpn: first('mpn') });
}

/**
 * Prices of different sources are not mixed. Shops write zero for an unknown price: it counts only
 * when no source has another.
 */
function combineTerms(all: readonly ProductTerms[]): ProductTerms {
  const priced = all.filter(hasPrice);
  const chosen = priced.find((terms) => (terms.price ?? terms.lowPrice) !== 0) ?? priced[0] ?? {};
  const { price, lowPrice, highPrice, originalPrice, unitPrice } = chosen;
  const same = all.find(
    (terms) => price !== undefined && terms.price === price && terms.originalPrice !== undefined,
  );
  const currency = all.find((terms) => terms.currency !== undefined)?.currency;
  return compact({
    price,
    lowPrice,
    highPrice,
    unitPrice,
    originalPrice: originalPrice ?? same?.originalPrice,
    // A currency without a price is useless.
    currency: hasPrice(chosen) ? (chosen.currency ?? currency) : undefined,
    availability: all.find((terms) => terms.availability !== undefined)?.availability,
    condition: all.find((terms) => terms.condition !== undefined)?.condition,
  });
}

/** The variants of the first source that has any, completed by other sources that list the same ones. */
function combineVariants(all: readonly (readonly ProductVariant[])[]): ProductVariant[] {
  const [first, ...others] = all.filter((variants) => variants.length > 0);
  if (first === undefined) return [];
  const known = new Map<string, ProductVariant>();
  for (const variant of others.flat()) {
    for (const key of keysOf(variant)) if (!known.has(key)) known.set(key, variant);
  }
  return first.map((variant) => {
    const [match] = keysOf(variant).flatMap((key) => known.get(key) ?? []);
    if (match === undefined) return variant;
    const { price, lowPrice, highPrice, originalPrice, currency, ...rest } = match;
    // Prices come from one source, as the product's prices do.
    const terms = hasPrice(variant)
      ? variant.price === price
        ? { originalPrice }
        : {}
      : { price, lowPrice, highPrice, originalPrice, currency };
    return {
      ...rest,
      ...compact<ProductTerms>(terms),
      ...variant,
      attributes: mergeAttributes([variant.attributes, rest.attributes]),
    };
  });
}

/** The keys that match variants of different sources. */
function keysOf({ id, sku, gtin, url }: ProductVariant): string[] {
  const chosen = url === undefined ? null : new URL(url).searchParams.get('variant');
  return [
    ...(id === undefined ? [] : [`id ${id}`]),
    ...(chosen === null ? [] : [`id ${chosen}`]),
    ...(gtin === undefined ? [] : [`gtin ${gtin}`]),
    ...(sku === undefined ? [] : [`sku ${sku}`]),
  ];
}
