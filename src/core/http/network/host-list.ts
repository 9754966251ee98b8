/** Lists of hosts in the caller's notation: names, `*.` wildcards, addresses, CIDR ranges; and classes of addresses. */
import ipaddr from 'ipaddr.js';
import { ValidationError } from '../../runtime/errors.ts';
import { canParseUrl } from '../../url/normalize-url.ts';
import { withoutDots } from '../../url/registrable-domain.ts';

/** The parsed entries of `network.allow`, `network.deny` or `network.only`. */
export interface HostList {
  /** The entry that matches the host name, as written. */
  name(host: string | undefined): string | undefined;
  /** The entry that contains the address, as written. */
  range(address: Address | undefined): string | undefined;
}

/** Parses the entries; throws `ValidationError` for the first invalid one. */
export function readHostList(
  list: 'allow' | 'deny' | 'only',
  entries: readonly string[],
): HostList {
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

/** A host name in URL form (lower case, punycode, no final dot), with its `*.` if it has one. */
export function readHost(entry: unknown): string | undefined {
  const [, wildcard = '', name = ''] = /^(\*\.)?([^\s*/:@?#\\%]+)$/.exec(String(entry)) ?? [];
  if (name === '' || !canParseUrl(`http://${name}`)) return undefined;
  const host = withoutDots(new URL(`http://${name}`).hostname);
  if (host === '' || /^\.|\.\./.test(host)) return undefined;
  return wildcard !== '' && parseAddress(host) !== undefined ? undefined : wildcard + host;
}

function badEntry(list: string, index: number, entry: unknown): ValidationError {
  const message =
    `network.${list}[${index}]: ${JSON.stringify(entry)} is not a host name, a wildcard such as ` +
    `"*.internal", an address or a CIDR range such as "10.0.0.0/8"`;
  return new ValidationError('createClient', [{ path: ['network', list, index], message }]);
}

// Classifies IP addresses: on the public internet, or a range that a web page must not lead to.

/** A parsed address; IPv4 in IPv6 (`::ffff:10.0.0.1`) becomes the IPv4 address, as in a socket. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A range of addresses, as in `10.0.0.0/8`. */
interface AddressRange {
  readonly start: Address;
  readonly bits: number;
}

/** Parses an address from a URL or from DNS; undefined if it is not an address. */
export function parseAddress(text: string): Address | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const isAddress = bare.includes(':')
    ? ipaddr.IPv6.isValid(bare)
    : ipaddr.IPv4.isValidFourPartDecimal(bare);
  // Without this ipaddr.js would read `::10.0.0.1` as `::ffff:10.0.0.1`.
  return isAddress ? ipaddr.process(bare.replace(/^::(?=\d+\.)/, '0:0:0:0:0:0:')) : undefined;
}

/** Parses an address or a CIDR range; undefined if it is neither. */
export function parseRange(text: string): AddressRange | undefined {
  const [, host = text, length] = /^(.*)\/(\d{1,3})$/.exec(text) ?? [];
  const start = parseAddress(host);
  if (start === undefined) return undefined;
  const size = start.kind() === 'ipv4' ? 32 : 128;
  if (length === undefined) return { start, bits: size };
  // `::ffff:10.0.0.0/104` counts its bits from the start of the IPv6 address.
  const bits = Number(length) - (size === 32 && host.includes(':') ? 96 : 0);
  return bits >= 0 && bits <= size ? { start, bits } : undefined;
}

/** True when the address lies in the range. */
export function isInRange(address: Address, { start, bits }: AddressRange): boolean {
  return address.kind() === start.kind() && address.match(start, bits);
}

/**
 * The IPv4 address behind this IPv6 address, through a translator or tunnel: NAT64 (RFC 6052,
 * 8215), 6to4 (RFC 3056), Teredo (RFC 4380), IPv4-compatible and translated; ISATAP (RFC 5214),
 * which has it after any prefix.
 */
export function embeddedAddress(address: Address): Address | undefined {
  if (address.kind() === 'ipv4') return undefined;
  const { parts } = address as ipaddr.IPv6;
  const found =
    embeddings.find(({ prefix }) => isInRange(address, prefix)) ??
    (isIsatap(address) ? isatap : undefined);
  if (found === undefined) return undefined;
  const high = (parts[found.at] ?? 0) ^ found.mask;
  const low = (parts[found.at + 1] ?? 0) ^ found.mask;
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}

/** The position of the IPv4 address in the eight 16-bit parts; Teredo inverts its bits. */
const embeddings: readonly { prefix: AddressRange; at: number; mask: number }[] = [
  { prefix: range('64:ff9b::', 96), at: 6, mask: 0 },
  { prefix: range('64:ff9b:1::', 48), at: 6, mask: 0 },
  { prefix: range('2002::', 16), at: 1, mask: 0 },
  { prefix: range('2001::', 32), at: 6, mask: 0xffff },
  { prefix: range('::ffff:0:0:0', 96), at: 6, mask: 0 },
  { prefix: range('::', 96), at: 6, mask: 0 },
];

const isatap = { at: 6, mask: 0 };

/** Detected by its interface identifier, `0:5efe` or `200:5efe`. */
function isIsatap(address: Address): boolean {
  if (address.kind() === 'ipv4') return false;
  const { parts } = address as ipaddr.IPv6;
  return ((parts[4] ?? 0) & 0xfdff) === 0 && parts[5] === 0x5efe;
}

const nat64: AddressRange = range('64:ff9b::', 96);

const globalUnicast: AddressRange = range('2000::', 3);

/** Azure's metadata and DNS server: a public address that only Azure's machines reach. */
const azureHost: AddressRange = range('168.63.129.16', 32);

/**
 * True for global unicast addresses only (IANA special-purpose registries; RFC 6890). NAT64 of a
 * public IPv4 address is public: DNS64 answers with it on IPv6-only networks. ISATAP of a private
 * one is not.
 */
export function isPublicAddress(address: Address): boolean {
  if (address.kind() === 'ipv4')
    return address.range() === 'unicast' && !isInRange(address, azureHost);
  if (isInRange(address, nat64)) return isPublicEmbedded(address);
  const isGlobal = address.range() === 'unicast' && isInRange(address, globalUnicast);
  return isGlobal && (!isIsatap(address) || isPublicEmbedded(address));
}

function isPublicEmbedded(address: Address): boolean {
  const embedded = embeddedAddress(address);
  return embedded !== undefined && isPublicAddress(embedded);
}

function range(start: string, bits: number): AddressRange {
  return { start: ipaddr.parse(start), bits };
}
