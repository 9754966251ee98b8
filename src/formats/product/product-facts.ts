/** What one source says of a product, before all of them are put together. */
import type { Entity } from '../json/entities.ts';
import type {
  Product,
  ProductIdentifiers,
  ProductRating,
  ProductSource,
  ProductTerms,
  ProductVariant,
} from './product.ts';

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
