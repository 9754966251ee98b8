/** The product format, beyond the cases in fixtures/pages/product. */
import { parse } from 'pagewright';
import { describe, expect, test } from 'vitest';
import { product } from '../../../../src/content/formats/product.ts';
import type { Product } from '../../../../src/extract/product/product.ts';
import { formatConformance } from '../../../../src/entries/testing/format-conformance.ts';
import { context, htmlPage, textPage } from '../../../support/page.ts';

const script = (value: unknown): string =>
  `<script type="application/ld+json">${JSON.stringify(value)}</script>`;

const productOf = async (html: string): Promise<Product> => {
  const found = await product.run(htmlPage(html), undefined, context);
  if (found === null) throw new Error('no product was found');
  return found;
};

const offer = (price: unknown): object => ({ '@type': 'Offer', price, priceCurrency: 'EUR' });
const lamp = (more: object = {}): object => ({ '@type': 'Product', name: 'Lamp', ...more });
const list = <T>(length: number, make: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => make(index));

describe('product', () => {
  test('is on the document with what else was asked for', async () => {
    const html = `<h1>Lamp</h1>${script(lamp({ offers: offer('5.00') }))}`;
    const of = { contentType: 'text/html', url: 'https://example.test/lamp' } as const;
    const document = await parse(Buffer.from(html), { ...of, formats: ['markdown', 'product'] });
    expect(document.markdown).toBe('# Lamp');
    expect(document.product).toMatchObject({ title: 'Lamp', price: 5, currency: 'EUR' });
    expect(document.warning).toBeUndefined();
  });

  test('of a page without one is null, and the warning says so', async () => {
    const of = { contentType: 'text/html', url: 'https://example.test/' } as const;
    const document = await parse(Buffer.from('<p>Text.</p>'), { ...of, formats: ['product'] });
    expect(document.product).toBeNull();
    expect(document.warning).toBe('product: the page describes no product.');
  });

  test('has no options', async () => {
    const formats = [{ type: 'product', variants: 5 }] as const;
    await expect(
      parse(Buffer.from(''), { contentType: 'text/html', url: 'https://example.test/', formats }),
    ).rejects.toThrow(/product/);
  });

  test('of a document that is JSON-LD itself is read, a text has none', async () => {
    const page = {
      ...textPage(JSON.stringify(lamp({ offers: offer(5) }))),
      mediaType: 'application/ld+json',
    };
    expect(await product.run(page, undefined, context)).toMatchObject({ title: 'Lamp', price: 5 });
    expect(await product.run(textPage('Lamp, 5 €'), undefined, context)).toBeNull();
  });

  test('of 10,000 variants has the first 1,000, and a warning', async () => {
    const hasVariant = list(10_000, (n) => lamp({ sku: `L-${n}`, offers: offer(n + 1) }));
    const page = htmlPage(script({ '@type': 'ProductGroup', name: 'Lamp', hasVariant }));
    const found = await product.run(page, undefined, context);
    expect(found?.variants).toHaveLength(1000);
    expect(found).toMatchObject({ lowPrice: 1, highPrice: 1000 });
    expect(page.warnings).toEqual(['product: only the first 1000 variants were read.']);
  });

  test('of 10,000 offers has the first 1,000, and a warning', async () => {
    const offers = list(10_000, (n) => ({ ...offer(n + 1), seller: `Shop ${n}` }));
    const page = htmlPage(script(lamp({ offers })));
    const found = await product.run(page, undefined, context);
    expect(found).toMatchObject({ lowPrice: 1, highPrice: 1000, variants: [] });
    expect(page.warnings).toEqual(['product: only the first 1000 offers were read.']);
  });

  test('of 5,000 variations in a form has the first 1,000, and a warning', async () => {
    const variations = list(5000, (n) => ({ variation_id: n, display_price: 1, attributes: {} }));
    const json = JSON.stringify(variations).replaceAll('"', '&quot;');
    const page = htmlPage(`${script(lamp())}<form data-product_variations="${json}"></form>`);
    const found = await product.run(page, undefined, context);
    expect(found?.variants).toHaveLength(1000);
    expect(page.warnings).toEqual(['product: only the first 1000 variants were read.']);
  });

  test('has at most 100 images and 100 attributes', async () => {
    const found = await productOf(
      script(
        lamp({
          image: list(5000, (n) => `/${n}.jpg`),
          additionalProperty: list(5000, (n) => ({ name: `n${n}`, value: n })),
        }),
      ),
    );
    expect(found.images).toHaveLength(100);
    expect(Object.keys(found.attributes)).toHaveLength(100);
  });

  test('has no text without end', async () => {
    const long = 'x'.repeat(500_000);
    const found = await productOf(
      script(lamp({ name: long, description: long, brand: long, sku: long, category: long })),
    );
    expect(JSON.stringify(found).length).toBeLessThan(60_000);
  });

  test('takes no key of the page for a property of its own', async () => {
    const found = await productOf(
      `${script(lamp({ additionalProperty: [{ name: 'constructor', value: 'a' }] }))}
       <meta property="product:price:amount" content="5"><meta property="og:__proto__" content="x">`,
    );
    expect(Object.keys(found.attributes)).toEqual(['constructor']);
    expect(Object.getPrototypeOf(Object.assign({}, found.attributes))).toBe(Object.prototype);
    const plain = await productOf(script(lamp()));
    expect(plain.attributes['toString']).toBeUndefined();
  });

  test('does not mix the price of one source with the currency of an offer without one', async () => {
    const found = await productOf(
      `${script(lamp({ offers: { '@type': 'Offer', priceCurrency: 'EUR', price: 'ask us' } }))}
       <meta property="product:price:amount" content="7">
       <meta property="product:price:currency" content="USD">`,
    );
    expect(found).toMatchObject({ price: 7, currency: 'USD' });
  });

  test('has a price of nothing only where nobody knows another', async () => {
    expect(await productOf(script(lamp({ offers: offer(0) })))).toMatchObject({ price: 0 });
  });

  test.each([
    ['1e999', offer('1e999')],
    ['an object', offer({ '@type': 'Thing' })],
    ['a list of nothing', offer([null, '', []])],
    ['true', offer(true)],
    ['2,000 digits', offer('9'.repeat(2000))],
    ['a range that goes down', { '@type': 'AggregateOffer', lowPrice: 9, highPrice: 3 }],
  ])('has no price where the page says %s', async (_, offers) => {
    const found = await productOf(script(lamp({ offers })));
    expect(Object.keys(found).filter((key) => /price/i.test(key))).toEqual([]);
  });

  test.each<[string, string]>([
    [
      'variants that refer to the same offers',
      script({
        '@graph': [
          {
            '@type': 'ProductGroup',
            name: 'Lamp',
            hasVariant: list(1000, (n) => lamp({ sku: `${n}`, offers: { '@id': '#sum' } })),
          },
          { '@id': '#sum', offers: list(1000, (n) => ({ '@id': `#${n}` })) },
          ...list(1000, (n) => ({ ...offer(n), '@id': `#${n}`, name: '<b>a</b>'.repeat(50) })),
        ],
      }),
    ],
    [
      'variants that refer to the same attributes',
      script({
        '@graph': [
          ...list(5, () => ({
            '@type': 'ProductGroup',
            name: 'Lamp',
            hasVariant: list(1000, (n) => ({
              ...lamp({ sku: `${n}` }),
              additionalProperty: list(20, (m) => ({ '@id': `#${m}` })),
            })),
          })),
          ...list(20, (n) => ({ '@id': `#${n}`, name: `${n}`, value: '<b>a</b>'.repeat(60) })),
        ],
      }),
    ],
    ['10,000 products', script(list(10_000, (n) => lamp({ name: `Lamp ${n}` })))],
    ['10,000 products of one name', script(list(10_000, () => lamp({ offers: offer(1) })))],
    [
      '10,000 offers of one product',
      script([
        lamp({ '@id': '#p' }),
        ...list(9000, (n) => ({ ...offer(n), itemOffered: { '@id': '#p' } })),
      ]),
    ],
    [
      'lists that refer to lists',
      script({
        '@graph': list(1000, (n) => ({
          '@type': 'ItemList',
          '@id': `#${n}`,
          mainEntity: list(100, (m) => ({ '@id': `#${m}` })),
          breadcrumb: list(100, (m) => ({ '@id': `#${m}` })),
          itemListElement: list(100, (m) => ({ '@id': `#${m}` })),
        })),
      }),
    ],
    ['10,000 headings', `${'<h1>Lamp</h1>'.repeat(10_000)}${script(lamp())}`],
    [
      '50,000 prices in each other',
      `<h1>Lamp</h1><div>${'<p class=price>5 €</p>'.repeat(50_000)}<button>Add to cart</button></div>`,
    ],
    [
      'a tower of prices',
      `<h1>Lamp</h1><button>Add to cart</button>${'<i class=price>'.repeat(400)}5 €`,
    ],
    ['a name of markup', script(lamp({ name: '<b>'.repeat(500_000) }))],
    ['a price of spaces', script(lamp({ offers: offer(`1${' '.repeat(1_000_000)}2`) }))],
  ])('of %s comes soon', { timeout: 20_000 }, async (_, html) => {
    const found = await product.run(htmlPage(html), undefined, context);
    expect(JSON.stringify(found).length).toBeLessThan(5_000_000);
  });

  test.each(formatConformance(product))('$name', ({ run }) => run());
});
