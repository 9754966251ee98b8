// A Chromium for the tests: the one that is there, else Debian's, installed as root; else it says what to
// install. Runs after the build, whose search it uses.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findChromium } from '../build/browser/chromium/open-browser.js';

// The pictures of pages need letters.
const packages = ['chromium', 'fonts-liberation'];

const path = (await find()) ?? install() ?? (await find());
if (path === undefined) {
  console.error(
    'The tests need Chromium. Install it (Debian: apt-get install chromium fonts-liberation; elsewhere: npx playwright install chromium, or Chrome), or name it in PAGEWRIGHT_CHROMIUM.',
  );
  process.exit(1);
}
console.log(path);

async function find() {
  const { chromium } = await import('playwright-core');
  return findChromium(chromium.executablePath()).catch(() => undefined);
}

/** Tries Debian's packages; what is there after that is looked for again. */
function install() {
  if (!existsSync('/usr/bin/apt-get') || process.getuid?.() !== 0) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = (...args) => spawnSync('apt-get', args, { stdio: 'inherit', env });
  run('update', '--quiet');
  run('install', '--yes', '--quiet', '--no-install-recommends', ...packages);
  return undefined;
}
