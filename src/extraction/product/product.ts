/** A product as the product format gives it, and as the facts that one source says of it. */
import type { Entity } from '../page-facts/entities.ts';

/** Whether it can be bought: the names of https://schema.org/ItemAvailability. */
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

/** What it costs, and whether it is there. */
export interface ProductTerms {
  /** In units of the currency, not in cents. Absent where there are several: see `lowPrice`. */
  price?: number;
  /** The lowest of several prices, or the one of "from 20 €". */
  lowPrice?: number;
  /** The highest of several prices. */
  highPrice?: number;
  /** The price that is struck through or recommended; always more than `price`. */
  originalPrice?: number;
  /** ISO 4217: `EUR`. Absent where the page leaves it open, as a bare `$` does. */
  currency?: string;
  /** Of several offers the best one's. */
  availability?: ProductAvailability;
  condition?: ProductCondition;
  /** The price per quantity, where the page tells it to machines. */
  unitPrice?: ProductUnitPrice;
}

/** 0.49 for 100 ml: `{ price: 0.49, quantity: 100, unit: 'MLT' }`. */
export interface ProductUnitPrice {
  price: number;
  /** @default 1 */
  quantity: number;
  /** As the page says it: a code of UN/CEFACT (`KGM`, `MLT`) or a word. */
  unit?: string;
}

/** What the product is known by elsewhere. */
export interface ProductIdentifiers {
  /** The shop's own id. */
  id?: string;
  sku?: string;
  /** GTIN-8, -12, -13 or -14, ISBN-13 too: digits with a valid check digit. */
  gtin?: string;
  /** The maker's part number. */
  mpn?: string;
}

/** One of the forms that the product is sold in. */
export interface ProductVariant extends ProductIdentifiers, ProductTerms {
  title?: string;
  /** Absolute. */
  url?: string;
  /** Absolute. */
  image?: string;
  /** What tells it from the others: `{ color: 'Red', size: 'M' }`. */
  attributes: Record<string, string>;
}

/** What buyers think of it. */
export interface ProductRating {
  value: number;
  /** The highest possible value, where the page says it; schema.org's default is 5. */
  best?: number;
  /** How many ratings. */
  count?: number;
  /** How many of them are written reviews. */
  reviewCount?: number;
}

/** Where a part of a product was read. */
export type ProductSource = 'json-ld' | 'microdata' | 'rdfa' | 'openGraph' | 'shopData' | 'markup';

/** The product that a page is about. All texts are plain text; what the page does not say is absent. */
export interface Product extends ProductIdentifiers, ProductTerms {
  title: string;
  brand?: string;
  /** From the top, parted by ` > `; of the page's breadcrumb where the product has none. */
  category?: string;
  description?: string;
  /** Absolute: as the product says, else the canonical URL of the page, else the page's own. */
  url: string;
  /** Absolute, each once; the largest first, of those whose sizes are known. At most 100. */
  images: string[];
  rating?: ProductRating;
  /** Facts by name: `{ color: 'Red', Wattage: '8 W' }`. */
  attributes: Record<string, string>;
  /** Empty for a product of one form. At most 1,000. */
  variants: ProductVariant[];
  /** Everything that was read, the most trusted first. */
  sources: ProductSource[];
}

// The facts that one source says of a product, before all sources are combined.

/** Parts of a product; a source says what it knows. */
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

/** What readers of a page need to know of it. */
export interface PageContext {
  /** What relative URLs are resolved against. */
  readonly baseUrl: string;
  /** The page's language tag, where it says one: decides what `1.299` is. */
  readonly language: string | undefined;
  /** Tells what was left out, each sentence once. */
  readonly warn: (message: string) => void;
  /** How many variants may still be read: with references a small page can list very many. */
  readonly left: { variants: number };
  /** What was read already: variants refer to the same offers and attributes. */
  readonly known: {
    readonly terms: Map<Entity, ProductTerms>;
    readonly pairs: Map<Entity, readonly [name: string, value: string] | undefined>;
  };
}

/** More are not read: a warning says so. */
export const maxVariants = 1_000;

/** More are not listed. */
export const maxImages = 100;

/** An object without a prototype: keys of the page are only keys. */
export function emptyAttributes(): Record<string, string> {
  return Object.create(null) as Record<string, string>;
}

/** The members that are not undefined: absent is how this format says that nothing is known. */
export function present<T extends object>(members: T): Present<T> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Present<T>;
}

type Present<T> = { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};
