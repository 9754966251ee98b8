/** Reads the product and its variants from the scripts and forms of shops: Shopify and WooCommerce. */
import type { DomDocument } from '../../content/html/dom.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';
import { parseLenientJson } from '../facts/lenient-json.ts';
import { fold } from '../facts/property-names.ts';
import { isPrice } from '../values/money.ts';
import { addAttribute, gtinOf } from './attributes.ts';
import type { ProductHints } from './choose-product.ts';
import { plainLine, plainLines } from './entity-text.ts';
import { mergeTerms } from './offer-terms.ts';
import { listImages } from './pictures.ts';
import {
  emptyAttributes,
  maxVariants,
  type PageContext,
  type ProductFacts,
  type ProductTerms,
  type ProductVariant,
} from './product.ts';
import { compact } from '../../core/runtime/compact.ts';
import { isRecord, memberOf } from '../../core/runtime/json.ts';

const maxScripts = 100;

/** Facts from the script whose product has the page's name or URL; undefined when none has. */
export function factsOfShopify(
  document: DomDocument,
  hints: ProductHints,
  context: PageContext,
): ProductFacts | undefined {
  let count = 0;
  for (const script of document.querySelectorAll('script[type="application/json"]')) {
    const text = script.textContent ?? '';
    if (!text.includes('"variants"')) continue;
    count += 1;
    if (count > maxScripts) break;
    const value = readShopJson(text);
    const product = isRecord(value)
      ? [value, memberOf(value, 'product')].find(isProduct)
      : undefined;
    if (product !== undefined && isProductOfPage(product, hints))
      return factsOfShopifyProduct(product, context);
  }
  return undefined;
}

function isProduct(value: unknown): value is JsonRecord {
  if (!isRecord(value) || textIn(value, 'title') === undefined) return false;
  const variants = recordsIn(value, 'variants');
  return variants.length > 0 && variants.every((one) => textIn(one, 'price') !== undefined);
}

function isProductOfPage(product: JsonRecord, { headings, titles, urls }: ProductHints): boolean {
  const handle = textIn(product, 'handle');
  const isAddressed = urls.some((url) => {
    const last = canParseUrl(url) ? new URL(url).pathname.split('/').filter(Boolean).at(-1) : '';
    return handle !== undefined && last === handle;
  });
  const title = fold(plainLine(textIn(product, 'title') ?? '').slice(0, 300));
  return isAddressed || [...headings, ...titles].some((one) => title !== '' && one === title);
}

function factsOfShopifyProduct(product: JsonRecord, context: PageContext): ProductFacts {
  const options = optionNames(product);
  const records = firstVariants(recordsIn(product, 'variants'), context);
  const read = records.map((one) => shopifyVariant(one, options, context));
  const [only] = read;
  // A product of one form has a placeholder variant.
  const isSingle = read.length === 1 && /^default(?: title)?$/i.test(only?.title ?? 'default');
  const { sku, gtin } = isSingle && only !== undefined ? only : {};
  const description = textIn(product, 'description', 'body_html');
  return compact({
    source: 'shopData',
    title: plainLine(textIn(product, 'title') ?? '') || undefined,
    brand: plainLine(textIn(product, 'vendor') ?? '') || undefined,
    category: plainLine(textIn(product, 'type', 'product_type') ?? '') || undefined,
    description: description === undefined ? undefined : plainLines(description) || undefined,
    id: identifierIn(product, 'id'),
    sku,
    gtin,
    terms: termsOfVariants(read),
    images: listImages(imagesIn(product), context.baseUrl),
    attributes: emptyAttributes(),
    variants: isSingle ? [] : read,
  });
}

/** Reads `["Color", "Size"]` or `[{ "name": "Color" }, …]`. */
function optionNames(product: JsonRecord): string[] {
  const options = memberOf(product, 'options');
  if (!Array.isArray(options)) return [];
  return options.slice(0, 10).map((option: unknown) => {
    const name = isRecord(option) ? textIn(option, 'name') : option;
    return typeof name === 'string' ? plainLine(name) : '';
  });
}

function shopifyVariant(
  variant: JsonRecord,
  options: readonly string[],
  context: PageContext,
): ProductVariant {
  const attributes = emptyAttributes();
  const listed = memberOf(variant, 'options');
  for (const [index, name] of options.entries()) {
    const inList: unknown = Array.isArray(listed) ? listed[index] : undefined;
    const value = textIn(variant, `option${index + 1}`) ?? inList;
    if (typeof value === 'string') addAttribute(attributes, name, plainLine(value));
  }
  const featured = memberOf(variant, 'featured_image');
  const image = isRecord(featured) ? textIn(featured, 'src') : featured;
  return compact({
    id: identifierIn(variant, 'id'),
    sku: identifierIn(variant, 'sku'),
    gtin: gtinOf(textIn(variant, 'barcode') ?? ''),
    title: plainLine(textIn(variant, 'title', 'public_title') ?? '') || undefined,
    image: variantImage(image, context),
    ...variantTerms(
      priceIn(variant, 'price'),
      priceIn(variant, 'compare_at_price'),
      memberOf(variant, 'available'),
    ),
    attributes,
  });
}

