/** The store of a command, which holds its jobs and documents. */
import { type Command, Option } from 'commander';
import { type ClientOptions, fileStore, PagewrightError, type Store } from '../../index.ts';
import { redisStore, s3Store, sqliteStore } from '../storage/index.ts';
import { addFlags, type FlagValues } from './flags.ts';

/** The values that commander parses. */
export interface StoreValues extends FlagValues<typeof retentionFlag> {
  /** As `storeOf` reads it. */
  readonly store?: string;
  readonly prefix?: string;
}

const retentionFlag = {
  jobRetention: '<time> with --store: keep the job this long after its end (default: 1 day)',
} as const;

/** The option that names the store; `fallback` names the location without it. */
export function storeOption(purpose: string, fallback?: string): Option {
  const locations = 'a folder, a file.sqlite, redis://…, s3://bucket/prefix';
  const text = `${purpose}: ${locations}${fallback === undefined ? '' : ` (default: ${fallback})`}`;
  // The first name is the older one.
  return new Option('--storage, --store <place>', text).env('PAGEWRIGHT_STORE');
}

/** The start of every key in Redis. */
export function prefixOption(): Option {
  return new Option('--prefix <text>', 'prefix of every key in Redis (default: pagewright:)');
}

/** Adds the options of a command whose job is resumed from its store. */
export function addStoreOptions(command: Command): Command {
  command
    .optionsGroup('Store:')
    .addOption(storeOption('store the job, so that it can be resumed'))
    .addOption(prefixOption());
  return addFlags(command, retentionFlag);
}

/**
 * True if the jobs of a command last: in `--store`, or in the storage of the config file, which `--fleet` and
 * `--profiles` replace.
 */
export function isStored(
  values: Pick<StoreValues, 'store'> & { readonly fleet?: string; readonly profiles?: string },
  config: ClientOptions,
): boolean {
  const { store, fleet = store, profiles = fleet } = values;
  return store !== undefined || (profiles === undefined && config.storage !== undefined);
}

/** The secret of the environment, which encrypts the secrets of jobs in a store. */
export function secretOption(): Pick<ClientOptions, 'secret'> {
  const secret = process.env['PAGEWRIGHT_SECRET'] || undefined;
  return secret === undefined ? {} : { secret };
}

/** The storage of a client. Throws `BAD_REQUEST`. */
export function storeOptions({
  store,
  prefix,
  jobRetention,
}: StoreValues): Pick<ClientOptions, 'storage' | 'secret' | 'jobRetention'> {
  if (prefix !== undefined && !/^rediss?:/.test(store ?? '')) {
    const message = '--prefix is for keys in Redis: it needs --store redis://….';
    throw new PagewrightError('BAD_REQUEST', message);
  }
  return {
    ...(store === undefined ? {} : { storage: storeOf(store, prefix), ...secretOption() }),
    ...(jobRetention === undefined ? {} : { jobRetention }),
  };
}

/** Opens the store that `--store` names. Throws `BAD_REQUEST`. */
export function storeOf(location: string, prefix?: string): Store {
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(location) ?? [];
  if (scheme === 's3') return bucketOf(new URL(location));
  if (scheme !== undefined && !/^rediss?$/.test(scheme)) {
    const message = `--store: there is no store for ${scheme}://; give a folder, a file.sqlite, redis://… or s3://bucket/prefix.`;
    throw new PagewrightError('BAD_REQUEST', message);
  }
  if (scheme !== undefined) return redisStore({ url: location, ...(prefix && { prefix }) });
  return location.endsWith('.sqlite') ? sqliteStore({ file: location }) : fileStore(location);
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
