/** The product format on pages without markup for products: what they show beside the title. */
import { describe, expect, test } from 'vitest';
import type { Product } from '../../../../src/extract/product/product.ts';
import { product } from '../../../../src/content/formats/product.ts';
import { context, htmlPage } from '../../../support/page.ts';

const read = async (body: string, head = ''): Promise<Product | null> =>
  await product.run(
    htmlPage(`<html lang="en-GB"><head>${head}</head><body>${body}</body></html>`),
    undefined,
    context,
  );

const buy = '<button>Add to basket</button>';
const shop = (price: string): Promise<Product | null> =>
  read(`<main><h1>Clay pot</h1>${price}<form>${buy}</form></main>`);

describe('a price beside title and button', () => {
  test.each<[string, string, object]>([
    ['alone', '<p>£32.00</p>', { price: 32, currency: 'GBP' }],
    ['in parts', '<p><span>£</span><span>32</span><sup>50</sup></p>', { price: 32.5 }],
    ['with a label', '<dl><dt>Our price:</dt><dd>£32</dd></dl>', { price: 32 }],
    ['from', '<p>From £32</p>', { lowPrice: 32 }],
    ['from, on the button', '<a>Buy from £32</a>', { lowPrice: 32 }],
    ['a range', '<p>£32 – £40</p>', { lowPrice: 32, highPrice: 40 }],
    ['twice, once for screen readers', '<p>£32</p><p class="sr-only">£32.00</p>', { price: 32 }],
    [
      'struck through by element',
      '<p><s>£40</s> <b>£32</b></p>',
      { price: 32, originalPrice: 40, currency: 'GBP' },
    ],
    [
      'struck through by class',
      '<div><span>£32</span><span class="text-grey line-through">£40</span></div>',
      { price: 32, originalPrice: 40 },
    ],
    [
      'struck through by style',
      '<div><span style="text-decoration: line-through red">£40</span> £32</div>',
      { price: 32, originalPrice: 40 },
    ],
    ['former by word', '<p>Was £40</p><p>Now £32</p>', { price: 32, originalPrice: 40 }],
    [
      'former by class',
      '<p><span class="old-price">£40</span><span class="price">£32</span></p>',
      { price: 32, originalPrice: 40 },
    ],
    ['regular, and the only one', '<p class="price-regular">Regular price £32</p>', { price: 32 }],
    ['before a saving', '<p>£32</p><p>You save £8</p>', { price: 32 }],
    ['before a rate', '<p>£32</p><p>or £8 per month</p>', { price: 32 }],
    ['after a sentence', '<p>Free delivery over £75.</p><p>£32</p>', { price: 32 }],
  ])('%s is read', async (_, html, terms) => {
    const found = await shop(html);
    expect(found).toMatchObject({ title: 'Clay pot', sources: ['markup'], ...terms });
    if (!('originalPrice' in terms)) expect(found).not.toHaveProperty('originalPrice');
  });

  test('above the title is read', async () => {
    const found = await read(`<div><p>£32</p><h1>Clay pot</h1>${buy}</div>`);
    expect(found).toMatchObject({ title: 'Clay pot', price: 32 });
  });

  test('is that of the title which the page has twice, not of a banner', async () => {
    const title = '<h1>Clay pot</h1><p>£32</p>';
    const found = await read(`<h1>Sale today</h1>${title}${title}${buy}`);
    expect(found).toMatchObject({ title: 'Clay pot', price: 32 });
  });

  test('two of one kind are not certain', async () => {
    expect(await shop('<p class="price">£32</p><p class="price">£35</p>')).toBeNull();
  });
});

describe('a page without a button', () => {
  test('that marks the price outside of a product has one', async () => {
    const price =
      '<div><meta itemprop="priceCurrency" content="EUR"><b itemprop="price" content="32.5">32,50</b></div>';
    expect(await read(`<h1>Clay pot</h1>${price}`)).toMatchObject({ price: 32.5, currency: 'EUR' });
  });

  test('that says it is a product gets the price beside the title', async () => {
    const type = '<meta property="og:type" content="product">';
    const found = await read('<h1>Clay pot</h1><p>£32</p>', type);
    expect(found).toMatchObject({ price: 32, sources: ['openGraph', 'markup'] });
  });

  test('has one where the price is named so, but not in an article', async () => {
    const page = '<h1>Clay pot</h1><div class="product-price">£32</div>';
    expect(await read(page)).toMatchObject({ price: 32 });
    expect(await read(page, '<meta property="og:type" content="article">')).toBeNull();
  });

  test.each([
    ['a figure', '<h1>Cybercrime</h1><p class="stat">£10.5</p><p>trillion are lost a year.</p>'],
    ['a filter', '<h1>Pots</h1><ul class="filter-price"><li>£0 – £50</li><li>£50 – £99</li></ul>'],
    [
      'a banner for another product',
      `<h1>Pots</h1><a href="/jug"><h3>Jug</h3><b class="price">£20</b>${buy}</a>`,
    ],
    ['a sentence', '<h1>Pots</h1><p class="price">A pot costs £32 in most shops of the town.</p>'],
  ])('of %s has none', async (_, html) => {
    expect(await read(html)).toBeNull();
  });
});

test('a category has no product, whatever its entries say', async () => {
  const card = (name: string, price: string): string =>
    `<li class="card"><a href="/${name}"><img src="${name}.jpg" alt="">${name}</a><p class="price">${price}</p>${buy}</li>`;
  const cards = card('Pot', '£32') + card('Bowl', '£9') + card('Jug', '£20');
  expect(await read(`<h1>Ceramics</h1><ul>${cards}</ul>`)).toBeNull();
  // Entries after a product are others.
  const found = await read(`<h1>Vase</h1><ul>${cards}</ul><p>£50</p>${buy}`);
  expect(found).toMatchObject({ title: 'Vase', price: 50 });
});

test('what stands beside the price is read: brand, number, availability, rating', async () => {
  const found = await shop(
    '<div class="product-vendor">Kiln</div><span aria-label="4.6 out of 5 stars"></span><a>120 reviews</a>' +
      '<p>£32</p><p>SKU: CP-7</p><p>In stock</p><h2>Related</h2><p>Brand: Other</p>',
  );
  expect(found).toMatchObject({
    brand: 'Kiln',
    sku: 'CP-7',
    availability: 'InStock',
    rating: { value: 4.6, best: 5, reviewCount: 120 },
  });
});

test('words for what is sold out, which themes hide on every page, say nothing', async () => {
  expect(await shop('<p>£32</p><p>Sold out</p>')).not.toHaveProperty('availability');
});

test.each([
  ['in each other', '<div><span>£1</span> <div>'],
  ['side by side', '<div><span>£1</span></div>'],
])('5,000 amounts %s come soon', async (_, amount) => {
  expect(await read(`<h1>Clay pot</h1>${amount.repeat(5_000)}${buy}`)).toBeNull();
});
