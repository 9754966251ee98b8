/** A worker of a fleet: visits pages of jobs that other processes run, and runs crawls that were handed over. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { createParts } from '../../client.ts';
import { messageOf, PagewrightError, ValidationError } from '../../core/runtime/errors.ts';
import type { Format } from '../../content/formats/format.ts';
import type { WorkerStatus } from '../../core/model/fleet-status.ts';
import type { ClientOptions } from '../../core/options/client-options.ts';
import type { Store } from '../../core/storage/store.ts';
import { defaultConcurrency } from '../../core/options/job-options.ts';
import { check } from '../../core/checks/check.ts';
import { CrawlConsumer } from './crawl-consumer.ts';
import { fleet } from './fleet.ts';
import { packageVersion } from '../../core/runtime/package-version.ts';
import { workerMetrics } from './metrics.ts';
import {
  endedChannel,
  type FleetConnection,
  type FleetOptions,
  type FleetSettings,
  openConnection,
  parseFleetOptions,
} from './redis-connections.ts';
import { RedisHosts } from './redis-hosts.ts';
import { RosterEntry } from './roster.ts';
import { VisitConsumers, type VisitSlots } from './visit-consumer.ts';
import { VisitCounters } from './visit-counters.ts';

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
  /** Pages of jobs, whole crawls of `client.submit()`, or both. @default ['visits', 'crawls'] */
  readonly takes?: readonly ('visits' | 'crawls')[] | undefined;
  /**
   * Crawls at a time that it runs, 1 to 100; it watches as many of other workers, and resumes them when their worker
   * is gone. @default 4
   */
  readonly crawls?: number | undefined;
  /** Pages at a time, 1 to 1000. @default 32 */
  readonly slots?: number | undefined;
  /**
   * Pages at a time that need a browser, 0 to 1000; beside the other slots. With 0 such pages are left to other
   * workers. @default 4, and 0 with `browser: false`
   */
  readonly browserSlots?: number | undefined;
}

/** A worker that runs. */
export interface FleetWorker extends AsyncDisposable {
  readonly id: string;
  /** Pages that it visits now. */
  readonly busy: number;
  /** Crawls that it runs now. */
  readonly running: number;
  /** What `fleet.status()` says of this worker, as it is now. */
  status(): WorkerStatus;
  /** Its numbers in the text format of Prometheus. */
  metrics(): string;
  /**
   * Stops taking pages and crawls, and leaves its crawls to other workers. Resolves when the visits under way are
   * stored; gives the rest back after `timeout` ms. @default 30000
   */
  drain(timeout?: number): Promise<void>;
}

const ownSchema = z.object({
  takes: z
    .array(z.enum(['visits', 'crawls']))
    .min(1)
    .optional(),
  crawls: z.int().min(1).max(100).optional(),
  slots: z.int().min(1).max(1000).optional(),
  browserSlots: z.int().min(0).max(1000).optional(),
});

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
  // The copy is an object even where a caller without types passes nothing.
  const given: Partial<WorkerOptions> = { ...options };
  const { fleet: fleetOptions, takes, crawls, slots, browserSlots, ...clientOptions } = given;
  const settings = parseFleetOptions(fleetOptions, 'startWorker', ['fleet']);
  const checked = check('startWorker', ownSchema, { takes, crawls, slots, browserSlots });
  if (typeof clientOptions.storage?.replace !== 'function') {
    const message = 'storage: expected a store that the clients share and that has replace()';
    throw new ValidationError('startWorker', [{ path: ['storage'], message }]);
  }
  const takesVisits = checked.takes?.includes('visits') ?? true;
  const takesCrawls = checked.takes?.includes('crawls') ?? true;
  const renders = clientOptions.browser !== false;
  const visitSlots = takesVisits
    ? { http: checked.slots ?? 32, browser: checked.browserSlots ?? (renders ? 4 : 0) }
    : { http: 0, browser: 0 };
  // Every slot may have a request in flight.
  const { maxConcurrency } = defaultConcurrency;
  const mostPages = Math.max(maxConcurrency, visitSlots.http + visitSlots.browser);
  const ownOptions = { maxConcurrency: mostPages, ...clientOptions };
  let connection: FleetConnection | undefined;
  const open = async (): Promise<FleetConnection> =>
    (connection ??= await openConnection(settings.redis));
  const own = createParts(ownOptions, new RedisHosts(settings, open), 'startWorker');
  // Crawls run on a client whose pages the fleet visits.
  const crawling = takesCrawls
    ? createParts({ ...clientOptions, fleet: fleet(settings) })
    : undefined;
  let worker: RedisWorker | undefined;
  try {
    worker = new RedisWorker(settings, own, await open(), {
      slots: visitSlots,
      crawls: checked.crawls ?? 4,
      crawling,
    });
    await worker.start();
    return worker;
  } catch (error) {
    if (worker === undefined) await closeParts(own, crawling);
    else await worker.drain(0);
    throw error;
  }
}

interface WorkerRooms {
  /** All 0 for a worker that takes no pages. */
  readonly slots: VisitSlots;
  /** Crawls at a time. */
  readonly crawls: number;
  /** The parts for crawls; undefined for a worker that takes none. */
  readonly crawling: ReturnType<typeof createParts> | undefined;
}

