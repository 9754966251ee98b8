/** A shop of one template, made of numbers, and a model that can read it. */
import { recipeAnswer, type ModelRequestLike, type Recognizers } from './recipe-model.ts';

/** A product as the pages and the gold have it. */
export interface Gold {
  readonly name: string;
  readonly price: number;
  readonly brand: string;
  readonly sku: string;
  readonly url: string;
  readonly discount: number | null;
}

/** Class names of one version of the shop. */
export type Names = Readonly<Record<'title' | 'price' | 'brand' | 'sku' | 'old', string>>;

export const firstNames: Names = {
  title: 'product-title',
  price: 'price-now',
  brand: 'maker',
  sku: 'article-no',
  old: 'price-was',
};

export const newNames: Names = {
  title: 'pdp__heading',
  price: 'pdp__amount',
  brand: 'pdp__brand',
  sku: 'pdp__sku',
  old: 'pdp__list-price',
};

/** Every third product is cheaper than it was. */
export function goldOf(number: number): Gold {
  const isReduced = number % 3 === 0;
  return {
    name: `Lamp No. ${number} "Nordlys"`,
    price: 1000 + number * 7 + 0.5,
    brand: ['Fernhill', 'Korrigan', 'Skell'][number % 3] ?? '',
    sku: `LX-${number}-${(number * 7919) % 1000}`,
    url: `/brands/${['fernhill', 'korrigan', 'skell'][number % 3] ?? ''}`,
    discount: isReduced ? 1200 + number * 7 : null,
  };
}

export function productPage(number: number, names: Names, more = ''): string {
  const { name, price, brand, sku, url, discount } = goldOf(number);
  const euro = (value: number): string =>
    `€${value.toLocaleString('en-US', { minimumFractionDigits: 2 })}`;
  return `<!doctype html><html lang="en"><head><title>${name}</title></head><body>
<header class="top"><a class="logo" href="/">Shop</a></header>
<main><article class="box">
<h1 class="${names.title}">${name}</h1>
<p class="${names.brand}"><a href="${url}">${brand}</a></p>
<div class="buy"><span class="${names.price}">${euro(price)}</span>${
    discount === null ? '' : `<s class="${names.old}">${euro(discount)}</s>`
  }</div>
<p class="text">A lamp that stands on a table, number ${number} of many, in brass and linen.</p>
<p class="${names.sku}">Article ${sku}</p>${more}
</article></main><footer class="foot">All prices with tax</footer></body></html>`;
}

/** A page that lists products, of another template. */
export function listPage(numbers: readonly number[], title = 'All lamps'): string {
  const items = numbers.map(
    (number) =>
      `<li class="tile"><a class="tile-link" href="/lamps/${number}">${goldOf(number).name}</a><span class="tile-price">€${number}</span></li>`,
  );
  return `<!doctype html><html lang="en"><body><header class="top"><a class="logo" href="/">Shop</a></header><main><h2 class="list-title">${title}</h2><ul class="tiles">${items.join('')}</ul></main></body></html>`;
}

const numberIn = (text: string): number => Number(text.replace(/[^\d.]/g, ''));

/** Knows a product by what it says, whatever its elements are called. */
const shopRecognizers: Recognizers = {
  name: { find: ({ tag, text }) => tag === 'h1' && text !== '' },
  price: {
    find: ({ tag, text }, all) =>
      tag === 'span' && text.startsWith('€') && all.some((one) => one.tag === 'h1'),
    value: ({ text }) => numberIn(text),
  },
  brand: {
    find: ({ tag, attributes }) =>
      tag === 'a' && attributes['href']?.startsWith('/brands/') === true,
  },
  sku: {
    find: ({ text }) => text.startsWith('Article '),
    value: ({ text }) => text.slice('Article '.length),
    regex: 'Article (\\S+)',
  },
  discount: { find: ({ tag }) => tag === 's', value: ({ text }) => numberIn(text) },
};

/** Its answer; a link has no class, and goes by the address that all brands have. */
export function shopAnswer(request: ModelRequestLike): object {
  const answer = recipeAnswer(request, shopRecognizers) as {
    selectors: { path: string; selector: string }[];
  };
  for (const entry of answer.selectors) {
    if (entry.path === 'brand') entry.selector = 'a[href^="/brands/"]';
  }
  return answer;
}
