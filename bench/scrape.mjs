// A warm scrape() of a 46 KB page to markdown, against a raw undici request of the same page.
import { createClient } from '../build/index.js';
import { Agent, request } from 'undici';
import { measure, median, ms, startSite } from './measure.mjs';
import { printShares, profile } from './profile.mjs';
import { makePage, pagePath } from './site.mjs';

const target = 12;
const pages = 300;
const warmUp = 500;
const blocks = 24;
const callsPerBlock = 25;
const index = 7;

const site = await startSite(pages);
const url = site.origin + pagePath(index);
const client = createClient({ network: { allow: ['127.0.0.1'] } });
const dispatcher = new Agent();

const raw = async () => {
  const { body } = await request(url, { dispatcher });
  await body.text();
};
const scrape = async () => {
  await client.scrape(url, { formats: ['markdown'], maxAge: 0 });
};

const { markdown } = await client.scrape(url, { formats: ['markdown'], maxAge: 0 });
await repeat(raw, warmUp);
await repeat(scrape, warmUp);

const rows = [];
for (let block = 0; block < blocks; block += 1) {
  const one = await measure(() => repeat(raw, callsPerBlock));
  const other = await measure(() => repeat(scrape, callsPerBlock));
  rows.push({ raw: one, scrape: other });
}
const ratio = {
  cpu: median(rows.map((row) => row.scrape.cpu / row.raw.cpu)),
  wall: median(rows.map((row) => row.scrape.wall / row.raw.wall)),
};

const bytes = Buffer.byteLength(makePage(index, pages));
console.log(
  `page of ${(bytes / 1000).toFixed(1)} KB to ${(markdown.length / 1000).toFixed(1)} KB of markdown, ` +
    `medians of ${blocks} pairs of ${callsPerBlock} calls, Node ${process.version}`,
);
console.log(`undici request   CPU ${perCall('raw', 'cpu')}, wall ${perCall('raw', 'wall')}`);
console.log(`scrape()         CPU ${perCall('scrape', 'cpu')}, wall ${perCall('scrape', 'wall')}`);
const verdict = ratio.cpu <= target && ratio.wall <= target ? 'within' : 'above';
console.log(
  `ratio            CPU ${ratio.cpu.toFixed(1)}, wall ${ratio.wall.toFixed(1)} (${verdict} the target of ${target})`,
);

const calls = 300;
const { rooms, packages } = await profile(() => repeat(scrape, calls));
console.log(`\nwhere the time of one scrape() goes (sampled, ${calls} calls)`);
printShares('by the room that asked for the work', rooms, calls);
printShares('by the code that ran', packages, calls);

await client.close();
await dispatcher.close();
site.stop();
if (verdict === 'above') process.exitCode = 1;

async function repeat(call, times) {
  for (let done = 0; done < times; done += 1) await call();
}

function perCall(which, what) {
  return ms(median(rows.map((row) => row[which][what])) / callsPerBlock);
}