/** A consumer of messages of a queue. */
interface Consumer {
  /** Rejects with `STORAGE` when Redis cannot be reached. */
  start(): Promise<void>;
  /** Takes no more; resolves when everything that it has is done. */
  close(): Promise<void>;
  /** Ends its connections at once. */
  disconnect(): Promise<void>;
}

class RedisWorker implements FleetWorker {
  readonly id: string = randomUUID();
  readonly #settings: FleetSettings;
  readonly #own: ReturnType<typeof createParts>;
  readonly #connection: FleetConnection;
  readonly #slots: VisitSlots;
  readonly #counters: VisitCounters = new VisitCounters(this.id);
  readonly #roster: RosterEntry;
  readonly #visits: VisitConsumers;
  readonly #crawling: ReturnType<typeof createParts> | undefined;
  readonly #crawls: CrawlConsumer | undefined;
  readonly #consumers: readonly Consumer[];
  readonly #draining = new AbortController();
  /** True from an error of Redis until the next page. */
  #isAway = false;
  #listening: FleetConnection | undefined;
  #drained: Promise<void> | undefined;

  constructor(
    settings: FleetSettings,
    own: ReturnType<typeof createParts>,
    connection: FleetConnection,
    { slots, crawls, crawling }: WorkerRooms,
  ) {
    this.#settings = settings;
    this.#crawling = crawling;
    this.#own = own;
    this.#connection = connection;
    this.#slots = slots;
    this.#roster = new RosterEntry(connection, settings, () => this.status());
    this.#visits = new VisitConsumers({
      settings,
      connection,
      slots,
      parts: own.parts,
      counters: this.#counters,
      draining: this.#draining.signal,
      onTaken: () => (this.#isAway = false),
      onError: (error) => this.#warn(error),
    });
    this.#crawls =
      crawling &&
      new CrawlConsumer({
        settings,
        connection,
        crawls,
        parts: crawling.parts,
        retention: crawling.retention,
        onTaken: () => (this.#isAway = false),
        onError: (error) => this.#warn(error),
      });
    const visits = slots.http > 0 ? [this.#visits] : [];
    this.#consumers = [...visits, ...(this.#crawls ? [this.#crawls] : [])];
  }

  get busy(): number {
    return this.#visits.busy;
  }

  get running(): number {
    return this.#crawls?.running ?? 0;
  }

  status(): WorkerStatus {
    const { place, setup } = this.#settings;
    return {
      id: this.id,
      host: hostname(),
      pid: process.pid,
      version: packageVersion(),
      place,
      setup,
      slots: this.#slots,
      busy: this.#counters.numbers(({ busy }) => busy),
      isDraining: this.#drained !== undefined,
      rss: process.memoryUsage.rss(),
      visits: this.#counters.sum(({ ended }) => ended),
      lost: this.#counters.sum(({ outcomes }) => outcomes.lost),
    };
  }

  metrics(): string {
    return workerMetrics(this.status(), this.#counters);
  }

  async start(): Promise<void> {
    this.#listening = await openConnection(this.#settings.redis);
    await this.#listening.listen(endedChannel(this.#settings), (jobId) => this.#visits.end(jobId));
    for (const consumer of this.#consumers) await consumer.start();
    await this.#roster.start();
  }

  drain(timeout = 30_000): Promise<void> {
    if (this.#drained === undefined) {
      this.#drained = this.#drain(timeout);
      // Jobs no longer count on its slots.
      void this.#roster.write();
    }
    return this.#drained;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.drain();
  }

  async #drain(timeout: number): Promise<void> {
    const timer = setTimeout(() => this.#draining.abort(), timeout);
    const late = sleep(timeout + closeTimeout, 'late', { ref: false });
    const closing = this.#consumers.map((consumer) => consumer.close().catch(() => undefined));
    // Without Redis nothing can be given back: the pages go to others after `recovery`.
    if ((await Promise.race([Promise.all(closing), late])) === 'late') {
      await Promise.all(this.#consumers.map((consumer) => consumer.disconnect()));
    }
    clearTimeout(timer);
    this.#draining.abort();
    await this.#roster.remove();
    this.#listening?.close();
    this.#connection.close();
    await closeParts(this.#own, this.#crawling);
  }

  #warn(error: Error): void {
    if (this.#isAway || this.#drained !== undefined) return;
    // Another worker has a message of this one, which was too slow: the result stored first counts.
    if (/\block\b|Missing key/i.test(messageOf(error))) return;
    this.#isAway = true;
    const { logger } = this.#own.parts;
    logger.warn(`The worker continues when Redis is back: ${messageOf(error)}`);
  }
}

const closeTimeout = 5000; // milliseconds in which pages are given back

/** Closes the parts of crawls, then of visits. */
async function closeParts(
  visits: ReturnType<typeof createParts>,
  crawls: ReturnType<typeof createParts> | undefined,
): Promise<void> {
  for (const { parts, own, closing } of [...(crawls ? [crawls] : []), visits]) {
    closing.abort(new PagewrightError('CANCELLED', 'The worker was closed.'));
    for (const part of own) await part.dispose?.();
    await parts.workers.close();
  }
}
