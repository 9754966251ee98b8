/** The product of a page in the shape of the SDK: each form in which it is sold is a variant. */
import type {
  Product,
  ProductAvailability as Availability,
  ProductTerms,
  ProductVariant as Variant,
} from '../../extract/product/product.ts';

/** An amount in units of the currency. */
export interface ProductPrice {
  amount: number;
  currency?: string;
}

/** A product that the page sells. */
export interface ProductProfile {
  title: string;
  brand?: string;
  category?: string;
  url: string;
  description?: string;
  /** At least one. */
  variants: ProductVariant[];
}

/** One form in which the product is sold. */
export interface ProductVariant {
  id?: string;
  sku?: string;
  title?: string;
  /** The attributes that distinguish it: `{ color: 'Red' }`. */
  values?: Record<string, unknown>;
  /** The lowest, if there are several. */
  price?: ProductPrice;
  sale?: { originalPrice: ProductPrice };
  /** `text` is the name of schema.org; `{ inStock: false, text: 'unknown' }` where the page does not say it. */
  availability: { inStock: boolean; text?: string };
  images?: { url: string; alt?: string }[];
}

/** The profile of a product. */
export function productProfile(product: Product): ProductProfile {
  const { title, brand, category, url, description } = product;
  const forms = product.variants.length > 0 ? product.variants : [product];
  return {
    title,
    url,
    ...(brand === undefined ? {} : { brand }),
    ...(category === undefined ? {} : { category }),
    ...(description === undefined ? {} : { description }),
    variants: forms.map((form) => variantOf(form, product)),
  };
}

function variantOf(form: Variant | Product, product: Product): ProductVariant {
  const { id, sku, title, attributes, originalPrice } = form;
  const price = priceOf(form, product);
  const images = 'images' in form ? form.images : form.image === undefined ? [] : [form.image];
  return {
    ...(id === undefined ? {} : { id }),
    ...(sku === undefined ? {} : { sku }),
    ...(title === undefined ? {} : { title }),
    ...(Object.keys(attributes).length === 0 ? {} : { values: attributes }),
    ...(price === undefined ? {} : { price }),
    ...(price === undefined || originalPrice === undefined
      ? {}
      : { sale: { originalPrice: { ...price, amount: originalPrice } } }),
    availability: availabilityOf(form.availability ?? product.availability),
    ...(images.length === 0 ? {} : { images: images.map((image) => ({ url: image })) }),
  };
}

function priceOf(form: ProductTerms, product: Product): ProductPrice | undefined {
  const amount = form.price ?? form.lowPrice;
  const currency = form.currency ?? product.currency;
  if (amount === undefined) return undefined;
  return currency === undefined ? { amount } : { amount, currency };
}

const available: ReadonlySet<Availability> = new Set<Availability>([
  'InStock',
  'LimitedAvailability',
  'OnlineOnly',
  'InStoreOnly',
]);

function availabilityOf(availability: Availability | undefined): ProductVariant['availability'] {
  if (availability === undefined) return { inStock: false, text: 'unknown' };
  return { inStock: available.has(availability), text: availability };
}
