/** A worker of a fleet: visits pages for jobs that other processes run. */
import { randomUUID } from 'node:crypto';
import type { Job } from 'bullmq';
import { z } from 'zod';
import { createParts } from '../client.ts';
import { JobVisits } from '../client/job-visits.ts';
import { messageOf, PagewrightError, ValidationError } from '../errors.ts';
import type { Format } from '../formats/format.ts';
import type { VisitTask } from '../model/page-visitor.ts';
import type { ClientOptions } from '../options/client-options.ts';
import type { Store } from '../storage/store.ts';
import { check } from '../text/check.ts';
import { VisitTurns } from './alone.ts';
import { hashOf } from './fleet.ts';
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
  /** The same place as that of the clients, with `replace`. */
  readonly storage: Store;
  /** Pages at a time, 1 to 1000. @default 32 */
  readonly slots?: number | undefined;
}

/** A worker that runs. */
export interface FleetWorker extends AsyncDisposable {
  readonly id: string;
  /** Pages that it visits now. */
  readonly busy: number;
  /** Takes no more pages; resolves when those that it has are stored, or given back after `timeout` ms. @default 30000 */
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
  const { fleet: fleetOptions, slots, ...clientOptions } = options;
  const settings = parseFleetOptions(fleetOptions, 'startWorker');
  const pages = check('startWorker', slotsSchema, slots, { at: ['slots'] }) ?? 32;
  if (typeof (options.storage as Store | undefined)?.replace !== 'function') {
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
  readonly #turns = new VisitTurns();
  /** By job: ends its visits. */
  readonly #ends = new Map<string, AbortController>();
  readonly #draining = new AbortController();
  #busy = 0;
  #listening: FleetConnection | undefined;
  #worker: { close(): Promise<void> } | undefined;
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
      if (!this.#draining.signal.aborted) this.#own.parts.logger.warn(messageOf(error));
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
    await this.#worker?.close();
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
    try {
      // A worker was lost while it had this page.
      const isSuspect = message.stalledCounter > 0;
      await this.#turns.run(isSuspect, async () => {
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

/** Seconds that the results of a job wait for the process that runs it. */
const resultsLife = 24 * 60 * 60;

async function closeParts({ parts, own, closing }: ReturnType<typeof createParts>): Promise<void> {
  closing.abort(new PagewrightError('CANCELLED', 'The worker was closed.'));
  for (const part of own) await part.dispose?.();
  await parts.workers.close();
}
