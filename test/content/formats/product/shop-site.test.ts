/** The product format on a whole shop, over HTTP: forty products in four vocabularies. */
import { readFileSync } from 'node:fs';
import { type Client, createClient } from 'pagewright';
import { type FixtureServer, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

interface ProductFacts {
  readonly path: string;
  readonly name: string;
  readonly sku: string;
  readonly gtin13: string;
  readonly brand: string;
  /** The price shown; the lowest one of several. */
  readonly price: number;
  readonly highPrice?: number;
  readonly oldPrice?: number;
  readonly currency: string;
  readonly availability: string;
  readonly source: 'json-ld' | 'microdata' | 'rdfa' | 'opengraph';
}

interface ShopFacts {
  readonly products: readonly ProductFacts[];
  /** Where the structured data has another price than the page. */
  readonly priceMismatch: readonly { readonly path: string; readonly structured: number }[];
  readonly invalidJsonLd: readonly string[];
}

const { facts } = JSON.parse(
  readFileSync(new URL('../../../../fixtures/sites/shop/site.json', import.meta.url), 'utf8'),
) as { facts: ShopFacts };

describe('the product format on a shop', () => {
  let client: Client;
  let shop: FixtureServer;

  beforeAll(async () => {
    client = createClient({ network: { allow: ['127.0.0.1'] } });
    shop = await serve('fixtures/sites/shop');
  });

  afterAll(async () => {
    await client.close();
    await shop.close();
  });

  test.each(facts.products.map((one) => [one.path, one] as const))(
    'reads name, price and what else the page tells machines on %s',
    async (path, known) => {
      const lie = facts.priceMismatch.find((one) => one.path === path);
      const price = lie?.structured ?? known.price;
      const { product, warning } = await client.scrape(shop.url(path), { formats: ['product'] });
      const { highPrice, oldPrice } = known;
      expect(product).toMatchObject({
        title: known.name,
        currency: known.currency,
        ...(highPrice === undefined ? { price } : { lowPrice: price, highPrice }),
        ...(oldPrice === undefined ? {} : { originalPrice: oldPrice }),
      });
      expect(product).not.toHaveProperty(highPrice === undefined ? 'lowPrice' : 'price');
      if (oldPrice === undefined) expect(product).not.toHaveProperty('originalPrice');
      if (lie !== undefined) expect(warning).toContain(`the page shows ${known.price}`);
      // The other pages tell machines little.
      if (known.source === 'opengraph' || facts.invalidJsonLd.includes(path)) return;
      const { brand, sku, gtin13: gtin, availability } = known;
      expect(product).toMatchObject({ brand, sku, gtin, availability });
    },
  );

  test.each(['/', '/products/', '/categories/tents/', '/help/shipping.html', '/blog/'])(
    'finds no product on %s',
    async (path) => {
      const found = await client.scrape(shop.url(path), { formats: ['product'] });
      expect(found.product).toBeNull();
      expect(found.warning).toMatch(/^product: the page /);
    },
  );
});
