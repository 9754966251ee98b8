// What a fleet gives and what it costs: the same made-up site crawled by one process and by workers, over a real
// Redis. First with pages that take a second or two, so that workers and not the cores of this machine are the
// limit; then with pages that come at once, to count what a page costs each process.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createClient as connectTo } from 'redis';
import { ms } from './measure.mjs';
import { redisFigures, startRedis } from './redis.mjs';

const { values: options } = parseArgs({
  options: {
    /** Pages of the slow site. */
    slow: { type: 'string', default: '480' },
    /** The least latency of the slow site in milliseconds; the most is twice as long. */
    latency: { type: 'string', default: '1500' },
    /** Pages of the fast site. */
    fast: { type: 'string', default: '3000' },
    /** The same, for the longer crawl of which only the first kinds are run. */
    long: { type: 'string', default: '12000' },
    /** Pages of the two sites of the last part. */
    waiting: { type: 'string', default: '2000' },
    /** Runs the fast crawls of this number alone: 2 is the first with workers. */
    kind: { type: 'string' },
    /** A folder for CPU profiles of the process that runs the crawl. */
    profile: { type: 'string' },
  },
});
/** Where the pages are visited, and where they are stored. */
const kinds = [
  { label: 'in process, storage in files', workers: 0, files: true },
  { label: 'fleet, storage in files', workers: 1, files: true },
  { label: 'the same, visits only copied', workers: 1, files: true, copies: true },
  { label: 'the same, documents read by the crawl', workers: 1, files: true, reads: true },
  { label: 'in process, storage in Redis', workers: 0 },
  { label: 'fleet, storage in the same Redis', workers: 1 },
  { label: 'the same, documents read by the crawl', workers: 1, reads: true },
];
const folder = await mkdtemp(join(tmpdir(), 'bench-fleet-'));
const redis = await startRedis(folder);
if (redis === undefined) throw new Error('This bench needs redis-server on the PATH.');
const { url } = redis;
const watcher = connectTo({ url });
await watcher.connect();
let runs = 0;

try {
  const load = loadavg().map((value) => value.toFixed(1));
  console.log(`Node ${process.version}, load ${load.join(', ')}\n`);
  await compareRates(Number(options.slow));
  const chosen = kinds.filter((_, at) => [undefined, `${at + 1}`].includes(options.kind));
  await countCosts(Number(options.fast), chosen);
  await countCosts(Number(options.long), chosen.slice(0, 3));
  await weighWaiting(Number(options.waiting));
} finally {
  watcher.destroy();
  redis.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Pages a second with one, two and four workers of 8 slots. */
async function compareRates(pages) {
  if (pages === 0) return;
  const slots = 8;
  const fastest = Number(options.latency);
  const site = await startSite({ fastest, slowest: 2 * fastest });
  console.log(`${pages} pages of ${fastest} to ${2 * fastest} ms, ${slots} slots a worker\n`);
  console.log('| | pages/s | of one worker | of what the latency allows | order |');
  console.log('| --- | ---: | ---: | ---: | --- |');
  let one;
  for (const workers of [0, 1, 2, 4]) {
    const inFlight = slots * (workers || 4);
    // A little more than the slots, so that no slot waits for its next page.
    const maxConcurrency = workers === 0 ? inFlight : 1.25 * inFlight;
    const { order } = await crawl({ site, limit: pages, maxConcurrency, workers, slots });
    const rate = rateOf(await site.ask('times'));
    if (workers === 1) one = rate;
    const label = workers === 0 ? `in process, ${inFlight} at a time` : `${workers} workers`;
    const ratio = one === undefined ? '' : (rate / one).toFixed(2);
    const possible = ((0.15 * fastest * rate) / inFlight).toFixed(0);
    console.log(`| ${label} | ${rate.toFixed(1)} | ${ratio} | ${possible} % | ${order} |`);
  }
  await site.stop();
  console.log('\nWanted: 1.8 with 2 workers, 3.4 with 4, and one order.\n');
}

/** Pages a second between 30 and 90 % of the requests. */
function rateOf(times) {
  const at = (share) => times[Math.floor(share * times.length)];
  return (600 * times.length) / (at(0.9) - at(0.3));
}

/** What a page costs the process that runs the crawl, one worker, and Redis. */
async function countCosts(pages, chosen) {
  if (pages === 0) return;
  const slots = 32;
  const site = await startSite({});
  console.log(`${pages} pages that come at once, one worker of ${slots} slots, CPU a page\n`);
  console.log('| | crawl | worker | together | Redis | pages/s | order |');
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | --- |');
  const messages = [];
  for (const { label, ...kind } of chosen) {
    const maxConcurrency = kind.workers === 0 ? slots : 1.25 * slots;
    const run = await crawl({ site, limit: pages, maxConcurrency, slots, ...kind });
    const each = (time) => (time === 0 ? '' : ms(time / pages));
    const rate = ((1000 * pages) / run.wall).toFixed(0);
    const cpu = [run.cpu, run.workerCpu, run.cpu + run.workerCpu, run.redis.cpu].map(each);
    console.log(`| ${[label, ...cpu, rate, run.order].join(' | ')} |`);
    if (kind.workers > 0) messages.push({ label, ...run.redis });
  }
  await site.stop();
  console.log(
    '\n| Redis, a page | commands | in | out | stays |\n| --- | ---: | ---: | ---: | ---: |',
  );
  for (const { label, commands, received, sent, memory } of messages) {
    const total = [...commands.values()].reduce((sum, calls) => sum + calls, 0);
    const bytes = [received, sent, memory].map(
      (value) => `${(value / pages / 1000).toFixed(2)} KB`,
    );
    console.log(`| ${[label, (total / pages).toFixed(1), ...bytes].join(' | ')} |`);
  }
  const calls = [...(messages[0]?.commands ?? [])]
    .map(([name, count]) => /** @type {const} */ ([name, count / pages]))
    .filter(([, count]) => count >= 0.05)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count.toFixed(2)}`);
  console.log(`\nThe commands of the first row: ${calls.join(', ')}`);
  console.log('Wanted: the crawl 0.80 ms, 50 commands, 5 KB in and 3 KB out.\n');
}

/** What a URL that waits takes of the heap: two sites that differ in their number of new links. */
async function weighWaiting(pages) {
  if (pages === 0) return;
  const heaps = [];
  for (const children of [8, 32]) {
    const site = await startSite({ children, paragraphs: 3 });
    const run = await crawl({ site, limit: pages, maxConcurrency: 32, workers: 0, heap: true });
    heaps.push(run.heap);
    await site.stop();
  }
  const [few, many] = heaps;
  const bytes = (many.bytes - few.bytes) / (many.urls - few.urls);
  console.log(
    `A URL that waits takes ${bytes.toFixed(0)} bytes of the crawl's heap (${few.urls} and ${many.urls} waited).`,
  );
}

