/** `proxy: 'environment'`: which variable is for which URL, and what goes directly. */
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../../../../src/index.ts';
import { environmentProxy } from '../../../../src/core/http/proxies/environment-proxy.ts';
import type { ClientProxy } from '../../../../src/core/http/proxies/proxy.ts';
import { serve, serveTls } from '../http-lab.ts';
import { cert } from '../self-signed.ts';
import { serveHttpProxy, serveSocksProxy } from './proxy-lab.ts';

const names = ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'];

/** The variables of the machine that runs the tests must not count. */
beforeEach(() => {
  for (const name of names) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toUpperCase(), undefined);
  }
});
afterEach(() => void vi.unstubAllEnvs());

interface Read {
  readonly proxy: ClientProxy;
  readonly said: string;
}

function read(environment: Readonly<Record<string, string>>): Read {
  const said: string[] = [];
  const warn = (sentence: string): void => void said.push(sentence);
  const proxy = environmentProxy(environment, { subject: 'createClient', warn });
  expect(said).toHaveLength(1);
  return { proxy, said: said.join() };
}

function routeOf(environment: Readonly<Record<string, string>>, url: string): string | undefined {
  return read(environment).proxy.routeOf?.(new URL(url))?.url;
}

describe('the variable of a scheme', () => {
  const [one, two] = ['http://one.example:1', 'http://two.example:2'];
  test.each<[Record<string, string>, http: string | undefined, https: string | undefined]>([
    [{}, undefined, undefined],
    [{ http_proxy: one }, one, undefined],
    [{ https_proxy: one }, undefined, one],
    [{ HTTPS_PROXY: one }, undefined, one],
    // A CGI program gets it from a header of its visitor's.
    [{ HTTP_PROXY: one }, undefined, undefined],
    [{ HTTP_PROXY: one, all_proxy: two }, two, two],
    [{ ALL_PROXY: one }, one, one],
    [{ all_proxy: one, ALL_PROXY: two }, one, one],
    [{ https_proxy: one, HTTPS_PROXY: two }, undefined, one],
    [{ https_proxy: '', HTTPS_PROXY: two }, undefined, two],
    [{ http_proxy: '', all_proxy: one }, one, one],
    [{ HTTPS_PROXY: one, all_proxy: two }, two, one],
    [{ http_proxy: one, https_proxy: two }, one, two],
    [{ http_proxy: one, no_proxy: '', NO_PROXY: '*' }, undefined, undefined],
    [{ http_proxy: one, no_proxy: 'x.example', NO_PROXY: '*' }, one, undefined],
  ])('%j', (environment, http, https) => {
    const wanted = [http, https].map((url) => (url === undefined ? url : `${url}/`));
    const found = ['http', 'https'].map((scheme) => routeOf(environment, `${scheme}://a.example/`));
    expect(found).toEqual(wanted);
  });
});

test.each([
  ['http://p.example:3128', 'http://p.example:3128/'],
  ['http://p.example:3128/', 'http://p.example:3128/'],
  ['p.example:3128', 'http://p.example:3128/'],
  ['ann:s%40cret@p.example:3128', 'http://ann:s%40cret@p.example:3128/'],
  ['10.0.0.1:3128', 'http://10.0.0.1:3128/'],
  ['[::1]:3128', 'http://[::1]:3128/'],
  // curl's port of an http proxy without one.
  ['http://p.example', 'http://p.example:1080/'],
  ['p.example', 'http://p.example:1080/'],
  ['http://[::1]', 'http://[::1]:1080/'],
  ['http://p.example:80', 'http://p.example/'],
  ['https://p.example', 'https://p.example/'],
  ['socks5://p.example', 'socks5://p.example'],
  ['socks5h://p.example:9', 'socks5h://p.example:9'],
])('%s is the proxy %s', (value, wanted) => {
  expect(routeOf({ http_proxy: value }, 'http://a.example/')).toBe(wanted);
});

