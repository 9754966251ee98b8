// A worker of the fleet benches. Tells its parent that it takes pages; answers any message with its CPU so far.
import { startWorker } from '../../dist/entries/fleet/index.js';
import { openStorage } from './storage.mjs';

const { redis, prefix, folder, slots } = JSON.parse(process.argv[2] ?? '{}');
const worker = await startWorker({
  fleet: { redis, prefix },
  storage: openStorage({ redis, prefix, folder }),
  network: { allow: ['127.0.0.1'] },
  cache: false,
  // There is one host, and this is a number of the whole fleet.
  maxConcurrencyPerHost: 1000,
  slots,
});
process.send?.('ready');
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1000);
});
process.once('disconnect', async () => {
  await worker.drain();
  process.exit();
});