/** One crawl in processes of its own; the difference that it made to Redis. */
async function crawl({ site, workers, slots = 0, files = false, copies = false, ...rest }) {
  runs += 1;
  const { heap = false } = rest;
  const where = {
    redis: url,
    prefix: `bench-${runs}:`,
    ...(files || (workers === 0 && heap) ? { folder: join(folder, String(runs)) } : {}),
  };
  const run = (program, settings) =>
    runWith({ ...where, ...rest, origin: site.first }, workers, program, { ...where, ...settings });
  try {
    const first = await run('worker.mjs', { slots });
    return copies ? await run('copying-worker.mjs', { slots, from: first.id }) : first;
  } finally {
    if (where.folder !== undefined) await rm(where.folder, { recursive: true, force: true });
    await watcher.sendCommand(['FLUSHALL']);
  }
}

async function runWith(settings, workers, program, workerSettings) {
  const started = await Promise.all(
    Array.from({ length: workers }, () => startChild(program, workerSettings)),
  );
  const total = async () => {
    const times = await Promise.all(started.map(({ ask }) => ask('cpu')));
    return times.reduce((sum, time) => sum + time, 0);
  };
  try {
    const cpuBefore = await total();
    const before = await redisFigures(watcher);
    const profiler =
      options.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', options.profile];
    const running = await startChild('crawl.mjs', { ...settings, workers: workers > 0 }, [
      ...(settings.heap ? ['--expose-gc'] : []),
      ...profiler,
    ]);
    const workerCpu = (await total()) - cpuBefore;
    const redisUse = since(before, await redisFigures(watcher));
    await running.stop();
    return { ...running.first, workerCpu, redis: redisUse };
  } finally {
    for (const child of started) await child.stop();
  }
}

function since(before, after) {
  const calls = [...after.commands].map(
    ([name, count]) => /** @type {const} */ ([name, count - (before.commands.get(name) ?? 0)]),
  );
  return {
    commands: new Map(calls),
    received: after.received - before.received,
    sent: after.sent - before.sent,
    cpu: after.cpu - before.cpu,
    memory: after.memory - before.memory,
  };
}

async function startSite(settings) {
  const site = await startChild('site.mjs', settings);
  return { ...site, first: `http://127.0.0.1:${site.first.port}` };
}

/** Starts a program of `bench/fleet`; `first` is the first message that it sends. */
async function startChild(name, settings, execArgv = []) {
  const script = fileURLToPath(new URL(`fleet/${name}`, import.meta.url));
  const child = fork(script, [JSON.stringify(settings)], { execArgv });
  const exit = once(child, 'exit');
  const failed = exit.then(([code]) => {
    throw new Error(`${name} ended with ${code}.`);
  });
  failed.catch(() => undefined);
  const message = async () => (await Promise.race([once(child, 'message'), failed]))[0];
  return {
    first: await message(),
    ask(question) {
      const answer = message();
      child.send(question);
      return answer;
    },
    stop: async () => {
      if (child.connected) child.disconnect();
      await exit;
    },
  };
}
