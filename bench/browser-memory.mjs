// Memory of the whole process tree while 300 pages go through one client's browser, 4 at once.
// Linux only: what /proc says. Usage: node bench/browser-memory.mjs [pages]
import { readdirSync, readFileSync } from 'node:fs';
import { createClient } from '../dist/index.js';
import { startSite } from './measure.mjs';
import { appPagePath, pagePath } from './site.mjs';

const pages = Number(process.argv[2] ?? 300);
const atOnce = 4;
/** Share of what there was after page 100 by which it may be more at the end: what rests in caches varies. */
const tolerance = 0.1;

const site = await startSite(pages);
const client = createClient({ network: { allow: ['127.0.0.1'] }, browser: { maxPages: atOnce } });
const rows = [];
let done = 0;

/** Resident memory without what processes share, in MB, and how many processes there are. */
function tree() {
  const parents = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It has ended meanwhile.
    }
  }
  let [chromium, host, processes] = [0, 0, 0];
  for (const pid of parents.keys()) {
    let at = pid;
    while (at > 1 && at !== process.pid) at = parents.get(at) ?? 0;
    if (at !== process.pid || pid === site.pid) continue;
    processes += 1;
    const size = ownMemory(pid);
    if (pid === process.pid) host += size;
    else chromium += size;
  }
  return { chromium, host, processes };
}

function ownMemory(pid) {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1024;
  } catch {
    // It has ended meanwhile, or does not let anybody look.
    return 0;
  }
}

/** A moment of rest, so that it is not the pages under way that are measured. */
async function sample() {
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  globalThis.gc?.();
  const { chromium, host, processes } = tree();
  rows.push({ pages: done, chromium, host, processes });
  console.log(
    `${String(done).padStart(5)} pages  ${processes} processes  Chromium ${chromium.toFixed(0)} MB  this process ${host.toFixed(0)} MB`,
  );
}

for (let from = 0; from < pages; from += 50) {
  const numbers = Array.from({ length: Math.min(50, pages - from) }, (_, index) => from + index);
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
        const path = number % 2 === 0 ? pagePath(number) : appPagePath;
        await client.scrape(site.origin + path, { engine: 'browser' });
        done += 1;
      }
    }),
  );
  await sample();
}
await client.close();
site.stop();

const sumOf = ({ chromium, host }) => chromium + host;
const [first] = rows.filter((row) => row.pages >= Math.min(100, pages));
const growth = sumOf(rows.at(-1)) / sumOf(first) - 1;
console.log(`From page ${first.pages} on: ${(100 * growth).toFixed(1)} % more.`);
if (growth > tolerance) process.exitCode = 1;
