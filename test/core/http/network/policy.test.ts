import type dns from 'node:dns';
import { describe, expect, test } from 'vitest';
import { PagewrightError, ValidationError } from '../../../../src/core/runtime/errors.ts';
import {
  createNetworkPolicy,
  type NetworkPolicy,
} from '../../../../src/core/http/network/policy.ts';

const standard = createNetworkPolicy();

function verdict(policy: NetworkPolicy, url: string): string {
  try {
    policy.check(new URL(url));
    return 'allowed';
  } catch (error) {
    if (!(error instanceof PagewrightError)) throw error;
    return error.code;
  }
}

function lookup(
  policy: NetworkPolicy,
  host: string,
  options: dns.LookupOptions = { all: true },
): Promise<{ addresses: string[]; error?: NodeJS.ErrnoException }> {
  return new Promise((resolve) => {
    policy.lookup(host, options, (error, address) => {
      const addresses = typeof address === 'string' ? [address] : address.map((one) => one.address);
      resolve(error === null ? { addresses } : { addresses, error });
    });
  });
}

const refused = [
  // Loopback in every spelling that URL parsers accept
  'http://127.0.0.1/',
  'http://127.0.0.1:8080/',
  'http://127.1/',
  'http://127.0.1/',
  'http://127.255.255.254/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0x7F.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://0177.0.0x0.1/',
  'http://127.0.0.1./',
  'http://127.0.0.1../',
  'http://%31%32%37.0.0.1/',
  'http://①②⑦.⓪.⓪.①/',
  'http://127。0。0。1/',
  'http://user:secret@127.0.0.1/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[0000::0001]:81/',
  'https://127.0.0.1/',
  'http://localhost/',
  'http://LOCALHOST/',
  'http://localhost./',
  'http://localhost../',
  'http://a.localhost/',
  'http://deep.er.localhost./',
  // Unspecified and "this network"
  'http://0/',
  'http://0.0.0.0/',
  'http://0.1.2.3/',
  'http://[::]/',
  // Private
  'http://10.0.0.1/',
  'http://10.255.255.255/',
  'http://012.0.0.1/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://3232235777/',
  'http://0xc0a80101/',
  'http://[fc00::1]/',
  'http://[fd12:3456:789a::1]/',
  'http://[fec0::1]/',
  // Carrier-grade NAT
  'http://100.64.0.1/',
  'http://100.127.255.254/',
  // Link-local and metadata services
  'http://169.254.169.254/latest/meta-data/',
  'http://0xa9fea9fe/',
  'http://2852039166/',
  'http://169.254.170.2/',
  'http://100.100.100.200/',
  'http://192.0.0.192/',
  'http://168.63.129.16/',
  'http://[fd00:ec2::254]/',
  'http://[fe80::1]/',
  'http://[febf::1]/',
  // IETF, documentation, benchmarking, relays
  'http://192.0.0.1/',
  'http://192.0.2.1/',
  'http://192.88.99.1/',
  'http://198.18.0.1/',
  'http://198.19.255.255/',
  'http://198.51.100.7/',
  'http://203.0.113.7/',
  'http://[2001:db8::1]/',
  'http://[2001:2::1]/',
  'http://[3fff::1]/',
  'http://[100::1]/',
  'http://[5f00::1]/',
  // Multicast, reserved, broadcast
  'http://224.0.0.1/',
  'http://239.255.255.250/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://4294967295/',
  'http://[ff02::1]/',
  'http://[ff0e::1]/',
  // IPv4 in IPv6
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://[::ffff:169.254.169.254]/',
  'http://[0:0:0:0:0:ffff:127.0.0.1]/',
  'http://[::127.0.0.1]/',
  'http://[::7f00:1]/',
  'http://[::8.8.8.8]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[64:ff9b::10.0.0.1]/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[64:ff9b:1::8.8.8.8]/',
  'http://[2002:7f00:1::]/',
  'http://[2002:a00:1::1]/',
  'http://[2002:808:808::1]/',
  'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
  'http://[2001::1]/',
  // ISATAP: after any prefix
  'http://[2606:4700::5efe:127.0.0.1]/',
  'http://[2606:4700::5efe:a9fe:a9fe]/',
  'http://[2606:4700::200:5efe:10.0.0.1]/',
  'http://[2a00:1450:1:2:0:5efe:c0a8:101]/',
  // Not allocated
  'http://[4000::1]/',
  'http://[1::1]/',
];

