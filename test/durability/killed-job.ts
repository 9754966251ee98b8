/** A job in a process that is killed and resumed until it ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FixtureServer } from '../../src/entries/testing/serve.ts';
import { seededRandom } from '../../src/entries/testing/fake-clock.ts';
import { type JobEnd, type JobInChild, type JobProcess, startJob } from './job-process.ts';

/** What became of a job that was killed again and again. */
export interface KilledJob {
  readonly end: JobEnd;
  readonly kills: number;
  /** What loops were given, run after run. */
  readonly read: readonly (readonly string[])[];
  /** What listeners of `page` heard, all runs together. */
  readonly events: readonly string[];
  /** How the first run began. */
  readonly begun: Beginning;
  /** How those began that resumed it. */
  readonly resumed: readonly Beginning[];
}

/** What a run needed to come to something new, in milliseconds; NaN where it was killed before. */
export interface Beginning {
  /** From its start to the first request for a page that was not fetched before. */
  readonly delay: number;
  /** Of processor time to that request, loading the program included. */
  readonly work: number;
}

/** Kills the job over a site at seeded moments, and lets it end then. */
export async function killAgainAndAgain(
  server: FixtureServer,
  first: JobInChild,
  options: {
    readonly kills: number;
    readonly seed: number;
    readonly pages: number;
    /** The options of `client.resume`, as text. @default none */
    readonly resumeOptions?: string;
  },
): Promise<KilledJob> {
  const { seed, pages, resumeOptions = '{}' } = options;
  const random = seededRandom(seed);
  const read: string[][] = [];
  const events: string[] = [];
  const beginnings: Beginning[] = [];
  let id: string | undefined;
  for (let kills = 0; ;) {
    const isLast = kills === options.kills;
    const before = server.log.length;
    const seen = new Set(server.log.map(({ url }) => url));
    const after = Math.floor((random() * 2 * pages) / (options.kills + 2));
    const resume = `client.jobs.resume(${JSON.stringify(id)}, ${resumeOptions})`;
    const child = startJob(id === undefined ? first : { ...first, job: resume });
    const mayGoOn = (): boolean =>
      isLast || server.log.length - before < after || child.said('job').length === 0;
    while (!child.hasEnded && mayGoOn()) await sleep(2);
    if (!child.hasEnded) {
      await sleep(random() * 10);
      await child.kill();
      kills += 1;
    }
    await child.ended;
    id ??= child.said('job')[0];
    read.push(child.said('page'));
    events.push(...child.said('event'));
    const firstNew = server.log.slice(before).find(({ url }) => !seen.has(url));
    const delay = (firstNew?.time ?? NaN) - Number(child.said('begin')[0]);
    beginnings.push({ delay, work: workBefore(seen, child) });
    if (child.said('end').length > 0) {
      const [begun = { delay: NaN, work: NaN }, ...resumed] = beginnings;
      return { end: child.end, kills, read, events, begun, resumed };
    }
    if (child.said('failed').length > 0) throw new Error(child.said('failed')[0]);
  }
}

/** Milliseconds of processor time before the first request for a page that was not fetched before. */
function workBefore(seen: ReadonlySet<string>, child: JobProcess): number {
  const [, work = NaN] =
    child
      .said('request')
      .map((said) => said.split(' '))
      .find(([path = '']) => !seen.has(path)) ?? [];
  return Number(work);
}
