/** Addresses that a page must not lead to: in every spelling, at every hop. */
import { redirectTo } from '../../src/entries/testing/index.ts';
import { runScenarios } from './run-scenarios.ts';
import type { Scenario } from './scenario.ts';

/** The client of somebody who configured nothing. */
const standard = { network: {} };

const spellings: readonly (readonly [what: string, url: string])[] = [
  ['loopback', 'http://127.0.0.1/'],
  ['loopback as one decimal number', 'http://2130706433/'],
  ['loopback in hexadecimal', 'http://0x7f000001/'],
  ['loopback in octal', 'http://0177.0.0.1/'],
  ['loopback in mixed bases', 'http://0x7f.1/'],
  ['loopback with parts left out', 'http://127.1/'],
  ['loopback with a trailing dot', 'http://127.0.0.1./'],
  ['loopback in full-width digits', 'http://１２７.０.０.１/'],
  ['loopback with ideographic full stops', 'http://127。0。0。1/'],
  ['loopback with escaped digits', 'http://%31%32%37.0.0.1/'],
  ['loopback of IPv6', 'http://[::1]/'],
  ['localhost', 'http://localhost/'],
  ['localhost in capitals with a dot', 'http://LOCALHOST./'],
  ['a name below localhost', 'http://admin.localhost/'],
  ['this network', 'http://0.0.0.0/'],
  ['zero', 'http://0/'],
  ['the unspecified address of IPv6', 'http://[::]/'],
  ['a private address', 'http://10.0.0.1/'],
  ['a private address of 172.16/12', 'http://172.31.255.254/'],
  ['a private address of 192.168/16', 'http://192.168.0.1/'],
  ['a unique local address', 'http://[fd12:3456::1]/'],
  ['carrier-grade NAT', 'http://100.64.0.1/'],
  ['link-local', 'http://169.254.1.1/'],
  ['link-local of IPv6', 'http://[fe80::1]/'],
  ['the metadata service', 'http://169.254.169.254/latest/meta-data/'],
  ['the metadata service as one number', 'http://2852039166/'],
  ['the metadata service of IPv6', 'http://[fd00:ec2::254]/'],
  ['the metadata service of Alibaba', 'http://100.100.100.200/'],
  ['the metadata service of Oracle', 'http://192.0.0.192/'],
  ['the host of Azure', 'http://168.63.129.16/'],
  ['multicast', 'http://224.0.0.1/'],
  ['multicast of IPv6', 'http://[ff02::1]/'],
  ['a reserved address', 'http://240.0.0.1/'],
  ['broadcast', 'http://255.255.255.255/'],
  ['documentation', 'http://192.0.2.1/'],
  ['benchmarking', 'http://198.18.0.1/'],
  ['IPv4 mapped into IPv6', 'http://[::ffff:127.0.0.1]/'],
  ['IPv4 compatible with IPv6', 'http://[::127.0.0.1]/'],
  ['IPv4 translated to IPv6', 'http://[::ffff:0:127.0.0.1]/'],
  ['NAT64', 'http://[64:ff9b::10.0.0.1]/'],
  ['local NAT64', 'http://[64:ff9b:1::1]/'],
  ['6to4', 'http://[2002:7f00:1::]/'],
  ['Teredo', 'http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/'],
  ['ISATAP', 'http://[2606:4700::5efe:10.0.0.1]/'],
  ['ISATAP of a global identifier', 'http://[2606:4700::200:5efe:169.254.169.254]/'],
  ['an address that nobody has', 'http://[4000::1]/'],
];

