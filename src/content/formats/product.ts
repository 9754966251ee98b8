/** The product format: the product that a page sells, from its structured data, without a model. */
import { builtInModule, type Format } from './format.ts';
import type { Product } from '../../extract/product/product.ts';
import { loadModule } from '../../core/runtime/load-module.ts';

/**
 * The page's main product: title, brand, price, availability, images, rating and variants, from
 * JSON-LD, microdata, RDFa, OpenGraph, the product data of shop systems, and at last plain markup.
 *
 * A fact that the page does not state is absent; nothing is made up. `null`, with a warning, for a page
 * without a product and for a list of several. At most 1,000 variants and 100 images.
 *
 * @example
 * const { product } = await scrape(url, { formats: ['product'] });
 * product?.price; // 1299
 * product?.currency; // 'EUR'
 */
export const product: Format<'product', Product | null, undefined> = {
  name: 'product',
  needs: 'page',
  worker: builtInModule,
  run: async (page) =>
    (await loadModule(() => import('../../extract/product/read-product.ts'))).readProduct(page),
};
