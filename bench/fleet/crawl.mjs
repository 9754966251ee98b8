// One crawl of the fleet benches, with workers where `workers` says so. Tells its parent the figures, and ends
// when the parent does.
import { createHash } from 'node:crypto';
import { createClient } from '../../dist/index.js';
import { fleet } from '../../dist/entries/fleet/index.js';
import { measure } from '../measure.mjs';
import { openStorage } from './storage.mjs';

const { origin, redis, prefix, folder, limit, maxConcurrency, workers, reads, heap } = JSON.parse(
  process.argv[2] ?? '{}',
);
const storage = openStorage({ redis, prefix, folder });
const client = createClient({
  storage,
  ...(workers ? { fleet: fleet({ redis, prefix }) } : {}),
  network: { allow: ['127.0.0.1'] },
  cache: false,
  maxConcurrency,
  maxConcurrencyPerHost: maxConcurrency,
});

const order = createHash('sha256');
const read = async (job) => {
  for await (const { metadata, markdown } of job) {
    order.update(`${metadata.url} ${createHash('sha256').update(markdown).digest('hex')}\n`);
  }
};
let waiting;
let job;
const { wall, cpu } = await measure(async () => {
  job = client.crawl(`${origin}/`, { limit, maxConcurrency });
  if (heap) waiting = heapAt(job, Math.floor(0.9 * limit));
  // Without a reader the documents stay where the workers have put them.
  if (reads) await read(job);
  await job.settled();
});
if (!reads) await read(job);
const { completed, failed, warning } = job.progress;
if (completed !== limit || failed > 0) {
  throw new Error(`The crawl gave ${completed} of ${limit} pages, ${failed} failed: ${warning}`);
}
process.send?.({
  id: job.id,
  wall,
  cpu,
  order: order.digest('hex').slice(0, 12),
  heap: await waiting,
});
await client.close();
await storage.dispose?.();
if (process.connected) process.disconnect();

/** Bytes of the heap, without garbage, and URLs that wait, when that many pages are done. */
function heapAt(running, pages) {
  return new Promise((resolve) => {
    const stop = running.on('page', () => {
      if (running.progress.completed < pages) return;
      stop();
      globalThis.gc?.();
      resolve({ bytes: process.memoryUsage().heapUsed, urls: running.progress.pending });
    });
  });
}