const refused = { code: 'BLOCKED_ADDRESS', message: /network: \{ allow: \['[^']+'\] \}/ } as const;

/** Services that take lines of text, which a request could hold. */
const otherPorts = [
  ...([
    ['ftp', 21],
    ['ssh', 22],
    ['telnet', 23],
    ['smtp', 25],
    ['pop3', 110],
    ['imap', 143],
  ] as const),
  ...([
    ['ldap', 389],
    ['submission', 587],
    ['nfs', 2049],
    ['sip', 5060],
    ['irc', 6667],
  ] as const),
];

/** Whatever leads to a refused address, no request is sent there. */
function leadsNowhere(name: string, rest: Omit<Scenario, 'name' | 'expect' | 'client'>): Scenario {
  return {
    name,
    client: { network: { allow: ['127.0.0.1'] } },
    ...rest,
    act: async (scene) => {
      const error: unknown = await scene.scrape(scene.site.url('/')).catch((one: unknown) => one);
      const { code } = error as { code?: string };
      return { code, asked: scene.other.log.length };
    },
    expect: { value: { code: 'BLOCKED_ADDRESS', asked: 0 } },
  };
}

runScenarios([
  ...spellings.map(([what, url]): Scenario => ({
    name: `${what} is refused: ${url}`,
    client: standard,
    visit: url,
    expect: refused,
  })),
  ...otherPorts.map(([what, port]): Scenario => ({
    name: `a redirect to the port of ${what} is not followed`,
    site: { '/': redirectTo({ location: `http://127.0.0.2:${port}/` }) },
    expect: {
      code: 'BLOCKED_ADDRESS',
      message: new RegExp(`port ${port} is not a web port.*ports: \\[${port}\\]`),
    },
  })),
  {
    name: 'a port of another protocol is tried where the client opens it',
    client: { network: { allow: ['127.0.0.1'], ports: [6669] } },
    visit: 'http://127.0.0.1:6669/',
    expect: { code: 'CONNECTION_REFUSED', message: /127\.0\.0\.1:6669/ },
  },
  leadsNowhere('a redirect to another address of this machine is not followed', {
    site: ({ other }) => ({ '/': redirectTo({ location: other.url('/') }) }),
    other: { '/': 'secret' },
  }),
  leadsNowhere('a redirect that keeps the method is not followed there either', {
    site: ({ other }) => ({ '/': redirectTo({ location: other.url('/'), status: 308 }) }),
    other: { '/': 'secret' },
  }),
  leadsNowhere('the third of three redirects is checked as the first', {
    site: ({ other }) => ({
      '/': redirectTo({ location: '/2' }),
      '/2': redirectTo({ location: '/3' }),
      '/3': redirectTo({ location: other.url('/') }),
    }),
    other: { '/': 'secret' },
  }),
  leadsNowhere('a redirect to another spelling of a refused address is not followed', {
    site: ({ other }) => ({
      '/': redirectTo({ location: other.url('/').replace('127.0.0.2', '2130706434') }),
    }),
    other: { '/': 'secret' },
  }),
  leadsNowhere('a redirect without a scheme is checked too', {
    site: ({ other }) => ({ '/': redirectTo({ location: other.url('/').replace('http:', '') }) }),
    other: { '/': 'secret' },
  }),
  leadsNowhere('a meta refresh is not followed there', {
    site: ({ other }) => ({
      '/': `<meta http-equiv="refresh" content="0; url=${other.url('/')}"><p>Wait</p>`,
    }),
    other: { '/': 'secret' },
  }),
  leadsNowhere('a Refresh header is not followed there', {
    site: ({ other }) => ({
      '/': { headers: { refresh: `0; url=${other.url('/')}` }, body: '<p>Wait</p>' },
    }),
    other: { '/': 'secret' },
  }),
  {
    name: 'a redirect to the metadata service is refused, with its address in the message',
    client: { network: { allow: ['127.0.0.1'] } },
    site: { '/': redirectTo({ location: 'http://169.254.169.254/latest/meta-data/' }) },
    expect: { code: 'BLOCKED_ADDRESS', message: /169\.254\.169\.254: only public addresses/ },
  },
  {
    name: 'a name that resolves to loopback is refused at the time of the lookup',
    client: { network: {} },
    visit: ({ site }) => site.url('/').replace('127.0.0.1', 'localhost'),
    expect: refused,
  },
  {
    name: 'an allowed name may resolve to loopback',
    client: { network: { allow: ['localhost'] } },
    site: { '/': '<p>Here</p>' },
    visit: ({ site }) => site.url('/').replace('127.0.0.1', 'localhost'),
    expect: { document: { markdown: 'Here' } },
  },
  {
    name: 'an allowed name does not allow its address',
    client: { network: { allow: ['localhost'] } },
    expect: refused,
  },
  {
    name: 'an allowed wildcard covers the names below',
    client: { network: { allow: ['*.localhost'] } },
    site: { '/': '<p>Below</p>' },
    visit: ({ site }) => site.url('/').replace('127.0.0.1', 'deep.er.localhost'),
    expect: { document: { markdown: 'Below' } },
  },
  {
    name: 'an allowed wildcard does not cover the name itself',
    client: { network: { allow: ['*.localhost'] } },
    visit: ({ site }) => site.url('/').replace('127.0.0.1', 'localhost'),
    expect: refused,
  },
  {
    name: 'an allowed range covers its addresses',
    client: { network: { allow: ['127.0.0.0/30'] } },
    other: { '/': '<p>In range</p>' },
    visit: ({ other }) => other.url('/'),
    expect: { document: { markdown: 'In range' } },
  },
  {
    name: 'an allowed range ends at its last address',
    client: { network: { allow: ['127.0.0.0/31'] } },
    visit: ({ other }) => other.url('/'),
    expect: refused,
  },
  {
    name: 'a denied address wins over an allowed range',
    client: { network: { allow: ['127.0.0.0/8'], deny: ['127.0.0.2'] } },
    visit: ({ other }) => other.url('/'),
    expect: {
      code: 'BLOCKED_ADDRESS',
      message: /network\.deny has "127\.0\.0\.2".*remove that entry/,
    },
  },
  {
    name: 'a denied range wins over an allowed name that resolves into it',
    client: { network: { allow: ['localhost'], deny: ['127.0.0.0/8', '::1'] } },
    visit: ({ site }) => site.url('/').replace('127.0.0.1', 'localhost'),
    expect: { code: 'BLOCKED_ADDRESS', message: /network\.deny has "127\.0\.0\.0\/8"/ },
  },
  {
    name: 'a denied name is refused on a redirect',
    client: { network: { allow: ['127.0.0.0/8', 'localhost'], deny: ['localhost'] } },
    site: ({ site }) => ({
      '/': redirectTo({ location: site.url('/x').replace('127.0.0.1', 'localhost') }),
    }),
    expect: { code: 'BLOCKED_ADDRESS', message: /network\.deny has "localhost"/ },
  },
  {
    name: 'a denied public site is refused without a lookup',
    client: { network: { deny: ['*.example.com'] } },
    visit: 'http://www.example.com/',
    expect: { code: 'BLOCKED_ADDRESS', message: /network\.deny has "\*\.example\.com"/ },
  },
  {
    name: 'the address of a proxy trick, user@host, is the host after the sign',
    client: standard,
    visit: 'http://example.com@127.0.0.1/',
    expect: refused,
  },
  {
    name: 'a backslash does not hide the host',
    client: standard,
    visit: 'http://127.0.0.1\\@example.com/',
    expect: refused,
  },
  {
    name: 'a tab in the host does not hide it',
    client: standard,
    visit: 'http://127.0.\t0.1/',
    expect: refused,
  },
  {
    name: 'a name that does not exist is a DNS error',
    client: standard,
    visit: 'http://no-such-host.invalid/',
    expect: { code: 'DNS', message: /"no-such-host\.invalid".*Check its spelling/ },
  },
  {
    name: 'a crawl does not follow a link to a refused address',
    client: { network: { allow: ['127.0.0.1'] } },
    site: ({ other }) => ({ '/': `<a href="${other.url('/')}">in</a><p>Text</p>` }),
    act: async ({ client, site, other }) => {
      const { data } = await client.crawl(site.url('/'), { allowExternalLinks: true, limit: 5 });
      return { pages: data.length, asked: other.log.length };
    },
    expect: { value: { pages: 1, asked: 0 } },
  },
  {
    name: 'robots.txt that redirects to a refused address is not read, and harms no crawl',
    client: { network: { allow: ['127.0.0.1'] } },
    site: ({ other }) => ({
      '/': '<p>Text</p>',
      '/robots.txt': redirectTo({ location: other.url('/robots.txt') }),
    }),
    act: async ({ client, site, other }) => {
      const { data } = await client.crawl(site.url('/'), { limit: 5 });
      return { pages: data.length, asked: other.log.length };
    },
    expect: { value: { pages: 1, asked: 0 } },
  },
  {
    name: 'a sitemap at a refused address is a warning',
    client: { network: { allow: ['127.0.0.1'] } },
    site: ({ other }) => ({
      '/': '<p>Text</p>',
      '/robots.txt': { body: `Sitemap: ${other.url('/sitemap.xml')}` },
    }),
    act: async ({ client, site, other }) => {
      const { warning = '' } = await client.map(site.url('/'));
      return {
        told: /sitemap\.xml.*Refused to contact 127\.0\.0\.2/.test(warning),
        asked: other.log.length,
      };
    },
    expect: { value: { told: true, asked: 0 } },
  },
  {
    name: 'an address that a redirect leads to is refused with the page that led there',
    site: { '/': redirectTo({ location: 'http://169.254.169.254/latest/meta-data/' }) },
    expect: {
      code: 'BLOCKED_ADDRESS',
      message:
        /^http:\/\/127\.0\.0\.1:\d+\/ redirects to http:\/\/169\.254\.169\.254\/latest\/meta-data\/\. Refused/,
    },
  },
]);
