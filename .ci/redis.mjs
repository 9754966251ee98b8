// A redis-server for the tests: the one that is there, else Debian's, installed as root; else it says
// what to install.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const version = find() ?? install() ?? find();
if (version === undefined) {
  console.error(
    'The tests need redis-server on the PATH. Install it (Debian: apt-get install redis-server; macOS: brew install redis).',
  );
  process.exit(1);
}
console.log(version);

function find() {
  const { status, stdout } = spawnSync('redis-server', ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** Tries Debian's package; the service in it is not started. */
function install() {
  if (!existsSync('/usr/bin/apt-get') || process.getuid?.() !== 0) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const run = (...args) => spawnSync('apt-get', args, { stdio: 'inherit', env });
  run('update', '--quiet');
  run('install', '--yes', '--quiet', '--no-install-recommends', 'redis-server');
  return undefined;
}
