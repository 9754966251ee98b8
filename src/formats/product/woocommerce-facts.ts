/** The variations that WooCommerce puts into the form of a product. */
import type { DomDocument } from '../../html/dom.ts';
import { addAttribute } from './attributes.ts';
import { plainLine } from './plain-text.ts';
import type { ProductVariant } from './product.ts';
import { emptyAttributes, type PageContext, present, type ProductFacts } from './product-facts.ts';
import { isRecord, type JsonRecord, member, readShopJson, textIn } from './shop-json.ts';
import {
  firstVariants,
  identifierIn,
  termsOfVariants,
  variantImage,
  variantTerms,
} from './shop-variant.ts';

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
  const variants = firstVariants(records, context).map((one) => variantOf(one, context));
  return {
    source: 'shopData',
    ...present({ id: form.getAttribute('data-product_id')?.slice(0, 200) }),
    terms: termsOfVariants(variants),
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
  return {
    ...present({
      id: identifierIn(variation, 'variation_id'),
      sku: identifierIn(variation, 'sku'),
      image: variantImage(image, context),
    }),
    ...variantTerms({
      price: numberIn(variation, 'display_price'),
      former: numberIn(variation, 'display_regular_price'),
      isThere: member(variation, 'is_in_stock'),
    }),
    attributes,
  };
}

function numberIn(variation: JsonRecord, name: string): number | undefined {
  const value = member(variation, name);
  return typeof value === 'number' ? value : undefined;
}
