/** The side of a fleet that runs jobs: sends pages to workers, and hears of their visits. */
import type { Queue } from 'bullmq';
import { messageOf, PagewrightError } from '../errors.ts';
import type { VisitTask } from '../model/page-visitor.ts';
import { startDeadline, withSignal } from '../network/deadline.ts';
import type { Fleet } from '../options/client-options.ts';
import { idOf, JobResults, type OpenedFleet, queueOf } from './job-results.ts';
import {
  type EngineClass,
  type FleetOptions,
  type FleetSettings,
  loadPackages,
  openConnection,
  parseFleetOptions,
  queuePrefix,
  visitQueue,
} from './redis-connections.ts';
import { RedisHosts } from './redis-hosts.ts';

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

class RedisFleet implements Fleet {
  readonly hosts: RedisHosts;
  readonly #settings: FleetSettings;
  #opening: Promise<OpenedFleet> | undefined;
  readonly #jobs = new Map<string, JobResults>();
  /** Pages that are sent together. */
  readonly #sending = new Map<Queue, SentPages>();

  constructor(settings: FleetSettings) {
    this.#settings = settings;
    this.hosts = new RedisHosts(settings, async () => (await this.#open()).connection);
  }

  async visit(task: VisitTask, signal: AbortSignal): Promise<Uint8Array | undefined> {
    signal.throwIfAborted();
    const opened = await this.#open();
    const { jobId } = task;
    const results = this.#jobs.get(jobId) ?? new JobResults(this.#settings, jobId, opened);
    this.#jobs.set(jobId, results);
    const done = results.wait(task);
    done.catch(() => undefined);
    try {
      await withSignal(this.#send(queueOf(opened, task), task), signal);
      return await withSignal(done, signal);
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
    if (opened === undefined) return;
    await Promise.all(Object.values(opened.queues).map((queue) => queue.close()));
    opened.connection.close();
  }

  #open(): Promise<OpenedFleet> {
    const opening = (this.#opening ??= this.#connect());
    // The next page tries again.
    opening.catch(() => (this.#opening = undefined));
    return opening;
  }

  async #connect(): Promise<OpenedFleet> {
    const { bullmq } = await loadPackages();
    const connection = await openConnection(this.#settings.redis);
    // The connection of a running job keeps the process alive.
    connection.unref();
    const open = (name: string): Queue => {
      const queue = new bullmq.Queue(name, {
        connection: connection.bullmq,
        prefix: queuePrefix(this.#settings),
      });
      // Connections report their errors to the commands that wait for them.
      queue.on('error', () => undefined);
      return queue;
    };
    const visits = (engineClass: EngineClass): Queue =>
      open(visitQueue(this.#settings, engineClass));
    return { queues: { http: visits('http'), browser: visits('browser') }, connection };
  }

  /** Sends the pages of one turn of the event loop in one call. */
  async #send(queue: Queue, task: VisitTask): Promise<void> {
    const sending = this.#sending.get(queue) ?? this.#begin(queue);
    this.#sending.set(queue, sending);
    sending.tasks.push(task);
    await sending.sent;
  }

  #begin(queue: Queue): SentPages {
    const tasks: VisitTask[] = [];
    const send = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      this.#sending.delete(queue);
      // Its timer keeps the process alive: the connection does not.
      using deadline = startDeadline(mostWait, [], 'Redis');
      try {
        await withSignal(queue.addBulk(tasks.map(messageOfTask)), deadline.signal);
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
