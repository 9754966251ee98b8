// Pages that are visited again and again: tells what changed, and keeps it for the next run.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, fileStore } from 'pagewright';
import { serve } from 'pagewright/testing';
import { z } from 'zod';

// The shop of this example: its price changes after two visits.
let visits = 0;
const shop = await serve({
  '/lamp': () => `<h1>Lamp</h1><p>Price: € <b>${visits++ < 2 ? '64.00' : '52.00'}</b></p>
<p id="clock">${new Date().toISOString()}</p>`,
});

// In a program of yours this is a folder that stays.
const folder = await mkdtemp(join(tmpdir(), 'price-monitor-'));
const client = createClient({ storage: fileStore(folder), network: { allow: ['127.0.0.1'] } });
const schema = z.object({ price: z.number().meta({ 'x-selector': 'b' }) });

// In a program of yours each round is a run of its own, started by a timer of the system.
for (let round = 1; round <= 4; round++) {
  const job = client.batchScrape([shop.url('/lamp')], {
    formats: [
      'markdown',
      {
        type: 'changeTracking',
        modes: ['git-diff', 'json'],
        schema,
        ignore: { selectors: ['#clock'] },
      },
    ],
  });
  for await (const { changeTracking } of job) {
    console.log(`round ${round}: ${changeTracking?.changeStatus}`);
    if (changeTracking?.changeStatus === 'changed') console.log(changeTracking.json);
  }
}

await client.close();
await shop.close();
await rm(folder, { recursive: true });
