import { crawl, type Product, scrape } from 'pagewright';
import { expectTypeOf } from 'vitest';

export async function aProductIsThereOnlyWhenAskedFor(): Promise<void> {
  const page = await scrape('https://example.com', { formats: ['product', 'links'] });
  expectTypeOf(page.product).toEqualTypeOf<Product | null>();
  expectTypeOf(page.product?.variants[0]?.attributes).toEqualTypeOf<
    Record<string, string> | undefined
  >();
  expectTypeOf(page.product?.availability).toEqualTypeOf<Product['availability']>();
  const byObject = await scrape('https://example.com', { formats: [{ type: 'product' }] });
  expectTypeOf(byObject.product).toEqualTypeOf<Product | null>();
  // @ts-expect-error -- markdown was not asked for
  void byObject.markdown;
  const other = await scrape('https://example.com', { formats: ['links'] });
  // @ts-expect-error -- product was not asked for
  void other.product;
  const { data } = await crawl('https://example.com', { scrapeOptions: { formats: ['product'] } });
  expectTypeOf(data[0]?.product).toEqualTypeOf<Product | null | undefined>();
}