const admitted = [
  'http://example.com/',
  'http://example.com./',
  'http://8.8.8.8/',
  'http://1.1.1.1:8080/',
  'http://134744072/',
  'http://172.15.255.255/',
  'http://172.32.0.1/',
  'http://100.63.255.255/',
  'http://100.128.0.1/',
  'http://192.167.255.255/',
  'http://198.20.0.1/',
  'http://223.255.255.255/',
  'http://[2606:4700:4700::1111]/',
  'http://[2a00:1450:4001::1]/',
  'http://[::ffff:8.8.8.8]/',
  'http://[64:ff9b::8.8.8.8]/',
  'http://[2606:4700::5efe:8.8.8.8]/',
  'http://[2606:4700::5eff:127.0.0.1]/',
  'http://[2606:4700::100:5efe:127.0.0.1]/',
  'http://localhost.example.com/',
  'http://notlocalhost/',
  'http://127.0.0.1.nip.io/',
];

describe('without a configuration', () => {
  test.each(refused)('%s is refused before connecting', (url) => {
    expect(verdict(standard, url)).toBe('BLOCKED_ADDRESS');
  });

  test.each(admitted)('%s is admitted', (url) => {
    expect(verdict(standard, url)).toBe('allowed');
  });

  test('a message names the host, the address and the option that opens it', () => {
    expect(() => standard.check(new URL('http://2130706433/'))).toThrow(
      "Refused to contact 127.0.0.1: only public addresses are contacted. To allow it: createClient({ network: { allow: ['127.0.0.1'] } }).",
    );
    expect(() => standard.check(new URL('http://a.localhost/'))).toThrow(
      "Refused to contact a.localhost (127.0.0.1): only public addresses are contacted. To allow it: createClient({ network: { allow: ['127.0.0.1'] } }).",
    );
  });

  test('a name that resolves to a private address is refused at lookup', async () => {
    const { error, addresses } = await lookup(standard, 'localhost');
    expect(error?.code).toBe('BLOCKED_ADDRESS');
    expect(addresses).toEqual([]);
  });

  test('lookup refuses literal addresses too', async () => {
    expect((await lookup(standard, '10.1.2.3')).error?.code).toBe('BLOCKED_ADDRESS');
    expect(await lookup(standard, '9.9.9.9')).toEqual({ addresses: ['9.9.9.9'] });
  });

  test('a name that does not exist keeps the error of the resolver', async () => {
    const { error } = await lookup(standard, 'no-such-host.invalid');
    expect(error?.syscall).toBe('getaddrinfo');
  });
});

describe('ports', () => {
  // The fetch standard, "port blocking", as it is in July 2025.
  const bad = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
    993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
    6668, 6669, 6679, 6697, 10080,
  ];

  test('those of other protocols are refused, and no others', () => {
    const verdicts = Array.from({ length: 65_536 }, (_, port) =>
      verdict(standard, `http://example.com:${port}/`),
    );
    expect(verdicts.flatMap((one, port) => (one === 'allowed' ? [] : [port]))).toEqual(bad);
  });

  test.each(['http://8.8.8.8:22/', 'https://example.com:25/', 'http://[2606:4700::1]:6667/'])(
    '%s is refused, with the option that opens the port',
    (url) => {
      const { host, port } = new URL(url);
      expect(() => standard.check(new URL(url))).toThrow(
        `Refused to contact ${host}: port ${port} is not a web port. To allow it: createClient({ network: { ports: [${port}] } }).`,
      );
    },
  );

  test('an allowed host opens none, and an allowed port no host', () => {
    const allow = ['127.0.0.1'];
    const url = 'http://127.0.0.1:6667/';
    expect(verdict(createNetworkPolicy({ allow }), url)).toBe('BLOCKED_ADDRESS');
    expect(verdict(createNetworkPolicy({ ports: [6667] }), url)).toBe('BLOCKED_ADDRESS');
    expect(verdict(createNetworkPolicy({ allow, ports: [6667] }), url)).toBe('allowed');
    expect(verdict(createNetworkPolicy({ allow, ports: [6666] }), url)).toBe('BLOCKED_ADDRESS');
  });
});

