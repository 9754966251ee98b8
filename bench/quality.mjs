// Main content and markdown on real pages: runs the outside quality bench, when it is there, with us
// and some peers, and prints the tables of its report. Its programs are copied to the system's folder for
// temporary files, where the packages of the peers are installed once.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { qualityFolder } from './quality-folder.mjs';

const { values: options } = parseArgs({
  options: {
    suite: { type: 'string', default: 'scrapinghub,wcxb,trafilatura' },
    peers: { type: 'string', default: 'readability-linkedom,firecrawl-turndown,turndown-body' },
    limit: { type: 'string', default: '0' },
    stride: { type: 'string', default: '1' },
    folds: { type: 'string', default: '4' },
    'no-documentation': { type: 'boolean', default: false },
  },
});
const source = qualityFolder();
const adapter = script('quality-adapter.mjs');
const peers = options.peers.split(',').filter((name) => name !== '');

if (source !== undefined) bench(source);

function script(name) {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** @param {string} source its folder */
function bench(source) {
  for (const peer of peers) {
    if (existsSync(join(source, 'adapters', `${peer}.mjs`))) continue;
    const known = readdirSync(join(source, 'adapters')).filter((file) =>
      /^[^_].*\.mjs$/.test(file),
    );
    fail(`quality: no peer "${peer}"; known: ${known.map((file) => file.slice(0, -4)).join(', ')}`);
  }
  const folder = copyBench(source, ['adapters', 'lib']);
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
  const ours = ['quality-adapter'];
  if (options.folds !== '0') {
    const models = join(folder, 'fold-models.json');
    const train = [script('main-content/train.mjs'), '--folds', options.folds, '--models', models];
    start(process.execPath, train, { env: { ...process.env, QUALITY_BENCH: source } });
    const folds = script('main-content/folds-adapter.mjs');
    const env = { ...settings.env, FOLD_MODELS: models };
    start(process.execPath, [...run, '--adapter', folds], { ...settings, env });
    ours.push('folds-adapter');
  }
  if (peers.length > 0) {
    start(process.execPath, [...run, '--adapters', peers.join(',')], settings);
  }
  const names = [...ours, ...peers].join(',');
  const report = start(process.execPath, ['report.mjs', '--half', 'dev', '--adapters', names], {
    ...settings,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  console.log(
    report
      .replaceAll('quality-adapter', '**pagewright**')
      .replaceAll('folds-adapter', '**pagewright, sites it was not trained on**'),
  );
  if (!options['no-documentation']) {
    console.log('### Documentation\n');
    start(process.execPath, [script('documentation/run.mjs')], {});
  }
}

/** What is expected of each page is kept; what a system gave is not. */
function removeRows(results) {
  if (!existsSync(results)) return;
  for (const file of readdirSync(results)) {
    if (file.endsWith('.jsonl')) rmSync(join(results, file));
  }
}

/**
 * Copies the files of the bench and of these folders in it, and installs its packages: the bench itself
 * may be read-only. Servers of other users may read the copy. Gives its folder.
 */
function copyBench(source, folders) {
  const folder = join(tmpdir(), `pagewright-quality-${process.getuid?.() ?? 0}`);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    if (entry.isFile()) copy(source, entry.name, folder);
    if (!entry.isDirectory() || !folders.includes(entry.name)) continue;
    for (const file of readdirSync(join(source, entry.name))) {
      copy(source, join(entry.name, file), folder);
    }
  }
  installPackages(folder);
  return folder;
}

function copy(source, path, folder) {
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
  console.error(message);
  process.exit(1);
}
