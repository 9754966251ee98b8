// A crawl whose pages a worker visits; here the worker runs in the same process.
// It needs Redis: REDIS_URL=redis://127.0.0.1:6379 npx tsx examples/fleet/crawl.ts
import { createClient } from 'pagewright';
import { redisStore } from 'pagewright/storage';
import { fixturesEngine } from 'pagewright/testing';
import { fleet, startWorker } from 'pagewright/fleet';
import { needs } from '../needs.ts';

needs('bullmq', 'redis');

const redis = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
const site = fixturesEngine({ 'https://lantern.test': new URL('../sites/docs/', import.meta.url) });
const storage = () => redisStore({ url: redis });

// On other machines: pagewright worker --redis redis://…
const worker = await startWorker({ fleet: { redis }, storage: storage(), engines: [site] });
const client = createClient({
  fleet: fleet({ redis }),
  storage: storage(),
  engines: [site],
  cache: false,
});

const job = client.crawl('https://lantern.test/docs/', { limit: 10 });
for await (const page of job) console.log(page.metadata.url, `${page.markdown.length} characters`);

const { host, visits, slots } = worker.status();
console.log(`the worker on ${host} visited ${visits} pages, ${slots.http} at a time`);

await client.close();
await worker.drain();
