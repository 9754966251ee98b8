/** The side of a fleet that runs jobs: sends pages to workers, and receives their visits. */
import type { Queue } from 'bullmq';
import { messageOf, PagewrightError } from '../../core/runtime/errors.ts';
import { isStoreError } from '../../core/jobs/durable/job-store.ts';
import type { FleetStatus } from '../../core/model/fleet-status.ts';
import type {
  JobQueue,
  PageVisitor,
  SendingJob,
  VisitorShare,
  VisitTask,
} from '../../core/model/page-visitor.ts';
import { startDeadline, withSignal } from '../../core/runtime/deadline.ts';
import type { Fleet } from '../../core/options/client-rows.ts';
import { packageVersion } from '../../core/runtime/package-version.ts';
import { type AttemptFailure, retry, retryPolicies } from '../../core/runtime/retry.ts';
import {
  type AdministeredFleet,
  isPaused,
  pauseQueues,
  readStatus,
  registerQueue,
  resumeQueues,
} from './administer.ts';
import { addCrawl } from './crawl-consumer.ts';
import { idOf, JobResults, type OpenedFleet, queueOf } from './job-results.ts';
import { MessageSignature, type SignedTask } from './message-signature.ts';
import { fleetMetrics } from './metrics.ts';
import {
  crawlQueues,
  type EngineClass,
  type FleetConnection,
  type FleetOptions,
  type FleetSettings,
  loadPackages,
  minorOf,
  openConnection,
  openQueue,
  parseFleetOptions,
  visitQueue,
} from './redis-connections.ts';
import { RedisHosts } from './redis-hosts.ts';
import { readRoster, slotsFor } from './roster.ts';
import { WorkerShares } from './worker-shares.ts';

const limits = {
  attempts: 20, // of a page while the store does not answer, or options do not allow the visit
  answer: 10_000, // milliseconds for Redis to answer `status()`, `pause()` and `resume()`
  takePage: 60_000, // milliseconds for Redis to take a page
  takeCrawl: 10_000, // milliseconds for Redis to take a crawl: its caller waits
};

/**
 * The workers that `startWorker` has started with the same `redis` and `prefix`. Connects at the first page.
 * Throws `BAD_REQUEST`, and `MISSING_DEPENDENCY` without the packages `bullmq` and `redis`.
 *
 * @example createClient({ storage: redisStore({ url }), fleet: fleet({ redis: url }) })
 */
export function fleet(options: FleetOptions): Fleet {
  return new RedisFleet(parseFleetOptions(options, 'fleet'));
}

interface SentPages {
  readonly tasks: SignedTask[];
  readonly sent: Promise<void>;
}

class RedisFleet implements Fleet {
  readonly hosts: RedisHosts;
  readonly #settings: FleetSettings;
  #opening: Promise<OpenedFleet> | undefined;
  readonly #jobs = new Map<string, JobResults>();
  /** Pages that are sent together. */
  readonly #sending = new Map<Queue, SentPages>();
  #crawls: Queue | undefined;
  readonly #shares: WorkerShares;

