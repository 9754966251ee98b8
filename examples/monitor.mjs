// Pages that are looked at again and again: what changed is told, and kept in a folder for the next run.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, fileStore } from 'pagewright';

// The site of this example. The price changes now and then, the clock always.
let asked = 0;
const shop = createServer((_, response) => {
  const price = asked++ < 2 ? '12.99' : '19.29';
  response.setHeader('content-type', 'text/html');
  response.end(`<h1>Lamp</h1><p>Price: ${price}</p><p id="clock">${new Date().toISOString()}</p>`);
});
await once(shop.listen(0, '127.0.0.1'), 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (shop.address());

const folder = await mkdtemp(join(tmpdir(), 'monitor-'));
const client = createClient({ storage: fileStore(folder), network: { allow: ['127.0.0.1'] } });
const pages = [`http://127.0.0.1:${port}/lamp`];

for (let round = 0; round < 4; round++) {
  const job = client.batchScrape(pages, {
    formats: [
      'markdown',
      { type: 'changeTracking', modes: ['git-diff'], ignore: { selectors: ['#clock'] } },
    ],
  });
  for await (const { changeTracking, metadata, warning } of job) {
    console.log(changeTracking?.changeStatus ?? warning, metadata.url);
    if (changeTracking?.diff) console.log(changeTracking.diff.text);
  }
  await sleep(100); // An hour, in earnest.
}

await client.close();
shop.close();
await rm(folder, { recursive: true });
