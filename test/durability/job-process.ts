/** A job in a process of its own, which says what it does and can be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** What was built: a child that compiled the source first would need seconds to begin. */
const built = new URL('../../dist/index.js', import.meta.url);

/** How the child opens its store. */
export interface StoreInChild {
  /** The text of an expression: `fileStore('/tmp/jobs')`. */
  readonly expression: string;
}

/** What a child does. All of it is the text of a program. */
export interface JobInChild {
  readonly store: StoreInChild;
  /** Makes the job: `client.crawl('http://…')`, `client.jobs.resume('…')`. */
  readonly job: string;
  /** Done with each `page` that the loop over the `job` is given. @default nothing */
  readonly each?: string;
}

/** What a child says at its end. */
export interface JobEnd {
  /** Without the origin of the site, as is all of the digest. */
  readonly urls: readonly string[];
  /** Of all documents, but for the id of their scrape. */
  readonly digest: string;
  readonly progress: Readonly<Record<string, unknown>>;
}

/** A running child. */
export interface JobProcess {
  readonly pid: number | undefined;
  /** What a word was followed by, each time that it was said. */
  said(word: string): string[];
  readonly hasEnded: boolean;
  /** Resolves when it has ended and all that it said is known. */
  readonly ended: Promise<void>;
  /** What the job came to; throws when it did not come to its end. */
  readonly end: JobEnd;
  /** Ends it as the system does when memory is short. */
  kill(): Promise<void>;
}

/**
 * Starts a child. It says `begin` with the time, `job` with the id, `request` with the URL of each
 * request for a page and the ms of processor time that it needed to come to it, `event` for each page of which a listener hears,
 * `page` for each that the loop was given, and `end`, or `failed` with the error.
 */
export function startJob({ store, job, each = '' }: JobInChild): JobProcess {
  if (!existsSync(built)) throw new Error('Build it first: npm run build');
  return new RunningChild(`
    import { createHash } from 'node:crypto';
    import * as pagewright from ${JSON.stringify(built.href)};
    import * as stores from ${JSON.stringify(new URL('entries/storage/index.js', built).href)};
    const { fileStore } = pagewright;
    const { redisStore, s3Store, sqliteStore } = stores;
    const storage = await ${store.expression};
    const origin = /^https?:\\/\\/[^/]+/;
    const say = (word, rest = '') => process.stdout.write(word + ' ' + rest + '\\n');
    const beforeRequest = ({ url }) => {
      const { user, system } = process.cpuUsage();
      say('request', url.replace(origin, '') + ' ' + (user + system) / 1000);
    };
    const network = { allow: ['127.0.0.1'] };
    const client = pagewright.createClient({ storage, cache: false, network, hooks: { beforeRequest } });
    say('begin', performance.timeOrigin + performance.now());
    const job = ${job};
    say('job', job.id);
    const pathOf = (page) => page.metadata.url.replace(origin, '');
    job.on('page', (page) => say('event', pathOf(page)));
    try {
      for await (const page of job) {
        say('page', pathOf(page));
        ${each}
      }
      const { data, errors, ...progress } = await job;
      const plain = data.map(({ metadata: { scrapeId, ...metadata }, ...rest }) => ({ ...rest, metadata }));
      const text = JSON.stringify(plain).replaceAll(/127\\.0\\.0\\.1:\\d+/g, 'site');
      const digest = createHash('sha256').update(text).digest('hex');
      say('end', JSON.stringify({ urls: data.map(pathOf), digest, progress }));
      await job.delivered();
    } catch ({ code, message }) {
      say('failed', JSON.stringify({ code, message }));
    }
    await client.close();
    await storage.dispose?.();
  `);
}

class RunningChild implements JobProcess {
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];

  constructor(script: string) {
    this.#child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.add(this);
    this.ended = once(this.#child, 'close').then(() => void running.delete(this));
    let rest = '';
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      this.#lines.push(...parts);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  get end(): JobEnd {
    const [end] = this.said('end');
    if (end !== undefined) return JSON.parse(end) as JobEnd;
    const [failed = 'It said nothing of its end.'] = this.said('failed');
    throw new Error(`${failed} (exit ${this.#child.exitCode ?? this.#child.signalCode})`);
  }

  said(word: string): string[] {
    return this.#lines
      .filter((line) => line.startsWith(`${word} `))
      .map((line) => line.slice(word.length + 1));
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}

const running = new Set<JobProcess>();

/** Ends all that a failed test has left. */
export async function killAll(): Promise<void> {
  await Promise.all([...running].map((child) => child.kill()));
}

/** Runs a job to its end. */
export async function jobToItsEnd(job: JobInChild): Promise<JobEnd> {
  const child = startJob(job);
  await child.ended;
  return child.end;
}

/** Waits until something holds, looking often; throws when the child has ended before. */
export async function until(holds: () => boolean, child?: JobProcess): Promise<void> {
  while (!holds()) {
    if (child?.hasEnded === true) {
      await child.ended;
      if (holds()) return;
      throw new Error(`The child has ended: ${child.said('failed').join()}`);
    }
    await sleep(2);
  }
}
