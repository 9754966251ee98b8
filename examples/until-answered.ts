// A crawl that ends when its pages answer a question: it reads a part of the shop.
import { createClient } from 'pagewright';
import { serve } from 'pagewright/testing';

const links = (paths: readonly string[]): string =>
  paths
    .map((path) => `<li><a href="${path}">${path.slice(1).replaceAll('-', ' ')}</a></li>`)
    .join('');
const lamps = Array.from({ length: 40 }, (_, index) => `/lamp-${index + 1}`);
const help = ['/shipping-costs', '/shipping-to-islands', '/returns', '/payment', '/about-us'];
const texts: Readonly<Record<string, string>> = {
  '/shipping-costs':
    'Shipping to Norway costs 19 euros and takes five days. Shipping to Sweden costs 14 euros.',
  '/shipping-to-islands': 'Shipping to islands such as Svalbard in Norway takes a week longer.',
  '/returns': 'Returns are free within 30 days, from Norway too. Ask for a label by mail.',
  '/payment': 'Pay by card, by invoice, or when you collect the lamp in our shop.',
  '/about-us': 'We have made lamps by the harbour since 1952, and repair them, too.',
};
const shop = await serve(({ url }) => ({
  headers: { 'content-type': 'text/html' },
  body: `<title>${url.slice(1)}</title><main><h1>${url.slice(1).replaceAll('-', ' ')}</h1>
<p>${texts[url] ?? `This lamp is made of brass, stands ${url.length} cm high and is called ${url.slice(1)}.`}</p></main>
<nav><ul>${links([...lamps, ...help])}</ul></nav>`,
}));
const client = createClient({ network: { allow: ['127.0.0.1'] } });

const job = client.crawl(shop.url('/'), {
  strategy: { type: 'bestFirst', query: 'How much is shipping to Norway?', until: 'answered' },
  ignoreRobotsTxt: true,
  sitemap: 'skip',
});
const { stop, completed } = await job;
console.log(`${completed} of ${lamps.length + help.length + 1} pages read`);
console.log(stop?.reason, stop?.passages[0]?.text);
console.log(job.skippedByReason());

await client.close();
await shop.close();