  constructor(settings: FleetSettings) {
    this.#settings = settings;
    this.hosts = new RedisHosts(settings, async () => (await this.#open()).connection);
    this.#shares = new WorkerShares({
      settings,
      slots: () =>
        this.#administer(async (fleet) => {
          const own = { ...settings, version: minorOf(packageVersion()) };
          const slots = slotsFor(own, await readRoster(fleet.connection, settings));
          return { ...slots, isPaused: await isPaused(fleet) };
        }),
      waiting: (jobId, since) => this.#jobs.get(jobId)?.waitingSince(since) ?? new Set(),
    });
  }

  join(job: SendingJob): Promise<VisitorShare> {
    return this.#shares.join(job);
  }

  status(): Promise<FleetStatus> {
    return this.#administer(readStatus);
  }

  async metrics(): Promise<string> {
    return fleetMetrics(await this.status());
  }

  pause(): Promise<void> {
    return this.#administer(pauseQueues);
  }

  resume(): Promise<void> {
    return this.#administer(resumeQueues);
  }

  forJob(messageKey: string): PageVisitor {
    const signature = new MessageSignature(messageKey);
    return {
      join: (job) => this.join(job),
      visit: (task, signal) => this.#visit(task, signature, signal),
    };
  }

  async #visit(
    task: VisitTask,
    signature: MessageSignature,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    signal.throwIfAborted();
    const opened = await this.#open();
    const { jobId } = task;
    const results =
      this.#jobs.get(jobId) ??
      new JobResults({ settings: this.#settings, jobId, signature, opened });
    this.#jobs.set(jobId, results);
    const done = results.wait(task);
    done.catch(() => undefined);
    try {
      await withSignal(this.#send(queueOf(opened, task), signature.sign(task)), signal);
      return await withSignal(done, signal);
    } finally {
      results.forget(task);
      // Another process continues the job: it gets the active pages.
      const isLeft = signal.aborted && isStoreError(signal.reason);
      if (signal.aborted && !isLeft) void results.end(task);
      if (isLeft && results.isIdle) {
        results.close();
        this.#jobs.delete(jobId);
      } else if (results.isIdle) results.rest(() => this.#jobs.delete(jobId));
    }
  }

  get crawls(): JobQueue {
    const queue = async (): Promise<Queue> => {
      const { connection } = await this.#open();
      return (this.#crawls ??= await this.#queue(connection, crawlQueues(this.#settings).run));
    };
    const send = <T>(work: (queue: Queue) => Promise<T>): Promise<T> =>
      repeatFor(limits.takeCrawl, async () => work(await queue()));
    return {
      name: crawlQueues(this.#settings).run,
      add: async (jobId) => {
        await loadPackages();
        try {
          await send((crawls) => addCrawl(crawls, jobId));
        } catch (error) {
          const message = `Redis did not take the crawl within ${limits.takeCrawl} ms: ${messageOf(error)}. It is not run: submit it again.`;
          throw new PagewrightError('STORAGE', message, { cause: error });
        }
      },
      remove: async (jobId) => void (await send((crawls) => crawls.remove(jobId))),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#shares.close();
    for (const results of this.#jobs.values()) results.close();
    this.#jobs.clear();
    const opened = await this.#opening?.catch(() => undefined);
    this.#opening = undefined;
    if (opened === undefined) return;
    const queues = [...Object.values(opened.queues), ...(this.#crawls ? [this.#crawls] : [])];
    this.#crawls = undefined;
    await Promise.all(queues.map((queue) => queue.close()));
    opened.connection.close();
  }

  /** Rejects with `STORAGE` when Redis does not answer. */
  async #administer<T>(work: (fleet: AdministeredFleet) => Promise<T>): Promise<T> {
    const settings = this.#settings;
    const deadline = new AbortController();
    // The timer keeps the process alive, which the connection does not.
    const timer = setTimeout(() => {
      const message = `Redis at ${new URL(settings.redis).host} did not answer within ${limits.answer} ms.`;
      deadline.abort(new PagewrightError('STORAGE', message));
    }, limits.answer);
    const run = async (): Promise<T> => {
      const { connection } = await this.#open();
      return work({ settings, connection });
    };
    try {
      return await withSignal(run(), deadline.signal);
    } catch (error) {
      throw redisError(settings, error);
    } finally {
      clearTimeout(timer);
    }
  }

  #open(): Promise<OpenedFleet> {
    const opening = (this.#opening ??= this.#connect());
    // The next page tries again.
    opening.catch(() => (this.#opening = undefined));
    return opening;
  }

  async #connect(): Promise<OpenedFleet> {
    const connection = await openConnection(this.#settings.redis);
    // The connection of a running job keeps the process alive.
    connection.unref();
    const visits = (engineClass: EngineClass): Promise<Queue> =>
      this.#queue(connection, visitQueue(this.#settings, engineClass));
    try {
      const queues = { http: await visits('http'), browser: await visits('browser') };
      return { queues, connection };
    } catch (error) {
      connection.close();
      throw redisError(this.#settings, error);
    }
  }

  async #queue(connection: FleetConnection, name: string): Promise<Queue> {
    const settings = this.#settings;
    const queue = await openQueue(settings, connection, name);
    await registerQueue({ settings, connection }, queue);
    return queue;
  }

  /** Sends the pages of one turn of the event loop in one call. */
  async #send(queue: Queue, task: SignedTask): Promise<void> {
    const sending = this.#sending.get(queue) ?? this.#begin(queue);
    this.#sending.set(queue, sending);
    sending.tasks.push(task);
    await sending.sent;
  }

  #begin(queue: Queue): SentPages {
    const tasks: SignedTask[] = [];
    const send = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      this.#sending.delete(queue);
      try {
        const messages = tasks.map(messageOfTask);
        const addEach = (): Promise<unknown> =>
          Promise.all(messages.map(({ name, data, opts }) => queue.add(name, data, opts)));
        // A restarted Redis lacks the script for many; add() brings it. No page is added twice.
        await repeatFor(limits.takePage, () => queue.addBulk(messages).catch(addEach));
      } catch (error) {
        const message = `Redis did not take the page within ${limits.takePage} ms: ${messageOf(error)}. The job can be resumed when it does.`;
        throw new PagewrightError('STORAGE', message, { cause: error });
      }
    };
    return { tasks, sent: send() };
  }
}

/** An error of Redis itself: it refuses the command, or is read-only, or has no memory left. */
function redisError({ redis }: FleetSettings, error: unknown): PagewrightError {
  if (error instanceof PagewrightError) return error;
  const message = `Redis at ${new URL(redis).host} refused a command: ${messageOf(error)}. Check its permissions and its memory.`;
  return new PagewrightError('STORAGE', message, { cause: error });
}

/** Retries after each error of Redis, for `timeout` ms; rejects with the last error. */
async function repeatFor<T>(timeout: number, send: () => Promise<T>): Promise<T> {
  using deadline = startDeadline(timeout, [], 'Redis');
  const { signal } = deadline;
  let last: unknown = new Error('no answer');
  const failureOf = (error: unknown): AttemptFailure => {
    if (!signal.aborted) last = error;
    return { error: last, mayRetry: !signal.aborted };
  };
  const policy = { ...retryPolicies.store, time: timeout };
  return await retry(policy, () => withSignal(send(), signal), { failureOf });
}

function messageOfTask(task: SignedTask): Parameters<Queue['addBulk']>[0][number] {
  return {
    name: 'visit',
    data: task,
    opts: {
      jobId: idOf(task),
      attempts: limits.attempts,
      backoff: 500,
      removeOnComplete: true,
      removeOnFail: true,
    },
  };
}
