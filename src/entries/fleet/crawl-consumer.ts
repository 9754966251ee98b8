/** Takes crawls that clients have handed over, and runs them; takes over crawls whose process has died. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, Queue, Worker } from 'bullmq';
import { JobFactory } from '../../client-jobs.ts';
import { lostInWorker } from '../../job-visits.ts';
import { messageOf, PagewrightError, ValidationError } from '../../core/runtime/errors.ts';
import { JobStore, manifests, readManifest } from '../../core/jobs/durable/job-store.ts';
import { isHeldByLiving, LeaseWatch } from '../../core/jobs/durable/lease.ts';
import type { ClientParts } from '../../parts.ts';
import { signedTask } from './message-signature.ts';
import { isSuspect, storeActive } from './lost-coordinators.ts';
import {
  crawlQueues,
  engineClasses,
  type FleetConnection,
  type FleetSettings,
  loadPackages,
  openQueue,
  queuePrefix,
  visitQueue,
} from './redis-connections.ts';

const limits = {
  longestId: 100,
  triesToFind: 8, // over half a minute; then a message without a crawl in the store is dropped
  triesToRead: 5, // over eight seconds; then a crawl fails whose options workers cannot read
  activeInterval: 20, // milliseconds between writes of the active pages of a crawl that may crash
  leaseInterval: 500, // milliseconds between checks of the lease of a crawl in another process
  pause: 1000, // milliseconds before a message is redelivered that came to its own crawl's worker
  searchInterval: 60_000, // milliseconds between all workers' searches for crawls without a message
};

/** A crawl that waits, or runs. */
interface CrawlMessage {
  readonly jobId: string;
}

/** The crawl of a message; anyone who can write to Redis may have written it. */
function jobIdOf(data: unknown): string | undefined {
  const { jobId } = (data ?? {}) as { readonly jobId?: unknown };
  return typeof jobId === 'string' && jobId.length <= limits.longestId ? jobId : undefined;
}

/** Adds the message of a crawl; BullMQ ignores a second one with the same `id`. */
export async function addCrawl(queue: Queue, jobId: string, id: string = jobId): Promise<void> {
  const data: CrawlMessage = { jobId };
  await queue.add('crawl', data, {
    jobId: id,
    // A crawl is tried until it ends, is cancelled, or has expired.
    attempts: Number.MAX_SAFE_INTEGER,
    backoff: { type: 'custom' },
    removeOnComplete: true,
    removeOnFail: true,
  });
}

/** Milliseconds before the next try: from a quarter of a second to half a minute. */
function backoffOf(attemptsMade: number): number {
  return Math.min(250 * 2 ** (attemptsMade - 1), 30_000);
}

/** The setting of a worker's crawls. */
export interface CrawlConsumerSetting {
  readonly settings: FleetSettings;
  readonly connection: FleetConnection;
  /** Crawls at a time. */
  readonly crawls: number;
  /** With a `visitor`: the pages are visited by the workers of the fleet. */
  readonly parts: ClientParts;
  /** Milliseconds that results are stored, unless the client sets it. */
  readonly retention: number;
  /** Called for each crawl that is taken. */
  readonly onTaken: () => void;
  /** Called for each error of a connection to Redis. */
  readonly onError: (error: Error) => void;
}

/**
 * Each crawl has two messages: the worker that has the one runs the crawl, the worker that has the other watches
 * its lease, and continues the crawl as soon as the first is dead, or silent for four seconds. A third message is
 * for the worker that watches next: BullMQ gives the message of a dead worker to another one only when its lock has ended. The
 * lease decides who runs a crawl.
 */
export class CrawlConsumer {
  readonly #setting: CrawlConsumerSetting;
  readonly #jobs: JobFactory;
  readonly #leaving = new AbortController();
  readonly #workers: Worker<CrawlMessage>[] = [];
  /** Crawls of which this worker has a message. */
  readonly #held = new Set<string>();
  /** The last reported retry of each crawl. */
  readonly #reported = new Map<string, string>();
  #running = 0;
  readonly #queues: Queue[] = [];
  #search: NodeJS.Timeout | undefined;

