// The browser engine against "a new Playwright context for every page", in turn, in two browsers.
// Wall time, and CPU of the browsers and of this process, as Linux counts it.
import { readdirSync, readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { browserEngine } from '../build/browser/chromium/browser.js';
import { findChromium } from '../build/browser/chromium/open-browser.js';
import { defaultLimits } from '../build/core/model/limits.js';
import { createNetworkPolicy } from '../build/core/http/network/policy.js';
import { memoryStore } from '../build/core/storage/memory-store.js';
import { median, ms, startSite } from './measure.mjs';
import { appPagePath, pagePath } from './site.mjs';

const target = 0.45;
const rounds = Number(process.argv[2] ?? 8);
const pagesPerRound = Number(process.argv[3] ?? 10);
const pages = 200;

const site = await startSite(pages);
const engine = browserEngine({
  policy: createNetworkPolicy({ allow: ['127.0.0.1'] }),
  store: memoryStore(),
  idleTimeout: 600_000,
});
const peer = await chromium.launch({
  executablePath: await findChromium(chromium.executablePath()),
  args: ['--disable-quic', '--disable-background-networking'],
  chromiumSandbox: process.getuid?.() !== 0,
});

let turn = 0;
const plain = () => site.origin + pagePath((turn += 1) % pages);
const app = () => site.origin + appPagePath;

/** Each opens the pages of one round; `of` names the one that it is compared with. */
const ways = {
  'a new context a page: load': { run: () => each(1, plain, inNewContext('load')) },
  'the browser engine': { run: () => each(1, plain, inEngine), of: 'a new context a page: load' },
  'a new context, 4 at once: load': { run: () => each(4, plain, inNewContext('load')) },
  'the browser engine, 4 at once': {
    run: () => each(4, plain, inEngine),
    of: 'a new context, 4 at once: load',
  },
  'a page that fetches, new context: networkidle': {
    run: () => each(1, app, inNewContext('networkidle')),
  },
  'a page that fetches, the browser engine': {
    run: () => each(1, app, inEngine),
    of: 'a page that fetches, new context: networkidle',
  },
};

for (const [name, { run }] of Object.entries(ways)) {
  const html = await run();
  if (!html.includes('</h1>')) throw new Error(`${name} did not bring the page.`);
}
/** @type {Record<string, { wall: number, cpu: number }[]>} */
const runs = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const [name, { run }] of Object.entries(ways)) runs[name]?.push(await measured(run));
}

console.log(
  `medians of ${rounds} rounds of ${pagesPerRound} pages in turn, ${peer.version()}, Node ${process.version}`,
);
for (const [name, { of }] of Object.entries(ways)) {
  const ratios =
    of === undefined
      ? ''
      : `, ${ratio(name, of, 'wall')} wall, ${ratio(name, of, 'cpu')} CPU of it`;
  console.log(
    `${name.padEnd(46)} wall ${ms(perPage(name, 'wall'))}, CPU ${ms(perPage(name, 'cpu'))} a page${ratios}`,
  );
}
const reached = Number(ratio('the browser engine', 'a new context a page: load', 'wall'));
const isWithin = reached <= target;
console.log(
  `${reached} of the wall time (${isWithin ? 'within' : 'above'} the target of ${target})`,
);

await engine.dispose?.();
await peer.close();
site.stop();
if (!isWithin) process.exitCode = 1;

/** Opens the pages of a round, `atOnce` of them at a time; gives the HTML of one. */
async function each(atOnce, next, open) {
  let left = pagesPerRound;
  let html = '';
  const worker = async () => {
    while (left-- > 0) html = await open(next());
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return html;
}

function inNewContext(state) {
  return async (url) => {
    const context = await peer.newContext();
    const page = await context.newPage();
    await page.goto(url, { waitUntil: 'load' });
    if (state !== 'load') await page.waitForLoadState(state);
    const html = await page.content();
    await context.close();
    return html;
  };
}

async function inEngine(url) {
  const { signal } = new AbortController();
  const { body } = await engine.fetch({
    url,
    headers: {},
    limits: defaultLimits,
    skipTlsVerification: true,
    rendering: { blockAds: true },
    signal,
  });
  return Buffer.from(body).toString();
}

/** What is left to do afterwards, as closing and wiping, is part of a round. */
async function measured(run) {
  const cpu = treeCpu();
  const start = performance.now();
  await run();
  const wall = performance.now() - start;
  await new Promise((resolve) => setTimeout(resolve, 300));
  return { wall, cpu: treeCpu() - cpu };
}

/** CPU milliseconds of this process and of all below it, but for the site's server. */
function treeCpu() {
  const parents = new Map();
  const ticks = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      parents.set(Number(name), Number(parent));
      // User and system time, of the process and of its children that are gone.
      ticks.set(
        Number(name),
        rest.slice(9, 13).reduce((sum, part) => sum + Number(part), 0),
      );
    } catch {
      // It ended meanwhile.
    }
  }
  const isOurs = (id) => {
    for (let at = id; at !== undefined && at !== site.pid; at = parents.get(at)) {
      if (at === process.pid) return true;
    }
    return false;
  };
  const ours = [...ticks].filter(([id]) => isOurs(id));
  return 10 * ours.reduce((sum, [, count]) => sum + count, 0);
}

function perPage(name, what) {
  return median((runs[name] ?? []).map((run) => run[what] / pagesPerRound));
}

/** The median over the rounds: neighbours in time, so a busy machine slows both. */
function ratio(name, other, what) {
  const others = runs[other] ?? [];
  return median(
    (runs[name] ?? []).map((run, at) => run[what] / (others[at]?.[what] ?? NaN)),
  ).toFixed(2);
}
