// What `import('pagewright')` costs in a new process, beside a process that imports nothing; and
// which third-party packages it loads.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median, ms } from './measure.mjs';

const rounds = Number(process.argv[2] ?? 15);
const entry = new URL('../dist/index.js', import.meta.url).href;

/** Packages that may be loaded when they are needed, and not before. */
const lazy = /^(@crawlee\/.*|undici|linkedom|playwright.*|got-scraping|impit|unpdf|mammoth|ai)$/;

const report = `console.log(JSON.stringify({ import: took, cpu: process.cpuUsage() }))`;
const programs = {
  empty: `const took = 0; ${report}`,
  pagewright: `const start = performance.now(); await import('${entry}'); const took = performance.now() - start; ${report}`,
};

const runs = { empty: [], pagewright: [] };
for (let round = -1; round < rounds; round += 1) {
  for (const [name, program] of Object.entries(programs)) {
    const measured = runCold(program);
    // The first round fills the file cache.
    if (round >= 0) runs[name].push(measured);
  }
}

const empty = middle(runs.empty);
const full = middle(runs.pagewright);
console.log(`medians of ${rounds} alternating runs, Node ${process.version}`);
console.log(`empty process         wall ${ms(empty.wall)}, CPU ${ms(empty.cpu)}`);
console.log(`import('pagewright')  wall ${ms(full.wall)}, CPU ${ms(full.cpu)}`);
console.log(
  `the import adds       wall ${ms(full.wall - empty.wall)}, CPU ${ms(full.cpu - empty.cpu)}`,
);
console.log(`awaiting it takes     ${ms(full.import)}`);
process.send?.({ cpu: full.cpu - empty.cpu, wall: full.wall - empty.wall });

const { packages, own } = loadedByImport();
console.log(`files of pagewright   ${own}`);
console.log(`third-party packages  ${describePackages(packages)}`);
const early = Object.keys(packages).filter((name) => lazy.test(name));
if (early.length > 0) {
  console.log(`loaded too early: ${early.join(', ')}`);
  process.exitCode = 1;
}

/** One new process: its wall time from outside, its CPU as it counts itself. */
function runCold(program) {
  const start = performance.now();
  const output = runNode(program);
  const wall = performance.now() - start;
  const { import: took, cpu } = JSON.parse(output);
  return { wall, import: took, cpu: (cpu.user + cpu.system) / 1000 };
}

/** Every script that V8 parsed, by the inspector: it sees ES modules and CommonJS alike. */
function loadedByImport() {
  const urls = JSON.parse(
    runNode(`
      import { Session } from 'node:inspector';
      const urls = [];
      const session = new Session();
      session.connect();
      session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url));
      session.post('Debugger.enable');
      urls.length = 0;
      await import('${entry}');
      console.log(JSON.stringify(urls));
    `),
  );
  const packages = {};
  let own = 0;
  for (const url of new Set(urls)) {
    const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
    if (name !== undefined) packages[name] = (packages[name] ?? 0) + 1;
    else if (url.startsWith(new URL('./', entry).href)) own += 1;
  }
  return { packages, own };
}

function runNode(program) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program],
    { encoding: 'utf8', cwd: fileURLToPath(new URL('..', import.meta.url)) },
  );
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

function middle(measured) {
  return {
    wall: median(measured.map(({ wall }) => wall)),
    cpu: median(measured.map(({ cpu }) => cpu)),
    import: median(measured.map(({ import: took }) => took)),
  };
}

function describePackages(packages) {
  const names = Object.entries(packages).sort(([, a], [, b]) => b - a);
  return names.map(([name, files]) => `${name} (${files} files)`).join(', ') || 'none';
}
