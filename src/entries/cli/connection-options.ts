/** Options of every command: the requests, the network, and the client with these options. */
import type { Command } from 'commander';
import {
  type Client,
  type ClientOptions,
  createClient,
  fileStore,
  memoryStore,
  PagewrightError,
  type Store,
} from '../../index.ts';
import { compact } from '../../core/runtime/compact.ts';
import { fixturesEngine } from '../testing/index.ts';
import { clientRows } from '../../core/options/client-rows.ts';
import { defaultConcurrency, fleetConcurrency } from '../../core/options/job-options.ts';
import type { CommandRun } from './command-run.ts';
import type { Log } from './log.ts';
import { modelOptions, type ModelValues } from './model-options.ts';
import { addFlags, type FlagValues, flagValues } from './flags.ts';
import type { PageValues } from './page-options.ts';
import { secretOption, storeOptions, type StoreValues } from './store-options.ts';

const fixturesFlag = {
  fixtures:
    '<origin=folder> read the pages of this origin from a folder, without network; repeatable',
} as const;

/** The values that commander parses. */
export interface ConnectionValues extends FlagValues<typeof fixturesFlag> {
  readonly allow?: string[];
  readonly deny?: string[];
  /** The only hosts that are contacted; an option of `mcp`. */
  readonly hosts?: string[];
  /** Of the command's job, if it runs one. */
  readonly maxConcurrency?: number | undefined;
  readonly maxConcurrencyPerHost?: number | undefined;
}

const { network, userAgent, proxy, limits } = clientRows;
const connectionRows = { network, userAgent, proxy, limits };

/** Adds the options to a command. */
export function addConnectionOptions(command: Command): Command {
  return addFlags(command.optionsGroup('Network:'), { ...connectionRows, ...fixturesFlag });
}

/** Further options: the folders for profiles and copies of pages, and where the job is stored. */
type FolderValues = Pick<PageValues, 'profiles' | 'cache' | 'maxAge' | 'cacheOnly'> & StoreValues;

/**
 * Opens a client with the options of the command line over those of the config file. Stores no copies of pages without
 * `--cache`, since a run is short. Warnings go to the log.
 */
export async function openClient(
  run: CommandRun,
  values: ConnectionValues & FolderValues & ModelValues,
  given: Pick<
    ClientOptions,
    'defaults' | 'fleet' | 'storage' | 'secret' | 'jobRetention' | 'engines' | 'model'
  > = storeOptions(values),
): Promise<Client> {
  const { cache, maxAge, cacheOnly, profiles } = values;
  const config = await run.config();
  if (cache === undefined && !config.cache && (maxAge !== undefined || cacheOnly !== undefined)) {
    throw new PagewrightError('BAD_REQUEST', '--max-age and --cache-only need --cache <folder>.');
  }
  if (given.jobRetention !== undefined && (given.storage ?? config.storage) === undefined) {
    throw new PagewrightError('BAD_REQUEST', '--job-retention needs --store <place>.');
  }
  if (profiles !== undefined && given.storage !== undefined) {
    const message = '--profiles is a store, too: remove it, or --fleet and --store.';
    throw new PagewrightError('BAD_REQUEST', message);
  }
  const fleet = given.fleet ?? config.fleet;
  const { maxConcurrency = 0, maxConcurrencyPerHost = maxConcurrency } = values;
  const most = fleet === undefined ? defaultConcurrency : fleetConcurrency;
  const { network, ...connection } = connectionOptions(values, run.log);
  return createClient({
    cache: false,
    // The client runs only this job: the limits of the job are the limits of the client.
    maxConcurrency: Math.max(maxConcurrency, most.maxConcurrency),
    maxConcurrencyPerHost: Math.max(maxConcurrencyPerHost, most.maxConcurrencyPerHost),
    ...config,
    ...compact<typeof connection>(connection),
    network: { ...config.network, ...network },
    ...(profiles === undefined ? {} : { storage: profileStore(profiles) }),
    ...((profiles ?? config.storage) === undefined ? {} : secretOption()),
    ...modelOptions(values),
    ...given,
    ...(cache === undefined ? {} : { cache: { store: fileStore(cache) } }),
  });
}

/** The options of a client or a worker that every command has. Warnings are logged. */
export function connectionOptions(
  values: ConnectionValues,
  log: Log,
): Pick<ClientOptions, 'network' | 'engines' | 'userAgent' | 'proxy' | 'limits' | 'logger'> {
  const { hosts, fixtures } = values;
  const { network, proxy, ...others } = flagValues(connectionRows, values);
  return {
    ...others,
    // One is not a list: it may be 'environment'.
    proxy: Array.isArray(proxy) && proxy.length === 1 ? (proxy[0] as string) : proxy,
    network: { ...network, ...(hosts === undefined ? {} : { only: hosts }) },
    engines: fixtures === undefined ? undefined : [fixturesEngine(fixtures)],
    logger: log.logger,
  };
}

// The storage of a run with a profile: profiles stay in a folder, everything else is in memory.

/** Opens a folder for profiles; it is created with the first profile. */
function profileStore(folder: string): Store {
  const profiles = fileStore(folder);
  const others = memoryStore();
  const storeOf = (key: string): Store => (key.startsWith('profiles/') ? profiles : others);
  return {
    get: (key) => storeOf(key).get(key),
    set: (key, value, options) => storeOf(key).set(key, value, options),
    delete: (key) => storeOf(key).delete(key),
    list: (prefix) => storeOf(prefix).list(prefix),
  };
}
