// A crawler of your own: own link discovery, own routing by URL, own documents.
import { createClient, fixturesEngine } from 'pagewright';

const links = (page, selector) =>
  [...page.document.querySelectorAll(selector)].map((a) => ({ url: a.getAttribute('href') }));
const text = (page, selector) => page.document.querySelector(selector)?.textContent.trim();

const routes = [
  {
    // Listings lead to products and further listings; they are no documents themselves.
    pattern: /\/products\/(\?page=\d+)?$/,
    read({ page, skip }) {
      skip('a listing');
      return { links: links(page, '.product-card h2 a, .pagination a') };
    },
  },
  {
    // Products are documents, and lead nowhere.
    pattern: /\/products\/.+\.html$/,
    read: ({ page }) => ({
      links: [],
      document: { name: text(page, 'h1'), price: text(page, '.price'), sku: text(page, '.sku') },
    }),
  },
];
const site = fixturesEngine({ 'https://fernhill.test': 'fixtures/sites/shop' });
const client = createClient({ engines: [site] });

const job = client.crawl('https://fernhill.test/products/', {
  sitemap: 'skip',
  hooks: {
    beforeFormats: (page) => routes.find(({ pattern }) => pattern.test(page.url))?.read(page),
  },
});
for await (const { metadata, ...product } of job) console.log(metadata.url, product);
console.log(`${job.progress.completed} products`);

await client.close();
