/** Options that have to do with workers: their Redis server, the storage, the kind of worker. */
import { type Command, Option } from 'commander';
import type { FleetOptions } from '../fleet/index.ts';
import { type ClientOptions, PagewrightError } from '../../index.ts';
import { loadModule } from '../../core/runtime/load-module.ts';
import { addFlags, type FlagValues } from './flags.ts';
import type { PageValues } from './page-options.ts';
import { prefixOption, storeOption, type StoreValues, storeOptions } from './store-options.ts';

const placeFlags = {
  place: '<word> location of the workers, such as eu-de',
  setup: '<word> the name of their hooks, formats and parsers',
} as const;
const fleetFlag = {
  fleet: '<url> visit pages with the workers at this Redis: redis://host:6379',
} as const;

/** The values that workers and senders of pages have to agree on. */
export interface WorkerKindValues extends StoreValues, FlagValues<typeof placeFlags> {}

/** The values that commander parses for a command whose pages workers may visit. */
export interface FleetValues extends WorkerKindValues, FlagValues<typeof fleetFlag> {}

/** Adds the options of a command whose pages workers may visit. */
export function addFleetOptions(command: Command): Command {
  return addFlags(command.optionsGroup('Workers:'), { ...fleetFlag, ...placeFlags });
}

/** Adds the options that workers and senders of pages have to agree on. */
export function addWorkerKindOptions(command: Command): Command {
  command
    .addOption(storeOption('the store of the jobs and their documents', 'the Redis of the workers'))
    .addOption(prefixOption());
  return addFlags(command, placeFlags);
}

/** The Redis server of a fleet; a variable hides its password from the list of processes. */
export function redisOption(): Option {
  return new Option('--redis <url>', 'the Redis of the fleet: redis://user:password@host:6379')
    .env('REDIS_URL')
    .makeOptionMandatory();
}

/** Loads workers on demand. tsc does not rewrite the path in a function that has `using`. */
export function loadFleet(): Promise<typeof import('../fleet/index.ts')> {
  return loadModule(() => import('../fleet/index.ts'));
}

/** The options of the fleet. */
export function fleetOptions(redis: string, values: WorkerKindValues): FleetOptions {
  const { prefix, place, setup } = values;
  return { redis, prefix, place, setup };
}

/** The workers of a client, and the storage that they share. Throws `BAD_REQUEST`. */
export async function fleetClientOptions(
  values: FleetValues & Pick<PageValues, 'profiles' | 'cache'>,
): Promise<Pick<ClientOptions, 'fleet' | 'storage' | 'secret' | 'jobRetention'>> {
  const { fleet: redis, place, setup, cache, prefix, jobRetention } = values;
  if (redis === undefined && (place ?? setup) !== undefined) {
    throw new PagewrightError('BAD_REQUEST', '--place and --setup need --fleet <url>.');
  }
  if (redis === undefined) return storeOptions(values);
  if (cache !== undefined) {
    const message = '--cache is a folder on this machine, but workers visit the pages: remove it.';
    throw new PagewrightError('BAD_REQUEST', message);
  }
  const { fleet } = await loadFleet();
  const store = values.store ?? redis;
  // Workers use the prefix for their keys in Redis, whichever store holds the jobs.
  const isRedis = /^rediss?:/.test(store);
  return {
    fleet: fleet(fleetOptions(redis, values)),
    ...storeOptions({
      store,
      ...(isRedis && prefix !== undefined ? { prefix } : {}),
      ...(jobRetention === undefined ? {} : { jobRetention }),
    }),
  };
}
