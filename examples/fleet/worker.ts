// A worker whose metrics, and those of its fleet, Prometheus reads at http://127.0.0.1:9464/metrics.
// It needs Redis: REDIS_URL=redis://127.0.0.1:6379 node examples/fleet/worker.ts (Node.js 22.18 or newer)
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { redisStore } from 'pagewright/storage';
import { fleet, startWorker } from 'pagewright/fleet';
import { needs } from '../needs.ts';

needs('bullmq', 'redis');

const { REDIS_URL: redis = 'redis://127.0.0.1:6379' } = process.env;
const { METRICS_HOST: host = '127.0.0.1', METRICS_PORT: port = '9464' } = process.env;
const storage = redisStore({ url: redis });
const stop = once(process, 'SIGTERM');
// The image of compose.yaml has no Chromium: other workers take pages that need a browser.
const worker = await startWorker({ fleet: { redis }, storage, browserSlots: 0, cache: false });
const workers = fleet({ redis });

/** While Redis does not answer, the worker still has its own numbers. */
async function metrics(): Promise<string> {
  const late = sleep(2000, '', { ref: false });
  return worker.metrics() + (await Promise.race([workers.metrics(), late]).catch(() => ''));
}

const server = createServer(({ url }, response) => {
  if (url !== '/metrics') return void response.writeHead(404).end();
  response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8');
  void metrics().then((text) => response.end(text));
});
await once(server.listen(Number(port), host), 'listening');
console.log('worker', worker.id, 'serves /metrics at', server.address());

await stop;
await worker.drain();
server.close();
await workers[Symbol.asyncDispose]();
