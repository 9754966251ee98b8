// Benches whose pages and peers are not part of this project: their programs are copied to the
// system's folder for temporary files, where the packages of the peers are installed once.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder `../shared/<name>` beside this project or the one that the variable names; undefined without one. */
export function findBench(name, variable) {
  const beside = fileURLToPath(new URL(`../../shared/${name}`, import.meta.url));
  const source = resolve(process.env[variable] ?? beside);
  if (existsSync(join(source, 'run.mjs'))) return source;
  console.log(`No ${name} bench at ${source}; ${variable} names another folder.`);
  return undefined;
}

/**
 * Copies the files of a bench and of these folders in it, and installs its packages: the bench itself
 * may be read-only. Servers of other users may read the copy. Gives its folder.
 */
export function copyBench(name, source, folders) {
  const folder = join(tmpdir(), `pagewright-${name}-${process.getuid?.() ?? 0}`);
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
export function start(command, args, settings) {
  const { status, error, stdout } = spawnSync(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    ...settings,
  });
  if (status !== 0) fail(error?.message ?? `${command} ${args[0]} ended with ${status}`);
  return stdout;
}

export function fail(message) {
  console.error(message);
  process.exit(1);
}
