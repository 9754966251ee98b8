/** The connections of a fleet to Redis, and the names of its keys there. */
import type { IRedisClient, Queue, QueueOptions, Telemetry } from 'bullmq';
import { messageOf, PagewrightError } from '../../core/runtime/errors.ts';
import { loadPackage, requirePackages } from '../../core/runtime/optional-packages.ts';
import { z } from 'zod';
import { packageVersion } from '../../core/runtime/package-version.ts';
import { check } from '../../core/checks/check.ts';

/** The Redis server of a fleet. */
export interface FleetOptions {
  /** `redis://user:password@host:6379/0`, or `rediss:` for TLS. Its `maxmemory-policy` has to be `noeviction`. */
  readonly redis: string;
  /** The prefix of every key; fleets with other prefixes do not meet. @default 'pagewright:' */
  readonly prefix?: string | undefined;
  /** Milliseconds after which the pages of a silent worker are given to others, 1000 to 300000. @default 15000 */
  readonly recovery?: number | undefined;
  /** Where the workers are, such as `eu-de`: pages go only to workers with the same word. @default none */
  readonly place?: string | undefined;
  /** Names the hooks, formats and parsers of the workers: pages go only to those with the same word. @default none */
  readonly setup?: string | undefined;
  /**
   * Traces and metrics of the queues, as BullMQ takes it: `new BullMQOtel({ tracerName })` of the package
   * `bullmq-otel`. @default none
   */
  readonly telemetry?: Telemetry | undefined;
}

/** The checked options. */
export interface FleetSettings extends Pick<
  FleetOptions,
  'redis' | 'place' | 'setup' | 'telemetry'
> {
  readonly prefix: string;
  readonly recovery: number;
}

export const wordSchema: z.ZodOptional<z.ZodString> = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/i, 'expected 1 to 64 letters, digits and hyphens')
  .optional();

const optionsSchema = z.strictObject({
  // The check would show a password.
  redis: z.custom<string>(
    (url) =>
      typeof url === 'string' && URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol),
    'expected a URL such as redis://127.0.0.1:6379',
  ),
  prefix: z.string().min(1).optional(),
  recovery: z.int().min(1000).max(300_000).optional(),
  place: wordSchema,
  setup: wordSchema,
  telemetry: z
    .custom<Telemetry>(
      (value) => typeof (value as Partial<Telemetry> | null)?.tracer?.startSpan === 'function',
      'expected the telemetry of BullMQ, with its tracer',
    )
    .optional(),
} satisfies Record<keyof FleetOptions, z.ZodType>);

/** Checks the options of a fleet; throws `BAD_REQUEST`, and `MISSING_DEPENDENCY` without its packages. */
export function parseFleetOptions(
  options: unknown,
  subject: string,
  at: readonly string[] = [],
): FleetSettings {
  const {
    redis,
    prefix = 'pagewright:',
    recovery = 15_000,
    place,
    setup,
    telemetry,
  } = check(subject, optionsSchema, options, { at });
  requirePackages('pagewright/fleet', 'bullmq', 'redis');
  return { redis, prefix, recovery, place, setup, telemetry };
}

/** The packages that a fleet needs. Rejects with `MISSING_DEPENDENCY`. */
export async function loadPackages(): Promise<{
  readonly bullmq: typeof import('bullmq');
  readonly redis: typeof import('redis');
}> {
  return {
    bullmq: await loadPackage('pagewright/fleet', 'bullmq', () => import('bullmq')),
    redis: await loadPackage('pagewright/fleet', 'redis', () => import('redis')),
  };
}

/** One connection, as BullMQ uses it, and for our own commands. */
export interface FleetConnection {
  readonly bullmq: IRedisClient;
  send(args: readonly (string | Uint8Array)[]): Promise<unknown>;
  /** The same; texts of the reply are bytes. */
  sendForBytes(args: readonly string[]): Promise<unknown>;
  /** Listens to a channel; the connection then serves nothing else. */
  listen(channel: string, hear: (message: string) => void): Promise<void>;
  /** The connection does not keep the process alive. */
  unref(): void;
  close(): void;
}

/** Opens a connection, which is opened again whenever it is lost. Rejects with `STORAGE`. */
export async function openConnection(url: string): Promise<FleetConnection> {
  const { bullmq, redis } = await loadPackages();
  let isClosed = false;
  const client = redis.createClient({
    url,
    // Replies to our own commands are lists.
    RESP: 2,
    socket: {
      connectTimeout: 5000,
      // BullMQ makes copies of the connection, which end with it.
      reconnectStrategy: (tries) => !isClosed && Math.min(50 * 2 ** tries, 1000),
    },
  });
  let isOpen = false;
  const failed = new Promise<never>((_, reject) => {
    client.on('error', (error: unknown) => {
      if (!isOpen) reject(new Error(messageOf(error)));
    });
  });
  const { host } = new URL(url);
  try {
    await Promise.race([client.connect(), failed]);
  } catch (error) {
    client.destroy();
    const message = `Redis at ${host} cannot be reached: ${messageOf(error)}. Check the URL and that it runs.`;
    throw new PagewrightError('STORAGE', message, { cause: error });
  }
  isOpen = true;
  failed.catch(() => undefined);
  const withBytes = client.withTypeMapping({ [redis.RESP_TYPES.BLOB_STRING]: Buffer });
  const adapter = bullmq.createNodeRedisClient(client);
  // Commands reject with the errors that matter.
  adapter.on('error', () => undefined);
  return {
    bullmq: adapter,
    send: (args) => client.sendCommand(args.map(argument)),
    sendForBytes: (args) => withBytes.sendCommand([...args]),
    unref: () => client.unref(),
    listen: (channel, hear) => client.subscribe(channel, hear),
    close: () => {
      isClosed = true;
      if (client.isOpen) client.destroy();
    },
  };
}

