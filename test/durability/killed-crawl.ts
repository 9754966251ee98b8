/** A crawl in a process of its own that is killed and resumed until it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL, fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FixtureServer } from '../../src/testing/serve.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { compileCommandLine } from '../cli/run-pagewright.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** What is compiled of the source, once. */
let compiled: string | undefined;

function built(): string {
  if (compiled === undefined) compileCommandLine();
  return (compiled ??= join(root, 'node_modules/.cache/pagewright-cli-test/dist'));
}

/** How the child opens its store: the text of an expression. */
export interface StoreInChild {
  /** Path in src, without its ending: `storage/file-store`. */
  readonly module: string;
  readonly expression: string;
}

/** What a child says at its end. */
export interface CrawlEnd {
  readonly urls: readonly string[];
  readonly digest: string;
  readonly progress: Readonly<Record<string, unknown>>;
  readonly skipped: number;
}

/** The options of every crawl here, as text, and its concurrency. */
export const concurrency = 6;
const crawlOptions = `{ maxConcurrency: ${concurrency}, limit: 2000 }`;

/** Starts a process that crawls, or resumes the job `id`, and says what it reads. */
export function startCrawl(url: string, store: StoreInChild, id?: string): ChildProcess {
  const from = (path: string): string => JSON.stringify(pathToFileURL(join(built(), path)).href);
  const script = `
    import { createHash } from 'node:crypto';
    import { createClient } from ${from('index.js')};
    import * as stores from ${from(`${store.module}.js`)};
    const storage = await stores.${store.expression};
    const client = createClient({ storage, cache: false, network: { allow: ['127.0.0.1'] } });
    const say = (word, rest = '') => process.stdout.write(word + ' ' + rest + '\\n');
    say('begin', Date.now());
    const job = ${id === undefined ? `client.crawl(${JSON.stringify(url)}, ${crawlOptions})` : `client.resume(${JSON.stringify(id)})`};
    say('job', job.id);
    job.on('page', (page) => say('event', page.metadata.url));
    for await (const page of job) say('page', page.metadata.url);
    const { data, errors, ...progress } = await job;
    const plain = data.map(({ metadata: { scrapeId, ...metadata }, ...rest }) => ({ ...rest, metadata }));
    const digest = createHash('sha256').update(JSON.stringify(plain)).digest('hex');
    const urls = data.map(({ metadata }) => metadata.url);
    say('end', JSON.stringify({ urls, digest, progress, skipped: job.skipped().length }));
    await client.close();
    await storage.dispose?.();
  `;
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** What a child says, line by line. */
export function linesOf(child: ChildProcess): string[] {
  const lines: string[] = [];
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  return lines;
}

/** What a word was followed by, each time that it was said. */
export function said(lines: readonly string[], word: string): string[] {
  return lines
    .filter((line) => line.startsWith(`${word} `))
    .map((line) => line.slice(word.length + 1));
}

/** What became of a crawl that was killed again and again. */
export interface KilledCrawl {
  readonly end: CrawlEnd;
  readonly kills: number;
  /** What loops were given, run after run. */
  readonly read: readonly (readonly string[])[];
  /** What listeners of \`page\` heard, all runs together. */
  readonly events: readonly string[];
  /** Milliseconds from the start of the first crawl to its first request. */
  readonly baseline: number;
  /** Milliseconds from each resume to the first request for a page that was not fetched before. */
  readonly delays: readonly number[];
}

/** Kills the crawl of a site at seeded moments, and lets it end then. */
export async function killAgainAndAgain(
  server: FixtureServer,
  store: StoreInChild,
  options: { readonly kills: number; readonly seed: number; readonly pages: number },
): Promise<KilledCrawl> {
  const random = seededRandom(options.seed);
  const read: string[][] = [];
  const events: string[] = [];
  const delays: number[] = [];
  let baseline = 0;
  let id: string | undefined;
  for (let kills = 0; ;) {
    const isLast = kills === options.kills;
    const before = server.log.length;
    const seen = new Set(server.log.map(({ url }) => url));
    const after = Math.floor((random() * 2 * options.pages) / (options.kills + 2));
    const child = startCrawl(server.url('/'), store, id);
    const exit = once(child, 'exit');
    const lines = linesOf(child);
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    while (
      !hasEnded() &&
      (isLast || server.log.length - before < after || said(lines, 'job').length === 0)
    )
      await sleep(2);
    if (!hasEnded()) {
      await sleep(random() * 10);
      child.kill('SIGKILL');
      kills += 1;
    }
    await exit;
    id ??= said(lines, 'job')[0];
    read.push(said(lines, 'page'));
    events.push(...said(lines, 'event'));
    const first = server.log.slice(before).find(({ url }) => !seen.has(url));
    const [begin] = said(lines, 'begin');
    const delay = (first?.time ?? NaN) - Number(begin);
    if (before === 0) baseline = delay;
    else if (first !== undefined) delays.push(delay);
    const [end] = said(lines, 'end');
    if (end !== undefined)
      return { end: JSON.parse(end) as CrawlEnd, kills, read, events, baseline, delays };
    if (child.exitCode !== null) throw new Error(`The crawl ended with ${child.exitCode}.`);
  }
}
