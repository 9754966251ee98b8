/** The network policy: checks the URL before connecting, and every address that DNS returns. */
import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { PagewrightError, ValidationError } from '../errors.ts';
import { canParseUrl } from '../url/normalize-url.ts';
import { withoutDots } from '../url/registrable-domain.ts';

/** Allows and denies hosts and ports beyond the default of public addresses only. */
export interface NetworkConfig {
  /**
   * Host names (`intranet`), wildcards (`*.internal`: every name below, not `internal` itself),
   * addresses and CIDR ranges. An allowed name may resolve to any address.
   */
  readonly allow?: readonly string[];
  /** The same kinds of entries; wins over `allow`. */
  readonly deny?: readonly string[];
  /**
   * Ports that may be contacted although they belong to protocols other than HTTP, such as 22 and
   * 6667, which browsers refuse too. Chromium also needs `--explicitly-allowed-ports` for them.
   */
  readonly ports?: readonly number[];
  /**
   * True accepts a browser of yours (`browser.endpoint`, `browser`, `context`) that cannot be held
   * to this policy: the requests of a page are checked, those of its workers, popups and WebRTC are
   * not. @default false: such a browser is refused
   */
  readonly trustBrowser?: boolean;
}

/** The network policy of one client; every part that opens a socket asks it. */
export interface NetworkPolicy {
  /** Throws `BLOCKED_ADDRESS` for a refused address, name or port; call it before connecting. */
  check(url: URL): void;
  /**
   * For `net.connect` and `tls.connect`: resolves a name once and returns only allowed addresses,
   * so the checked address is the one connected to. Fails with `BLOCKED_ADDRESS` when none is left.
   * Sockets to a literal address do not call it: `check` is for those.
   */
  readonly lookup: LookupFunction;
}

/**
 * Makes a policy. Without a configuration only public unicast addresses are contacted.
 *
 * Throws `ValidationError` for an entry that is not a host name, wildcard, address or CIDR range.
 */
export function createNetworkPolicy(config: NetworkConfig = {}): NetworkPolicy {
  const allow = readHostList('allow', config.allow ?? []);
  const deny = readHostList('deny', config.deny ?? []);
  const ports: ReadonlySet<number> = new Set(config.ports);

  /** The reason that an address is refused, or undefined if it is allowed. */
  const refusal = (name: string | undefined, address: Address): string | undefined => {
    const denied = deny.name(name) ?? deny.range(address) ?? deny.range(embeddedAddress(address));
    if (denied !== undefined) return isDenied(denied);
    const allowed = allow.name(name) ?? allow.range(address);
    return allowed === undefined && !isPublicAddress(address) ? notPublic : undefined;
  };
  const admits = (name: string, { address }: dns.LookupAddress): boolean => {
    const parsed = parseAddress(address);
    return parsed !== undefined && refusal(name, parsed) === undefined;
  };

  const check = (hostname: string): void => {
    const host = withoutDots(hostname);
    const address = parseAddress(host);
    if (address !== undefined) {
      const reason = refusal(undefined, address);
      if (reason !== undefined) throw blocked(host, address.toString(), reason);
      return;
    }
    const denied = deny.name(host);
    if (denied !== undefined) throw blocked(host, undefined, isDenied(denied));
    if (isLoopbackName(host) && !loopback.some((answer) => admits(host, answer))) {
      throw refusedAnswer(host, loopback, refusal);
    }
  };

  return {
    check: ({ hostname, host, port }) => {
      check(hostname);
      if (isWebPort(port) || ports.has(Number(port))) return;
      throw new PagewrightError(
        'BLOCKED_ADDRESS',
        `Refused to contact ${host}: port ${port} is not one of the web. To allow it: createClient({ network: { ports: [${port}] } }).`,
      );
    },
    lookup: (hostname, options, callback) => {
      const host = withoutDots(hostname);
      const answer = (error: Error | null, found: readonly dns.LookupAddress[]): void => {
        if (error !== null) return callback(error, []);
        const [first, ...others] = found.filter((address) => admits(host, address));
        if (first === undefined) return callback(refusedAnswer(host, found, refusal), []);
        if (options.all === true) callback(null, [first, ...others]);
        else callback(null, first.address, first.family);
      };
      try {
        check(hostname);
      } catch (error) {
        return void process.nextTick(answer, error);
      }
      resolve(host, options, answer);
    },
  };
}

