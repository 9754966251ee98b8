/** `createClient({ hosts })`: headers and proxies of single hosts, and their limits in crawls and scrapes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Client, type ClientOptions, createClient, memoryStore } from '../../src/index.ts';
import { serve as serveLab, serveTls } from '../core/http/http-lab.ts';
import { serveHttpProxy } from '../core/http/proxies/proxy-lab.ts';
import { linkedSite } from '../../src/entries/testing/linked-site.ts';
import { failure } from '../support/failure.ts';
import { serve as serveSite } from '../../src/entries/testing/serve.ts';

const network = { allow: ['127.0.0.1', 'localhost'] };

function open(options: ClientOptions<readonly []>): Client {
  const client = createClient({ network, cache: false, browser: false, ...options });
  onTestFinished(() => client.close());
  return client;
}

interface Arrival {
  readonly url: string;
  readonly key: string | undefined;
  readonly language: string | undefined;
  readonly agent: string | undefined;
}

/** A site that redirects `/to?<url>`, and what it was sent. */
async function openSite(): Promise<{ origin: string; host: string; arrivals: Arrival[] }> {
  const arrivals: Arrival[] = [];
  const { origin } = await serveLab(({ url = '', headers }, response) => {
    const { 'accept-language': language, 'user-agent': agent } = headers;
    arrivals.push({ url, key: headers['x-api-key'] as string | undefined, language, agent });
    const [path, target] = url.split('?');
    if (path === '/to') response.writeHead(302, { location: decodeURIComponent(target ?? '') });
    else response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<title>${url}</title><p>Some words of a page. <a href="/next">next</a>`);
  });
  return { origin, host: new URL(origin).host, arrivals };
}

const to = (url: string): string => `/to?${encodeURIComponent(url)}`;

test('headers go to their host alone, whatever leads where', async () => {
  const [own, other] = [await openSite(), await openSite()];
  const headers = { 'X-Api-Key': 'k1', 'accept-language': 'fr', 'user-agent': 'own-agent' };
  const client = open({ hosts: { [own.host]: { headers } } });
  await client.scrape(own.origin + to(`${other.origin}${to(`${own.origin}/end`)}`), {
    // Siblings of one site get the headers of the call.
    redirectCredentials: 'same-site',
    headers: { 'x-of-call': '1' },
  });
  expect(own.arrivals.map(({ key, language, agent }) => [key, language, agent])).toEqual([
    ['k1', 'fr', 'own-agent'],
    ['k1', 'fr', 'own-agent'],
  ]);
  expect(other.arrivals).toMatchObject([{ key: undefined, language: 'en-US,en;q=0.9' }]);
  expect(other.arrivals[0]?.agent).toContain('pagewright');
});

test('headers of a call win; a crawl sends those of its host with robots.txt, too', async () => {
  const own = await openSite();
  const hosts = { [own.host]: { headers: { 'x-api-key': 'k1' } } };
  const client = open({ hosts });
  await client.scrape(own.origin, { headers: { 'x-api-key': 'k2' } });
  expect(own.arrivals.splice(0)).toMatchObject([{ key: 'k2' }]);
  await client.crawl(own.origin, { limit: 2 });
  const urls = own.arrivals.map(({ url }) => url);
  expect(urls).toEqual(expect.arrayContaining(['/robots.txt', '/sitemap.xml', '/', '/next']));
  expect(own.arrivals.every(({ key }) => key === 'k1')).toBe(true);
});

test('over http they go only where the key has a port', async () => {
  const own = await openSite();
  const client = open({ hosts: { '127.0.0.1': { headers: { 'x-api-key': 'k1' } } } });
  await client.scrape(own.origin);
  expect(own.arrivals).toMatchObject([{ key: undefined }]);
});

test('they go only to a server whose certificate verifies, unless the call accepts it', async () => {
  const seen: unknown[] = [];
  const secure = await serveTls((request, response) => {
    seen.push(request.headers['x-api-key']);
    response.setHeader('content-type', 'text/html');
    response.end('<p>Some words of a page.</p>');
  });
  const plain = await openSite();
  const client = open({ hosts: { '127.0.0.1': { headers: { 'x-api-key': 'k1' } } } });
  const options = { retries: 0 };
  const direct = await failure(client.scrape(secure.origin, options));
  const redirected = await failure(client.scrape(plain.origin + to(secure.origin), options));
  expect([direct.code, redirected.code]).toEqual(['TLS', 'TLS']);
  expect(seen).toEqual([]);
  await client.scrape(secure.origin, { ...options, skipTlsVerification: true });
  expect(seen).toEqual(['k1']);
  // A host without headers is read as before.
  const others = open({ hosts: { 'a.test': { headers: { 'x-api-key': 'k1' } } } });
  await others.scrape(secure.origin, options);
});

test('a page that was requested with them is not shared by the cache', async () => {
  const [own, other] = [await openSite(), await openSite()];
  const storage = memoryStore();
  const hosts = { [own.host]: { headers: { 'x-api-key': 'k1' } } };
  const client = open({ hosts, storage, cache: {} });
  const plain = open({ storage, cache: {} });
  const maxAge = { maxAge: 60_000 };
  for (let n = 0; n < 2; n += 1) await client.scrape(own.origin, maxAge);
  await plain.scrape(own.origin, maxAge);
  expect(own.arrivals.map(({ key }) => key)).toEqual(['k1', 'k1', undefined]);
  const error = await failure(client.scrape(own.origin, { cacheOnly: true }));
  expect(error).toMatchObject({ code: 'CACHE_MISS' });
  expect(error.message).toContain('headers for its host');
  // A redirect leads there.
  own.arrivals.length = 0;
  const url = other.origin + to(`${own.origin}/end`);
  for (const one of [client, client, plain]) await one.scrape(url, maxAge);
  expect(own.arrivals.map(({ key }) => key)).toEqual(['k1', undefined]);
});

test('each host has its proxy, on redirects too, and false is a direct connection', async () => {
  const [clients, hosts] = [await serveHttpProxy(), await serveHttpProxy()];
  const sites = [await openSite(), await openSite(), await openSite()];
  const [direct, proxied, other] = sites;
  const client = open({
    proxy: clients.url,
    hosts: { [direct!.host]: { proxy: false }, [proxied!.host]: { proxy: { url: hosts.url } } },
  });
  await client.scrape(
    direct!.origin + to(proxied!.origin + to(other!.origin + to(`${direct!.origin}/end`))),
  );
  expect(hosts.asked).toEqual([proxied!.host]);
  expect(clients.asked).toEqual([other!.host]);
  const without = open({ hosts: { [proxied!.host]: { proxy: hosts.url } } });
  await without.scrape(proxied!.origin);
  await without.scrape(other!.origin);
  expect(hosts.asked).toEqual([proxied!.host, proxied!.host]);
});

test('the proxy of a host that fails is no failure of the proxies of the client', async () => {
  const clients = await serveHttpProxy();
  const [own, other] = [await openSite(), await openSite()];
  const reports: string[] = [];
  const proxy = {
    pick: () => ({ url: clients.url }),
    report: (_: unknown, outcome: string): void => void reports.push(outcome),
  };
  const client = open({ proxy, hosts: { [own.host]: { proxy: 'http://127.0.0.1:9' } } });
  const error = await failure(client.scrape(own.origin, { retries: 0 }));
  expect(error.code).toBe('PROXY_FAILED');
  await client.scrape(other.origin);
  expect(reports).toEqual(['ok']);
});

test('a crawl and scrapes keep the number in flight of their host together', async () => {
  let [inFlight, most] = [0, 0];
  const { site } = linkedSite({ pages: 8, links: 3, seed: 2 });
  const pages = site as Readonly<Record<string, string>>;
  await using server = await serveSite(async ({ url }) => {
    most = Math.max(most, (inFlight += 1));
    await sleep(20);
    inFlight -= 1;
    return { body: pages[url] ?? '' };
  });
  const client = open({ hosts: { '127.0.0.1': { concurrency: 2 } } });
  const scrapes = Array.from({ length: 4 }, () => client.scrape(server.url('/page-1')));
  const { completed } = await client.crawl(server.url('/'), { limit: 8 });
  await Promise.all(scrapes);
  expect(completed).toBe(8);
  expect(most).toBe(2);
});

test('a scrape beyond the requests of a minute is HOST_BUSY with the time to wait', async () => {
  await using server = await serveSite({ '/': '<p>Some words of a page.</p>' });
  const client = open({ hosts: { '127.0.0.1': { perMinute: 3 } } });
  for (let n = 0; n < 3; n += 1) await client.scrape(server.url('/'));
  const error = await failure(client.scrape(server.url('/'), { timeout: 5000 }));
  expect(error.code).toBe('HOST_BUSY');
  expect(error.retryAfter).toBeGreaterThan(55_000);
  expect(server.log).toHaveLength(3);
});

test('the page histories of callers with other headers are kept apart', async () => {
  const own = await openSite();
  const storage = memoryStore();
  const of = (key: string): Client =>
    open({ storage, hosts: { [own.host]: { headers: { 'x-api-key': key } } } });
  const formats = ['markdown', 'changeTracking'] as const;
  const statusOf = async (client: Client): Promise<string | undefined> =>
    (await client.scrape(own.origin, { formats })).changeTracking?.changeStatus;
  const [one, other] = [of('k1'), of('k2')];
  expect([await statusOf(one), await statusOf(one), await statusOf(other)]).toEqual([
    'new',
    'same',
    'new',
  ]);
});
