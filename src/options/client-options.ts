/** What a caller may say to `createClient()`: types, defaults and checks. */
import { z } from 'zod';
import type { Engine } from '../engines/engine.ts';
import type { Format } from '../formats/format.ts';
import { builtInFormat } from '../formats/index.ts';
import type { Limits } from '../model/request.ts';
import type { NetworkConfig } from '../network/policy.ts';
import type { Parser } from '../parsers/parser.ts';
import type { RequestQueueStorage } from '../storage/request-queue-storage.ts';
import type { Store } from '../storage/store.ts';
import { check } from './check.ts';
import { refuseUnsupported } from './refuse-unsupported.ts';
import { limitsSchema } from './scrape-options.ts';

/** Options of `createClient()`. */
export interface ClientOptions<Custom extends readonly Format[] = readonly Format[]> {
  /** Where documents of jobs are kept. @default in memory */
  readonly storage?: Store | undefined;
  /** Makes the queue of one crawl. @default in memory */
  readonly requestQueue?:
    ((jobId: string) => RequestQueueStorage | Promise<RequestQueueStorage>) | undefined;
  /** Engines of your own; they are asked beside the built-in ones, the cheapest that fits is taken. */
  readonly engines?: readonly Engine[] | undefined;
  /** Parsers of your own; they are asked before the built-in ones. */
  readonly parsers?: readonly Parser[] | undefined;
  /** Formats of your own; callers ask for them by name. */
  readonly formats?: Custom | undefined;
  /** Which addresses may be contacted beside public ones, and which may not. @default public addresses only */
  readonly network?: NetworkConfig | undefined;
  /** How much of a response is read. */
  readonly limits?: Partial<Limits> | undefined;
  /** The User-Agent header. @default 'Mozilla/5.0 (compatible; pagewright/0.1)' */
  readonly userAgent?: string | undefined;
  /** Where warnings go that belong to no result. @default process warnings */
  readonly logger?: { warn(message: string): void } | undefined;
  /** Times and ids, for tests: the same clock gives the same ids. @default the system's */
  readonly clock?: { now(): number; random(): number } | undefined;
}

/** Checks the options of `createClient()`; throws at once. */
export function parseClientOptions<Custom extends readonly Format[]>(
  options: ClientOptions<Custom>,
): ClientOptions<Custom> {
  refuseUnsupported('createClient', options, laterParts);
  return check('createClient', clientSchema, options) as ClientOptions<Custom>;
}

/** An object with these methods; anything else about it is the caller's business. */
function having<T>(what: string, ...methods: readonly string[]): z.ZodType<T> {
  return z.custom<T>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function'),
    `expected ${what} with ${methods.map((name) => `${name}()`).join(', ')}`,
  );
}

const format = having<Format>('a format', 'run').refine(
  ({ name }) => typeof name === 'string' && builtInFormat(name) === undefined,
  'expected a format with a name that no built-in format has',
);

const clientSchema = z.strictObject({
  storage: having<Store>('a store', 'get', 'set', 'delete', 'list').optional(),
  requestQueue: z
    .custom((value) => typeof value === 'function', 'expected a function of the job id')
    .optional(),
  engines: z.array(having<Engine>('an engine', 'fetch')).optional(),
  parsers: z.array(having<Parser>('a parser', 'accepts', 'parse')).optional(),
  formats: z.array(format).optional(),
  network: z
    .strictObject({
      allow: z.array(z.string()).optional(),
      deny: z.array(z.string()).optional(),
    })
    .optional(),
  limits: limitsSchema.optional(),
  userAgent: z
    .string()
    .regex(/^[\x20-\x7e]+$/, 'expected printable ASCII')
    .optional(),
  logger: having('a logger', 'warn').optional(),
  clock: having('a clock', 'now', 'random').optional(),
} satisfies Record<keyof ClientOptions, z.ZodType>);

/** Parts of the contract that this version does not have. */
const laterParts = ['proxy', 'model', 'browser', 'cache', 'actions', 'hooks'];
