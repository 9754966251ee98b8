// A crawl that reads each kind of page in its own way, and passes on what the caller knows about the site.
import { createClient } from 'pagewright';
import { serve } from 'pagewright/testing';

const lamp = (name: string, price: string): string => `<title>${name}</title>
<main><h1>${name}</h1><p>A lamp of brass.</p><a href="/order">Order</a></main>
<script type="application/ld+json">{"@type":"Product","name":"${name}","offers":{"price":"${price}","priceCurrency":"EUR"}}</script>`;
const shop = await serve({
  '/': '<main><h1>Lamps</h1><a href="/p/harbour">Harbour</a> <a href="/p/mast">Mast</a> <a href="/care">Care</a></main>',
  '/p/harbour': lamp('Harbour', '89.00'),
  '/p/mast': lamp('Mast', '129.00'),
  '/care': '<title>Care</title><main><h1>Care</h1><p>Wipe with a soft cloth.</p></main>',
});
const client = createClient({ network: { allow: ['127.0.0.1'] } });

const job = client.crawl(
  { url: shop.url('/'), data: { customer: 17 } },
  {
    sitemap: 'skip',
    routes: [
      { match: '^/$', label: 'list', scrapeOptions: { formats: ['links'] } },
      { match: '^/p/', label: 'product', scrapeOptions: { formats: ['product'] }, follow: false },
    ],
  },
);
for await (const { metadata, links, product, markdown } of job) {
  console.log(metadata.label ?? 'other', new URL(metadata.url).pathname, metadata.data);
  if (metadata.label === 'list') console.log(`  ${links?.length} links`);
  else if (product) console.log(`  ${product.title}: ${product.price} ${product.currency}`);
  else console.log(`  ${markdown?.split('\n').at(-1)}`);
}
console.log(
  job.progress.completed,
  'pages, and /order was not met:',
  !job.explain(shop.url('/order')),
);

await client.close();
await shop.close();
