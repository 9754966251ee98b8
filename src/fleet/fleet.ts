/** The side of a fleet that runs jobs: sends pages to workers, and hears of their visits. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import { messageOf, PagewrightError } from '../errors.ts';
import { hashOf } from '../jobs/durable/journal.ts';
import type { VisitTask } from '../model/page-visitor.ts';
import { withSignal } from '../network/deadline.ts';
import type { Fleet } from '../options/client-options.ts';
import {
  endedChannel,
  type FleetConnection,
  type FleetOptions,
  type FleetSettings,
  loadPackages,
  openConnection,
  parseFleetOptions,
  queuePrefix,
  resultsKey,
  visitQueue,
} from './redis-connections.ts';

/**
 * The workers that `startWorker` has started with the same `redis` and `prefix`. Connects at the first page.
 * Throws `BAD_REQUEST`.
 *
 * @example createClient({ storage: redisStore({ url }), fleet: fleet({ redis: url }) })
 */
export function fleet(options: FleetOptions): Fleet {
  return new RedisFleet(parseFleetOptions(options, 'fleet'));
}

/** Times that a worker tries a page while the store does not answer, half a second apart. */
const attempts = 20;

/** Milliseconds in which Redis has to take a page. */
const mostWait = 60_000;

interface SentPages {
  readonly tasks: VisitTask[];
  readonly sent: Promise<void>;
}

interface Opened {
  readonly queue: Queue;
  readonly connection: FleetConnection;
}

class RedisFleet implements Fleet {
  readonly #settings: FleetSettings;
  #opening: Promise<Opened> | undefined;
  readonly #jobs = new Map<string, JobResults>();
  /** Pages that are sent together. */
  #sending: SentPages | undefined;

  constructor(settings: FleetSettings) {
    this.#settings = settings;
  }

