/** Reads the facts of a product from OpenGraph: `product:*`, and the `og:*` that shops use with it. */
import { readPriceRange, type PriceRange } from '../values/money.ts';
import type { OpenGraph } from '../facts/meta-tags.ts';
import { availabilityOf, conditionOf, originalOf, plausible, priceTerms } from './offer-terms.ts';
import { currencyCode } from '../../content/text/currency.ts';
import { listImages } from './pictures.ts';
import { plainLine, plainLines } from './entity-text.ts';
import {
  emptyAttributes,
  type PageContext,
  type ProductFacts,
  type ProductTerms,
} from './product.ts';
import { compact } from '../../core/runtime/compact.ts';
import { firstDefined } from '../../core/runtime/first-defined.ts';

/** The facts; empty for a page without such meta tags. */
export function factsOfOpenGraph(openGraph: OpenGraph, context: PageContext): ProductFacts {
  const text = (...names: readonly string[]): string | undefined =>
    firstDefined(names, (name) => plainLine(firstText(openGraph, name) ?? '') || undefined);
  const attributes = emptyAttributes();
  for (const name of ['color', 'size', 'material', 'pattern']) {
    const value = text(`product:${name}`);
    if (value !== undefined) attributes[name] = value;
  }
  const description = firstText(openGraph, 'description');
  return compact({
    source: 'openGraph',
    title: text('title'),
    brand: text('product:brand', 'brand'),
    category: text('product:category'),
    description: description === undefined ? undefined : plainLines(description) || undefined,
    id: text('product:retailer_item_id'),
    mpn: text('product:mfr_part_no'),
    terms: termsOf(openGraph, context),
    images: listImages(openGraph.image ?? [], context.baseUrl),
    attributes,
    variants: [],
  });
}

/** True if the page declares itself a product, or gives one price. */
export function isProductPage(openGraph: OpenGraph): boolean {
  const type = firstText(openGraph, 'type')?.toLowerCase() ?? '';
  if (/^(?:og:)?product(?:\.item)?$/.test(type)) return true;
  return amountNames.some((name) => firstText(openGraph, name) !== undefined);
}

const amountNames = ['product:sale_price:amount', 'product:price:amount', 'price:amount'];

function termsOf(openGraph: OpenGraph, context: PageContext): ProductTerms {
  const { language } = context;
  const amount = (name: string): PriceRange | undefined => {
    const text = firstText(openGraph, `${name}:amount`) ?? '';
    return plausible(readPriceRange(text, language), text, context.warn);
  };
  const sale = amount('product:sale_price');
  const regular = amount('product:price') ?? amount('price');
  const former = amount('product:original_price') ?? (sale === undefined ? undefined : regular);
  const current = sale ?? regular;
  const first = (...names: readonly string[]): string | undefined =>
    firstDefined(names, (name) => firstText(openGraph, name));
  const code = first('product:sale_price:currency', 'product:price:currency', 'price:currency');
  const availability = first('product:availability', 'availability');
  const condition = first('product:condition', 'condition');
  return compact({
    ...priceTerms(current),
    originalPrice: originalOf(current, former),
    currency: code === undefined ? current?.currency : currencyCode(code, language),
    availability: availability === undefined ? undefined : availabilityOf(availability),
    condition: condition === undefined ? undefined : conditionOf(condition),
  });
}

function firstText(openGraph: OpenGraph, name: string): string | undefined {
  const value = openGraph[name];
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}
