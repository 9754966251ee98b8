/** A client with proxies, from its options to its documents. */
import { expect, test } from 'vitest';
import { createClient, type Proxy } from '../../../../src/index.ts';
import { serve, serveSilence } from '../http-lab.ts';
import { serveHttpProxy, serveSocksProxy } from './proxy-lab.ts';

const network = { allow: ['127.0.0.1'] };
const html = '<!DOCTYPE html><title>Lamp</title><p>A lamp.</p><a href="/b">more</a>';

async function serveSite(): ReturnType<typeof serve> {
  return serve((request, response) => {
    const isFile = /\.(?:txt|xml)$/.test(request.url ?? '');
    if (isFile) return void response.writeHead(404).end();
    response.setHeader('content-type', 'text/html').end(`${html}<p>${request.url}`);
  });
}

test('a scrape goes through the proxy, and the document has no word of it', async () => {
  const [site, proxy] = [await serveSite(), await serveHttpProxy({ login: 'ann:hunter2' })];
  await using client = createClient({ network, proxy: proxy.as('ann', 'hunter2') });
  const document = await client.scrape(site.origin);
  expect(document.markdown).toContain('A lamp.');
  expect(proxy.asked).toEqual([`127.0.0.1:${site.port}`]);
  expect(JSON.stringify(document)).not.toContain('hunter2');
});

test('a crawl goes through it with all of its requests', async () => {
  const [site, proxy] = [await serveSite(), await serveSocksProxy()];
  await using client = createClient({ network, proxy: proxy.url });
  const { data } = await client.crawl(site.origin, { limit: 2 });
  expect(data).toHaveLength(2);
  expect(site.log).toContain('/robots.txt');
  expect(site.sockets.size).toBe(proxy.sockets.size);
});

test('a list goes on with the next proxy when one fails', async () => {
  const [site, good] = [await serveSite(), await serveHttpProxy()];
  const bad = await serveHttpProxy({ answer: (socket) => socket.end('HTTP/1.1 502 x\r\n\r\n') });
  await using client = createClient({ network, proxy: [bad.url, good.url] });
  expect((await client.scrape(site.origin)).markdown).toContain('A lamp.');
  expect((await client.scrape(site.origin)).markdown).toContain('A lamp.');
  expect([bad.asked.length, good.asked.length]).toEqual([1, 1]);
});

test('a proxy that fails for good is PROXY_FAILED', async () => {
  const [site, proxy] = [await serveSite(), await serveHttpProxy({ login: 'ann:secret' })];
  await using client = createClient({ network, proxy: proxy.as('ann', 'hunter2') });
  const error: unknown = await client.scrape(site.origin).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'PROXY_FAILED' });
  expect(JSON.stringify(error)).not.toContain('hunter2');
  expect(site.log).toEqual([]);
});

test('the proxy of a country is taken for a visitor from there', async () => {
  const site = await serveSite();
  const [home, away] = [await serveHttpProxy(), await serveHttpProxy()];
  await using client = createClient({
    network,
    proxy: { basic: home.url, countries: { DE: away.url } },
  });
  await client.scrape(site.origin, { location: { country: 'DE' } });
  expect([home.asked.length, away.asked.length]).toEqual([0, 1]);
  await client.scrape(site.origin);
  expect([home.asked.length, away.asked.length]).toEqual([1, 1]);
});

test('a private address is refused with a proxy as without', async () => {
  const proxy = await serveHttpProxy();
  await using client = createClient({ proxy: proxy.url });
  await expect(client.scrape('http://127.0.0.1:8080/')).rejects.toMatchObject({
    code: 'BLOCKED_ADDRESS',
  });
  expect(proxy.heard).toEqual([]);
});

test('an adapter of the caller is asked with the visitor and told how it went', async () => {
  const [site, proxy] = [await serveSite(), await serveHttpProxy()];
  const told: string[] = [];
  const adapter: Proxy = {
    pick: ({ url, tier, visitor }) => {
      told.push(`${tier} ${url} ${typeof visitor}`);
      return { url: proxy.url };
    },
    report: (_, outcome) => void told.push(outcome),
  };
  await using client = createClient({ network, proxy: adapter });
  await client.scrape(`${site.origin}/a`);
  expect(told).toEqual([`basic ${site.origin}/a object`, 'ok']);
});

test('a time limit ends a scrape whose proxy is silent', async () => {
  const proxy = await serveSilence();
  await using client = createClient({ network, proxy: proxy.origin });
  await expect(client.scrape('http://127.0.0.1/', { timeout: 1_000 })).rejects.toMatchObject({
    code: 'TIMEOUT',
  });
  expect(proxy.sockets.size).toBeLessThanOrEqual(1);
});