  constructor(setting: CrawlConsumerSetting) {
    this.#setting = setting;
    this.#jobs = new JobFactory(
      { ...setting.parts, signal: AbortSignal.any([setting.parts.signal, this.#leaving.signal]) },
      setting.retention,
    );
  }

  /** Crawls that this worker runs now. */
  get running(): number {
    return this.#running;
  }

  async start(): Promise<void> {
    const { settings, connection } = this.#setting;
    const { run, watch } = crawlQueues(settings);
    const waiting = await openQueue(settings, connection, run);
    const watched = await openQueue(settings, connection, watch);
    this.#queues.push(waiting, watched);
    const addWatch = (jobId: string, number: 1 | 2): void => {
      void addCrawl(watched, jobId, `${jobId}.${number}`).catch(() => undefined);
    };
    await this.#take(run, async ({ attemptsMade, data: { jobId } }, lost) => {
      addWatch(jobId, 1);
      await this.#run(jobId, attemptsMade, lost);
    });
    await this.#take(watch, async ({ id, attemptsMade, data: { jobId } }, lost) => {
      if (await this.#watch(jobId, lost)) return;
      addWatch(jobId, id === `${jobId}.1` ? 2 : 1);
      await this.#run(jobId, attemptsMade, lost);
    });
    void this.#findLost(waiting);
    this.#search = setInterval(() => void this.#findLost(waiting), limits.searchInterval).unref();
  }

  /** Leaves its crawls to other workers. */
  async close(): Promise<void> {
    clearInterval(this.#search);
    const reason = 'The worker was drained. Another worker continues its crawls.';
    this.#leaving.abort(new PagewrightError('STORAGE', reason));
    await Promise.all(this.#workers.map((worker) => worker.close()));
    await Promise.all(this.#queues.map((queue) => queue.close()));
  }

  async disconnect(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.disconnect()));
  }

  /** Takes the messages of a queue. A message whose work did not end is given back. */
  async #take(
    name: string,
    work: (message: Job<CrawlMessage>, lost: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { settings, connection, crawls, onError, onTaken } = this.#setting;
    const { bullmq } = await loadPackages();
    const take = async (
      message: Job<CrawlMessage>,
      token: string | undefined,
      signal: AbortSignal | undefined,
    ): Promise<void> => {
      const jobId = jobIdOf(message.data);
      if (jobId === undefined) return;
      if (this.#held.has(jobId)) {
        await message.moveToDelayed(Date.now() + limits.pause, token);
        throw new bullmq.DelayedError();
      }
      this.#held.add(jobId);
      onTaken();
      try {
        if (!(await this.#isHandedOver(jobId))) return;
        await work(message, AbortSignal.any([this.#leaving.signal, ...(signal ? [signal] : [])]));
        this.#reported.delete(jobId);
        return;
      } catch (error) {
        if (isGone(error) && message.attemptsMade >= limits.triesToFind) return;
        if (!this.#leaving.signal.aborted) {
          if (!isGone(error) && signal?.aborted !== true) this.#reportRetry(jobId, error);
          throw error;
        }
      } finally {
        this.#held.delete(jobId);
      }
      await message.moveToWait(token);
      throw new bullmq.WaitingError();
    };
    const worker = new bullmq.Worker<CrawlMessage>(name, take, {
      connection: connection.bullmq,
      prefix: queuePrefix(settings),
      ...(settings.telemetry && { telemetry: settings.telemetry }),
      concurrency: crawls,
      lockDuration: settings.recovery,
      stalledInterval: Math.ceil(settings.recovery / 2),
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      // After an error of Redis itself.
      runRetryDelay: 1000,
      settings: { backoffStrategy: backoffOf },
    });
    // Another worker has the message: the lease of the crawl decides which one runs it.
    worker.on('lockRenewalFailed', (ids) => ids.forEach((id) => worker.cancelJob(id)));
    worker.on('error', onError);
    this.#workers.push(worker);
    await worker.waitUntilReady();
  }

  /** False for a job of the storage that its client runs. Rejects with `JOB_NOT_FOUND`, and with `STORAGE`. */
  async #isHandedOver(jobId: string): Promise<boolean> {
    const { submitted } = await readManifest(this.#setting.parts.store, jobId);
    return submitted?.queue === crawlQueues(this.#setting.settings).run;
  }

  /** Reports once why a crawl is retried: the options of this worker may not be those of its client. */
  #reportRetry(jobId: string, error: unknown): void {
    const sentence = `Crawl ${jobId} is retried: ${messageOf(error)}`;
    if (this.#reported.get(jobId) === sentence) return;
    this.#reported.set(jobId, sentence);
    this.#setting.parts.logger.warn(sentence);
  }

  /** Resolves when the crawl has ended; rejects when it is to be tried again, or left. */
  async #run(jobId: string, tries: number, lost: AbortSignal): Promise<void> {
    const store = new JobStore(this.#setting.parts.store, jobId);
    let end: PagewrightError | undefined;
    for (;;) {
      const { failure, hasEnded } = await this.#resume(store, jobId, end);
      this.#leaving.signal.throwIfAborted();
      if (hasEnded) return;
      if (await isHeldByLiving(store)) {
        if (await this.#watch(jobId, lost)) return;
      } else {
        const isLast =
          end === undefined && (failure.code === 'WORKER_LOST' || tries >= limits.triesToRead);
        // Another worker may have the parts that this one lacks, and the store may recover.
        if (!isLast || isPassing(failure)) throw failure;
        end = failure;
      }
    }
  }

  /** Runs the crawl; ends it instead with the error that no worker runs it for. */
  async #resume(
    store: JobStore,
    jobId: string,
    end: PagewrightError | undefined,
  ): Promise<{ readonly failure: PagewrightError; readonly hasEnded: boolean }> {
    this.#running += 1;
    let timer: NodeJS.Timeout | undefined;
    try {
      const isWatched =
        end === undefined && (await isSuspect(store, jobId, () => this.#hasSuspectPage(jobId)));
      const job = this.#jobs.resume(jobId, {}, { failure: end, lostMessage: lostInWorker });
      if (isWatched) timer = watchActive(store, () => job.active);
      let failure = new PagewrightError('CANCELLED', `Job ${jobId} was left.`);
      job.on('failed', ({ error }) => (failure = failureOf(error)));
      await job.settled();
      await job.delivered();
      const { state } = await readManifest(this.#setting.parts.store, jobId);
      return { failure, hasEnded: state !== 'scraping' };
    } catch (error) {
      return { failure: failureOf(error), hasEnded: false };
    } finally {
      clearInterval(timer);
      this.#running -= 1;
    }
  }

  /**
   * True while a page of the crawl is tried alone because a worker was lost with it: that worker may have run the
   * crawl, too, and the page fails by itself.
   */
  async #hasSuspectPage(jobId: string): Promise<boolean> {
    const { settings, connection } = this.#setting;
    for (const engineClass of engineClasses) {
      const queue = await openQueue(settings, connection, visitQueue(settings, engineClass));
      const messages = await queue.getJobs(['active', 'waiting', 'delayed']);
      await queue.close();
      const isTriedAlone = messages.some(
        ({ data, progress }) => signedTask(data)?.jobId === jobId && Number(progress) > 0,
      );
      if (isTriedAlone) return true;
    }
    return false;
  }

  /** Resolves when no process runs the crawl: true when it has ended. */
  async #watch(jobId: string, signal: AbortSignal): Promise<boolean> {
    const { store } = this.#setting.parts;
    const lease = new LeaseWatch(new JobStore(store, jobId));
    while (await lease.isHeld()) await sleep(limits.leaseInterval, undefined, { signal });
    const { state } = await readManifest(store, jobId);
    return state !== 'scraping';
  }

  /** Adds the messages of crawls that have none: Redis may have lost some. Never rejects. */
  async #findLost(waiting: Queue): Promise<void> {
    const { connection, parts } = this.#setting;
    const key = `${queuePrefix(this.#setting.settings)}:searched:${waiting.name}`;
    try {
      const limit = ['SET', key, '1', 'NX', 'PX', String(limits.searchInterval)];
      if ((await connection.send(limit)) === null) return;
      for await (const { id, state, submitted } of manifests(parts.store)) {
        if (state !== 'scraping' || submitted?.queue !== waiting.name) continue;
        await addCrawl(waiting, id);
      }
    } catch {
      // Repeated by the next search.
    }
  }
}

/** Stores the active pages whenever they change, until the timer is cleared. */
function watchActive(store: JobStore, active: () => readonly string[]): NodeJS.Timeout {
  let written = '';
  return setInterval(() => {
    const urls = active();
    if (urls.length === 0 || urls.join(' ') === written) return;
    written = urls.join(' ');
    void storeActive(store, urls).catch(() => undefined);
  }, limits.activeInterval).unref();
}

/** The error of a worker that does not run a crawl, in the form that fails the crawl. */
function failureOf(error: unknown): PagewrightError {
  if (error instanceof ValidationError) {
    const reasons = error.issues.map(({ message }) => message).join(' ');
    return new PagewrightError('BAD_REQUEST', `Workers cannot run the crawl. ${reasons}`);
  }
  if (error instanceof PagewrightError) return error;
  return new PagewrightError('STORAGE', messageOf(error), { cause: error });
}

/** True for an error that may vanish at the next try without a change of options. */
function isPassing({ code }: PagewrightError): boolean {
  return code === 'STORAGE' || code === 'CANCELLED' || code === 'JOB_NOT_FOUND';
}

function isGone(error: unknown): boolean {
  return error instanceof PagewrightError && error.code === 'JOB_NOT_FOUND';
}