describe('NO_PROXY', () => {
  test.each<[list: string, url: string, isDirect: boolean]>([
    ['*', 'http://a.example/', true],
    ['*', 'http://10.0.0.1/', true],
    ['*', 'http://[::1]/', true],
    [' *', 'http://a.example/', false],
    // Only alone it is every host, and in an entry it is no wildcard.
    ['*,b.example', 'http://a.example/', false],
    ['*.a.example', 'http://x.a.example/', false],
    ['a.example', 'http://a.example/', true],
    ['a.example', 'http://www.a.example/', true],
    ['a.example', 'http://x.www.a.example/', true],
    ['a.example', 'http://nota.example/', false],
    ['a.example', 'http://a.example.org/', false],
    ['.a.example', 'http://a.example/', true],
    ['.a.example', 'http://www.a.example/', true],
    ['.a.example', 'http://nota.example/', false],
    ['a.example.', 'http://a.example/', true],
    ['a.example', 'http://a.example./', true],
    ['A.Example', 'http://a.exaMPLE/', true],
    ['bücher.example', 'http://xn--bcher-kva.example/', true],
    ['example', 'http://a.example/', true],
    ['.', 'http://a.example/', false],
    ['b.example,a.example', 'http://a.example/', true],
    ['b.example , a.example', 'http://a.example/', true],
    ['b.example a.example', 'http://a.example/', true],
    [',,b.example,, ,a.example,', 'http://a.example/', true],
    ['', 'http://localhost/', false],
    ['b.example', 'http://127.0.0.1/', false],
    ['localhost', 'http://localhost/', true],
    ['localhost', 'http://127.0.0.1/', false],
    ['a.example', 'https://a.example:8443/', true],
    ['a.example:8080', 'http://a.example:8080/', true],
    ['a.example:8080', 'http://a.example/', false],
    ['.a.example:80', 'http://www.a.example/', true],
    ['a.example:443', 'https://a.example/', true],
    ['a.example:80', 'https://a.example/', false],
    ['10.0.0.1', 'http://10.0.0.1/', true],
    ['10.0.0.1', 'http://10.0.0.1:8080/', true],
    ['10.0.0.1:80', 'http://10.0.0.1:8080/', false],
    ['10.0.0.1:8080', 'http://10.0.0.1:8080/', true],
    ['0.0.1', 'http://10.0.0.1/', false],
    ['10.0.0.1', 'http://110.0.0.1/', false],
    ['10.0.0.0/8', 'http://10.200.3.4/', true],
    ['10.0.0.0/8', 'http://11.0.0.1/', false],
    ['192.168.1.128/25', 'http://192.168.1.127/', false],
    ['192.168.1.128/25', 'http://192.168.1.129/', true],
    ['192.168.1.1/32', 'http://192.168.1.1/', true],
    ['10.0.0.0/33', 'http://10.0.0.0/', false],
    ['10.0.0.0/x', 'http://10.0.0.0/', false],
    // A name is not resolved for the list.
    ['127.0.0.0/8', 'http://localhost/', false],
    ['::1', 'http://[::1]/', true],
    ['::1', 'http://[0:0::1]:8080/', true],
    ['[::1]', 'http://[::1]/', true],
    ['[::1]:8080', 'http://[::1]:8080/', true],
    ['[::1]:8080', 'http://[::1]/', false],
    ['::1', 'http://[::2]/', false],
    ['fe80::/10', 'http://[febf::1]/', true],
    ['fe80::/10', 'http://[fec0::1]/', false],
    ['2001:db8::/33', 'http://[2001:db8:8000::1]/', false],
    ['10.0.0.0/8', 'http://[::1]/', false],
    ['::/1', 'http://10.0.0.1/', false],
  ])('%j: %s direct is %s', (list, url, isDirect) => {
    const proxy = 'http://p.example:3128/';
    const environment = { all_proxy: proxy, NO_PROXY: list };
    expect(routeOf(environment, url)).toBe(isDirect ? undefined : proxy);
  });
});

