/** Options of commands that fetch pages: how one page is asked for. */
import { type Command, Option } from 'commander';
import type { ScrapeOptions } from '../index.ts';
import { header, list, number } from './option-values.ts';

/** What commander makes of those about the way to a site. */
export interface WayValues {
  readonly header?: Record<string, string>;
  readonly retries?: number;
  readonly stealth?: true;
  readonly skipTlsVerification?: boolean;
  readonly redirectCredentials?: 'same-origin' | 'same-site';
  readonly location?: string;
  readonly languages?: string[];
}

/** What commander makes of all. */
export interface RequestValues extends WayValues {
  readonly timeout?: number;
  readonly cache?: string;
  readonly maxAge?: number;
  readonly cacheOnly?: true;
}

/** Adds them to a command. */
export function addRequestOptions(command: Command): Command {
  return addWayOptions(command)
    .option('--timeout <ms>', 'time for one page, at least 1000 (default: 30000)', number)
    .option('--cache <folder>', 'keep copies of pages there, and read pages from them')
    .option(
      '--max-age <ms>',
      'with --cache: take copies newer than this; 0 for none (default: 2 days)',
      number,
    )
    .option('--cache-only', 'with --cache: send no request at all');
}

/** Adds those about the way to a site. */
export function addWayOptions(command: Command): Command {
  return command
    .optionsGroup('Request:')
    .option('--header <name: value>', 'send this header; repeatable', header)
    .option('--retries <count>', 'further attempts after failures that pass (default: 2)', number)
    .option('--stealth', 'look like a browser from the first request on')
    .addOption(
      new Option(
        '--redirect-credentials <scope>',
        'what --header stays with on redirects (default: same-origin)',
      ).choices(['same-origin', 'same-site']),
    )
    .option(
      '--skip-tls-verification',
      'accept certificates that do not verify (default, but with credentials in --header)',
    )
    .option('--no-skip-tls-verification', 'refuse certificates that do not verify')
    .option(
      '--location <country>',
      'ISO 3166-1 alpha-2 code, such as DE; sets Accept-Language, in a browser time zone and position too',
    )
    .option('--languages <tag,…>', 'languages of Accept-Language, in order', list);
}

/** As the library takes them. */
export function requestOptions(
  values: RequestValues,
): ReturnType<typeof wayOptions> & Pick<ScrapeOptions, 'timeout' | 'maxAge' | 'cacheOnly'> {
  const { timeout, maxAge, cacheOnly } = values;
  return { ...wayOptions(values), timeout, maxAge, cacheOnly };
}

/** Those about the way to a site. */
export function wayOptions(
  values: WayValues,
): Pick<
  ScrapeOptions,
  'headers' | 'redirectCredentials' | 'retries' | 'proxy' | 'skipTlsVerification' | 'location'
> {
  const { location: country, languages } = values;
  return {
    headers: values.header,
    redirectCredentials: values.redirectCredentials,
    retries: values.retries,
    proxy: values.stealth === true ? 'stealth' : undefined,
    skipTlsVerification: values.skipTlsVerification,
    location: country === undefined && languages === undefined ? undefined : { country, languages },
  };
}
