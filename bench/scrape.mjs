// A warm scrape() to markdown of a page of 46 KB and of one of 2 KB, against a raw undici request of the
// same page.
import { createClient } from '../build/index.js';
import { Agent, request } from 'undici';
import { measure, median, ms, startSite } from './measure.mjs';
import { printShares, profile } from './profile.mjs';
import { pagePath, smallPagePath } from './site.mjs';

const target = 12;
const warmUp = 500;
const blocks = 24;
const callsPerBlock = 25;

const site = await startSite(300);
const client = createClient({ network: { allow: ['127.0.0.1'] } });
const dispatcher = new Agent();
const large = site.origin + pagePath(7);

console.log(`medians of ${blocks} pairs of ${callsPerBlock} calls, Node ${process.version}`);
const [big, small] = [await compare(large), await compare(site.origin + smallPagePath)];
process.send?.([big, small]);
const verdict = big.ratio.cpu <= target && big.ratio.wall <= target ? 'within' : 'above';
console.log(`${big.page}: ${verdict} the target of ${target}`);

const calls = 300;
const { rooms, packages } = await profile(() => repeat(scrape(large), calls));
console.log(`\nwhere the time of one scrape() of ${big.page} goes (sampled, ${calls} calls)`);
printShares('by the room that asked for the work', rooms, calls);
printShares('by the code that ran', packages, calls);

await client.close();
await dispatcher.close();
site.stop();
if (verdict === 'above') process.exitCode = 1;

async function compare(url) {
  const raw = async () => {
    const { body } = await request(url, { dispatcher });
    return await body.text();
  };
  const html = await raw();
  const page = `${(Buffer.byteLength(html) / 1000).toFixed(0)} KB`;
  await repeat(raw, warmUp);
  await repeat(scrape(url), warmUp);
  const rows = [];
  for (let block = 0; block < blocks; block += 1) {
    const one = await measure(() => repeat(raw, callsPerBlock));
    const other = await measure(() => repeat(scrape(url), callsPerBlock));
    rows.push({ raw: one, scrape: other });
  }
  const ratio = {
    cpu: median(rows.map((row) => row.scrape.cpu / row.raw.cpu)),
    wall: median(rows.map((row) => row.scrape.wall / row.raw.wall)),
  };
  const perCall = (which, what) => ms(median(rows.map((row) => row[which][what])) / callsPerBlock);
  console.log(`page of ${page}`);
  console.log(`  undici request   CPU ${perCall('raw', 'cpu')}, wall ${perCall('raw', 'wall')}`);
  console.log(
    `  scrape()         CPU ${perCall('scrape', 'cpu')}, wall ${perCall('scrape', 'wall')}`,
  );
  console.log(`  ratio            CPU ${ratio.cpu.toFixed(1)}, wall ${ratio.wall.toFixed(1)}`);
  return { page, ratio };
}

function scrape(url) {
  return () => client.scrape(url, { formats: ['markdown'], maxAge: 0 });
}

async function repeat(call, times) {
  for (let done = 0; done < times; done += 1) await call();
}
