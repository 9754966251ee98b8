// Watches a page and a site, and tells what changed in words.
import { createClient, memoryStore } from 'pagewright';
import { serve } from 'pagewright/testing';

// The site of this example, which changes between two rounds.
const pages: Record<string, string> = {
  '/lamp': '<title>Lamp</title><h1>Lamp</h1><p>Price: € 64.00</p>',
  '/docs/': '<title>Docs</title><h1>Docs</h1><p><a href="/docs/setup">Setup</a></p>',
  '/docs/setup': '<title>Setup</title><h1>Setup</h1><p>Plug it in.</p>',
};
const site = await serve(pages);

// In a program of yours: fileStore(), sqliteStore() or redisStore(), which last.
const client = createClient({ storage: memoryStore(), network: { allow: ['127.0.0.1'] } });
const monitor = client.monitor({
  id: 'lamps',
  targets: [site.url('/lamp'), { crawl: site.url('/docs/'), limit: 50 }],
  every: '1h',
});

// The first round records the pages.
const { recorded } = await monitor.check();
console.log(`${recorded} pages recorded`);

pages['/lamp'] = '<title>Lamp</title><h1>Lamp</h1><p>Price: € 52.00</p>';
pages['/docs/'] += '<p><a href="/docs/repair">Repair</a></p>';
pages['/docs/repair'] = '<title>Repair</title><h1>Repair</h1><p>Ask us.</p>';

// Rounds come by themselves; this one does not wait for its hour.
void monitor.check();
for await (const { summary } of monitor) {
  console.log(summary);
  break;
}

await client.close();
await site.close();