test.each<[Record<string, string>, said: string]>([
  [
    {},
    "proxy: 'environment': http URLs are requested directly (not set: http_proxy, all_proxy, ALL_PROXY), https URLs are requested directly (not set: https_proxy, HTTPS_PROXY, all_proxy, ALL_PROXY).",
  ],
  [
    { http_proxy: 'http://ann:hunter2@p.example:1', ALL_PROXY: 'q.example:2', NO_PROXY: 'a, .b' },
    "proxy: 'environment': http URLs are requested through the proxy in http_proxy, https URLs are requested through the proxy in ALL_PROXY. Hosts in NO_PROXY are contacted directly.",
  ],
  [
    { HTTP_PROXY: 'p.example:1', all_proxy: 'q.example:2', no_proxy: '*.a.example,10.0.0.0/99,b' },
    'proxy: \'environment\': http URLs are requested through the proxy in all_proxy, https URLs are requested through the proxy in all_proxy. Hosts in no_proxy are contacted directly. These entries of it match no host: "*.a.example", "10.0.0.0/99". HTTP_PROXY is not read: write it in lower case.',
  ],
])('%j is said in one sentence for each fact', (environment, said) => {
  expect(read(environment).said).toBe(said);
});

/** A client that may contact this machine; its warnings are in `said`. */
function open(options: ClientOptions<readonly []> = {}): { client: Client; said: string[] } {
  const said: string[] = [];
  const logger = { warn: (_: unknown, message: string): void => void said.push(message) };
  const network = { allow: ['127.0.0.1', 'localhost'] };
  const client = createClient({ network, logger, proxy: 'environment', cache: false, ...options });
  onTestFinished(() => client.close());
  return { client, said };
}

test.each(['hunter2', 'http://ann:hunter2@', 'socks4://ann:hunter2@p.example', 'ann:hunter2@p/x'])(
  'a value that is no proxy is BAD_REQUEST with the name of its variable (%s)',
  (value) => {
    vi.stubEnv('HTTPS_PROXY', value === 'hunter2' ? 'hunter2:x' : value);
    vi.stubEnv('http_proxy', 'http://p.example:1');
    let error: unknown;
    try {
      createClient({ proxy: 'environment' });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: 'BAD_REQUEST', issues: [{ path: ['proxy'] }] });
    expect(String(error)).toMatch(/createClient.*the environment variable HTTPS_PROXY: expected /s);
    expect(JSON.stringify(error) + String(error)).not.toContain('hunter2');
  },
);

test.each(['env', 'Environment'])('%s is BAD_REQUEST with the name that is meant', (proxy) => {
  expect(() => createClient({ proxy })).toThrow(
    /proxy: expected a URL such as .*, or 'environment'$/,
  );
});

test("a trusted browser is refused: it has no proxy of each host's", () => {
  expect(() => createClient({ proxy: 'environment', network: { trustBrowser: true } })).toThrow(
    /proxy: a browser with network\.trustBrowser/,
  );
  expect(() => open({ network: { trustBrowser: true }, browser: false })).not.toThrow();
});

const html = '<!DOCTYPE html><title>Lamp</title><p>A lamp.</p>';

test('the variables are read once, also for a variant of the client', async () => {
  const [site, proxy] = [await serve((_, response) => response.end(html)), await serveHttpProxy()];
  vi.stubEnv('http_proxy', proxy.as('ann', 'hunter2'));
  const { client, said } = open();
  const variant = client.extend({ userAgent: 'other/1' });
  onTestFinished(() => variant.close());
  vi.stubEnv('http_proxy', 'http://127.0.0.1:1');
  for (const one of [client, variant]) {
    const document = await one.scrape(site.origin);
    expect(document.markdown).toContain('A lamp.');
    expect(JSON.stringify(document)).not.toContain('hunter2');
  }
  expect(proxy.asked).toHaveLength(2);
  expect(said).toHaveLength(1);
  expect(said.join()).not.toMatch(/hunter2|127\.0\.0\.1/);
});

test('no variable: the connection is direct', async () => {
  const site = await serve((_, response) => response.end(html));
  const { client, said } = open();
  expect((await client.scrape(site.origin)).markdown).toContain('A lamp.');
  expect(said).toHaveLength(1);
});

test('a crawl takes all of its requests through a proxy, robots.txt and sitemaps too', async () => {
  const site = await serve((_, response) => response.end(html));
  const proxy = await serveSocksProxy();
  vi.stubEnv('ALL_PROXY', proxy.url);
  const { data } = await open().client.crawl(site.origin, { limit: 1 });
  expect(data).toHaveLength(1);
  expect(site.log).toEqual(expect.arrayContaining(['/robots.txt', '/sitemap.xml']));
  expect(proxy.sockets.size).toBe(site.sockets.size);
});

