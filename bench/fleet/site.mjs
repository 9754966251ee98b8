// The site of the fleet benches, in a process of its own: a tree, each page with about 10 KB and 40 links.
// Tells its parent the port; answers 'times' with when pages were asked for, and forgets them.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const {
  children = 8,
  paragraphs = 30,
  fastest = 0,
  slowest = 0,
} = JSON.parse(process.argv[2] ?? '{}');
const linksPerPage = 40;
const words =
  'anchor basin beacon bridge canal cargo depth dock engine ferry harbour ledger lock mooring pier pilot pool ' +
  'quarter rail reed ridge river sensor shelf signal sluice station stone tide timber tower vessel weir wharf';
const vocabulary = words.split(' ');

let times = [];
const server = createServer(async ({ url = '' }, response) => {
  const page = url === '/' ? 0 : Number(/^\/pages\/(\d+)$/.exec(url)?.[1] ?? NaN);
  if (Number.isNaN(page)) return void response.writeHead(404).end();
  times.push(performance.now());
  const random = seeded(page);
  const latency = fastest + random() * (slowest - fastest);
  if (latency > 0) await sleep(latency);
  const body = makePage(page, random);
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-length': body.length };
  response.writeHead(200, headers).end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('message', () => {
  process.send?.(times);
  times = [];
});
process.once('disconnect', () => process.exit());

/** Links lead to the pages below, and to pages that were met before. */
function makePage(page, random) {
  const below = Array.from({ length: children }, (_, at) => page * children + at + 1);
  const met = Array.from({ length: linksPerPage - children }, () => Math.floor(random() * page));
  const links = [...below, ...met].map(
    (to) => `<li><a href="/pages/${to}">${sentence(random, 3)}</a></li>`,
  );
  const text = Array.from({ length: paragraphs }, () => `<p>${sentence(random, 40)}</p>`);
  return Buffer.from(
    `<!doctype html><html lang="en"><head><title>Page ${page}</title></head><body>
<main><h1>Page ${page} of the harbour</h1>${text.join('\n')}</main><nav><ul>${links.join('\n')}</ul></nav></body></html>`,
  );
}

function sentence(random, length) {
  const chosen = Array.from({ length }, () => vocabulary[Math.floor(random() * vocabulary.length)]);
  return `${chosen.join(' ')}.`;
}

/** Numbers from 0 up to 1, the same ones for a page on every run. */
function seeded(seed) {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
