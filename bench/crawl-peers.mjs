// crawl() to markdown beside other crawlers on the same site: runs the outside speed bench, when it
// is there, with us and some peers in turn, and prints medians and ratios.
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { copyBench, findBench, start } from './outside-bench.mjs';

const { values: options } = parseArgs({
  options: {
    pages: { type: 'string', default: '1000' },
    peers: { type: 'string', default: 'crawlee-cheerio@td,scrapy' },
    concurrency: { type: 'string', default: '32' },
    rounds: { type: 'string', default: '3' },
    heap: { type: 'string', default: '' },
  },
});
const source = findBench('perf', 'PERF_BENCH');
if (source !== undefined) bench(source);

/** @param {string} source its folder */
function bench(source) {
  const folder = copyBench('perf', source, ['peers']);
  const adapter = fileURLToPath(new URL('crawl-adapter.mjs', import.meta.url));
  copyFileSync(adapter, join(folder, 'peers', 'pagewright.mjs'));
  const { pages, concurrency, rounds } = options;
  const names = ['pagewright', ...options.peers.split(',').filter((name) => name !== '')];
  const run = ['run.mjs', '--ab', names.join(','), '--pages', pages, '--conc', concurrency];
  const printed = start(process.execPath, [...run, '--reps', rounds, '--quiet'], {
    cwd: folder,
    env: {
      ...process.env,
      PAGEWRIGHT_DIST: new URL('../dist/', import.meta.url).href,
      ...(options.heap === '' ? {} : { NODE_OPTIONS: `--max-old-space-size=${options.heap}` }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stopServers(join(folder, 'run'));
  const { medians } = JSON.parse(printed.trim().split('\n').at(-1) ?? '');
  console.log(`${pages} pages, ${concurrency} at a time, medians of ${rounds} rounds in turn\n`);
  console.log('| crawler | pages/s | CPU ms a page | peak MB | we are, in pages/s |');
  console.log('|---|---|---|---|---|');
  for (const [name, one] of Object.entries(medians)) {
    const times = (1 / one.paired_ratio_to_first).toFixed(2);
    const cpu = one.cpu_s_per_1000.toFixed(1);
    console.log(`| ${name} | ${one.pages_per_s} | ${cpu} | ${one.max_rss_mb} | ${times} times |`);
  }
}

/**
 * The bench leaves its web server running.
 *
 * @param {string} folder where it runs
 */
function stopServers(folder) {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name, 'nginx.pid');
    if (existsSync(file)) process.kill(Number(readFileSync(file, 'utf8')));
  }
}