describe('allow', () => {
  const cases: [allow: string[], url: string, expected: string][] = [
    [['127.0.0.1'], 'http://127.0.0.1/', 'allowed'],
    [['127.0.0.1'], 'http://2130706433/', 'allowed'],
    [['127.0.0.1'], 'http://[::ffff:127.0.0.1]/', 'allowed'],
    [['127.0.0.1'], 'http://127.0.0.2/', 'BLOCKED_ADDRESS'],
    [['127.0.0.1'], 'http://[::1]/', 'BLOCKED_ADDRESS'],
    [['127.0.0.1'], 'http://[64:ff9b::127.0.0.1]/', 'BLOCKED_ADDRESS'],
    [['127.0.0.1'], 'http://localhost/', 'allowed'],
    [['127.0.0.1'], 'http://x.localhost/', 'allowed'],
    [['::1'], 'http://localhost/', 'allowed'],
    [['[::1]'], 'http://[::1]/', 'allowed'],
    [['0x7f.1'], 'http://127.0.0.1/', 'allowed'],
    [['localhost'], 'http://localhost/', 'allowed'],
    [['localhost'], 'http://LocalHost./', 'allowed'],
    [['localhost'], 'http://127.0.0.1/', 'BLOCKED_ADDRESS'],
    [['localhost'], 'http://x.localhost/', 'BLOCKED_ADDRESS'],
    [['*.localhost'], 'http://x.localhost/', 'allowed'],
    [['*.localhost'], 'http://localhost/', 'BLOCKED_ADDRESS'],
    [['10.0.0.0/8'], 'http://10.200.3.4/', 'allowed'],
    [['10.0.0.0/8'], 'http://11.0.0.1/', 'allowed'],
    [['10.0.0.0/8'], 'http://172.16.0.1/', 'BLOCKED_ADDRESS'],
    [['10.9.8.7/8'], 'http://10.200.3.4/', 'allowed'],
    [['192.168.1.0/30'], 'http://192.168.1.3/', 'allowed'],
    [['192.168.1.0/30'], 'http://192.168.1.4/', 'BLOCKED_ADDRESS'],
    [['::ffff:10.0.0.0/104'], 'http://10.1.1.1/', 'allowed'],
    [['fd00::/8'], 'http://[fd12::1]/', 'allowed'],
    [['fd00::/8'], 'http://[fc12::1]/', 'BLOCKED_ADDRESS'],
    [['0.0.0.0/0'], 'http://169.254.169.254/', 'allowed'],
    [['0.0.0.0/0'], 'http://[::1]/', 'BLOCKED_ADDRESS'],
  ];
  test.each(cases)('%j and %s: %s', (allow, url, expected) => {
    expect(verdict(createNetworkPolicy({ allow }), url)).toBe(expected);
  });

  test('an allowed name may resolve to a private address', async () => {
    const policy = createNetworkPolicy({ allow: ['localhost'] });
    expect(await lookup(policy, 'localhost')).toEqual({ addresses: ['127.0.0.1', '::1'] });
  });

  test('an allowed address filters what a name resolves to', async () => {
    const policy = createNetworkPolicy({ allow: ['127.0.0.1'] });
    expect(await lookup(policy, 'any.localhost')).toEqual({ addresses: ['127.0.0.1'] });
    expect(await lookup(policy, 'any.localhost', {})).toEqual({ addresses: ['127.0.0.1'] });
    expect(await lookup(policy, 'any.localhost', { family: 4 })).toEqual({
      addresses: ['127.0.0.1'],
    });
    expect((await lookup(policy, 'any.localhost', { family: 6 })).error?.code).toBe(
      'BLOCKED_ADDRESS',
    );
  });
});

describe('only', () => {
  const cases: [config: { allow?: string[]; only: string[] }, url: string, expected: string][] = [
    [{ only: ['example.com'] }, 'https://example.com/', 'allowed'],
    [{ only: ['example.com'] }, 'https://www.example.com/', 'BLOCKED_ADDRESS'],
    [{ only: ['*.example.com'] }, 'https://www.example.com/', 'allowed'],
    [{ only: ['*.example.com'] }, 'https://example.com/', 'BLOCKED_ADDRESS'],
    [{ only: ['*.example.com'] }, 'https://example.com.evil.test/', 'BLOCKED_ADDRESS'],
    [{ only: ['example.com'] }, 'http://8.8.8.8/', 'BLOCKED_ADDRESS'],
    [{ only: ['8.8.0.0/16'] }, 'http://8.8.8.8/', 'allowed'],
    [{ only: [] }, 'https://example.com/', 'BLOCKED_ADDRESS'],
    [{ only: ['10.0.0.1'] }, 'http://10.0.0.1/', 'BLOCKED_ADDRESS'],
    [{ only: ['10.0.0.1'], allow: ['10.0.0.1'] }, 'http://10.0.0.1/', 'allowed'],
  ];
  test.each(cases)('%j and %s: %s', (config, url, expected) => {
    expect(verdict(createNetworkPolicy(config), url)).toBe(expected);
  });

  test('another name is refused before it is resolved', async () => {
    const policy = createNetworkPolicy({ only: ['example.com'] });
    const { error } = await lookup(policy, 'no-such-host.invalid');
    expect(error?.message).toBe(
      "Refused to contact no-such-host.invalid: it is not in network.only. To allow it: createClient({ network: { only: [..., 'no-such-host.invalid'] } }).",
    );
  });
});

