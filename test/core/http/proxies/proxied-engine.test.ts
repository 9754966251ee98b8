/** The http engine on its way through proxies. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Engine } from '../../../../src/core/model/engine.ts';
import { httpEngine } from '../../../../src/core/http/http-engine.ts';
import { PagewrightError } from '../../../../src/core/runtime/errors.ts';
import { createNetworkPolicy } from '../../../../src/core/http/network/policy.ts';
import {
  failure,
  labEngine,
  pageRequest,
  serve,
  serveRaw,
  serveSilence,
  serveTls,
  text,
  until,
} from '../http-lab.ts';
import { cert } from '../self-signed.ts';
import { serveHttpProxy, serveSocksProxy } from './proxy-lab.ts';

/** An engine that may contact this machine and trusts the proxies of the lab. */
function trustingEngine(): Engine {
  const policy = createNetworkPolicy({ allow: ['127.0.0.1', 'localhost'] });
  const engine = httpEngine(policy, 'lab/1.0', { ca: cert });
  onTestFinished(() => engine.dispose?.());
  return engine;
}

const kinds = [
  ['an http proxy', () => serveHttpProxy({ login: 'ann:hunter2' })],
  ['an https proxy', () => serveHttpProxy({ login: 'ann:hunter2', secure: true })],
  ['a socks5 proxy', () => serveSocksProxy({ login: 'ann:hunter2' })],
] as const;

describe.each(kinds)('through %s', (_, serveProxy) => {
  test.each([
    ['http', serve],
    ['https', serveTls],
  ])('an %s page is fetched, and both sides see only what is theirs', async (scheme, serveSite) => {
    let seen = '';
    const site = await serveSite((request, response) => {
      seen = JSON.stringify(request.headers);
      response.end(`over ${scheme}`);
    });
    const proxy = await serveProxy();
    const headers = { 'x-secret': 'for the site' };
    const route = { url: proxy.as('ann', 'hunter2') };
    const engine = trustingEngine();
    const snapshot = await engine.fetch(pageRequest(`${site.origin}/a`, { route, headers }));
    expect(text(snapshot)).toBe(`over ${scheme}`);
    expect(proxy.asked).toEqual([`127.0.0.1:${site.port}`]);
    expect(site.log).toEqual(['/a']);
    expect(seen).toContain('for the site');
    expect(seen.toLowerCase()).not.toContain('proxy-');
    expect(proxy.heard.join()).not.toContain('for the site');
    expect(JSON.stringify({ ...snapshot, body: undefined })).not.toContain('hunter2');
  });

  test('the tunnel is kept alive for the next page', async () => {
    const site = await serveTls((_, response) => response.end('page'));
    const [proxy, engine] = [await serveProxy(), trustingEngine()];
    const route = { url: proxy.as('ann', 'hunter2') };
    for (let count = 0; count < 3; count++) {
      await engine.fetch(pageRequest(site.origin, { route: { ...route } }));
    }
    expect(proxy.asked).toHaveLength(1);
    expect(site.log).toHaveLength(3);
    await engine.dispose?.();
    await until(() => proxy.sockets.size === 0 && site.sockets.size === 0);
  });

  test('a tunnel that broke while it lay idle is replaced', async () => {
    const site = await serve((_, response) => response.end('page'));
    const [proxy, engine] = [await serveProxy(), trustingEngine()];
    const route = { url: proxy.as('ann', 'hunter2') };
    await engine.fetch(pageRequest(site.origin, { route }));
    for (const socket of proxy.sockets) socket.destroy();
    expect(text(await engine.fetch(pageRequest(site.origin, { route })))).toBe('page');
    expect(proxy.asked).toHaveLength(2);
  });

  test('redirects are checked at each hop, and the proxy is not asked for a refused one', async () => {
    const site = await serve((_, response) => {
      response.writeHead(302, { location: 'http://10.0.0.1/' }).end();
    });
    const proxy = await serveProxy();
    const route = { url: proxy.as('ann', 'hunter2') };
    const error = await failure(trustingEngine().fetch(pageRequest(site.origin, { route })));
    expect(error.code).toBe('BLOCKED_ADDRESS');
    expect(proxy.asked).toEqual([`127.0.0.1:${site.port}`]);
  });

  test.each(['http://10.0.0.1/', 'http://[::1]/', 'https://192.168.1.1/', 'http://2130706434/'])(
    'the private target %s is BLOCKED_ADDRESS, and the proxy hears nothing',
    async (url) => {
      const proxy = await serveProxy();
      const route = { url: proxy.as('ann', 'hunter2') };
      const error = await failure(trustingEngine().fetch(pageRequest(url, { route })));
      expect(error.code).toBe('BLOCKED_ADDRESS');
      expect(proxy.heard).toEqual([]);
    },
  );

  test('an abort while the page is silent leaves no socket anywhere', async () => {
    const [site, proxy] = [await serveSilence(), await serveProxy()];
    const controller = new AbortController();
    const { signal } = controller;
    const route = { url: proxy.as('ann', 'hunter2') };
    const work = failure(trustingEngine().fetch(pageRequest(site.origin, { route, signal })));
    await until(() => site.sockets.size === 1);
    controller.abort(new PagewrightError('CANCELLED', 'enough'));
    expect((await work).message).toBe('enough');
    await until(() => proxy.sockets.size === 0 && site.sockets.size === 0);
  });

  test('an abort in the TLS handshake with the site leaves no socket anywhere', async () => {
    const [site, proxy] = [await serveSilence('https'), await serveProxy()];
    const controller = new AbortController();
    const { signal } = controller;
    const route = { url: proxy.as('ann', 'hunter2') };
    const work = failure(trustingEngine().fetch(pageRequest(site.origin, { route, signal })));
    await until(() => site.sockets.size === 1);
    controller.abort(new PagewrightError('CANCELLED', 'enough'));
    expect((await work).message).toBe('enough');
    await until(() => proxy.sockets.size === 0 && site.sockets.size === 0);
  });

  test('disposing of the engine closes what is open', async () => {
    const [site, proxy] = [await serveSilence(), await serveProxy()];
    const engine = trustingEngine();
    const route = { url: proxy.as('ann', 'hunter2') };
    const work = failure(engine.fetch(pageRequest(site.origin, { route })));
    await until(() => site.sockets.size === 1);
    await engine.dispose?.();
    expect((await work).code).toBe('CANCELLED');
    await until(() => proxy.sockets.size === 0 && site.sockets.size === 0);
  });
});

