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

/** BullMQ ignores a second message with the same id. */
export function idOf({ jobId, url }: VisitTask): string {
  return `${jobId}.${hashOf(url)}`;
}

interface WaitingPage {
  readonly task: VisitTask;
  readonly since: number;
  resolve(facts?: Uint8Array): void;
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

  /** Resolves when the visit of the page is stored, with its facts if they were sent; or when it is lost. */
  wait(task: VisitTask): Promise<Uint8Array | undefined> {
    clearTimeout(this.#resting);
    this.#hasEnded = false;
    const waiting = new Promise<Uint8Array | undefined>((resolve, reject) => {
      this.#waiting.set(hashOf(task.url), { task, since: performance.now(), resolve, reject });
    });
    this.#reading ??= this.#read();
    return waiting;
  }

  /** The engines that pages have been waiting for since that time, by `performance.now()`. */
  waitingSince(time: number): ReadonlySet<EngineClass> {
    const pages = [...this.#waiting.values()].filter(({ since }) => since <= time);
    return new Set(pages.map(({ task }) => (task.needsBrowser ? 'browser' : 'http')));
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
    let before: string | undefined;
    let read = 0;
    let trimmed = performance.now();
    let looked = trimmed;
    while (!signal.aborted) {
      try {
        connection ??= await openConnection(this.#settings.redis);
        before ??= await lastEntry(connection, key);
        const block = ['XREAD', 'COUNT', '200', 'BLOCK', '500', 'STREAMS', key, last];
        const entries = readEntries(await withSignal(connection.sendForBytes(block), signal));
        for (const { id, url, facts, error } of entries) {
          last = id;
          const page = this.#waiting.get(url);
          if (error === undefined) page?.resolve(facts);
          // An earlier process of the job failed with what was told before.
          else if (isLater(id, before)) page?.reject(new PagewrightError('STORAGE', error));
        }
        read += entries.length;
        const now = performance.now();
        if (read > 0 && (read >= mostRead || now - trimmed > 1000)) {
          read = 0;
          trimmed = now;
          await this.#opened.connection.send(['XTRIM', key, 'MINID', last]);
        }
        if (now - looked >= this.#settings.recovery) {
          looked = now;
          await this.#findLost(now);
        }
        // Results that come together are read together.
        if (entries.length < this.#waiting.size / 4) await sleep(gatherTime, undefined, { signal });
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

/** The id of the last entry of a stream; `0` without one. */
async function lastEntry(connection: FleetConnection, key: string): Promise<string> {
  const [entry] = (await connection.send(['XREVRANGE', key, '+', '-', 'COUNT', '1'])) as [string][];
  return entry?.[0] ?? '0';
}

/** Ids are the milliseconds of Redis, and a number among those of the same one. */
function isLater(id: string, other: string): boolean {
  const [time = 0, number = 0] = id.split('-').map(Number);
  const [otherTime = 0, otherNumber = 0] = other.split('-').map(Number);
  return time > otherTime || (time === otherTime && number > otherNumber);
}

/** Entries that are read before they are dropped from the stream. */
const mostRead = 500;

/** Milliseconds in which results gather while many pages are under way. */
const gatherTime = 5;

interface ResultEntry {
  readonly id: string;
  /** The hash of the URL. */
  readonly url: string;
  /** Of the stored visit, packed. */
  readonly facts: Uint8Array | undefined;
  /** Why no worker can visit the page. */
  readonly error: string | undefined;
}

/** The reply of XREAD for one stream. */
function readEntries(reply: unknown): ResultEntry[] {
  const [stream] = (reply ?? []) as [Buffer, [Buffer, Buffer[]][]][];
  return (stream?.[1] ?? []).map(([id, fields]) => {
    const [, url = '', kind, value] = fields;
    return {
      id: id.toString(),
      url: url.toString(),
      facts: kind?.toString() === 'f' ? value : undefined,
      error: kind?.toString() === 'e' ? value?.toString() : undefined,
    };
  });
}
