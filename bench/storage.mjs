// The stores beside each other: calls a second, and the CPU of this process a call.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStore } from '../build/core/storage/file-store.js';
import { memoryStore } from '../build/core/storage/memory-store.js';
import { redisStore } from '../build/entries/storage/redis-store.js';
import { sqliteStore } from '../build/entries/storage/sqlite-store.js';
import { measure, median, ms } from './measure.mjs';
import { startRedis } from './redis.mjs';

const blocks = Number(process.argv[2] ?? 5);
const keys = 1000;
const atOnce = 8;
const value = Buffer.alloc(20_000, 'a packed document ');

const folder = await mkdtemp(join(tmpdir(), 'bench-storage-'));
const redis = await startRedis(folder);
try {
  await compareStores();
  // The durable crawl beside the one in memory goes here.
} finally {
  redis?.stop();
  await rm(folder, { recursive: true, force: true });
}

async function compareStores() {
  console.log(
    `values of ${value.length / 1000} KB, ${atOnce} calls at a time, medians of ${blocks} blocks of ${keys} keys, Node ${process.version}`,
  );
  const stores = {
    memoryStore: () => memoryStore(),
    fileStore: (name) => fileStore(join(folder, name)),
    'fileStore, fsync': (name) => fileStore(join(folder, name), { fsync: true }),
    sqliteStore: (name) => sqliteStore({ file: join(folder, `${name}.db`) }),
    'sqliteStore, fsync': (name) => sqliteStore({ file: join(folder, `${name}.db`), fsync: true }),
    ...(redis && { redisStore: (name) => redisStore({ url: redis.url, prefix: `${name}:` }) }),
  };
  for (const [name, open] of Object.entries(stores)) {
    /** @type {Record<string, { wall: number, cpu: number }[]>} */
    const runs = {};
    for (let block = 0; block < blocks; block += 1) {
      const store = open(`${name}-${block}`);
      await store.set('warm', value);
      for (const [step, run] of Object.entries(steps(store))) {
        (runs[step] ??= []).push(await measure(run));
      }
      await store.dispose?.();
    }
    console.log(`\n${name}`);
    for (const [step, times] of Object.entries(runs)) {
      const wall = median(times.map((time) => time.wall)) / keys;
      const cpu = median(times.map((time) => time.cpu)) / keys;
      const rate = Math.round(1000 / wall).toLocaleString('en');
      console.log(`  ${step.padEnd(22)} ${rate.padStart(9)} a second, CPU ${ms(cpu)} each`);
    }
  }
  if (redis === undefined) console.log('\nredisStore: left out, there is no redis-server');
}

/** What is done to each key of a store. */
function steps(store) {
  const names = Array.from({ length: keys }, (_, at) => `jobs/1/visits/${at}`);
  const forEach = async (work) => {
    let next = 0;
    const worker = async () => {
      for (let name = names[next++]; name !== undefined; name = names[next++]) await work(name);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  };
  return {
    'set, new': () => forEach((name) => store.set(name, value)),
    'set, over another': () => forEach((name) => store.set(name, value)),
    get: () => forEach((name) => store.get(name)),
    'replace, of 20 bytes': async () => {
      let last;
      for (let at = 0; at < keys; at += 1) {
        const next = Buffer.from(`the lease of job ${at}`);
        if (!(await store.replace('lease', last, next))) throw new Error('The lease was lost.');
        last = next;
      }
    },
    'list, per key': async () => {
      let found = 0;
      for await (const key of store.list('jobs/1/visits/')) found += key === '' ? 0 : 1;
      if (found !== keys) throw new Error(`${found} keys of ${keys} were listed.`);
    },
    'deleteAll, per key': () => store.deleteAll('jobs/1/visits/'),
  };
}
