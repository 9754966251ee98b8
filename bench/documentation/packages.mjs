/** Packages of Debian that have documentation: fetched and unpacked once, without installing them. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const cache = join(tmpdir(), `pagewright-documentation-${process.getuid?.() ?? 0}`);

/**
 * The folder of the unpacked package. Takes the version that is there where the wanted one is not any
 * longer, and says so.
 */
export function unpacked({ package: name, version }) {
  const folder = join(cache, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true, mode: 0o755 });
  const work = mkdtempSync(join(cache, 'download-'));
  try {
    download(name, version, work);
    const [file] = readdirSync(work);
    run('dpkg-deb', ['--extract', file, 'files'], work);
    renameSync(join(work, 'files'), folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

function download(name, version, folder) {
  // apt fetches as another user where it may write, and as this one where it may not.
  const get = ['-q', '-o', 'APT::Sandbox::User=root', 'download'];
  if (spawnSync('apt-get', [...get, `${name}=${version}`], { cwd: folder }).status === 0) return;
  console.error(`documentation: no ${name} ${version}, taking the version there is`);
  run('apt-get', [...get, name], folder);
}

function run(command, args, cwd) {
  const { status, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status === 0) return;
  const reason = error?.message ?? stderr.trim();
  throw new Error(`${command} ${args.join(' ')}: ${reason} (does \`apt-get update\` help?)`);
}
