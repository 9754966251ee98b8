// Starting the server, taking times, and printing numbers: what the benches have in common.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts the site's server; gives its origin, its process id and a function that stops it. */
export async function startSite(pages) {
  const script = fileURLToPath(new URL('serve.mjs', import.meta.url));
  const child = fork(script, [String(pages)], { execArgv: [] });
  const [{ port }] = await once(child, 'message');
  return {
    origin: `http://127.0.0.1:${port}`,
    pid: child.pid,
    stop: () => child.disconnect(),
  };
}

/** Runs a function; gives wall and CPU milliseconds of this process, all its threads together. */
export async function measure(run) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await run();
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { wall, cpu: (user + system) / 1000 };
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** `1.23 ms`, `45 µs` */
export function ms(value) {
  if (value < 0.1) return `${(1000 * value).toFixed(value < 0.01 ? 1 : 0)} µs`;
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`;
}

/** Milliseconds by name. */
export class Timings {
  #times = new Map();

  add(name, time) {
    this.#times.set(name, [...(this.#times.get(name) ?? []), time]);
  }

  median(name) {
    return median(this.#times.get(name) ?? []);
  }
}
