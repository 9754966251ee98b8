/** Options that have to do with workers: their Redis server, the storage, the kind of worker. */
import { type Command, Option } from 'commander';
import type { FleetOptions } from '../fleet/index.ts';
import {
  type ClientOptions,
  fileStore,
  PagewrightError,
  redisStore,
  s3Store,
  sqliteStore,
  type Store,
} from '../index.ts';
import type { RequestValues } from './connection-options.ts';
import type { BrowserValues } from './page-options.ts';

/** The values that workers and those who send them pages have to agree on. */
export interface WorkerKindValues {
  /** As `storeOf` reads it. */
  readonly storage?: string;
  readonly prefix?: string;
  readonly place?: string;
  readonly setup?: string;
}

/** The values that commander parses for a command whose pages workers may visit. */
export interface FleetValues extends WorkerKindValues {
  /** The Redis server of the workers. */
  readonly fleet?: string;
}

/** Adds the options of a command whose pages workers may visit. */
export function addFleetOptions(command: Command): Command {
  command
    .optionsGroup('Workers:')
    .option('--fleet <url>', 'let the workers at this Redis visit the pages: redis://host:6379');
  return addWorkerKindOptions(command);
}

/** Adds the options that workers and those who send them pages have to agree on. */
export function addWorkerKindOptions(command: Command): Command {
  return command
    .option(
      '--storage <place>',
      'where the job and its documents are: redis://…, s3://bucket/prefix, a file.sqlite or a folder (default: the Redis of the workers)',
    )
    .option('--prefix <text>', 'the start of every key in Redis (default: pagewright:)')
    .option('--place <word>', 'where the workers are, such as eu-de')
    .option('--setup <word>', 'the name of their hooks, formats and parsers');
}

/** The Redis server of a fleet; a variable keeps its password out of the list of processes. */
export function redisOption(): Option {
  return new Option('--redis <url>', 'the Redis of the fleet: redis://user:password@host:6379')
    .env('REDIS_URL')
    .makeOptionMandatory();
}

/** Loads workers when they are wanted. tsc does not rewrite the path in a function that has `using`. */
export function loadFleet(): Promise<typeof import('../fleet/index.ts')> {
  return import('../fleet/index.ts');
}

/** The options of the fleet. */
export function fleetOptions(redis: string, values: WorkerKindValues): FleetOptions {
  const { prefix, place, setup } = values;
  return { redis, prefix, place, setup };
}

/** The workers of a client, and the storage that they share. Throws `BAD_REQUEST`. */
export async function fleetClientOptions(
  values: FleetValues & Pick<BrowserValues, 'profiles'> & Pick<RequestValues, 'cache'>,
): Promise<Pick<ClientOptions, 'fleet' | 'storage'>> {
  const { fleet: redis, storage = redis, prefix, place, setup, profiles, cache } = values;
  if (redis === undefined && (place ?? setup) !== undefined) {
    throw new PagewrightError('BAD_REQUEST', '--place and --setup need --fleet <url>.');
  }
  if (prefix !== undefined && !/^rediss?:/.test(redis ?? storage ?? '')) {
    const message = '--prefix is that of keys in Redis: it needs --fleet or --storage redis://….';
    throw new PagewrightError('BAD_REQUEST', message);
  }
  if (storage === undefined) return {};
  if (redis !== undefined && cache !== undefined) {
    const message =
      '--cache is a folder of this process, and workers visit the pages: leave it out.';
    throw new PagewrightError('BAD_REQUEST', message);
  }
  if (profiles !== undefined) {
    const message = '--profiles is a storage of its own: leave it out, or --fleet and --storage.';
    throw new PagewrightError('BAD_REQUEST', message);
  }
  if (redis === undefined) return { storage: storeOf(storage, prefix) };
  const { fleet } = await loadFleet();
  return { fleet: fleet(fleetOptions(redis, values)), storage: storeOf(storage, prefix) };
}

/** Opens the store that `--storage` names. Throws `BAD_REQUEST`. */
export function storeOf(place: string, prefix?: string): Store {
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(place) ?? [];
  if (scheme === 's3') return bucketOf(new URL(place));
  if (scheme !== undefined && !/^rediss?$/.test(scheme)) {
    const message = `--storage: there is no storage for ${scheme}://; give redis://…, s3://bucket/prefix, a file.sqlite or a folder.`;
    throw new PagewrightError('BAD_REQUEST', message);
  }
  if (scheme !== undefined) return redisStore({ url: place, ...(prefix && { prefix }) });
  return place.endsWith('.sqlite') ? sqliteStore({ file: place }) : fileStore(place);
}

/** Takes keys, region and endpoint from the environment, such as AWS_ACCESS_KEY_ID, AWS_REGION and AWS_ENDPOINT_URL. */
function bucketOf({ hostname, pathname }: URL): Store {
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env;
  const folder = pathname.replace(/^\/+|\/+$/g, '');
  return s3Store({
    bucket: hostname,
    endpoint: AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL,
    ...(folder === '' ? {} : { prefix: `${folder}/` }),
  });
}