describe('deny', () => {
  const cases: [config: { allow?: string[]; deny: string[] }, url: string, expected: string][] = [
    [{ deny: ['example.com'] }, 'http://example.com/', 'BLOCKED_ADDRESS'],
    [{ deny: ['Example.COM.'] }, 'http://example.com./', 'BLOCKED_ADDRESS'],
    [{ deny: ['example.com'] }, 'http://www.example.com/', 'allowed'],
    [{ deny: ['*.example.com'] }, 'http://a.b.example.com/', 'BLOCKED_ADDRESS'],
    [{ deny: ['*.example.com'] }, 'http://example.com/', 'allowed'],
    [{ deny: ['*.example.com'] }, 'http://badexample.com/', 'allowed'],
    [{ deny: ['bücher.example'] }, 'http://xn--bcher-kva.example/', 'BLOCKED_ADDRESS'],
    [{ deny: ['8.8.0.0/16'] }, 'http://8.8.8.8/', 'BLOCKED_ADDRESS'],
    [{ deny: ['8.8.0.0/16'] }, 'http://[::ffff:8.8.8.8]/', 'BLOCKED_ADDRESS'],
    [{ deny: ['8.8.0.0/16'] }, 'http://[64:ff9b::8.8.8.8]/', 'BLOCKED_ADDRESS'],
    [{ deny: ['10.0.0.5'], allow: ['10.0.0.0/8'] }, 'http://10.0.0.5/', 'BLOCKED_ADDRESS'],
    [{ deny: ['10.0.0.5'], allow: ['10.0.0.0/8'] }, 'http://10.0.0.6/', 'allowed'],
    [
      { deny: ['10.0.0.5'], allow: ['64:ff9b::/96'] },
      'http://[64:ff9b::a00:5]/',
      'BLOCKED_ADDRESS',
    ],
    [{ deny: ['10.0.0.5'], allow: ['2002::/16'] }, 'http://[2002:a00:5::1]/', 'BLOCKED_ADDRESS'],
    [{ deny: ['localhost'], allow: ['localhost'] }, 'http://localhost/', 'BLOCKED_ADDRESS'],
  ];
  test.each(cases)('%j and %s: %s', (config, url, expected) => {
    expect(verdict(createNetworkPolicy(config), url)).toBe(expected);
  });

  test('wins over an allowed name when the name resolves into it', async () => {
    const policy = createNetworkPolicy({ allow: ['localhost'], deny: ['127.0.0.0/8', '::1'] });
    const { error } = await lookup(policy, 'localhost');
    expect(error?.message).toBe(
      'Refused to contact localhost (127.0.0.1): network.deny has "127.0.0.0/8". To allow it, remove that entry from createClient({ network: { deny } }).',
    );
  });

  test('a denied name is refused at lookup as well', async () => {
    const policy = createNetworkPolicy({
      allow: ['localhost', '127.0.0.1'],
      deny: ['*.localhost'],
    });
    expect((await lookup(policy, 'x.localhost')).error?.code).toBe('BLOCKED_ADDRESS');
    expect((await lookup(policy, 'localhost')).error).toBeUndefined();
  });
});

describe('a bad entry', () => {
  const bad = [
    '',
    ' ',
    '*',
    '*.',
    'a.*.b',
    'http://example.com',
    'example.com:80',
    'example.com/path',
    '10.0.0.0/33',
    '10.0.0/8',
    'fd00::/129',
    '::ffff:10.0.0.0/90',
    '*.10.0.0.1',
    'a b',
    'user@host',
    'ex..ample',
    '999.1.1.1',
    '10.0.0.0/',
    '[::1',
  ];
  test.each(bad)('%j is refused by name', (entry) => {
    for (const list of ['allow', 'deny'] as const) {
      const make = (): unknown => createNetworkPolicy({ [list]: ['example.com', entry] });
      expect(make).toThrow(ValidationError);
      expect(make).toThrow(
        `createClient: network.${list}[1]: ${JSON.stringify(entry)} is not a host`,
      );
    }
  });
});
