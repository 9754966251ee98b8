// Main content and markdown on real pages: runs the outside quality bench, when it is there, with us
// and some peers, and prints the tables of its report.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { copyBench, fail, findBench, start } from './outside-bench.mjs';

const { values: options } = parseArgs({
  options: {
    suite: { type: 'string', default: 'scrapinghub,wcxb,trafilatura' },
    peers: { type: 'string', default: 'readability-linkedom,firecrawl-turndown,turndown-body' },
    limit: { type: 'string', default: '0' },
    stride: { type: 'string', default: '1' },
  },
});
const source = findBench('quality', 'QUALITY_BENCH');
const adapter = fileURLToPath(new URL('quality-adapter.mjs', import.meta.url));
const peers = options.peers.split(',').filter((name) => name !== '');

if (source !== undefined) bench(source);

/** @param {string} source its folder */
function bench(source) {
  for (const peer of peers) {
    if (existsSync(join(source, 'adapters', `${peer}.mjs`))) continue;
    const known = readdirSync(join(source, 'adapters')).filter((file) =>
      /^[^_].*\.mjs$/.test(file),
    );
    fail(`quality: no peer "${peer}"; known: ${known.map((file) => file.slice(0, -4)).join(', ')}`);
  }
  const folder = copyBench('quality', source, ['adapters', 'lib']);
  const results = join(folder, 'results');
  removeRows(results);
  const settings = {
    cwd: folder,
    env: {
      ...process.env,
      // The pages stay where they are.
      DEV_DATA: join(source, 'dev-data'),
      RESULTS: results,
      LIMIT: options.limit,
      STRIDE: options.stride,
    },
  };
  const run = ['run.mjs', '--half', 'dev', '--suite', options.suite];
  start(process.execPath, [...run, '--adapter', adapter], settings);
  if (peers.length > 0) {
    start(process.execPath, [...run, '--adapters', peers.join(',')], settings);
  }
  const names = ['quality-adapter', ...peers].join(',');
  const report = start(process.execPath, ['report.mjs', '--half', 'dev', '--adapters', names], {
    ...settings,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  console.log(report.replaceAll('quality-adapter', '**pagewright**'));
}

/** What is expected of each page is kept; what a system gave is not. */
function removeRows(results) {
  if (!existsSync(results)) return;
  for (const file of readdirSync(results)) {
    if (file.endsWith('.jsonl')) rmSync(join(results, file));
  }
}