function argument(value: string | Uint8Array): string | Buffer {
  return typeof value === 'string'
    ? value
    : Buffer.from(value.buffer, value.byteOffset, value.length);
}

/** Pages that need a browser, and all others. */
export const engineClasses = ['http', 'browser'] as const;

export type EngineClass = (typeof engineClasses)[number];

/** The name of a queue of visits, which only workers with the same version, place and set-up take from. */
export function visitQueue(settings: FleetSettings, engineClass: EngineClass): string {
  return queueName('visits', settings, engineClass);
}

/** The queues of crawls: one of crawls that wait to be run, one of running crawls to watch. */
export function crawlQueues(settings: FleetSettings): {
  readonly run: string;
  readonly watch: string;
} {
  return { run: queueName('crawls', settings), watch: queueName('crawls', settings, 'watch') };
}

/** Two minor versions may read a page differently. A queue of BullMQ has no `:` in its name. */
export function queueName(
  kind: 'visits' | 'crawls',
  { place, setup }: FleetSettings,
  ...more: readonly string[]
): string {
  const words = [kind, `v${minorOf(packageVersion()).replace('.', '-')}`, ...more];
  if (place !== undefined) words.push(`place=${place}`);
  if (setup !== undefined) words.push(`setup=${setup}`);
  return words.join('.');
}

/** `0.1` of `0.1.3`: the part that workers and their jobs share. */
export function minorOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}

/** The parts of the name of a queue. */
export interface QueueParts extends Pick<FleetSettings, 'place' | 'setup'> {
  readonly kind: string;
  /** Major and minor. */
  readonly version: string;
  /** Of visits. */
  readonly engine: EngineClass | undefined;
}

/** Parses a name that `queueName` made. */
export function readQueueName(name: string): QueueParts {
  const [kind = '', version = '', ...words] = name.split('.');
  const valueOf = (key: string): string | undefined =>
    words.find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1);
  return {
    kind,
    version: version.replace(/^v/, '').replace('-', '.'),
    engine: engineClasses.find((engine) => engine === words[0]),
    place: valueOf('place'),
    setup: valueOf('setup'),
  };
}

/** True for a name that `queueName` makes. */
export function isQueueName(name: string): boolean {
  const { kind, place, setup, version } = readQueueName(name);
  if (kind !== 'visits' && kind !== 'crawls') return false;
  const isWord = (word: string | undefined): boolean => wordSchema.safeParse(word).success;
  return /^\d{1,9}\.\d{1,9}$/.test(version) && name.length < 300 && isWord(place) && isWord(setup);
}

/** Opens a queue of BullMQ. */
export async function openQueue(
  settings: FleetSettings,
  connection: FleetConnection,
  name: string,
  options: Pick<QueueOptions, 'skipMetasUpdate'> = {},
): Promise<Queue> {
  const { bullmq } = await loadPackages();
  const queue = new bullmq.Queue(name, {
    ...options,
    connection: connection.bullmq,
    prefix: queuePrefix(settings),
    ...(settings.telemetry && { telemetry: settings.telemetry }),
  });
  // Connections report their errors to the commands that wait for them.
  queue.on('error', () => undefined);
  return queue;
}

/** The prefix of the keys of BullMQ. */
export function queuePrefix({ prefix }: FleetSettings): string {
  return `${prefix}fleet`;
}

/** The stream in which workers report the finished visits of a job. */
export function resultsKey({ prefix }: FleetSettings, jobId: string): string {
  return `${prefix}fleet:results:${jobId}`;
}

/** The fleet's state of a host and port: a hash. */
export function hostKey({ prefix }: FleetSettings, host: string): string {
  return `${prefix}fleet:host:${host}`;
}

/** The channel that sends workers the ids of jobs that have ended. */
export function endedChannel({ prefix }: FleetSettings): string {
  return `${prefix}fleet:ended`;
}

/** The set of the ids of all workers. */
export function workersKey({ prefix }: FleetSettings): string {
  return `${prefix}fleet:workers`;
}

/** The key of a worker's description of itself. */
export function workerKey({ prefix }: FleetSettings, id: string): string {
  return `${prefix}fleet:worker:${id}`;
}

/** The set of the names of all queues that pages or crawls were sent to. */
export function queuesKey({ prefix }: FleetSettings): string {
  return `${prefix}fleet:queues`;
}

/** Present while the fleet is paused. */
export function pausedKey({ prefix }: FleetSettings): string {
  return `${prefix}fleet:paused`;
}