/** Whole numbers are cents, in every currency; texts with a point are not. */
function priceIn(variant: JsonRecord, name: string): number | undefined {
  const value = memberOf(variant, name);
  if (typeof value === 'number' && Number.isInteger(value)) return value / 100;
  return typeof value === 'string' && /^\d{1,13}\.\d{1,3}$/.test(value) ? Number(value) : undefined;
}

function imagesIn(product: JsonRecord): { url: string }[] {
  const images = memberOf(product, 'images');
  const list: unknown[] = Array.isArray(images) ? images : [];
  return [...list, memberOf(product, 'featured_image')].flatMap((image) => {
    const url = isRecord(image) ? textIn(image, 'src') : image;
    return typeof url === 'string' ? [{ url }] : [];
  });
}

// The variations in WooCommerce's product form.

/** Facts from the page's only form of variations; undefined when there is none, or more than one. */
export function factsOfWooCommerce(
  document: DomDocument,
  context: PageContext,
): ProductFacts | undefined {
  const forms = [...document.querySelectorAll('form[data-product_variations]')].slice(0, 2);
  const [form] = forms;
  if (form === undefined || forms.length > 1) return undefined;
  const value = readShopJson(form.getAttribute('data-product_variations') ?? '');
  // A product with very many variations has `false` here.
  if (!Array.isArray(value)) return undefined;
  const records = value.filter(isRecord);
  if (records.length === 0) return undefined;
  const variants = firstVariants(records, context).map((one) => wooCommerceVariant(one, context));
  return compact({
    source: 'shopData',
    id: form.getAttribute('data-product_id')?.slice(0, 200),
    terms: termsOfVariants(variants),
    images: [],
    attributes: emptyAttributes(),
    variants,
  });
}

function wooCommerceVariant(variation: JsonRecord, context: PageContext): ProductVariant {
  const attributes = emptyAttributes();
  const chosen = memberOf(variation, 'attributes');
  for (const [key, value] of Object.entries(isRecord(chosen) ? chosen : {}).slice(0, 10)) {
    // An empty text matches any value.
    if (typeof value !== 'string') continue;
    addAttribute(attributes, key.replace(/^attribute_(?:pa_)?/, ''), plainLine(value));
  }
  const picture = memberOf(variation, 'image');
  const image = isRecord(picture) ? textIn(picture, 'full_src', 'url', 'src') : undefined;
  return compact({
    id: identifierIn(variation, 'variation_id'),
    sku: identifierIn(variation, 'sku'),
    image: variantImage(image, context),
    ...variantTerms(
      positiveNumberIn(variation, 'display_price'),
      positiveNumberIn(variation, 'display_regular_price'),
      memberOf(variation, 'is_in_stock'),
    ),
    attributes,
  });
}

function positiveNumberIn(variation: JsonRecord, name: string): number | undefined {
  const value = memberOf(variation, name);
  return typeof value === 'number' ? value : undefined;
}

// The variants in the scripts and forms of any shop.

/**
 * The terms of one variant. `former`: the former price, which counts only when it is higher.
 * `isThere`: the shop's stock flag; only true and false are known.
 */
function variantTerms(
  current: number | undefined,
  former: number | undefined,
  isThere: unknown,
): Pick<ProductTerms, 'price' | 'originalPrice' | 'availability'> {
  const price = current !== undefined && isPrice(current) ? current : undefined;
  const isReduced = price !== undefined && former !== undefined && former > price;
  return compact({
    price,
    originalPrice: isReduced && isPrice(former) ? former : undefined,
    availability: typeof isThere === 'boolean' ? inStock(isThere) : undefined,
  });
}

function inStock(isThere: boolean): 'InStock' | 'OutOfStock' {
  return isThere ? 'InStock' : 'OutOfStock';
}

/** The terms of a product with these variants. */
function termsOfVariants(variants: readonly ProductVariant[]): ProductTerms {
  return mergeTerms(
    variants.map(({ price, originalPrice, availability }) =>
      compact({ price, originalPrice, availability }),
    ),
  );
}

/** The variants up to the limit; a warning reports the omission. */
function firstVariants(all: readonly JsonRecord[], { warn }: PageContext): JsonRecord[] {
  if (all.length > maxVariants) warn(`product: only the first ${maxVariants} variants were read.`);
  return all.slice(0, maxVariants);
}

/** An identifier of a shop as text; longer ones are cut. */
function identifierIn(record: JsonRecord, name: string): string | undefined {
  return textIn(record, name)?.slice(0, 200);
}

/** The picture of a variant as an absolute URL. */
function variantImage(url: unknown, { baseUrl }: PageContext): string | undefined {
  return typeof url === 'string' ? listImages([{ url }], baseUrl)[0] : undefined;
}

// The JSON of a page's scripts and attributes as plain records, whatever it contains.

/** An object of the page's JSON. */
type JsonRecord = Readonly<Record<string, unknown>>;

const maxLength = 2_000_000; // characters of a script; a thousand variants take half of it

/** The value, or undefined when it is not JSON or too long. */
function readShopJson(text: string): unknown {
  return text.length > maxLength ? undefined : parseLenientJson(text);
}

/** The member as a list of objects. */
function recordsIn(record: JsonRecord, name: string): JsonRecord[] {
  const value = memberOf(record, name);
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The first member that is a text or a number and not empty. */
function textIn(record: JsonRecord, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = memberOf(record, name);
    if (typeof value === 'number' && Number.isFinite(value)) return String(value);
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}
