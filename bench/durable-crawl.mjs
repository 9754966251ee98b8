// What a durable crawl costs: the same made-up site of 300 pages crawled to markdown with jobs in memory, in
// files and in SQLite; then each durable job is opened again, and one that was left half way is gone on with.
// Beside it the same pages, read by the same code, with Crawlee's own storage: in memory and in files.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, fileStore } from '../dist/index.js';
import { sqliteStore } from '../dist/entries/storage/index.js';
import { crawlWithCrawlee } from './crawlee-storage.mjs';
import { measure, ms, startSite, Timings } from './measure.mjs';

const pages = 300;
const rounds = 5;
const site = await startSite(pages);
const folder = mkdtempSync(join(tmpdir(), 'pagewright-bench-'));
const stores = {
  memory: () => undefined,
  files: (round) => fileStore(join(folder, `files-${round}`)),
  SQLite: (round) => sqliteStore({ file: join(folder, `${round}.sqlite`) }),
};

const cpu = new Timings();
const crawlee = new Timings();
const opening = new Timings();
// The first round warms up.
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, open] of Object.entries(stores)) {
    const storage = open(round);
    const client = clientOf(storage);
    let id;
    const crawl = await measure(async () => {
      const job = client.crawl(`${site.origin}/`, { limit: pages });
      id = job.id;
      let seen = 0;
      for await (const page of job) if (page.markdown !== '') seen += 1;
      if (seen !== pages) throw new Error(`The crawl gave ${seen} pages of ${pages}.`);
    });
    await client.close();
    if (round > 0) cpu.add(name, crawl.cpu);
    if (storage === undefined) continue;
    const again = clientOf(storage);
    const opened = await measure(async () => await again.jobs.resume(id));
    if (round > 0) opening.add(name, opened.wall);
    await again.close();
    await storage.dispose?.();
  }
  for (const name of ['memory', 'files']) {
    const client = clientOf(undefined);
    const kept = name === 'files' ? join(folder, `crawlee-${round}`) : undefined;
    const crawl = await measure(() => crawlWithCrawlee(client, site.origin, pages, kept));
    if (round > 0) crawlee.add(name, crawl.cpu);
    await client.close();
  }
}

for (const name of Object.keys(stores)) {
  const ratio = (cpu.median(name) / cpu.median('memory')).toFixed(2);
  const opened =
    name === 'memory' ? '' : `, all results opened again in ${ms(opening.median(name))}`;
  console.log(`${name.padEnd(8)} CPU ${ms(cpu.median(name) / pages)} a page, ${ratio} x${opened}`);
}
for (const name of ['memory', 'files']) {
  const ratio = (crawlee.median(name) / crawlee.median('memory')).toFixed(2);
  const label = `Crawlee, ${name}`;
  console.log(
    `${label.padEnd(15)} CPU ${ms(crawlee.median(name) / pages)} a page, ${ratio} x of Crawlee in memory`,
  );
}
await resumeHalfWay();
site.stop();
rmSync(folder, { recursive: true });

async function resumeHalfWay() {
  const storage = stores.SQLite('half');
  const first = clientOf(storage);
  const job = first.crawl(`${site.origin}/`, { limit: pages });
  for await (const _ of job) if (job.progress.completed >= pages / 2) break;
  await first.close();
  const { completed } = job.progress;
  const second = clientOf(storage);
  const start = performance.now();
  const resumed = second.jobs.resume(job.id);
  await new Promise((resolve) => resumed.on('page', resolve));
  const time = performance.now() - start;
  console.log(`resumed after ${completed} pages: the first new document after ${ms(time)}`);
  await resumed;
  await second.close();
  await storage.dispose?.();
}

function clientOf(storage) {
  return createClient({
    ...(storage === undefined ? {} : { storage }),
    // The cost of the jobs alone.
    cache: false,
    network: { allow: ['127.0.0.1'] },
  });
}
