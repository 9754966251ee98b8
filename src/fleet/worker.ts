/** A worker of a fleet: visits pages for jobs that other processes run. */
import { randomUUID } from 'node:crypto';
import type { Job, Worker } from 'bullmq';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { createParts } from '../client.ts';
import { JobVisits } from '../client/job-visits.ts';
import { messageOf, PagewrightError, ValidationError } from '../errors.ts';
import type { Format } from '../formats/format.ts';
import { hashOf } from '../jobs/durable/journal.ts';
import type { VisitTask } from '../model/page-visitor.ts';
import type { ClientOptions } from '../options/client-options.ts';
import type { Store } from '../storage/store.ts';
import { check } from '../text/check.ts';
import { ExclusiveLock } from './exclusive-lock.ts';
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
 * Options of a worker: those of `createClient`, which have to be the same as those of the clients whose pages
 * it visits (hooks, formats, browser, `secret`), and its own.
 */
export interface WorkerOptions<Custom extends readonly Format[] = readonly Format[]> extends Omit<
  ClientOptions<Custom>,
  'fleet' | 'requestQueue' | 'jobRetention'
> {
  readonly fleet: FleetOptions;
  /** The store that the clients use; it needs `replace`. */
  readonly storage: Store;
  /** Pages at a time, 1 to 1000. @default 32 */
  readonly slots?: number | undefined;
}

/** A worker that runs. */
export interface FleetWorker extends AsyncDisposable {
  readonly id: string;
  /** Pages that it visits now. */
  readonly busy: number;
  /** Stops taking pages. Resolves when the visits under way are stored; gives the rest back after `timeout` ms. @default 30000 */
  drain(timeout?: number): Promise<void>;
}

const slotsSchema = z.int().min(1).max(1000).optional();

/**
 * Starts a worker. Rejects with `BAD_REQUEST`, `MISSING_DEPENDENCY` for a package that is not installed, and
 * `STORAGE` when Redis cannot be reached.
 *
 * @example
 * const worker = await startWorker({ fleet: { redis: url }, storage: redisStore({ url }) });
 * process.once('SIGTERM', () => void worker.drain());
 */
export async function startWorker<const Custom extends readonly Format[] = readonly []>(
  options: WorkerOptions<Custom>,
): Promise<FleetWorker> {
  // The copy also is one where a caller without types passes nothing.
  const { fleet: fleetOptions, slots, ...clientOptions }: Partial<WorkerOptions> = { ...options };
  const settings = parseFleetOptions(fleetOptions, 'startWorker', ['fleet']);
  const pages = check('startWorker', slotsSchema, slots, { at: ['slots'] }) ?? 32;
  if (typeof clientOptions.storage?.replace !== 'function') {
    const message = 'storage: expected a store that the clients share and that has replace()';
    throw new ValidationError('startWorker', [{ path: ['storage'], message }]);
  }
  const own = createParts(clientOptions);
  try {
    const connection = await openConnection(settings.redis);
    const worker = new RedisWorker(settings, own, connection);
    await worker.start(pages);
    return worker;
  } catch (error) {
    await closeParts(own);
    throw error;
  }
}

/** Times that a page is tried alone after a worker was lost with it among others. */
const triesAlone = 2;

class RedisWorker implements FleetWorker {
  readonly id: string = randomUUID();
  readonly #settings: FleetSettings;
  readonly #own: ReturnType<typeof createParts>;
  readonly #connection: FleetConnection;
  readonly #visits: JobVisits;
  readonly #lock = new ExclusiveLock();
  /** By job: ends its visits. */
  readonly #ends = new Map<string, AbortController>();
  readonly #draining = new AbortController();
  #busy = 0;
  /** True from an error of Redis until the next page. */
  #isAway = false;
  #listening: FleetConnection | undefined;
  #worker: Pick<Worker, 'close' | 'disconnect'> | undefined;
  #drained: Promise<void> | undefined;

  constructor(
    settings: FleetSettings,
    own: ReturnType<typeof createParts>,
    connection: FleetConnection,
  ) {
    this.#settings = settings;
    this.#own = own;
    this.#connection = connection;
    this.#visits = new JobVisits(own.parts);
  }

  get busy(): number {
    return this.#busy;
  }

