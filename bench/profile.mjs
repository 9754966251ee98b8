// Where a function spends its time: V8's sampling profiler, summed up by room and by package.
import { Session } from 'node:inspector/promises';
import { ms } from './measure.mjs';

const build = new URL('../build/', import.meta.url).href;

/**
 * Milliseconds of CPU while `run` runs. `rooms`: each sample counts for the innermost frame of
 * this project that is on the stack, so that linkedom's work belongs to the room that asked for
 * it; what no frame of the project asked for stays with its own package. `packages`: each sample
 * counts for the code that was running.
 */
export async function profile(run) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 200 });
  await session.post('Profiler.start');
  await run();
  const { profile: recorded } = await session.post('Profiler.stop');
  session.disconnect();
  return sumUp(recorded);
}

/** Prints what one of `count` calls took of each place; what is under one percent is left out. */
export function printShares(heading, times, count) {
  console.log(`  ${heading}`);
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  for (const [name, time] of [...times].sort(([, a], [, b]) => b - a)) {
    const share = (100 * time) / total;
    if (share < 1) continue;
    console.log(`    ${name.padEnd(28)} ${ms(time / count).padStart(8)}  ${share.toFixed(0)} %`);
  }
}

/** @param {import('node:inspector').Profiler.Profile} recorded */
function sumUp({ nodes, samples = [], timeDeltas = [] }) {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, place(callFrame)]));
  const owners = new Map();
  const parents = new Map(
    nodes.flatMap((node) => (node.children ?? []).map((id) => [id, node.id])),
  );
  /** The room of the nearest frame of this project, from this node outwards. */
  const owner = (id) => {
    if (id === undefined) return undefined;
    if (!owners.has(id)) {
      const name = places.get(id);
      owners.set(id, name?.startsWith('src/') ? name : owner(parents.get(id)));
    }
    return owners.get(id);
  };
  const rooms = new Map();
  const packages = new Map();
  samples.forEach((id, sample) => {
    const code = places.get(id);
    if (code === 'idle') return;
    const time = (timeDeltas[sample + 1] ?? 0) / 1000;
    packages.set(code, (packages.get(code) ?? 0) + time);
    const room = owner(id) ?? code;
    rooms.set(room, (rooms.get(room) ?? 0) + time);
  });
  return { rooms, packages };
}

/** `src/content/clean`, the name of a package, `node`, `garbage collection`, `idle`, or `native`. */
function place({ url, functionName }) {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(idle)') return 'idle';
  if (url.startsWith(build)) {
    const [first = '', second = '', third] = url
      .slice(build.length)
      .replace(/\.js$/, '')
      .split('/');
    return third === undefined || first !== 'formats' ? `src/${first}` : `src/${first}/${second}`;
  }
  const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (name !== undefined) return name;
  return url.startsWith('node:') ? 'node' : 'native';
}
