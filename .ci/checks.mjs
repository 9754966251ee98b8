// Runs the project's checks, each a Node script in a process group of its own with a time limit.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../', import.meta.url));

/** The checks that are running, so that they end when this process is told to end. */
const running = new Set();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    for (const child of running) end(child, 'SIGKILL');
    process.exit(1);
  });
}

/** The arguments of Node that run a tool of `node_modules`. */
export function tool(packageName, bin, ...args) {
  const folder = join(root, 'node_modules', packageName);
  const description = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const script = typeof description.bin === 'string' ? description.bin : description.bin[bin];
  return [join(folder, script), ...args];
}

/**
 * Runs a check. Resolves to what went wrong, or undefined, the seconds it took, and its output where
 * `output` is 'pipe'. `limit` is in seconds. A check that `yields` has the processor time that others leave.
 */
export async function run({ command, limit, env = {}, yields = false }, output) {
  const started = Date.now();
  const child = spawn(process.execPath, command, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
    // A process group of its own, so that its children end with it.
    detached: true,
  });
  running.add(child);
  if (yields && child.pid !== undefined) {
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  }
  const written = [];
  child.stdout?.on('data', (chunk) => written.push(chunk));
  child.stderr?.on('data', (chunk) => written.push(chunk));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end(child, 'SIGKILL');
  }, limit * 1000);
  const outcome = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    // All output has arrived when the pipes are closed.
    child.once('close', (code, signal) => {
      resolve(code === 0 ? undefined : `ended with ${signal ?? `exit code ${code}`}`);
    });
  });
  clearTimeout(timer);
  running.delete(child);
  return {
    problem: isLate ? `not done within ${limit} s` : outcome,
    seconds: (Date.now() - started) / 1000,
    output: Buffer.concat(written),
  };
}

/** Ends a check and its children. */
function end(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}
