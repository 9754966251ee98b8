/** Tracks the visited pages of a job, which workers report in a stream of the job. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import { PagewrightError } from '../../core/runtime/errors.ts';
import { hashOf, inRound } from '../../core/jobs/durable/journal.ts';
import type { VisitTask } from '../../core/model/page-visitor.ts';
import { withSignal } from '../../core/runtime/deadline.ts';
import type { MessageSignature } from './message-signature.ts';
import {
  endedChannel,
  type EngineClass,
  type FleetConnection,
  type FleetSettings,
  openConnection,
  resultsKey,
} from './redis-connections.ts';
import { readResults, type ResultEntry } from './result-stream.ts';

const limits = {
  restAfter: 5000, // milliseconds without a page after which a job's connection is closed
  read: 500, // entries read before they are dropped from the stream
  shortestPause: 5, // milliseconds between two reads while results come
  longestPause: 50, // milliseconds between two reads while none come
  refusalInterval: 500, // milliseconds between two checks of pages that workers gave up
};

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
export function idOf(task: VisitTask): string {
  return `${task.jobId}.${pageOf(task)}`;
}

/** The key of a page in results. It includes the round: results of an earlier round are still in the stream. */
export function pageOf({ url, round = 0 }: VisitTask): string {
  return hashOf(inRound(url, round));
}

interface WaitingPage {
  readonly task: VisitTask;
  readonly since: number;
  /** The reason of a worker that gave it up, from the stream: anyone may have written it. */
  refusal?: string;
  /** True when its message was gone at the last check. */
  isGone?: boolean;
  resolve(facts?: Uint8Array): void;
  reject(error: unknown): void;
}

interface JobResultsSetting {
  readonly settings: FleetSettings;
  readonly jobId: string;
  readonly signature: MessageSignature;
  readonly opened: OpenedFleet;
}

/** Tracks the visited pages of one job. */
export class JobResults {
  readonly #settings: FleetSettings;
  readonly #jobId: string;
  readonly #signature: MessageSignature;
  readonly #opened: OpenedFleet;
  readonly #waiting = new Map<string, WaitingPage>();
  readonly #closing = new AbortController();
  #reading: Promise<void> | undefined;
  #resting: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor({ settings, jobId, signature, opened }: JobResultsSetting) {
    this.#settings = settings;
    this.#jobId = jobId;
    this.#signature = signature;
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
      this.#waiting.set(pageOf(task), { task, since: performance.now(), resolve, reject });
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
    this.#waiting.delete(pageOf(task));
  }

  /** Withdraws a page, and ends the running visits of the job. */
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
    }, limits.restAfter).unref();
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
    let last = '0-0';
    let before: string | undefined;
    let read = 0;
    let trimmed = performance.now();
    let searched = trimmed;
    let checked = trimmed;
    let pause = limits.shortestPause;
    while (!signal.aborted) {
      try {
        connection ??= await openConnection(this.#settings.redis);
        before ??= await lastEntry(connection, key);
        const from = last;
        const results = await withSignal(readResults(connection, key, last), signal);
        const { entries } = results;
        ({ last } = results);
        for (const entry of entries) this.#take(entry, isLater(entry.id, before));
        read += last === from ? 0 : Math.max(1, entries.length);
        const now = performance.now();
        if (read > 0 && (read >= limits.read || now - trimmed > 1000)) {
          read = 0;
          trimmed = now;
          await this.#opened.connection.send(['XTRIM', key, 'MINID', last]);
        }
        if (now - searched >= this.#settings.recovery) {
          searched = now;
          await this.#findLost(now);
        }
        if (now - checked >= limits.refusalInterval) {
          checked = now;
          await this.#checkRefusals();
        }
        pause = last === from ? Math.min(2 * pause, limits.longestPause) : limits.shortestPause;
        // Results that come together are read together.
        if (entries.length < this.#waiting.size / 4 || last === from) {
          await sleep(pause, undefined, { signal });
        }
      } catch {
        // Redis is unreachable: entries wait in the stream.
        await sleep(500, undefined, { signal }).catch(() => undefined);
      }
    }
    connection?.close();
  }

  /** An entry that no worker has signed is ignored. `isNew` for one that came since this process began to read. */
  #take({ url, facts, signature, refusal }: ResultEntry, isNew: boolean): void {
    const page = this.#waiting.get(url);
    if (page === undefined) return;
    // An earlier process of the job failed with earlier refusals.
    if (refusal !== undefined && isNew) page.refusal = refusal;
    if (signature === undefined) return;
    if (this.#signature.isOfResult(signature, url, facts)) page.resolve(facts);
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

  /**
   * A refusal counts once the message is gone, and no result came with the read after that: while a worker may
   * still visit the page, nothing else ends the job.
   */
  async #checkRefusals(): Promise<void> {
    for (const page of this.#waiting.values()) {
      if (page.refusal === undefined) continue;
      if (page.isGone === true) page.reject(new PagewrightError('STORAGE', page.refusal));
      else page.isGone = !(await this.#isQueued(page.task));
    }
  }
}

/** The id of the last entry of a stream; `0` without one. */
async function lastEntry(connection: FleetConnection, key: string): Promise<string> {
  const [entry] = (await connection.send(['XREVRANGE', key, '+', '-', 'COUNT', '1'])) as [string][];
  return entry?.[0] ?? '0';
}

/** Ids are the milliseconds of Redis, and a counter within the same one. */
function isLater(id: string, other: string): boolean {
  const [time = 0, number = 0] = id.split('-').map(Number);
  const [otherTime = 0, otherNumber = 0] = other.split('-').map(Number);
  return time > otherTime || (time === otherTime && number > otherNumber);
}
