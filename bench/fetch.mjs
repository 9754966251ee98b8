// The http engine against undici's own request(), fetch and got-scraping: 2 KB pages, 50 in flight.
import { gotScraping } from 'got-scraping';
import { Agent as HttpAgent } from 'node:http';
import { Agent, fetch as undiciFetch, request } from 'undici';
import { httpEngine } from '../build/core/http/http-engine.js';
import { defaultLimits } from '../build/core/model/limits.js';
import { createNetworkPolicy } from '../build/core/http/network/policy.js';
import { measure, median, ms, startSite } from './measure.mjs';
import { printShares, profile } from './profile.mjs';
import { makeSmallPage, smallPagePath } from './site.mjs';

const target = 2;
const concurrency = 50;
const blocks = Number(process.argv[2] ?? 15);
const callsPerBlock = 600;

const site = await startSite(1);
const url = site.origin + smallPagePath;
const bytes = Buffer.byteLength(makeSmallPage());
const dispatcher = new Agent({ connections: concurrency });
const keepAlive = new HttpAgent({ keepAlive: true, maxSockets: concurrency });
const policy = createNetworkPolicy({ allow: ['127.0.0.1'] });
const engine = httpEngine(policy, 'bench/1.0');

/** Each gives the bytes of the body. */
const clients = {
  'undici request': async () => {
    const { body } = await request(url, { dispatcher });
    return await body.arrayBuffer();
  },
  'the http engine': () => fetchWith(engine),
  'undici fetch': async () => await (await undiciFetch(url, { dispatcher })).arrayBuffer(),
  "Node's fetch": async () => await (await fetch(url)).arrayBuffer(),
  'got-scraping': async () => {
    return await gotScraping(url, { agent: { http: keepAlive } }).buffer();
  },
};
const baseline = 'undici request';
const ours = 'the http engine';

for (const [name, call] of Object.entries(clients)) {
  const { byteLength } = await call();
  if (byteLength !== bytes) throw new Error(`${name} brought ${byteLength} bytes of ${bytes}.`);
  await flood(call, 2 * callsPerBlock);
}

/** @type {Record<string, { wall: number, cpu: number }[]>} */
const runs = Object.fromEntries(Object.keys(clients).map((name) => [name, []]));
for (let block = 0; block < blocks; block += 1) {
  for (const [name, call] of Object.entries(clients)) {
    runs[name]?.push(await measure(() => flood(call, callsPerBlock)));
  }
}

console.log(
  `page of ${(bytes / 1000).toFixed(1)} KB, ${concurrency} in flight, ` +
    `medians of ${blocks} blocks of ${callsPerBlock} calls in turn, Node ${process.version}`,
);
for (const name of Object.keys(clients)) {
  const rate = 1000 / median(perCall(name, 'wall'));
  console.log(
    `${name.padEnd(16)} CPU ${ms(median(perCall(name, 'cpu')))} a request, ` +
      `${rate.toFixed(0).padStart(5)} requests/s, CPU ${ratio(name, baseline).toFixed(2)} of ${baseline}`,
  );
}
const others = Object.keys(clients).filter((name) => name !== baseline && name !== ours);
const behind = others.filter((name) => ratio(ours, name) >= 1);
const cost = ratio(ours, baseline);
const isWithin = cost <= target;
console.log(
  `${ours}: CPU ${cost.toFixed(2)} of ${baseline} (${isWithin ? 'within' : 'above'} the target of ${target}), ` +
    (behind.length === 0 ? `ahead of ${others.join(', ')}` : `behind ${behind.join(', ')}`),
);

const calls = 4000;
const { rooms, packages } = await profile(() => flood(clients[ours], calls));
console.log(`\nwhere the time of one fetch with ${ours} goes (sampled, ${calls} calls)`);
printShares('by the room that asked for the work', rooms, calls);
printShares('by the code that ran', packages, calls);

await engine.dispose?.();
await dispatcher.close();
keepAlive.destroy();
site.stop();
if (!isWithin || behind.length > 0) process.exitCode = 1;

/** A fetch with a signal of its own, as every scrape has one. */
async function fetchWith({ fetch: fetchPage }) {
  const { signal } = new AbortController();
  const { body } = await fetchPage({
    url,
    headers: {},
    skipTlsVerification: true,
    limits: defaultLimits,
    rendering: {},
    signal,
  });
  return body;
}

/** Makes calls, `concurrency` of them at a time. */
async function flood(call, count) {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

function perCall(name, what) {
  return (runs[name] ?? []).map((run) => run[what] / callsPerBlock);
}

/** The median over the blocks of CPU by CPU: neighbours in time, so a busy machine slows both. */
function ratio(name, other) {
  const divisors = perCall(other, 'cpu');
  return median(perCall(name, 'cpu').map((cpu, block) => cpu / (divisors[block] ?? NaN)));
}
