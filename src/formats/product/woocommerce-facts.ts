/** The variations that WooCommerce puts into the form of a product. */
import type { DomDocument } from '../../html/dom.ts';
import { isPrice } from './amounts.ts';
import { addAttribute } from './attributes.ts';
import { mergeTerms } from './merge-terms.ts';
import { listImages } from './pictures.ts';
import { plainLine } from './plain-text.ts';
import type { ProductTerms, ProductVariant } from './product.ts';
import {
  emptyAttributes,
  maxVariants,
  type PageContext,
  present,
  type ProductFacts,
} from './product-facts.ts';
import { isRecord, type JsonRecord, member, readShopJson, textIn } from './shop-json.ts';

/** Of the page's only form of variations; undefined when there is none, or more than one. */
export function factsOfWooCommerce(
  document: DomDocument,
  context: PageContext,
): ProductFacts | undefined {
  const forms = [...document.querySelectorAll('form[data-product_variations]')].slice(0, 2);
  const [form] = forms;
  if (form === undefined || forms.length > 1) return undefined;
  const value = readShopJson(form.getAttribute('data-product_variations') ?? '');
  // A product of very many has `false` here.
  if (!Array.isArray(value)) return undefined;
  const records = value.filter(isRecord);
  if (records.length === 0) return undefined;
  if (records.length > maxVariants) {
    context.warn(`product: only the first ${maxVariants} variants were read.`);
  }
  const variants = records.slice(0, maxVariants).map((one) => variantOf(one, context));
  return {
    source: 'shopData',
    ...present({ id: form.getAttribute('data-product_id')?.slice(0, 200) }),
    terms: mergeTerms(variants.map(termsOnly)),
    images: [],
    attributes: emptyAttributes(),
    variants,
  };
}

function variantOf(variation: JsonRecord, context: PageContext): ProductVariant {
  const attributes = emptyAttributes();
  const chosen = member(variation, 'attributes');
  for (const [key, value] of Object.entries(isRecord(chosen) ? chosen : {}).slice(0, 10)) {
    // Empty stands for any value.
    if (typeof value !== 'string') continue;
    addAttribute(attributes, key.replace(/^attribute_(?:pa_)?/, ''), plainLine(value));
  }
  const picture = member(variation, 'image');
  const image = isRecord(picture) ? textIn(picture, 'full_src', 'url', 'src') : undefined;
  const price = priceIn(variation, 'display_price');
  const former = priceIn(variation, 'display_regular_price');
  const isThere = member(variation, 'is_in_stock');
  return {
    ...present({
      id: textIn(variation, 'variation_id')?.slice(0, 200),
      sku: textIn(variation, 'sku')?.slice(0, 200),
      image: image === undefined ? undefined : listImages([{ url: image }], context.baseUrl)[0],
      price,
      originalPrice:
        price !== undefined && former !== undefined && former > price ? former : undefined,
    }),
    ...(typeof isThere === 'boolean'
      ? { availability: isThere ? ('InStock' as const) : ('OutOfStock' as const) }
      : {}),
    attributes,
  };
}

function priceIn(variation: JsonRecord, name: string): number | undefined {
  const value = member(variation, name);
  return typeof value === 'number' && isPrice(value) ? value : undefined;
}

function termsOnly({ price, originalPrice, availability }: ProductVariant): ProductTerms {
  return present({ price, originalPrice, availability });
}
