/** The library as npm packs it, in a folder beside the packages of this repository. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { requireBuild } from '../entries/cli/run-pagewright.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** Packs `dist/`, unpacks it as a package of the folder, and links the packages that it needs. */
export async function installPacked(folder: string): Promise<void> {
  requireBuild();
  const modules = join(folder, 'node_modules');
  const target = join(modules, 'pagewright');
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  const { stdout } = await run('npm', ['pack', root, '--ignore-scripts', '--silent'], {
    cwd: folder,
  });
  const unpack = ['-xzf', join(folder, stdout.trim()), '-C', target, '--strip-components=1'];
  await run('tar', unpack);
}
