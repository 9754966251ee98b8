// An API gets its token and ten requests a minute; the other hosts of the client get neither.
import { createClient, PagewrightError } from 'pagewright';
import { serve } from 'pagewright/testing';

const seen: string[] = [];
await using api = await serve(({ url, headers }) => {
  seen.push(`${url} ${headers.authorization ?? 'without a token'}`);
  return { body: `<title>Item</title><p>The item at ${url}.</p>` };
});
await using shop = await serve(({ url, headers }) => {
  seen.push(`${url} ${headers.authorization ?? 'without a token'}`);
  return { status: 302, headers: { location: api.url('/items/0') }, body: '' };
});

await using client = createClient({
  network: { allow: ['127.0.0.1'] },
  hosts: {
    [new URL(api.origin).host]: {
      concurrency: 2,
      perMinute: 10,
      headers: { authorization: 'Bearer secret' },
    },
  },
});
await client.scrape(shop.url('/old'));
const urls = Array.from({ length: 9 }, (_, n) => api.url(`/items/${n + 1}`));
const { completed } = await client.batchScrape(urls);
console.log(`${completed} items`);
for (const line of seen.slice(0, 3)) console.log(line);
try {
  await client.scrape(api.url('/items/10'), { timeout: 5000 });
} catch (error) {
  if (!(error instanceof PagewrightError)) throw error;
  console.log(error.code, (error.retryAfter ?? 0) > 40_000 ? 'for most of a minute' : '');
}
