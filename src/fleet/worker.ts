/** A worker of a fleet: visits pages for jobs that other processes run. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { createParts } from '../client.ts';
import { messageOf, PagewrightError, ValidationError } from '../errors.ts';
import type { Format } from '../formats/format.ts';
import type { ClientOptions } from '../options/client-options.ts';
import type { Store } from '../storage/store.ts';
import { check } from '../text/check.ts';
import {
  endedChannel,
  type FleetConnection,
  type FleetOptions,
  type FleetSettings,
  openConnection,
  parseFleetOptions,
} from './redis-connections.ts';
import { RedisHosts } from './redis-hosts.ts';
import { VisitConsumers, type VisitSlots } from './visit-consumer.ts';

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
  /** Stops taking pages. Resolves when the visits under way are stored; gives the rest back after `timeout` ms. @default 30000 */
  drain(timeout?: number): Promise<void>;
}

const slotsSchema = z.object({
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
  // The copy also is one where a caller without types passes nothing.
  const given: Partial<WorkerOptions> = { ...options };
  const { fleet: fleetOptions, slots, browserSlots, ...clientOptions } = given;
  const settings = parseFleetOptions(fleetOptions, 'startWorker', ['fleet']);
  const pages = check('startWorker', slotsSchema, { slots, browserSlots });
  if (typeof clientOptions.storage?.replace !== 'function') {
    const message = 'storage: expected a store that the clients share and that has replace()';
    throw new ValidationError('startWorker', [{ path: ['storage'], message }]);
  }
  let connection: FleetConnection | undefined;
  const open = async (): Promise<FleetConnection> =>
    (connection ??= await openConnection(settings.redis));
  const own = createParts(clientOptions, new RedisHosts(settings, open));
  try {
    const { engines } = own.parts;
    const worker = new RedisWorker(settings, own, await open(), {
      http: pages.slots ?? 32,
      browser: pages.browserSlots ?? (engines.some(({ can }) => can.has('render')) ? 4 : 0),
    });
    await worker.start();
    return worker;
  } catch (error) {
    await closeParts(own);
    throw error;
  }
}

/** One that takes messages of a queue. */
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
  readonly #visits: VisitConsumers;
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
    slots: VisitSlots,
  ) {
    this.#settings = settings;
    this.#own = own;
    this.#connection = connection;
    this.#visits = new VisitConsumers({
      settings,
      connection,
      slots,
      parts: own.parts,
      draining: this.#draining.signal,
      onTaken: () => (this.#isAway = false),
      onError: (error) => this.#warn(error),
    });
    this.#consumers = [this.#visits];
  }

  get busy(): number {
    return this.#visits.busy;
  }

  async start(): Promise<void> {
    this.#listening = await openConnection(this.#settings.redis);
    await this.#listening.listen(endedChannel(this.#settings), (jobId) => this.#visits.end(jobId));
    for (const consumer of this.#consumers) await consumer.start();
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
    const closing = this.#consumers.map((consumer) => consumer.close().catch(() => undefined));
    // Without Redis nothing can be given back: the pages go to others after `recovery`.
    if ((await Promise.race([Promise.all(closing), late])) === 'late') {
      await Promise.all(this.#consumers.map((consumer) => consumer.disconnect()));
    }
    clearTimeout(timer);
    this.#draining.abort();
    this.#listening?.close();
    this.#connection.close();
    await closeParts(this.#own);
  }

  #warn(error: Error): void {
    if (this.#isAway || this.#drained !== undefined) return;
    this.#isAway = true;
    const { logger } = this.#own.parts;
    logger.warn(`The worker goes on when Redis is back: ${messageOf(error)}`);
  }
}

/** Milliseconds in which pages are given back. */
const closeTimeout = 5000;

async function closeParts({ parts, own, closing }: ReturnType<typeof createParts>): Promise<void> {
  closing.abort(new PagewrightError('CANCELLED', 'The worker was closed.'));
  for (const part of own) await part.dispose?.();
  await parts.workers.close();
}