const loopback: readonly dns.LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Names that mean this machine whatever DNS says (RFC 6761, 6.3). */
function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function resolve(
  host: string,
  options: dns.LookupOptions,
  answer: (error: Error | null, found: readonly dns.LookupAddress[]) => void,
): void {
  const literal = parseAddress(host);
  if (literal !== undefined) {
    const family = literal.kind() === 'ipv4' ? 4 : 6;
    process.nextTick(answer, null, [{ address: literal.toString(), family }]);
  } else if (isLoopbackName(host)) {
    const family = options.family === 'IPv4' ? 4 : options.family === 'IPv6' ? 6 : options.family;
    const wanted = loopback.filter((one) => !family || one.family === family);
    process.nextTick(answer, null, wanted);
  } else {
    dns.lookup(host, { ...options, all: true }, (error, found) => answer(error, found));
  }
}

const notPublic = 'only public addresses are contacted';

function isDenied(entry: string): string {
  return `network.deny has "${entry}"`;
}

function refusedAnswer(
  host: string,
  found: readonly dns.LookupAddress[],
  refusal: (name: string, address: Address) => string | undefined,
): PagewrightError {
  const [first] = found;
  const address = first === undefined ? undefined : parseAddress(first.address);
  const reason = address === undefined ? undefined : refusal(host, address);
  return blocked(host, first?.address, reason ?? 'DNS has no address for it');
}

function blocked(host: string, address: string | undefined, reason: string): PagewrightError {
  const target = address === undefined || address === host ? host : `${host} (${address})`;
  const remedy = reason.startsWith('network.deny')
    ? 'Take that entry out of createClient({ network: { deny } }) to allow it.'
    : `To allow it: createClient({ network: { allow: ['${address ?? host}'] } }).`;
  return new PagewrightError(
    'BLOCKED_ADDRESS',
    `Refused to contact ${target}: ${reason}. ${remedy}`,
  );
}

// A list of hosts in the caller's notation: names, `*.` wildcards, addresses, CIDR ranges.

/** The parsed entries of `network.allow` or `network.deny`. */
export interface HostList {
  /** The entry that matches the host name, as written. */
  name(host: string | undefined): string | undefined;
  /** The entry that contains the address, as written. */
  range(address: Address | undefined): string | undefined;
}

/** Parses the entries; throws `ValidationError` for the first invalid one. */
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

/** A host name in URL form (lower case, punycode, no final dot), with its `*.` if it has one. */
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

// Classifies IP addresses: on the public internet, or a range that a web page must not lead to.

/** A parsed address; IPv4 in IPv6 (`::ffff:10.0.0.1`) becomes the IPv4 address, as in a socket. */
type Address = ipaddr.IPv4 | ipaddr.IPv6;

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
  // Without this ipaddr.js would take `::10.0.0.1` for `::ffff:10.0.0.1`.
  return isAddress ? ipaddr.process(bare.replace(/^::(?=\d+\.)/, '0:0:0:0:0:0:')) : undefined;
}

/** Parses an address or a CIDR range; undefined if it is neither. */
function parseRange(text: string): AddressRange | undefined {
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
function isInRange(address: Address, { start, bits }: AddressRange): boolean {
  return address.kind() === start.kind() && address.match(start, bits);
}

/**
 * The IPv4 address that packets to this IPv6 address end at, through a translator or tunnel: NAT64
 * (RFC 6052, 8215), 6to4 (RFC 3056), Teredo (RFC 4380), IPv4-compatible and translated; ISATAP (RFC
 * 5214), which has it after any prefix.
 */
function embeddedAddress(address: Address): Address | undefined {
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
function isPublicAddress(address: Address): boolean {
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

// Ports of other protocols, to which browsers send no request: request lines could be commands there.

/** From the fetch standard, "port blocking". */
const badPorts: ReadonlySet<string> = new Set(
  (
    '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 ' +
    '117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 ' +
    '587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 ' +
    '6668 6669 6679 6697 10080'
  ).split(' '),
);

/** `port` as in a URL: empty for the scheme's default. */
function isWebPort(port: string): boolean {
  return !badPorts.has(port);
}
