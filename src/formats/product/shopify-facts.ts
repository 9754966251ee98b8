/** The product that themes of Shopify, and of shops like it, put on the page for their scripts. */
import type { DomDocument } from '../../html/dom.ts';
import { fold } from '../json/names.ts';
import { addAttribute } from './attributes.ts';
import type { PageHints } from './choose-product.ts';
import { gtinOf } from './gtin.ts';
import { listImages } from './pictures.ts';
import { plainLine, plainLines } from './plain-text.ts';
import type { ProductVariant } from './product.ts';
import { emptyAttributes, type PageContext, present, type ProductFacts } from './product-facts.ts';
import { isRecord, type JsonRecord, member, readShopJson, recordsIn, textIn } from './shop-json.ts';
import { canParseUrl } from '../../url/can-parse-url.ts';
import {
  firstVariants,
  identifierIn,
  termsOfVariants,
  variantImage,
  variantTerms,
} from './shop-variant.ts';

/** Scripts that are looked at. */
const maxScripts = 100;

/** Of the script whose product is named like the page or has its URL; undefined when none is. */
export function factsOfShopify(
  document: DomDocument,
  hints: PageHints,
  context: PageContext,
): ProductFacts | undefined {
  let count = 0;
  for (const script of document.querySelectorAll('script[type="application/json"]')) {
    const text = script.textContent ?? '';
    if (!text.includes('"variants"')) continue;
    count += 1;
    if (count > maxScripts) break;
    const value = readShopJson(text);
    const product = isRecord(value) ? [value, member(value, 'product')].find(isProduct) : undefined;
    if (product !== undefined && isOfPage(product, hints)) return factsOf(product, context);
  }
  return undefined;
}

function isProduct(value: unknown): value is JsonRecord {
  if (!isRecord(value) || textIn(value, 'title') === undefined) return false;
  const variants = recordsIn(value, 'variants');
  return variants.length > 0 && variants.every((one) => textIn(one, 'price') !== undefined);
}

function isOfPage(product: JsonRecord, { headings, titles, urls }: PageHints): boolean {
  const handle = textIn(product, 'handle');
  const isAddressed = urls.some((url) => {
    const last = canParseUrl(url) ? new URL(url).pathname.split('/').filter(Boolean).at(-1) : '';
    return handle !== undefined && last === handle;
  });
  const title = fold(plainLine(textIn(product, 'title') ?? '').slice(0, 300));
  return isAddressed || [...headings, ...titles].some((one) => title !== '' && one === title);
}

function factsOf(product: JsonRecord, context: PageContext): ProductFacts {
  const options = optionNames(product);
  const records = firstVariants(recordsIn(product, 'variants'), context);
  const read = records.map((one) => variantOf(one, options, context));
  const [only] = read;
  // A product of one form has a variant that stands for it.
  const isSingle = read.length === 1 && /^default(?: title)?$/i.test(only?.title ?? 'default');
  const { sku, gtin } = isSingle && only !== undefined ? only : {};
  const description = textIn(product, 'description', 'body_html');
  return {
    source: 'shopData',
    ...present({
      title: plainLine(textIn(product, 'title') ?? '') || undefined,
      brand: plainLine(textIn(product, 'vendor') ?? '') || undefined,
      category: plainLine(textIn(product, 'type', 'product_type') ?? '') || undefined,
      description: description === undefined ? undefined : plainLines(description) || undefined,
      id: identifierIn(product, 'id'),
      sku,
      gtin,
    }),
    terms: termsOfVariants(read),
    images: listImages(imagesIn(product), context.baseUrl),
    attributes: emptyAttributes(),
    variants: isSingle ? [] : read,
  };
}

/** `["Color", "Size"]` or `[{ "name": "Color" }, …]`. */
function optionNames(product: JsonRecord): string[] {
  const options = member(product, 'options');
  if (!Array.isArray(options)) return [];
  return options.slice(0, 10).map((option: unknown) => {
    const name = isRecord(option) ? textIn(option, 'name') : option;
    return typeof name === 'string' ? plainLine(name) : '';
  });
}

function variantOf(
  variant: JsonRecord,
  options: readonly string[],
  context: PageContext,
): ProductVariant {
  const attributes = emptyAttributes();
  const listed = member(variant, 'options');
  for (const [index, name] of options.entries()) {
    const inList: unknown = Array.isArray(listed) ? listed[index] : undefined;
    const value = textIn(variant, `option${index + 1}`) ?? inList;
    if (typeof value === 'string') addAttribute(attributes, name, plainLine(value));
  }
  const featured = member(variant, 'featured_image');
  const image = isRecord(featured) ? textIn(featured, 'src') : featured;
  return {
    ...present({
      id: identifierIn(variant, 'id'),
      sku: identifierIn(variant, 'sku'),
      gtin: gtinOf(textIn(variant, 'barcode') ?? ''),
      title: plainLine(textIn(variant, 'title', 'public_title') ?? '') || undefined,
      image: variantImage(image, context),
    }),
    ...variantTerms({
      price: priceIn(variant, 'price'),
      former: priceIn(variant, 'compare_at_price'),
      isThere: member(variant, 'available'),
    }),
    attributes,
  };
}

/** Whole numbers are cents, in every currency; texts with a point are not. */
function priceIn(variant: JsonRecord, name: string): number | undefined {
  const value = member(variant, name);
  if (typeof value === 'number' && Number.isInteger(value)) return value / 100;
  return typeof value === 'string' && /^\d{1,13}\.\d{1,3}$/.test(value) ? Number(value) : undefined;
}

function imagesIn(product: JsonRecord): { url: string }[] {
  const images = member(product, 'images');
  const list: unknown[] = Array.isArray(images) ? images : [];
  return [...list, member(product, 'featured_image')].flatMap((image) => {
    const url = isRecord(image) ? textIn(image, 'src') : image;
    return typeof url === 'string' ? [{ url }] : [];
  });
}
