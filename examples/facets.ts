// A part of a finished crawl as a table: the products of one day, and the pages that were not found.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, memoryStore } from 'pagewright';
import { writeCsv, writeJson } from 'pagewright/export';
import { serve } from 'pagewright/testing';

const folder = await mkdtemp(join(tmpdir(), 'facets-'));
const lamp = (name: string, price: number): string =>
  `<title>${name}</title><main><h1>${name}</h1><p>${price} euros</p></main>`;
const shop = await serve({
  '/': '<main><a href="/p/harbour">Harbour</a> <a href="/p/mast">Mast</a> <a href="/p/lost">Lost</a></main>',
  '/p/harbour': lamp('Harbour', 89),
  '/p/mast': lamp('Mast', 129),
});
const client = createClient({ network: { allow: ['127.0.0.1'] }, storage: memoryStore() });
const { id } = await client.crawl(shop.url('/'), {
  sitemap: 'skip',
  errorPages: 'keep',
  routes: [{ match: '^/p/', label: 'product' }],
});

const job = client.jobs.follow(id);
const today = new Date().toISOString().slice(0, 10);
const products = job.documents({ label: 'product', status: '2xx', since: today });
console.log(await writeCsv(products, join(folder, 'products.csv')), 'products');
const table = await readFile(join(folder, 'products.csv'), 'utf8');
for (const row of table.trim().split('\r\n').slice(1)) console.log(row.split(',')[2]);

console.log(
  await writeJson(job.documents({ status: ['4xx', '5xx'] }), join(folder, 'failed.json')),
);
for await (const { metadata } of job.documents({ path: 'lost$' })) console.log(metadata.error);

await client.close();
await shop.close();
await rm(folder, { recursive: true });
