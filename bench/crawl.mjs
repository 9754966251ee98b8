// crawl() of a made-up site of 300 pages to markdown, against a plain undici loop that fetches the
// same pages with as many requests side by side.
import { createClient } from '../dist/index.js';
import { Agent, request } from 'undici';
import { measure, ms, startSite } from './measure.mjs';
import { pagePath } from './site.mjs';

const pages = 300;
const concurrency = 8;

const site = await startSite(pages);
const dispatcher = new Agent();
const client = createClient({ network: { allow: ['127.0.0.1'] } });

const first = await run();
const warm = await run();
print('first run, loading the crawler included', first);
print('second run, warm', warm);

await client.close();
await dispatcher.close();
site.stop();

async function run() {
  const loop = await measure(fetchAll);
  const crawl = await measure(crawlAll);
  return { loop, crawl };
}

async function fetchAll() {
  let next = 0;
  const worker = async () => {
    while (next < pages) {
      const { body } = await request(site.origin + pagePath(next++), { dispatcher });
      await body.text();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

async function crawlAll() {
  const job = client.crawl(`${site.origin}/`, { limit: pages, maxConcurrency: concurrency });
  let seen = 0;
  for await (const page of job) if (page.markdown !== '') seen += 1;
  if (seen !== pages) throw new Error(`The crawl gave ${seen} pages of ${pages}.`);
}

function print(title, { loop, crawl }) {
  console.log(title);
  console.log(`  undici loop  ${rate(loop)}`);
  console.log(`  crawl()      ${rate(crawl)}`);
  const cpu = (crawl.cpu / loop.cpu).toFixed(1);
  console.log(`  ratio        CPU ${cpu}, wall ${(crawl.wall / loop.wall).toFixed(1)}`);
}

function rate({ wall, cpu }) {
  return `${((1000 * pages) / wall).toFixed(0)} pages/s, CPU ${ms(cpu / pages)} a page`;
}