  async visit(task: VisitTask, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const opened = await this.#open();
    const { jobId } = task;
    const results = this.#jobs.get(jobId) ?? new JobResults(this.#settings, jobId, opened);
    this.#jobs.set(jobId, results);
    const done = results.wait(task);
    done.catch(() => undefined);
    try {
      await withSignal(this.#send(opened.queue, task), signal);
      await withSignal(done, signal);
    } finally {
      results.forget(task);
      if (signal.aborted) void results.end(task);
      if (results.isIdle) results.rest(() => this.#jobs.delete(jobId));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const results of this.#jobs.values()) results.close();
    this.#jobs.clear();
    const opened = await this.#opening?.catch(() => undefined);
    this.#opening = undefined;
    await opened?.queue.close();
    opened?.connection.close();
  }

  #open(): Promise<Opened> {
    const opening = (this.#opening ??= this.#connect());
    // The next page tries again.
    opening.catch(() => (this.#opening = undefined));
    return opening;
  }

  async #connect(): Promise<Opened> {
    const { bullmq } = await loadPackages();
    const connection = await openConnection(this.#settings.redis);
    // The connection of a running job keeps the process alive.
    connection.unref();
    const queue = new bullmq.Queue(visitQueue, {
      connection: connection.bullmq,
      prefix: queuePrefix(this.#settings),
    });
    // Connections report their errors to the commands that wait for them.
    queue.on('error', () => undefined);
    return { queue, connection };
  }

  /** Sends the pages of one turn of the event loop in one call. */
  async #send(queue: Queue, task: VisitTask): Promise<void> {
    const sending = (this.#sending ??= this.#begin(queue));
    sending.tasks.push(task);
    await sending.sent;
  }

  #begin(queue: Queue): SentPages {
    const tasks: VisitTask[] = [];
    const send = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      this.#sending = undefined;
      const timeout = AbortSignal.timeout(mostWait);
      try {
        await withSignal(queue.addBulk(tasks.map(messageOfTask)), timeout);
      } catch (error) {
        const message = `Redis did not take the page within ${mostWait} ms: ${messageOf(error)}. The job can be resumed when it does.`;
        throw new PagewrightError('STORAGE', message, { cause: error });
      }
    };
    return { tasks, sent: send() };
  }
}

function messageOfTask(task: VisitTask): Parameters<Queue['addBulk']>[0][number] {
  return {
    name: 'visit',
    data: task,
    opts: {
      jobId: idOf(task),
      attempts,
      backoff: 500,
      removeOnComplete: true,
      removeOnFail: true,
    },
  };
}

/** A second message for the same page is none. */
function idOf({ jobId, url }: VisitTask): string {
  return `${jobId}.${hashOf(url)}`;
}

interface WaitingPage {
  readonly task: VisitTask;
  readonly since: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** Hears which pages of one job are visited. */
class JobResults {
  readonly #settings: FleetSettings;
  readonly #jobId: string;
  readonly #opened: Opened;
  readonly #waiting = new Map<string, WaitingPage>();
  readonly #closing = new AbortController();
  #reading: Promise<void> | undefined;
  #resting: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(settings: FleetSettings, jobId: string, opened: Opened) {
    this.#settings = settings;
    this.#jobId = jobId;
    this.#opened = opened;
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }

  /** Resolves when the visit of the page is stored, or lost. */
  wait(task: VisitTask): Promise<void> {
    clearTimeout(this.#resting);
    this.#hasEnded = false;
    const waiting = new Promise<void>((resolve, reject) => {
      this.#waiting.set(hashOf(task.url), { task, since: performance.now(), resolve, reject });
    });
    this.#reading ??= this.#read();
    return waiting;
  }

  forget(task: VisitTask): void {
    this.#waiting.delete(hashOf(task.url));
  }

  /** Takes a page back, and ends the visits of the job that are under way. */
  async end(task: VisitTask): Promise<void> {
    const { queue, connection } = this.#opened;
    try {
      if (!this.#hasEnded) {
        this.#hasEnded = true;
        await connection.send(['PUBLISH', endedChannel(this.#settings), this.#jobId]);
      }
      await queue.remove(idOf(task));
    } catch {
      // A page that stays is visited for nothing.
    }
  }

  /** Calls back when no page came for some time. */
  rest(onRest: () => void): void {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => {
      onRest();
      this.close();
    }, restAfter).unref();
  }

  close(): void {
    clearTimeout(this.#resting);
    this.#closing.abort();
    for (const { reject } of this.#waiting.values()) {
      reject(new PagewrightError('CANCELLED', 'The client was closed.'));
    }
  }

  /** Reads the stream of the job until it is closed; never rejects. */
  async #read(): Promise<void> {
    const { signal } = this.#closing;
    const key = resultsKey(this.#settings, this.#jobId);
    let connection: FleetConnection | undefined;
    let last = '0';
    let looked = performance.now();
    while (!signal.aborted) {
      try {
        connection ??= await openConnection(this.#settings.redis);
        const block = ['XREAD', 'COUNT', '1000', 'BLOCK', '500', 'STREAMS', key, last];
        const entries = readEntries(await withSignal(connection.send(block), signal));
        for (const { id, url, error } of entries) {
          last = id;
          const page = this.#waiting.get(url);
          if (error === undefined) page?.resolve();
          else page?.reject(new PagewrightError('STORAGE', error));
        }
        if (entries.length > 0) await this.#opened.connection.send(['XTRIM', key, 'MINID', last]);
        if (performance.now() - looked < this.#settings.recovery) continue;
        looked = performance.now();
        await this.#findLost(looked);
      } catch {
        // Redis is away: entries wait in the stream.
        await sleep(500, undefined, { signal }).catch(() => undefined);
      }
    }
    connection?.close();
  }

  /** A page without a message is visited, or was lost with Redis. */
  async #findLost(now: number): Promise<void> {
    for (const { task, since, resolve } of this.#waiting.values()) {
      if (now - since < 2 * this.#settings.recovery) continue;
      const message: unknown = await this.#opened.queue.getJob(idOf(task));
      if (message === undefined) resolve();
    }
  }
}

/** Milliseconds without a page after which a job's connection is closed. */
const restAfter = 5000;

interface ResultEntry {
  readonly id: string;
  /** The hash of the URL. */
  readonly url: string;
  /** Why no worker can visit the page. */
  readonly error: string | undefined;
}

/** The reply of XREAD for one stream. */
function readEntries(reply: unknown): ResultEntry[] {
  const [stream] = (reply ?? []) as [string, [string, string[]][]][];
  return (stream?.[1] ?? []).map(([id, fields]) => {
    const [, url = '', , error] = fields;
    return { id, url, error };
  });
}
