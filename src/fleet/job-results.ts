/** Hears which pages of a job are visited: workers tell it in a stream of the job. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import { PagewrightError } from '../errors.ts';
import { hashOf } from '../jobs/durable/journal.ts';
import type { VisitTask } from '../model/page-visitor.ts';
import { withSignal } from '../network/deadline.ts';
import {
  endedChannel,
  type EngineClass,
  type FleetConnection,
  type FleetSettings,
  openConnection,
  resultsKey,
} from './redis-connections.ts';

/** The queues and the connection of a process that sends pages. */
export interface OpenedFleet {
  readonly queues: Readonly<Record<EngineClass, Queue>>;
  readonly connection: FleetConnection;
}

/** The queue for a page. */
export function queueOf({ queues }: OpenedFleet, { needsBrowser }: VisitTask): Queue {
  return queues[needsBrowser ? 'browser' : 'http'];
}

/** A second message for the same page is none. */
export function idOf({ jobId, url }: VisitTask): string {
  return `${jobId}.${hashOf(url)}`;
}

interface WaitingPage {
  readonly task: VisitTask;
  readonly since: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** Hears which pages of one job are visited. */
export class JobResults {
  readonly #settings: FleetSettings;
  readonly #jobId: string;
  readonly #opened: OpenedFleet;
  readonly #waiting = new Map<string, WaitingPage>();
  readonly #closing = new AbortController();
  #reading: Promise<void> | undefined;
  #resting: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(settings: FleetSettings, jobId: string, opened: OpenedFleet) {
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
    const { connection, queues } = this.#opened;
    try {
      if (!this.#hasEnded) {
        this.#hasEnded = true;
        await connection.send(['PUBLISH', endedChannel(this.#settings), this.#jobId]);
      }
      for (const queue of Object.values(queues)) await queue.remove(idOf(task));
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

  /** A worker without a browser may have moved the page to the other queue. */
  async #isQueued(task: VisitTask): Promise<boolean> {
    const queues = Object.values(this.#opened.queues);
    const found = await Promise.all(queues.map((queue) => queue.getJob(idOf(task))));
    return found.some((message: unknown) => message !== undefined);
  }

  /** A page without a message is visited, or was lost with Redis. */
  async #findLost(now: number): Promise<void> {
    for (const { task, since, resolve } of this.#waiting.values()) {
      if (now - since < 2 * this.#settings.recovery) continue;
      if (!(await this.#isQueued(task))) resolve();
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
