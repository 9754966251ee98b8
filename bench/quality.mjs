// Main content and markdown on real pages: runs the outside quality bench, when it is there, with us
// and some peers, and prints the tables of its report.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    suite: { type: 'string', default: 'scrapinghub,wcxb,trafilatura' },
    peers: { type: 'string', default: 'readability-linkedom,firecrawl-turndown,turndown-body' },
    limit: { type: 'string', default: '0' },
    stride: { type: 'string', default: '1' },
  },
});
const beside = fileURLToPath(new URL('../../shared/quality', import.meta.url));
const source = resolve(process.env.QUALITY_BENCH ?? beside);
const adapter = fileURLToPath(new URL('quality-adapter.mjs', import.meta.url));
const peers = options.peers.split(',').filter((name) => name !== '');

if (existsSync(join(source, 'run.mjs'))) bench();
else console.log(`No quality bench at ${source}; QUALITY_BENCH names another folder.`);

function bench() {
  for (const peer of peers) {
    if (existsSync(join(source, 'adapters', `${peer}.mjs`))) continue;
    const known = readdirSync(join(source, 'adapters')).filter((file) =>
      /^[^_].*\.mjs$/.test(file),
    );
    fail(`no peer "${peer}"; known: ${known.map((file) => file.slice(0, -4)).join(', ')}`);
  }
  const folder = join(tmpdir(), `pagewright-quality-${process.getuid?.() ?? 0}`);
  copyPrograms(folder);
  installPackages(folder);
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

/** Everything but pages, packages and results: the folder itself may be read-only. */
function copyPrograms(folder) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    if (entry.isFile()) copy(entry.name, folder);
    if (!entry.isDirectory() || !['adapters', 'lib'].includes(entry.name)) continue;
    for (const file of readdirSync(join(source, entry.name))) copy(join(entry.name, file), folder);
  }
}

function copy(path, folder) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), readFileSync(join(source, path)));
}

/** Once, and again when other packages are asked for. */
function installPackages(folder) {
  const wanted = readFileSync(join(folder, 'package.json'), 'utf8');
  const note = join(folder, 'node_modules', '.installed-for.json');
  if (existsSync(note) && readFileSync(note, 'utf8') === wanted) return;
  console.log(`Installing the packages of the peers in ${folder} …`);
  start('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    shell: process.platform === 'win32',
  });
  writeFileSync(note, wanted);
}

/** What is expected of each page is kept; what a system gave is not. */
function removeRows(results) {
  if (!existsSync(results)) return;
  for (const file of readdirSync(results)) {
    if (file.endsWith('.jsonl')) rmSync(join(results, file));
  }
}

/** Runs a program to its end; gives what it printed, where that is piped. */
function start(command, args, settings) {
  const { status, error, stdout } = spawnSync(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    ...settings,
  });
  if (status !== 0) fail(error?.message ?? `${command} ${args[0]} ended with ${status}`);
  return stdout;
}

function fail(message) {
  console.error(`quality: ${message}`);
  process.exit(1);
}
