/** What an address is, from its number alone: the tables of IANA, read without the library's code. */

/** An address as a number of 32 or 128 bits. */
export interface IpNumber {
  readonly size: 32 | 128;
  readonly value: bigint;
}

/** The first bits of a range. */
export interface IpRange extends IpNumber {
  readonly bits: number;
}

function v4(text: string, bits = 32): IpRange {
  const value = text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  return { size: 32, value, bits };
}

/** Groups written out from the left, the rest zero: `v6('64:ff9b', 96)`. */
function v6(text: string, bits = 128): IpRange {
  const groups = text.split(':').map((group) => BigInt(`0x${group}`));
  const value = groups.reduce((sum, group) => sum * 65_536n + group, 0n);
  return { size: 128, value: value << BigInt(16 * (8 - groups.length)), bits };
}

export function holds(range: IpRange, { size, value }: IpNumber): boolean {
  const rest = BigInt(size - range.bits);
  return range.size === size && range.value >> rest === value >> rest;
}

/** IANA IPv4 Special-Purpose Address Registry: not globally reachable; multicast; Azure's own. */
export const closed4: readonly IpRange[] = [
  v4('0.0.0.0', 8),
  v4('10.0.0.0', 8),
  v4('100.64.0.0', 10),
  v4('127.0.0.0', 8),
  v4('169.254.0.0', 16),
  v4('172.16.0.0', 12),
  v4('192.0.0.0', 24),
  v4('192.0.2.0', 24),
  v4('192.168.0.0', 16),
  v4('198.18.0.0', 15),
  v4('198.51.100.0', 24),
  v4('203.0.113.0', 24),
  v4('224.0.0.0', 4),
  v4('240.0.0.0', 4),
  v4('168.63.129.16', 32),
];

/** Reachable or deprecated, and of no use to anybody: either answer is good. */
export const doubtful4: readonly IpRange[] = [
  v4('192.31.196.0', 24),
  v4('192.52.193.0', 24),
  v4('192.175.48.0', 24),
  v4('192.88.99.0', 24),
];

/** Parts of 2000::/3 that are not globally reachable. */
export const closed6: readonly IpRange[] = [
  v6('2001', 32),
  v6('2001:2', 48),
  v6('2001:10', 28),
  v6('2001:db8', 32),
  v6('2002', 16),
  v6('3fff', 20),
];

const doubtful6: readonly IpRange[] = [v6('2001', 23), v6('2620:4f:8000', 48)];

/** `::ffff:0:0/96`: a socket connects to the IPv4 address. */
export const mapped: IpRange = v6('0:0:0:0:0:ffff', 96);
const nat64: IpRange = v6('64:ff9b', 96);
const globalUnicast: IpRange = v6('2000', 3);

export function reachability(ip: IpNumber): 'public' | 'closed' | 'either' {
  if (ip.size === 32) {
    if (closed4.some((range) => holds(range, ip))) return 'closed';
    return doubtful4.some((range) => holds(range, ip)) ? 'either' : 'public';
  }
  if (holds(mapped, ip) || holds(nat64, ip)) return reachability(lowest32(ip));
  if (!holds(globalUnicast, ip) || closed6.some((range) => holds(range, ip))) return 'closed';
  return doubtful6.some((range) => holds(range, ip)) ? 'either' : 'public';
}

export function lowest32({ value }: IpNumber): IpNumber {
  return { size: 32, value: value & 0xffff_ffffn };
}

/** Where an IPv6 address has an IPv4 address in it, and how: what a translator reads out. */
export const embeddings: readonly { range: IpRange; shift: bigint; mask: bigint }[] = [
  { range: nat64, shift: 0n, mask: 0n },
  { range: v6('64:ff9b:1', 48), shift: 0n, mask: 0n },
  { range: v6('2002', 16), shift: 80n, mask: 0n },
  { range: v6('2001', 32), shift: 0n, mask: 0xffff_ffffn },
  { range: v6('0:0:0:0:ffff', 96), shift: 0n, mask: 0n },
  { range: v6('0', 96), shift: 0n, mask: 0n },
];

export function embedded(ip: IpNumber): IpNumber | undefined {
  const found = embeddings.find(({ range }) => holds(range, ip));
  if (found === undefined) return undefined;
  return { size: 32, value: ((ip.value >> found.shift) & 0xffff_ffffn) ^ found.mask };
}