test('a private address is refused, with a proxy and as an exception of it', async () => {
  const proxy = await serveHttpProxy();
  vi.stubEnv('http_proxy', proxy.url);
  vi.stubEnv('NO_PROXY', '10.0.0.2');
  for (const url of ['http://10.0.0.1/', 'http://10.0.0.2/']) {
    await expect(open().client.scrape(url)).rejects.toMatchObject({ code: 'BLOCKED_ADDRESS' });
  }
  expect(proxy.heard).toEqual([]);
});

test('a proxy that fails is PROXY_FAILED: nothing goes directly instead', async () => {
  const site = await serve((_, response) => response.end(html));
  vi.stubEnv('http_proxy', 'http://ann:hunter2@127.0.0.1:1');
  const scrape = open().client.scrape(site.origin, { retries: 0 });
  const error: unknown = await scrape.catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'PROXY_FAILED' });
  expect(JSON.stringify(error)).not.toContain('hunter2');
  expect(site.log).toEqual([]);
});

describe.each<[string, ClientOptions<readonly []>]>([
  ['plain HTTP', { defaults: { scrape: { proxy: 'basic' } } }],
  ['got-scraping', { defaults: { scrape: { proxy: 'stealth' } } }],
  ['impit', { stealth: 'impit', defaults: { scrape: { proxy: 'stealth' } } }],
  ['the browser', { defaults: { scrape: { engine: 'browser', timeout: 90_000 } } }],
])('with %s', (name, options) => {
  const tls = name === 'plain HTTP' || name === 'got-scraping' ? { tls: { ca: cert } } : {};

  test('each scheme has its proxy', async () => {
    const site = await serve((_, response) => response.end(html));
    const secure = await serveTls((_, response) => response.end(html));
    const [plainProxy, secureProxy] = [await serveHttpProxy(), await serveHttpProxy()];
    vi.stubEnv('http_proxy', plainProxy.url);
    vi.stubEnv('HTTPS_PROXY', secureProxy.url);
    const { client } = open({ ...options, ...tls });
    for (const { origin } of [site, secure]) {
      expect((await client.scrape(origin)).markdown).toContain('A lamp.');
    }
    // Chromium reads the variables itself for requests of its own, which are to Google.
    const asked = [plainProxy, secureProxy].map((proxy) => [
      ...new Set(proxy.asked.filter((target) => target.startsWith('127.'))),
    ]);
    expect(asked).toEqual([[`127.0.0.1:${site.port}`], [`127.0.0.1:${secure.port}`]]);
  }, 180_000);

  // Both names are this machine; to NO_PROXY they are two hosts.
  test.each([
    ['a proxied', '127.0.0.1', 'localhost'],
    ['an exempt', 'localhost', '127.0.0.1'],
  ])(
    'a redirect from %s host takes the way of its target',
    async (_, from, to) => {
      const target = await serve((__, response) => {
        response.setHeader('content-type', 'text/html').end(html);
      });
      const location = `http://${to}:${target.port}/b`;
      const start = await serve((__, response) => void response.writeHead(302, { location }).end());
      const proxy = await serveHttpProxy();
      vi.stubEnv('http_proxy', proxy.url);
      vi.stubEnv('no_proxy', 'localhost');
      const { client } = open({ ...options, ...tls });
      const document = await client.scrape(`http://${from}:${start.port}/a`);
      expect(document.markdown).toContain('A lamp.');
      expect([...start.log, ...target.log]).toEqual(['/a', '/b']);
      const proxied = from === '127.0.0.1' ? start : target;
      expect(proxy.asked).toEqual([`127.0.0.1:${proxied.port}`]);
    },
    180_000,
  );
});

test("the requests of a page in the browser take each host's way", async () => {
  const other = await serve((_, response) => response.end('<p>In a frame</p>'));
  const site = await serve((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`${html}<iframe src="http://localhost:${other.port}/frame"></iframe>`);
  });
  const proxy = await serveHttpProxy();
  vi.stubEnv('http_proxy', proxy.url);
  vi.stubEnv('NO_PROXY', 'localhost');
  const { client } = open();
  await client.scrape(site.origin, { engine: 'browser', timeout: 90_000 });
  expect(other.log).toContain('/frame');
  expect(new Set(proxy.asked)).toEqual(new Set([`127.0.0.1:${site.port}`]));
}, 180_000);
