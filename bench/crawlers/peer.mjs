// What the crawlers in JavaScript have in common: `node NAME.mjs ORIGIN PAGES CONCURRENCY [PACKAGES]`.
// The last line a crawler prints is JSON: pages read, characters of markdown made, CPU milliseconds and
// peak memory in MB of the whole process with its threads; or `{ "missing": true }` without its packages.
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [start = '', pageCount, inFlight, packages = ''] = process.argv.slice(2);
export const origin = start;
export const pages = Number(pageCount);
export const concurrency = Number(inFlight);

/** Prints what was done when the process ends, so that the end counts. */
export function report(done) {
  process.once('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const cpu = (userCPUTime + systemCPUTime) / 1000;
    writeSync(1, `${JSON.stringify({ ...done, cpu, memory: maxRSS / 1024 })}\n`);
  });
}

/** The packages of a peer, from this project's node_modules or from those of the folder `--packages`. */
export async function load(...names) {
  const { resolve } = createRequire(join(packages, 'any.js'));
  try {
    const files = names.map((name) => pathToFileURL(resolve(name)).href);
    return await Promise.all(files.map((file) => import(file)));
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    console.log('{ "missing": true }');
    process.exit();
  }
}
