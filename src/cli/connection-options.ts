/** Options of every command: who may be contacted, as whom, and how much is read. */
import type { Command } from 'commander';
import { type Client, createClient, fileStore, fixturesEngine, PagewrightError } from '../index.ts';
import type { BrowserValues } from './browser-options.ts';
import { defaultLimits } from '../network/limits.ts';
import { warningForCommandLine } from './describe-error.ts';
import { defaultConcurrency } from '../options/concurrency.ts';
import { notice } from './notice.ts';
import { profileStore } from './profile-store.ts';
import { namedNumbers, repeated, siteFolder } from './option-values.ts';
import type { RequestValues } from './request-options.ts';

/** What commander makes of them. */
export interface ConnectionValues {
  readonly allow?: string[];
  readonly deny?: string[];
  readonly fixtures?: Record<string, string>;
  readonly userAgent?: string;
  readonly proxy?: string[];
  readonly limits?: Record<string, number>;
  readonly json?: true;
  /** Of the one job of the command, where it is one. */
  readonly maxConcurrency?: number;
  readonly maxConcurrencyPerHost?: number;
}

/** Adds them to a command. */
export function addConnectionOptions(command: Command): Command {
  return command
    .optionsGroup('Network:')
    .option(
      '--allow <host>',
      'contact this host, *.wildcard, address or CIDR range although it is not public; repeatable',
      repeated,
    )
    .option('--deny <host>', 'never contact this one; wins over --allow; repeatable', repeated)
    .option('--user-agent <text>', 'the User-Agent header')
    .option('--proxy <url>', 'go through this http:, https: or socks5: proxy; repeatable', repeated)
    .option('--limits <name=number,…>', Object.keys(defaultLimits).join(', '), namedNumbers)
    .option(
      '--fixtures <origin=folder>',
      'read the pages of this origin from a folder, without a socket; repeatable',
      siteFolder,
    );
}

/** Beside the connection: the folders for profiles and copies of pages. */
type FolderValues = Pick<BrowserValues, 'profiles'> &
  Partial<Pick<RequestValues, 'cache' | 'maxAge' | 'cacheOnly'>> & { readonly json?: true };

/**
 * A client as the options say. Without a folder for them no copies are kept: a run ends soon. Its
 * warnings are shown, and put into `told`.
 */
export function openClient(values: ConnectionValues & FolderValues, told: string[] = []): Client {
  const { cache, maxAge, cacheOnly } = values;
  if (cache === undefined && (maxAge !== undefined || cacheOnly !== undefined)) {
    throw new PagewrightError('BAD_REQUEST', '--max-age and --cache-only need --cache <folder>.');
  }
  const { allow, deny, fixtures, userAgent, proxy, limits, profiles } = values;
  const { maxConcurrency = 0, maxConcurrencyPerHost = maxConcurrency } = values;
  return createClient({
    // The client has nothing else to do: what the job is allowed, it is allowed.
    maxConcurrency: Math.max(maxConcurrency, defaultConcurrency.maxConcurrency),
    maxConcurrencyPerHost: Math.max(
      maxConcurrencyPerHost,
      defaultConcurrency.maxConcurrencyPerHost,
    ),
    storage: profiles === undefined ? undefined : profileStore(profiles),
    cache: cache === undefined ? false : { store: fileStore(cache) },
    network: { ...(allow === undefined ? {} : { allow }), ...(deny === undefined ? {} : { deny }) },
    engines: fixtures === undefined ? [] : [fixturesEngine(fixtures)],
    userAgent,
    proxy,
    limits,
    logger: {
      warn: (message) => {
        told.push(message);
        const shown = warningForCommandLine(message);
        notice(values.json === true ? JSON.stringify({ warning: shown }) : `warning: ${shown}`);
      },
    },
  });
}
