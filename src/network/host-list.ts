/** A list of hosts as callers write it: names, `*.` wildcards, addresses, CIDR ranges. */
import { ValidationError } from '../errors.ts';
import { type Address, type AddressRange, isInRange, parseAddress, parseRange } from './address.ts';
import { canParseUrl } from '../url/can-parse-url.ts';
import { withoutDots } from '../url/registrable-domain.ts';

/** The entries of `network.allow` or `network.deny`, ready to be asked. */
export interface HostList {
  /** The entry that names the host, as written. */
  name(host: string | undefined): string | undefined;
  /** The entry that holds the address, as written. */
  range(address: Address | undefined): string | undefined;
}

/** Reads the entries; throws `ValidationError` for the first that is none of these kinds. */
export function readHostList(list: 'allow' | 'deny', entries: readonly string[]): HostList {
  const names = new Map<string, string>();
  const suffixes: { readonly suffix: string; readonly entry: string }[] = [];
  const ranges: { readonly range: AddressRange; readonly entry: string }[] = [];
  for (const [index, entry] of entries.entries()) {
    const host = readHost(entry);
    const range = parseRange(entry) ?? (host === undefined ? undefined : parseRange(host));
    if (range !== undefined) ranges.push({ range, entry });
    else if (host === undefined) throw badEntry(list, index, entry);
    else if (host.startsWith('*.')) suffixes.push({ suffix: host.slice(1), entry });
    else names.set(host, entry);
  }
  return {
    name: (host) =>
      host === undefined
        ? undefined
        : (names.get(host) ?? suffixes.find(({ suffix }) => host.endsWith(suffix))?.entry),
    range: (address) =>
      address === undefined
        ? undefined
        : ranges.find(({ range }) => isInRange(address, range))?.entry,
  };
}

/** A host name as URLs spell it (lower case, punycode, no final dot), with `*.` if it had that. */
function readHost(entry: unknown): string | undefined {
  const [, wildcard = '', name = ''] = /^(\*\.)?([^\s*/:@?#\\%]+)$/.exec(String(entry)) ?? [];
  if (name === '' || !canParseUrl(`http://${name}`)) return undefined;
  const host = withoutDots(new URL(`http://${name}`).hostname);
  if (host === '' || /^\.|\.\./.test(host)) return undefined;
  return wildcard !== '' && parseAddress(host) !== undefined ? undefined : wildcard + host;
}

function badEntry(list: string, index: number, entry: unknown): ValidationError {
  const message =
    `network.${list}[${index}]: ${JSON.stringify(entry)} is no host name, wildcard such as ` +
    `"*.internal", address or CIDR range such as "10.0.0.0/8"`;
  return new ValidationError('createClient', [{ path: ['network', list, index], message }]);
}
