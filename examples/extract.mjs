// Typed data from a page, without a model: nothing is made up.
import { createClient, fixturesEngine } from 'pagewright';
import { z } from 'zod';

const site = fixturesEngine({ 'https://fernhill.test': 'fixtures/sites/shop' });
const client = createClient({ engines: [site] });

const { data, sources } = await client.extract({
  urls: ['https://fernhill.test/products/korrigan-skell-3.html'],
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
