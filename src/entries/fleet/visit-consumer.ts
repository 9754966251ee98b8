/** Takes pages from the queues of visits, visits them, and reports to the processes that run their jobs. */
import type { Job, Queue, Worker } from 'bullmq';
import { BrowserNeeded, JobVisits, PostponedVisit } from '../../job-visits.ts';
import { messageOf, PagewrightError } from '../../core/runtime/errors.ts';
import { packFacts } from '../../core/jobs/durable/stored-value.ts';
import type { ClientParts } from '../../parts.ts';
import { ExclusiveLock } from './exclusive-lock.ts';
import { pageOf } from './job-results.ts';
import { MessageSignature, type SignedTask, signedTask } from './message-signature.ts';
import type { VisitCounters, VisitOutcome } from './visit-counters.ts';
import {
  type EngineClass,
  engineClasses,
  type FleetConnection,
  type FleetSettings,
  loadPackages,
  openQueue,
  queuePrefix,
  resultsKey,
  visitQueue,
} from './redis-connections.ts';
import { mostFacts, refusalFields, visitFields } from './result-stream.ts';

const limits = {
  triesAlone: 2, // of a page after a worker was lost with it among others
  resultsLife: 24 * 60 * 60, // seconds that the results of a job wait for its process
  expiryInterval: 60_000, // milliseconds after which that time begins anew
};

/** Pages at a time, by the engine that they need. */
export type VisitSlots = Readonly<Record<EngineClass, number>>;

/** The setting that the queues of a worker share. */
export interface VisitConsumersSetting {
  readonly settings: FleetSettings;
  readonly connection: FleetConnection;
  readonly slots: VisitSlots;
  readonly parts: ClientParts;
  readonly counters: VisitCounters;
  /** Pages are given back when it aborts. */
  readonly draining: AbortSignal;
  /** Called for each page that is taken. */
  readonly onTaken: () => void;
  /** Called for each error of a connection to Redis. */
  readonly onError: (error: Error) => void;
}

/** A job whose pages are visited. */
interface VisitedJob {
  /** Pages that are visited now. */
  visits: number;
  /** Ends them. */
  readonly end: AbortController;
  /** When the time of its results began, by `performance.now()`. */
  expiryBegan: number;
}

function newJob(): VisitedJob {
  return { visits: 0, end: new AbortController(), expiryBegan: -Infinity };
}

/** The queues of visits from which one worker takes pages, one for each class of engines. */
export class VisitConsumers {
  readonly #setting: VisitConsumersSetting;
  readonly #visits: JobVisits;
  readonly #lock = new ExclusiveLock();
  /** Jobs whose pages are visited now. */
  readonly #jobs = new Map<string, VisitedJob>();
  readonly #workers: Pick<Worker, 'close' | 'disconnect'>[] = [];
  /** For pages that turn out to need a browser. */
  #browserQueue: Queue<SignedTask> | undefined;
  #hasWarned = false;

  constructor(setting: VisitConsumersSetting) {
    this.#setting = setting;
    this.#visits = new JobVisits(setting.parts, setting.slots.browser === 0);
  }

  /** Pages that are visited now. */
  get busy(): number {
    return this.#setting.counters.sum(({ busy }) => busy);
  }

  async start(): Promise<void> {
    for (const engineClass of engineClasses) await this.#startClass(engineClass);
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
    await this.#browserQueue?.close();
  }

