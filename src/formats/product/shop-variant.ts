/** What the variants in the scripts and forms of shops have in common, whoever made the shop. */
import { isPrice } from './amounts.ts';
import { mergeTerms } from './merge-terms.ts';
import { listImages } from './pictures.ts';
import type { ProductTerms, ProductVariant } from './product.ts';
import { maxVariants, type PageContext, present } from './product-facts.ts';
import { type JsonRecord, textIn } from './shop-json.ts';

/** What a variant's own shop has read of it. */
export interface ShopTerms {
  readonly price: number | undefined;
  /** The price before: it only says something when it is more. */
  readonly former: number | undefined;
  /** What the shop says of its stock; only true and false are known. */
  readonly isThere: unknown;
}

/** The terms of one variant. */
export function variantTerms({
  price: asked,
  former,
  isThere,
}: ShopTerms): Pick<ProductTerms, 'price' | 'originalPrice' | 'availability'> {
  const price = asked !== undefined && isPrice(asked) ? asked : undefined;
  const isReduced = price !== undefined && former !== undefined && former > price;
  return present({
    price,
    originalPrice: isReduced && isPrice(former) ? former : undefined,
    availability: typeof isThere === 'boolean' ? inStock(isThere) : undefined,
  });
}

function inStock(isThere: boolean): 'InStock' | 'OutOfStock' {
  return isThere ? 'InStock' : 'OutOfStock';
}

/** The terms of a product whose variants are these. */
export function termsOfVariants(variants: readonly ProductVariant[]): ProductTerms {
  return mergeTerms(
    variants.map(({ price, originalPrice, availability }) =>
      present({ price, originalPrice, availability }),
    ),
  );
}

/** As many as are read; a warning says what was left out. */
export function firstVariants(all: readonly JsonRecord[], { warn }: PageContext): JsonRecord[] {
  if (all.length > maxVariants) warn(`product: only the first ${maxVariants} variants were read.`);
  return all.slice(0, maxVariants);
}

/** Numbers and texts that a shop calls a thing by; longer ones are cut. */
export function identifierIn(record: JsonRecord, name: string): string | undefined {
  return textIn(record, name)?.slice(0, 200);
}

/** The picture of a variant as an absolute URL. */
export function variantImage(url: unknown, { baseUrl }: PageContext): string | undefined {
  return typeof url === 'string' ? listImages([{ url }], baseUrl)[0] : undefined;
}
