/** Fuzzes who may be contacted: addresses in every spelling, allow and deny lists. src/core/http/network. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { PagewrightError } from '../../src/core/runtime/errors.ts';
import { createNetworkPolicy, type NetworkPolicy } from '../../src/core/http/network/policy.ts';
import { fuzzTest } from './fuzz-test.ts';
import {
  closed4,
  closed6,
  doubtful4,
  embedded,
  embeddings,
  holds,
  type IpNumber,
  type IpRange,
  lowest32,
  mapped,
  reachability,
} from './ip-numbers.ts';

/** An address in a range or next to one of its ends. */
function near({ size, value, bits }: IpRange): fc.Arbitrary<IpNumber> {
  const length = 1n << BigInt(size - bits);
  const first = (value / length) * length;
  const all = 1n << BigInt(size);
  const offset = fc.oneof(
    fc.bigInt(0n, length - 1n),
    fc.constantFrom(-1n, 0n, 1n, length - 2n, length - 1n, length),
  );
  return offset.map((distance) => ({ size, value: (first + distance + all) % all }));
}

const number4: fc.Arbitrary<IpNumber> = fc.oneof(
  fc.constantFrom(...closed4, ...doubtful4).chain(near),
  fc.bigInt(0n, (1n << 32n) - 1n).map((value): IpNumber => ({ size: 32, value })),
);

const withIpv4 = fc
  .tuple(fc.constantFrom(...embeddings, { range: mapped, shift: 0n, mask: 0n }), number4)
  .map(([{ range, shift, mask }, { value }]): IpNumber => {
    return { size: 128, value: range.value | ((value ^ mask) << shift) };
  });
const number6: fc.Arbitrary<IpNumber> = fc.oneof(
  withIpv4,
  fc.constantFrom(...closed6, ...embeddings.map(({ range }) => range)).chain(near),
  fc.bigInt(0n, (1n << 128n) - 1n).map((value): IpNumber => ({ size: 128, value })),
  fc.bigInt(0n, (1n << 125n) - 1n).map((value): IpNumber => {
    return { size: 128, value: (1n << 125n) | value };
  }),
);

/** The host of a URL that means this IPv4 address (WHATWG URL, "IPv4 parser"). */
function spell4({ value }: IpNumber): fc.Arbitrary<string> {
  const part = (number: bigint): fc.Arbitrary<string> =>
    fc.constantFrom(
      number.toString(),
      `0x${number.toString(16)}`,
      `0X${number.toString(16).toUpperCase()}`,
      `0${number.toString(8)}`,
      `000${number.toString(8)}`,
    );
  const octets = [24n, 16n, 8n].map((shift) => (value >> shift) & 255n);
  const spelled = fc.nat(3).chain((dots) => {
    const rest = value & ((1n << BigInt(8 * (4 - dots))) - 1n);
    return fc.tuple(...[...octets.slice(0, dots), rest].map(part)).map((parts) => parts.join('.'));
  });
  const disguise = fc.constantFrom<(host: string) => string>(
    (host) => host,
    (host) => `${host}.`,
    (host) => host.replaceAll('.', '。'),
    (host) => host.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    (host) => host.replace(/\d/g, (digit) => `%3${digit}`),
    (host) => host.replaceAll('.', '%2e'),
    (host) => host.replace(/^./, '$&\u00ad'),
  );
  return fc.tuple(spelled, disguise).map(([host, change]) => change(host));
}

/** The same for IPv6: zeros, capitals, `::` and a dotted end as anybody likes. */
function spell6({ value }: IpNumber): fc.Arbitrary<string> {
  const groups = Array.from(
    { length: 8 },
    (_, index) => (value >> BigInt(112 - 16 * index)) & 0xffffn,
  );
  const style = fc.record({
    padded: fc.boolean(),
    upper: fc.boolean(),
    dotted: fc.boolean(),
    from: fc.nat(8),
  });
  return style.map(({ padded, upper, dotted, from }) => {
    const words = groups.map((group) => group.toString(16).padStart(padded ? 4 : 1, '0'));
    const low = lowest32({ size: 128, value }).value;
    const octets = [24n, 16n, 8n, 0n].map((shift) => (low >> shift) & 255n).join('.');
    const end = dotted ? 6 : 8;
    let until = from;
    while (until < end && groups[until] === 0n) until++;
    const tail = dotted ? [octets] : [];
    const text =
      until > from
        ? `${words.slice(0, from).join(':')}::${[...words.slice(until, end), ...tail].join(':')}`
        : [...words.slice(0, end), ...tail].join(':');
    return `[${upper ? text.toUpperCase() : text}]`;
  });
}