  async disconnect(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.disconnect()));
  }

  /** Ends the visits of a job. The job may be resumed: its next pages are others. */
  end(jobId: string): void {
    const job = this.#jobs.get(jobId);
    this.#jobs.delete(jobId);
    job?.end.abort(new PagewrightError('CANCELLED', `Job ${jobId} has ended.`));
  }

  async #startClass(engineClass: EngineClass): Promise<void> {
    const { settings, connection, slots, onError } = this.#setting;
    const { bullmq } = await loadPackages();
    if (slots[engineClass] === 0) {
      this.#browserQueue = await openQueue(settings, connection, visitQueue(settings, 'browser'));
      return;
    }
    const worker = new bullmq.Worker<SignedTask>(
      visitQueue(settings, engineClass),
      // BullMQ passes the signal to functions with three parameters.
      (message, token, signal) => this.#count(engineClass, message, token, signal),
      {
        connection: connection.bullmq,
        ...(settings.telemetry && { telemetry: settings.telemetry }),
        prefix: queuePrefix(settings),
        concurrency: slots[engineClass],
        lockDuration: settings.recovery,
        stalledInterval: Math.ceil(settings.recovery / 2),
        // The limit of workers lost with one page is enforced here.
        maxStalledCount: Number.MAX_SAFE_INTEGER,
      },
    );
    // Another worker has the page.
    worker.on('lockRenewalFailed', (ids) => ids.forEach((id) => worker.cancelJob(id)));
    worker.on('error', onError);
    this.#workers.push(worker);
    await worker.waitUntilReady();
  }

  async #count(
    engineClass: EngineClass,
    message: Job<SignedTask>,
    token: string | undefined,
    lost: AbortSignal | undefined,
  ): Promise<void> {
    const { counters, draining } = this.#setting;
    if (signedTask(message.data) === undefined) return this.#ignore();
    const end = counters.begin(message.data, engineClass, message.stalledCounter > 0);
    let outcome: VisitOutcome | undefined;
    try {
      outcome = await this.#take(message, token, lost);
    } catch (error) {
      const { bullmq } = await loadPackages();
      if (error instanceof bullmq.DelayedError) outcome = 'postponed';
      throw error;
    } finally {
      if (lost?.aborted === true) end('lost');
      else end(outcome ?? (draining.aborted ? 'drained' : 'retried'));
    }
  }

  /** Visits the page of a message; rejects where the message is to be tried again. */
  async #take(
    message: Job<SignedTask>,
    token: string | undefined,
    lost: AbortSignal | undefined,
  ): Promise<VisitOutcome> {
    const task = message.data;
    const { jobId, url } = task;
    const { draining, parts, onTaken } = this.#setting;
    const { progress } = message;
    const job = this.#jobs.get(jobId) ?? newJob();
    this.#jobs.set(jobId, job);
    job.visits += 1;
    const { end } = job;
    const signals = [end.signal, draining, parts.signal, ...(lost === undefined ? [] : [lost])];
    onTaken();
    try {
      const key = await this.#visits.messageKey(task);
      const signature = key === undefined ? undefined : new MessageSignature(key);
      if (signature?.isOf(task) !== true) {
        this.#ignore();
        return 'refused';
      }
      // A worker was lost while it had this page.
      const isSuspect = message.stalledCounter > 0;
      const facts = await this.#lock.run(isSuspect, async () => {
        if (isSuspect && (await this.#isPoison(message))) {
          const text = `Each of ${limits.triesAlone + 1} workers that visited ${url} ended while it did.`;
          await this.#visits.store(task, new PagewrightError('WORKER_LOST', text));
          return 'poison';
        }
        return this.#visits.visit(task, isFirst(message), AbortSignal.any(signals));
      });
      const isPoison = facts === 'poison';
      const packed = isPoison || facts === undefined ? undefined : await packFacts(facts);
      const sent = packed === undefined || packed.length > mostFacts ? undefined : packed;
      const page = pageOf(task);
      await this.#sendResult(job, jobId, visitFields(page, signature.ofResult(page, sent), sent));
      if (isPoison) return facts;
      return facts?.page === undefined ? 'failed' : 'page';
    } catch (error) {
      if (end.signal.aborted) return 'cancelled';
      if (error instanceof BrowserNeeded) return await this.#handOver(message);
      // This process survived the try, which does not count then. A lost page is another worker's.
      if (message.progress !== progress && lost?.aborted !== true) {
        await message.updateProgress(progress).catch(() => undefined);
      }
      if (error instanceof PostponedVisit) throw await postponed(message, token, error);
      if (signals.some(({ aborted }) => aborted) || !isLast(message)) throw error;
      // The process that runs the job ends it: the fault is here, not on the page.
      const text = `A worker cannot visit ${url}: ${messageOf(error)}`;
      await this.#sendResult(job, jobId, refusalFields(pageOf(task), text));
      return 'refused';
    } finally {
      job.visits -= 1;
      if (job.visits === 0 && this.#jobs.get(jobId) === job) this.#jobs.delete(jobId);
    }
  }

  /** A message that no process with the key of the job has written. */
  #ignore(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const { logger } = this.#setting.parts;
    logger.warn(
      'Messages in Redis that no client of this fleet has signed are ignored. Check who can write to it.',
    );
  }

  /** The process that runs the job waits on: it checks both queues for its message. */
  async #handOver({ data, opts }: Job<SignedTask>): Promise<VisitOutcome> {
    await this.#browserQueue?.add('visit', { ...data, needsBrowser: true }, opts);
    return 'moved';
  }

  /** Counts the exclusive try before it begins: the count survives the death of this process. */
  async #isPoison(message: Job<SignedTask>): Promise<boolean> {
    const tries = typeof message.progress === 'number' ? message.progress : 0;
    if (tries >= limits.triesAlone) return true;
    await message.updateProgress(tries + 1);
    return false;
  }

  async #sendResult(
    job: VisitedJob,
    jobId: string,
    fields: readonly (string | Uint8Array)[],
  ): Promise<void> {
    const { connection, settings } = this.#setting;
    const key = resultsKey(settings, jobId);
    const added = connection.send(['XADD', key, '*', ...fields]);
    const now = performance.now();
    if (now - job.expiryBegan > limits.expiryInterval) {
      job.expiryBegan = now;
      await connection.send(['EXPIRE', key, String(limits.resultsLife)]);
    }
    await added;
  }
}

/** True for a page that no worker has begun to visit before. */
function isFirst({ attemptsStarted }: Job<SignedTask>): boolean {
  return attemptsStarted <= 1;
}

/** Gives a page back until its host may be requested; returns the error that reports this to BullMQ. */
async function postponed(
  message: Job<SignedTask>,
  token: string | undefined,
  { wait }: PostponedVisit,
): Promise<Error> {
  const { bullmq } = await loadPackages();
  await message.moveToDelayed(Date.now() + wait, token);
  return new bullmq.DelayedError();
}

function isLast({ attemptsMade, opts }: Job<SignedTask>): boolean {
  return attemptsMade + 1 >= (opts.attempts ?? 1);
}
