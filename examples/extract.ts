// Typed data from a page, without a model: each value stands on the page.
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';
import { z } from 'zod';

const site = fixturesEngine({ 'https://fernhill.test': new URL('sites/shop/', import.meta.url) });
const client = createClient({ engines: [site] });

const { data, sources } = await client.extract({
  urls: ['https://fernhill.test/products/korrigan.html'],
  schema: z.object({
    name: z.string(),
    price: z.number(),
    currency: z.string(),
    inStock: z.boolean().optional(),
  }),
});

console.log(data);
console.log('price comes from', sources.price?.join(', '));

await client.close();