const address = fc.oneof(number4, number6);
const spelledAddress = address.chain((ip) => {
  return fc.tuple(fc.constant(ip), ip.size === 32 ? spell4(ip) : spell6(ip));
});

fuzzTest(
  'an address is refused exactly when it is not public, however it is written',
  { runs: 3_000, share: 3 },
  fc.property(spelledAddress, fc.constantFrom('http', 'https'), ([ip, host], scheme) => {
    const expected = reachability(ip);
    const url = new URL(`${scheme}://${host}/`);
    if (expected === 'either') return;
    expect(isRefused(createNetworkPolicy(), url)).toBe(expected === 'closed');
  }),
);

fuzzTest(
  'DNS answers of such addresses are refused in the same way',
  { runs: 300, share: 1 },
  fc.asyncProperty(
    address.chain((ip) => fc.tuple(fc.constant(ip), plain(ip))),
    async ([ip, host]) => {
      const expected = reachability(ip);
      const { error, addresses } = await lookUp(createNetworkPolicy(), host);
      if (expected === 'either') return;
      if (expected === 'public') expect(error).toBeNull();
      else expect(error).toMatchObject({ code: 'BLOCKED_ADDRESS' });
      expect(addresses).toHaveLength(expected === 'public' ? 1 : 0);
    },
  ),
);

const range = fc.oneof(
  address.chain((ip) => {
    // A range that starts in ::ffff:0:0/96 and is larger than it is refused as an entry.
    const min = holds(mapped, ip) ? 96 : 0;
    return fc.integer({ min, max: ip.size }).map((bits): IpRange => ({ ...ip, bits }));
  }),
  fc.constantFrom(...closed4, ...closed6),
);
const rangeLists = fc.record({
  allow: fc.array(range, { maxLength: 3 }),
  deny: fc.array(range, { maxLength: 3 }),
});

fuzzTest(
  'allow and deny lists agree with the bits of the address',
  { runs: 2_000, share: 4 },
  fc.property(
    rangeLists.chain((lists) => {
      const ranges = [...lists.allow, ...lists.deny];
      const ip =
        ranges.length === 0 ? address : fc.oneof(fc.constantFrom(...ranges).chain(near), address);
      return fc.tuple(
        fc.constant(lists),
        ip.chain((one) => fc.tuple(fc.constant(one), plain(one))),
      );
    }),
    ([lists, [ip, host]]) => {
      const policy = createNetworkPolicy({
        allow: lists.allow.map(cidr),
        deny: lists.deny.map(cidr),
      });
      // A socket connects to the IPv4 address, in the list too.
      const real = holds(mapped, ip) ? lowest32(ip) : ip;
      const inner = real.size === 128 ? embedded(real) : undefined;
      const isIn = (list: readonly IpRange[], one: IpNumber | undefined): boolean =>
        one !== undefined && list.some((entry) => holds(asSocket(entry), one));
      const isDenied = isIn(lists.deny, real) || isIn(lists.deny, inner);
      const isAllowed = isIn(lists.allow, real);
      const expected = reachability(ip);
      if (!isDenied && !isAllowed && expected === 'either') return;
      const url = new URL(ip.size === 32 ? `http://${host}/` : `http://[${host}]/`);
      const isClosed = isDenied || (!isAllowed && expected === 'closed');
      expect(isRefused(policy, url)).toBe(isClosed);
    },
  ),
);

function isRefused(policy: NetworkPolicy, url: URL): boolean {
  try {
    policy.check(url);
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(PagewrightError);
    expect(error).toMatchObject({ code: 'BLOCKED_ADDRESS' });
    return true;
  }
}

/** As DNS and CIDR lists write it. */
function plainText({ size, value }: IpNumber): string {
  if (size === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
  return Array.from({ length: 8 }, (_, index) => {
    return ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16);
  }).join(':');
}

function plain(ip: IpNumber): fc.Arbitrary<string> {
  return ip.size === 32
    ? fc.constant(plainText(ip))
    : fc.oneof(
        fc.constant(plainText(ip)),
        spell6(ip).map((host) => host.slice(1, -1)),
      );
}

function cidr(entry: IpRange): string {
  return `${plainText(entry)}/${entry.bits}`;
}

/** `::ffff:10.0.0.0/104` is `10.0.0.0/8`. */
function asSocket(entry: IpRange): IpRange {
  const isMapped = entry.bits >= 96 && holds(mapped, entry);
  return isMapped ? { ...lowest32(entry), bits: entry.bits - 96 } : entry;
}

function lookUp(
  policy: NetworkPolicy,
  host: string,
): Promise<{ error: Error | null; addresses: readonly unknown[] }> {
  return new Promise((resolve) => {
    policy.lookup(host, { all: true }, (error, addresses) => {
      resolve({ error, addresses: [addresses].flat() });
    });
  });
}