test('a proxy that fails is PROXY_FAILED with no word of its password', async () => {
  const engine = labEngine();
  const route = { url: 'http://ann:hunter2@127.0.0.1:1' };
  const error = await failure(engine.fetch(pageRequest('http://127.0.0.1/', { route })));
  expect(error.code).toBe('PROXY_FAILED');
  expect(`${error.message} ${error.stack ?? ''} ${String(error.cause)}`).not.toContain('hunter2');
});

test('a URL of a proxy that is none is BAD_REQUEST with no word of it', async () => {
  const error = await failure(
    labEngine().fetch(pageRequest('http://127.0.0.1/', { route: { url: 'hunter2' } })),
  );
  expect(error.code).toBe('BAD_REQUEST');
  expect(error.message).not.toContain('hunter2');
});

test('a proxy that hangs up after CONNECT is CONNECTION_RESET', async () => {
  const proxy = await serveHttpProxy({
    answer: (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'),
  });
  const route = { url: proxy.url };
  for (const url of ['http://127.0.0.1/', 'https://127.0.0.1/']) {
    const error = await failure(labEngine().fetch(pageRequest(url, { route })));
    expect([url, error.code]).toEqual([url, 'CONNECTION_RESET']);
  }
});

test('connections through different proxies, and direct ones, are kept apart', async () => {
  const site = await serve((_, response) => response.end('page'));
  const [one, two, engine] = [await serveHttpProxy(), await serveHttpProxy(), labEngine()];
  for (const route of [{ url: one.url }, { url: two.url }, undefined, { url: one.url }]) {
    await engine.fetch(pageRequest(site.origin, { route }));
  }
  expect([one.asked.length, two.asked.length]).toEqual([1, 1]);
  expect(site.sockets.size).toBe(3);
});

test('a page that is cut off in its tunnel says so', async () => {
  const site = await serveRaw((socket) =>
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'),
  );
  const proxy = await serveHttpProxy();
  const snapshot = await labEngine().fetch(pageRequest(site.origin, { route: { url: proxy.url } }));
  expect(text(snapshot)).toBe('half');
  expect(snapshot.warnings).toEqual(['The body ended early, after 4 bytes.']);
});

test('the server name of TLS is that of the URL, not the address that the proxy is asked for', async () => {
  const names: (string | false | null)[] = [];
  const site = await serveTls((request, response) => {
    names.push((request.socket as import('node:tls').TLSSocket).servername);
    response.end();
  });
  const proxy = await serveHttpProxy();
  const route = { url: proxy.url };
  await labEngine().fetch(pageRequest(`https://localhost:${site.port}/`, { route }));
  expect(names).toEqual(['localhost']);
  expect(proxy.asked).toEqual([`127.0.0.1:${site.port}`]);
});
