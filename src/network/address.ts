/** What an IP address is: on the public internet, or somewhere a web page must not lead us. */
import ipaddr from 'ipaddr.js';

/** A parsed address; IPv4 in IPv6 (`::ffff:10.0.0.1`) is the IPv4 address, as it is for a socket. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A range of addresses, as in `10.0.0.0/8`. */
export interface AddressRange {
  readonly start: Address;
  readonly bits: number;
}

/** Reads an address as it stands in a URL or comes from DNS; undefined when it is none. */
export function parseAddress(text: string): Address | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const isAddress = bare.includes(':')
    ? ipaddr.IPv6.isValid(bare)
    : ipaddr.IPv4.isValidFourPartDecimal(bare);
  // ipaddr.js would take `::10.0.0.1` for `::ffff:10.0.0.1`.
  return isAddress ? ipaddr.process(bare.replace(/^::(?=\d+\.)/, '0:0:0:0:0:0:')) : undefined;
}

/** Reads an address or a CIDR range; undefined when it is neither. */
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
 * The IPv4 address that packets to this IPv6 address end at, when a translator or tunnel reads it
 * out: NAT64 (RFC 6052, 8215), 6to4 (RFC 3056), Teredo (RFC 4380), IPv4-compatible and translated;
 * ISATAP (RFC 5214), which has it after any prefix.
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

/** Where in the eight 16-bit parts the IPv4 address is; Teredo hides it by inverting its bits. */
const embeddings: readonly { prefix: AddressRange; at: number; mask: number }[] = [
  { prefix: range('64:ff9b::', 96), at: 6, mask: 0 },
  { prefix: range('64:ff9b:1::', 48), at: 6, mask: 0 },
  { prefix: range('2002::', 16), at: 1, mask: 0 },
  { prefix: range('2001::', 32), at: 6, mask: 0xffff },
  { prefix: range('::ffff:0:0:0', 96), at: 6, mask: 0 },
  { prefix: range('::', 96), at: 6, mask: 0 },
];

const isatap = { at: 6, mask: 0 };

/** By its interface identifier, `0:5efe` or `200:5efe`. */
function isIsatap(address: Address): boolean {
  if (address.kind() === 'ipv4') return false;
  const { parts } = address as ipaddr.IPv6;
  return ((parts[4] ?? 0) & 0xfdff) === 0 && parts[5] === 0x5efe;
}

const nat64: AddressRange = range('64:ff9b::', 96);
const globalUnicast: AddressRange = range('2000::', 3);
/** Azure's metadata and DNS server: a public address that only its own machines reach. */
const azureHost: AddressRange = range('168.63.129.16', 32);

/**
 * True for global unicast addresses only (IANA special-purpose registries; RFC 6890).
 * NAT64 of a public IPv4 address is public: it is what DNS64 answers on IPv6-only networks. ISATAP of a
 * private one is not.
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
