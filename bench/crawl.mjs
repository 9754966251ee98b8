// crawl() to markdown beside other crawlers on a made-up site, each a new process, in turn; a warm
// scrape() beside a request of undici; and what the import costs. `--record "what changed"` appends the
// figures to history.jsonl. `--young 16,32,48` crawls once more for each size of the young generation of
// the threads that read, in megabytes.
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median, startSite } from './measure.mjs';

const crawlers = {
  pagewright: {},
  crawlee: { install: 'npm install --no-save @crawlee/cheerio turndown', slow: true },
  scrapy: { install: 'apt-get install python3-scrapy python3-html2text', slow: true },
  bare: {},
  wget: { install: 'apt-get install wget time' },
  undici: {},
};
/** Debian's packages are not seen by another Python. */
const programs = { scrapy: ['/usr/bin/python3', 'scrapy_spider.py'], wget: ['sh', 'wget.sh'] };

const { values: options } = parseArgs({
  options: {
    pages: { type: 'string', default: '100,1000,10000' },
    peers: { type: 'string', default: 'crawlee,scrapy,bare,wget,undici' },
    concurrency: { type: 'string', default: '32' },
    rounds: { type: 'string' },
    packages: { type: 'string', default: '.' },
    young: { type: 'string', default: '' },
    record: { type: 'string' },
  },
});
const sizes = wordsOf(options.young).map((size) => `young-${size}`);
for (const name of sizes) crawlers[name] = {};
const names = ['pagewright', ...sizes, ...wordsOf(options.peers)];
const unknown = names.find((name) => !Object.hasOwn(crawlers, name));
if (unknown !== undefined)
  throw new Error(`No crawler "${unknown}"; known: ${Object.keys(crawlers).join(', ')}`);

const figures = { crawl: {} };
console.log(
  `Node ${process.version}, ${availableParallelism()} CPUs, ${options.concurrency} requests at a time. Median (min–max) of the rounds.\n`,
);
console.log(
  '| pages | crawler | rounds | pages/s | CPU ms a page | peak MB | pagewright, in pages/s |',
);
console.log('| ---: | --- | ---: | ---: | ---: | ---: | ---: |');
for (const pages of options.pages.split(',').map(Number)) {
  figures.crawl[pages] = await crawlInTurn(pages);
}
figures.scrape = await figuresOf('scrape.mjs');
figures.import = await figuresOf('import-cost.mjs');
console.log('\n| in CPU | |\n| --- | ---: |');
for (const { page, ratio } of figures.scrape) {
  console.log(`| warm \`scrape()\` of ${page}, by a request of undici | ${ratio.cpu.toFixed(1)} |`);
}
console.log(
  `| \`import('pagewright')\` over an empty process | ${figures.import.cpu.toFixed(0)} ms |`,
);
if (options.record !== undefined) record(options.record);

/** Prints a row for each crawler, and gives the medians. */
async function crawlInTurn(pages) {
  const site = await startSite(pages);
  /** @type {Map<string, any[]>} */
  const runs = new Map(names.map((name) => [name, []]));
  for (let round = 0; round < Number(options.rounds ?? 3); round += 1) {
    for (const [name, done] of runs) {
      const isEnough = options.rounds === undefined && crawlers[name].slow && pages > 1000;
      if (round > 0 && (isEnough || done[0].missing)) continue;
      done.push(await run(name, site.origin, pages));
    }
  }
  site.stop();
  const ours = runs.get('pagewright') ?? [];
  const medians = {};
  for (const [name, done] of runs) {
    if (done[0].missing) {
      console.log(`| ${pages} | ${name} | not installed: \`${crawlers[name].install}\` | | | | |`);
      continue;
    }
    const rate = spread(done, ({ wall }) => (1000 * pages) / wall, 0);
    const cpu = spread(done, (one) => one.cpu / pages, 2);
    const memory = spread(done, (one) => one.memory, 0);
    const times = spread(done, ({ wall }, round) => wall / ours[round].wall, 2);
    console.log(
      `| ${pages} | ${name} | ${done.length} | ${rate.text} | ${cpu.text} | ${memory.text} | ${times.text} times |`,
    );
    medians[name] = { pagesPerSecond: rate.median, cpu: cpu.median, memory: memory.median };
  }
  return medians;
}

/** One crawl in a new process: its wall time from outside, CPU and memory as it counts them itself. */
async function run(name, origin, pages) {
  const isOurs = name.startsWith('young-');
  const [command, file] = programs[name] ?? [
    process.execPath,
    isOurs ? 'pagewright.mjs' : `${name}.mjs`,
  ];
  const script = fileURLToPath(new URL(`crawlers/${file}`, import.meta.url));
  const start = performance.now();
  const child = spawn(
    command,
    [script, origin, String(pages), options.concurrency, resolve(options.packages)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      ...(isOurs && { env: { ...process.env, YOUNG_MEMORY: name.replace('young-', '') } }),
    },
  );
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (printed += text));
  try {
    await once(child, 'close');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { missing: true };
    throw error;
  }
  const wall = performance.now() - start;
  const done = JSON.parse(printed.trim().split('\n').at(-1) ?? '');
  // One that tries a page again counts it twice.
  if (done.missing !== true && done.pages < pages)
    throw new Error(`${name} read ${done.pages} pages of ${pages}.`);
  return { ...done, wall };
}

function wordsOf(list) {
  return list.split(',').filter((word) => word !== '');
}

/** Runs another bench; gives the figures that it sends. */
async function figuresOf(file) {
  const script = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(script, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [sent] = await once(child, 'message');
  return sent;
}

/** The median of a figure of the runs, and a text of it with the least and the most. */
function spread(runs, figure, digits) {
  const values = runs.map(figure);
  const show = (value) => value.toFixed(digits);
  const middle = show(median(values));
  const range = ` (${show(Math.min(...values))}–${show(Math.max(...values))})`;
  return { median: Number(middle), text: values.length === 1 ? middle : middle + range };
}

function record(change) {
  const row = {
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim(),
    change,
    node: process.version,
    cpus: availableParallelism(),
    ...figures,
  };
  const rounded = (_, value) => (typeof value === 'number' ? Number(value.toFixed(2)) : value);
  const line = `${JSON.stringify(row, rounded)}\n`;
  appendFileSync(new URL('history.jsonl', import.meta.url), line);
}