  async start(slots: number): Promise<void> {
    const { bullmq } = await loadPackages();
    const { recovery } = this.#settings;
    this.#listening = await openConnection(this.#settings.redis);
    await this.#listening.listen(endedChannel(this.#settings), (jobId) => {
      const end = this.#ends.get(jobId);
      // The job may be resumed: its next pages are others.
      this.#ends.delete(jobId);
      end?.abort(new PagewrightError('CANCELLED', `Job ${jobId} has ended.`));
    });
    const worker = new bullmq.Worker<VisitTask>(
      visitQueue,
      // BullMQ passes the signal to functions with three parameters.
      (message, _token, signal) => this.#take(message, signal),
      {
        connection: this.#connection.bullmq,
        prefix: queuePrefix(this.#settings),
        concurrency: slots,
        lockDuration: recovery,
        stalledInterval: Math.ceil(recovery / 2),
        // How often a page may take its worker along is decided here.
        maxStalledCount: Number.MAX_SAFE_INTEGER,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      },
    );
    worker.on('error', (error) => {
      if (this.#isAway || this.#drained !== undefined) return;
      this.#isAway = true;
      const { logger } = this.#own.parts;
      logger.warn(`The worker goes on when Redis is back: ${messageOf(error)}`);
    });
    this.#worker = worker;
    await worker.waitUntilReady();
  }

  drain(timeout = 30_000): Promise<void> {
    return (this.#drained ??= this.#drain(timeout));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.drain();
  }

  async #drain(timeout: number): Promise<void> {
    const timer = setTimeout(() => this.#draining.abort(), timeout);
    const late = sleep(timeout + closeTimeout, 'late', { ref: false });
    const ending = this.#worker?.close().catch(() => undefined);
    // Without Redis nothing can be given back: the pages go to others after `recovery`.
    if ((await Promise.race([ending, late])) === 'late') await this.#worker?.disconnect();
    clearTimeout(timer);
    this.#draining.abort();
    this.#listening?.close();
    this.#connection.close();
    await closeParts(this.#own);
  }

  /** Visits the page of a message; rejects where the message is to be tried again. */
  async #take(message: Job<VisitTask>, lost: AbortSignal | undefined): Promise<void> {
    const task = message.data;
    const { jobId, url } = task;
    const end = this.#ends.get(jobId) ?? new AbortController();
    this.#ends.set(jobId, end);
    const signals = [end.signal, this.#draining.signal, ...(lost === undefined ? [] : [lost])];
    this.#busy += 1;
    this.#isAway = false;
    try {
      // A worker was lost while it had this page.
      const isSuspect = message.stalledCounter > 0;
      await this.#lock.run(isSuspect, async () => {
        if (isSuspect && (await this.#isPoison(message))) {
          const text = `Each of ${triesAlone + 1} workers that visited ${url} ended while it did.`;
          await this.#visits.store(task, new PagewrightError('WORKER_LOST', text));
          return;
        }
        await this.#visits.visit(task, AbortSignal.any(signals));
      });
      await this.#tell(jobId, ['u', hashOf(url)]);
    } catch (error) {
      if (end.signal.aborted) return;
      if (signals.some(({ aborted }) => aborted) || !this.#isLast(message)) throw error;
      // The process that runs the job ends it: what is wrong here says nothing about the page.
      const text = `A worker cannot visit ${url}: ${messageOf(error)}`;
      await this.#tell(jobId, ['u', hashOf(url), 'e', text]);
    } finally {
      this.#busy -= 1;
      if (this.#busy === 0) this.#ends.clear();
    }
  }

  /** Counts the tries alone where the death of this process does not lose the number. */
  async #isPoison(message: Job<VisitTask>): Promise<boolean> {
    const tries = typeof message.progress === 'number' ? message.progress : 0;
    if (tries >= triesAlone) return true;
    await message.updateProgress(tries + 1);
    return false;
  }

  #isLast({ attemptsMade, opts }: Job<VisitTask>): boolean {
    return attemptsMade + 1 >= (opts.attempts ?? 1);
  }

  async #tell(jobId: string, fields: readonly string[]): Promise<void> {
    const key = resultsKey(this.#settings, jobId);
    await this.#connection.send(['XADD', key, '*', ...fields]);
    await this.#connection.send(['EXPIRE', key, String(resultsLife)]);
  }
}

/** Milliseconds in which pages are given back. */
const closeTimeout = 5000;

/** Seconds that the results of a job wait for the process that runs it. */
const resultsLife = 24 * 60 * 60;

async function closeParts({ parts, own, closing }: ReturnType<typeof createParts>): Promise<void> {
  closing.abort(new PagewrightError('CANCELLED', 'The worker was closed.'));
  for (const part of own) await part.dispose?.();
  await parts.workers.close();
}
