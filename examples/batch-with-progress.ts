// A list of URLs with a line for each; one of them fails and stops nothing.
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';

const site = fixturesEngine({ 'https://fernhill.test': new URL('sites/shop/', import.meta.url) });
const client = createClient({ engines: [site] });

const names = ['korrigan', 'tern', 'nordlys', 'gone', 'skell', 'marram', 'dunlin'];
const job = client.batchScrape(
  names.map((name) => `https://fernhill.test/products/${name}.html`),
  { formats: ['product'], maxConcurrency: 4 },
);

let done = 0;
for await (const { product } of job) {
  done += 1;
  console.log(
    `${done} of ${names.length}: ${product?.title}, ${product?.price} ${product?.currency}`,
  );
}
for (const { url, code, statusCode } of job.errors())
  console.log(`failed: ${url} ${code} ${statusCode}`);

await client.close();
