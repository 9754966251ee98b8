// A crawler of your own: its own links, its own routes by URL, its own documents.
import { type BeforeFormatsState, createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';

interface Route {
  readonly pattern: RegExp;
  readonly read: (state: BeforeFormatsState) => {
    links: { url: string }[];
    document?: Record<string, unknown>;
  };
}

const elements = ({ page }: BeforeFormatsState, selector: string) =>
  page.kind === 'html' ? [...page.document.querySelectorAll(selector)] : [];
const text = (state: BeforeFormatsState, selector: string) =>
  elements(state, selector)[0]?.textContent?.trim();

const routes: readonly Route[] = [
  {
    // Listings lead to products and to further listings, and are not documents.
    pattern: /\/products\/(page-\d+\.html)?$/,
    read(state) {
      state.skip('a listing');
      const links = elements(state, '.card h2 a, .pages a[rel=next]');
      return { links: links.map((a) => ({ url: a.getAttribute('href') ?? '' })) };
    },
  },
  {
    // Products are documents and lead nowhere.
    pattern: /\/products\/.+\.html$/,
    read: (state) => ({
      links: [],
      document: { name: text(state, 'h1'), price: text(state, '.price'), sku: text(state, '.sku') },
    }),
  },
];
const site = fixturesEngine({ 'https://fernhill.test': new URL('sites/shop/', import.meta.url) });
const client = createClient({ engines: [site] });

const job = client.crawl('https://fernhill.test/products/', {
  sitemap: 'skip',
  hooks: {
    beforeFormats: (state) => routes.find(({ pattern }) => pattern.test(state.url))?.read(state),
  },
});
for await (const { metadata, ...product } of job) console.log(metadata.url, product);
console.log(`${job.progress.completed} products`);

await client.close();
