// A crawl as a search engine, and data from the pages that it finds.
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';
import { z } from 'zod';
import { needs } from './needs.ts';

needs('minisearch');

const site = fixturesEngine({ 'https://fernhill.test': new URL('sites/shop/', import.meta.url) });
const client = createClient({ engines: [site] });

const job = client.crawl('https://fernhill.test/');
await job;
const index = await client.index(job.id);

for (const { title, url, description } of await index.search('lamp for reading', { limit: 3 })) {
  console.log(`${title}\n${url}\n${description}\n`);
}

// The index is a search engine like SearXNG, Brave, Tavily or Exa.
const { web } = await client.search('korrigan', {
  engine: index,
  limit: 1,
  scrape: { formats: ['product'] },
});
for (const { document } of web) console.log(document?.product?.title, document?.product?.price);

// Without urls, extract() reads what a search finds.
const { data, pages } = await client.extract({
  schema: z.object({ name: z.string() }),
  search: { engine: index, query: 'tern', limit: 1 },
});
console.log(
  data,
  pages.map(({ url }) => url),
);

await client.close();
