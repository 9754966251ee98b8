/** The product of the product format, and the facts from one source. */
import type { Entity } from '../facts/entities.ts';

/** Availability: the names of https://schema.org/ItemAvailability. */
export type ProductAvailability =
  | 'InStock'
  | 'LimitedAvailability'
  | 'OnlineOnly'
  | 'InStoreOnly'
  | 'PreSale'
  | 'PreOrder'
  | 'MadeToOrder'
  | 'BackOrder'
  | 'Reserved'
  | 'SoldOut'
  | 'OutOfStock'
  | 'Discontinued';

/** The names of https://schema.org/OfferItemCondition, without `Condition`. */
export type ProductCondition = 'New' | 'Refurbished' | 'Used' | 'Damaged';

/** Price, availability and condition. */
export interface ProductTerms {
  /** In units of the currency, not in cents. Absent where there are several prices: see `lowPrice`. */
  price?: number;
  /** The lowest of several prices, or the price in "from 20 €". */
  lowPrice?: number;
  /** The highest of several prices. */
  highPrice?: number;
  /** The struck-through or recommended price; always more than `price`. */
  originalPrice?: number;
  /** ISO 4217: `EUR`. Absent where the page leaves it open, as a bare `$` does. */
  currency?: string;
  /** The best availability of several offers. */
  availability?: ProductAvailability;
  condition?: ProductCondition;
  /** The price per quantity, where the page's structured data gives it. */
  unitPrice?: ProductUnitPrice;
}

/** 0.49 for 100 ml: `{ price: 0.49, quantity: 100, unit: 'MLT' }`. */
export interface ProductUnitPrice {
  price: number;
  /** @default 1 */
  quantity: number;
  /** As written on the page: a code of UN/CEFACT (`KGM`, `MLT`) or a word. */
  unit?: string;
}

/** Identifiers of the product. */
export interface ProductIdentifiers {
  /** The shop's own id. */
  id?: string;
  sku?: string;
  /** GTIN-8, -12, -13 or -14, ISBN-13 too: digits with a valid check digit. */
  gtin?: string;
  /** The manufacturer's part number. */
  mpn?: string;
}

/** One form in which the product is sold. */
export interface ProductVariant extends ProductIdentifiers, ProductTerms {
  title?: string;
  /** Absolute. */
  url?: string;
  /** Absolute. */
  image?: string;
  /** The attributes that distinguish it: `{ color: 'Red', size: 'M' }`. */
  attributes: Record<string, string>;
}

/** The rating by buyers. */
export interface ProductRating {
  value: number;
  /** The highest possible value, where the page gives it; schema.org's default is 5. */
  best?: number;
  /** Number of ratings. */
  count?: number;
  /** Number of written reviews. */
  reviewCount?: number;
}

/** The source of a part of a product. */
export type ProductSource = 'json-ld' | 'microdata' | 'rdfa' | 'openGraph' | 'shopData' | 'markup';

/** The product that a page is about. All texts are plain text; members that the page does not give are absent. */
export interface Product extends ProductIdentifiers, ProductTerms {
  title: string;
  brand?: string;
  /** From the top, separated by ` > `; from the page's breadcrumb where the product has none. */
  category?: string;
  description?: string;
  /** Absolute: the product's URL, else the canonical URL of the page, else the page's own. */
  url: string;
  /** Absolute, each once; the largest first, if sizes are known. At most 100. */
  images: string[];
  rating?: ProductRating;
  /** Attributes by name: `{ color: 'Red', Wattage: '8 W' }`. */
  attributes: Record<string, string>;
  /** Empty for a product of one form. At most 1,000. */
  variants: ProductVariant[];
  /** All sources that were read, the most trusted first. */
  sources: ProductSource[];
}

// The facts of a product from one source, before all sources are combined.

/** Parts of a product; each source has some of them. */
export interface ProductFacts
  extends
    ProductIdentifiers,
    Partial<Pick<Product, 'title' | 'brand' | 'category' | 'description'>> {
  readonly source: ProductSource;
  url?: string;
  readonly terms: ProductTerms;
  readonly images: readonly string[];
  readonly rating?: ProductRating | undefined;
  readonly attributes: Readonly<Record<string, string>>;
  readonly variants: readonly ProductVariant[];
}

/** The context of a page for the readers. */
export interface PageContext {
  /** The base for relative URLs. */
  readonly baseUrl: string;
  /** The page's language tag, if any: decides whether `1.299` is a decimal. */
  readonly language: string | undefined;
  /** Reports omissions, each sentence once. */
  readonly warn: (message: string) => void;
  /** The variants that may still be read: with references a small page can list very many. */
  readonly left: { variants: number };
  /** Parts that were read already: variants refer to the same offers and attributes. */
  readonly known: {
    readonly terms: Map<Entity, ProductTerms>;
    readonly pairs: Map<Entity, readonly [name: string, value: string] | undefined>;
  };
}

/** More variants are not read, with a warning. */
export const maxVariants = 1_000;

/** Further images are not listed. */
export const maxImages = 100;

/** An object without a prototype: keys of the page cannot collide with built-in properties. */
export function emptyAttributes(): Record<string, string> {
  return Object.create(null) as Record<string, string>;
}
