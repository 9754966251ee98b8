// A worker that fetches and reads nothing: it copies the visits of an earlier job. What is left is what the fleet
// itself costs, and the process that runs the crawl is the slowest part.
import {
  loadPackages,
  openConnection,
  parseFleetOptions,
  queuePrefix,
  resultsKey,
  visitQueue,
} from '../../build/entries/fleet/redis-connections.js';
import { hashOf } from '../../build/core/jobs/durable/journal.js';
import { openStorage } from './storage.mjs';

const { redis, prefix, folder, slots, from } = JSON.parse(process.argv[2] ?? '{}');
const settings = parseFleetOptions({ redis, prefix }, 'bench');
const storage = openStorage({ redis, prefix, folder });
const { bullmq } = await loadPackages();
const connection = await openConnection(redis);
const worker = new bullmq.Worker(
  visitQueue(settings, 'http'),
  async ({ data: { jobId, url } }) => {
    const hash = hashOf(url);
    const visit = await storage.get(`jobs/${from}/visits/${hash}`);
    await storage.replace(`jobs/${jobId}/visits/${hash}`, undefined, visit);
    const key = resultsKey(settings, jobId);
    // The packed facts, as workers send them: `packValue` says where they are.
    const value = Buffer.from(visit);
    const facts = value.subarray(9, 9 + value.readUInt32BE(5));
    await connection.send(['XADD', key, '*', 'u', hash, 'f', facts]);
  },
  {
    connection: connection.bullmq,
    prefix: queuePrefix(settings),
    concurrency: slots,
    removeOnComplete: { count: 0 },
  },
);
worker.on('failed', (_, error) => console.error(error));
await worker.waitUntilReady();
process.send?.('ready');
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1000);
});
process.once('disconnect', async () => {
  await worker.close();
  process.exit();
});
