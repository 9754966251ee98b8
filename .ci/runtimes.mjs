// `node .ci/runtimes.mjs bun` prints the path of a runtime for the tests: node22, node24, bun or deno. It is
// installed from npm when it is first asked for, and kept in node_modules/.cache.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './checks.mjs';

/** The package of each runtime, and its command. */
const runtimes = {
  node22: ['node@22', 'node'],
  node24: ['node@24', 'node'],
  bun: ['bun@1', 'bun'],
  deno: ['deno@2', 'deno'],
};

const name = process.argv[2] ?? '';
const [specifier, command] = runtimes[name] ?? [];
if (specifier === undefined) {
  console.error(`Name one of ${Object.keys(runtimes).join(', ')}.`);
  process.exit(2);
}
const folder = join(root, 'node_modules/.cache/pagewright/runtimes', name);
const path = join(folder, 'node_modules/.bin', command);
if (!works() && !(install() && works())) {
  console.error(
    `The tests need ${specifier}, which could not be installed from npm. Install it with the scripts of its packages allowed: npm install --prefix ${folder} ${specifier}`,
  );
  process.exit(1);
}
console.log(path);

function works() {
  return existsSync(path) && spawnSync(path, ['--version']).status === 0;
}

function install() {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  // The packages fetch the binary of this platform in a script.
  const words = ['install', '--ignore-scripts=false', '--no-audit', '--no-fund', specifier];
  return spawnSync('npm', words, { cwd: folder, stdio: ['ignore', 2, 2] }).status === 0;
}
