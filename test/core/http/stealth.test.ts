import { describe, expect, test } from 'vitest';
import { drawIdentity } from '../../../src/core/http/transports/impersonation/browser-identity.ts';
import { type StealthClient, stealthEngine } from '../../../src/core/http/stealth.ts';
import { createNetworkPolicy } from '../../../src/core/http/network/policy.ts';
import { failure, pageRequest, text, until } from './http-lab.ts';
import { serveConnectProxy, servePlain, serveSecure, stealthLab } from './stealth-lab.ts';

const clients: readonly StealthClient[] = ['got-scraping', 'impit'];

describe.each(clients)('the stealth engine over %s', (client) => {
  test('says that it is stealth, and what it can do', async () => {
    const server = await servePlain();
    const engine = stealthLab(client);
    expect([engine.name, [...engine.can]]).toEqual(['stealth', ['stealth', 'method']]);
    const snapshot = await engine.fetch(pageRequest(server.origin));
    expect([snapshot.engine, text(snapshot)]).toEqual(['stealth', '<p>Hello']);
  });

  test('a visitor has one identity, on all pages and through redirects', async () => {
    const server = await serveSecure((request, response) => {
      response.setHeader('location', '/to');
      response.writeHead(request.url === '/from' ? 302 : 200);
      response.end();
    });
    const engine = stealthLab(client);
    const visitor = {};
    for (const path of ['/', '/from', '/again']) {
      await engine.fetch(pageRequest(server.origin + path, { visitor }));
    }
    expect(server.log.map(({ url }) => url)).toEqual(['/', '/from', '/to', '/again']);
    const { ':path': _, ...first } = server.log[0]?.headers ?? {};
    for (const { headers } of server.log) expect(headers).toMatchObject(first);
  });

  test('a fetch without a visitor keeps its identity through its redirects', async () => {
    const server = await servePlain((request, response) => {
      const step = Number((request.url ?? '').slice(1));
      response.setHeader('location', `/${step + 1}`);
      response.writeHead(step < 8 ? 302 : 200);
      response.end();
    });
    await stealthLab(client).fetch(pageRequest(`${server.origin}/0`));
    expect(server.log).toHaveLength(9);
    expect(new Set(server.log.map(({ headers }) => headers['user-agent'])).size).toBe(1);
  });

  test('visitors differ', async () => {
    const server = await servePlain();
    const engine = stealthLab(client);
    for (let count = 0; count < 30; count++) await engine.fetch(pageRequest(server.origin));
    const userAgents = new Set(server.log.map(({ headers }) => headers['user-agent']));
    expect(userAgents.size).toBeGreaterThan(1);
    for (const userAgent of userAgents) expect(userAgent).toMatch(/^Mozilla\/5\.0 \(/);
  });

  test('it speaks HTTP/2 where the server does, and HTTP/1.1 where it does not', async () => {
    const modern = await serveSecure();
    const old = await serveSecure(undefined, { h2: false });
    const engine = stealthLab(client);
    for (const { origin } of [modern, old]) {
      expect(text(await engine.fetch(pageRequest(origin)))).toBe('<p>Hello');
    }
    expect([modern.log[0]?.httpVersion, old.log[0]?.httpVersion]).toEqual(['2.0', '1.1']);
  });

  test('client hints fit the User-Agent', async () => {
    const server = await serveSecure();
    const engine = stealthLab(client);
    for (let count = 0; count < 15; count++) await engine.fetch(pageRequest(server.origin));
    for (const { headers } of server.log) {
      const version = /Chrome\/(\d+)/.exec(String(headers['user-agent']))?.[1];
      const hint = headers['sec-ch-ua'];
      if (version === undefined) expect(hint).toBeUndefined();
      else expect(hint).toContain(`"Chromium";v="${version}"`);
    }
  });

  test('only codings that can be undone are offered', async () => {
    const server = await serveSecure();
    await stealthLab(client).fetch(pageRequest(server.origin));
    const offered = String(server.log[0]?.headers['accept-encoding']).split(', ');
    expect(['gzip', 'deflate', 'br', 'zstd']).toEqual(expect.arrayContaining(offered));
  });

  test("the caller's headers win, and no hint contradicts them", async () => {
    const server = await serveSecure();
    const headers = { 'user-agent': 'Own/1.0', 'accept-language': 'sv', 'x-own': '1' };
    await stealthLab(client).fetch(pageRequest(server.origin, { headers }));
    expect(server.log[0]?.headers).toMatchObject(headers);
    expect(server.log[0]?.names).not.toContain('sec-ch-ua');
  });

  test('a certificate that does not verify is TLS, unless that is accepted', async () => {
    const server = await serveSecure();
    const engine = stealthLab(client);
    const strict = pageRequest(server.origin, { skipTlsVerification: false });
    const error = await failure(engine.fetch(strict));
    expect(error.code).toBe('TLS');
    const visitor = {};
    const snapshot = await engine.fetch(pageRequest(server.origin, { visitor }));
    expect(snapshot.statusCode).toBe(200);
    // What was opened without verification serves nobody who asks for it.
    const again = engine.fetch({ ...strict, visitor });
    expect((await failure(again)).code).toBe('TLS');
    expect(server.log).toHaveLength(1);
  });

  test('a refused host is not contacted, by address, by name, or by redirect', async () => {
    const server = await serveSecure();
    const guarded = stealthLab(client, []);
    for (const host of ['127.0.0.1', 'localhost', '0x7f.1', '[::ffff:127.0.0.1]']) {
      const fetched = guarded.fetch(pageRequest(`https://${host}:${server.port}/`));
      expect((await failure(fetched)).code).toBe('BLOCKED_ADDRESS');
    }
    const start = await servePlain((_, response) => {
      response.writeHead(302, { location: `https://localhost:${server.port}/` });
      response.end();
    });
    const engine = stealthEngine({
      policy: createNetworkPolicy({ allow: ['127.0.0.1'], deny: ['localhost'] }),
      client,
    });
    expect((await failure(engine.fetch(pageRequest(start.origin)))).code).toBe('BLOCKED_ADDRESS');
    await engine.dispose?.();
    expect(server.sockets.size).toBe(0);
  });

  test('a route leads through its proxy, plain and encrypted, under the same policy', async () => {
    const secure = await serveSecure();
    const plain = await servePlain();
    const proxy = await serveConnectProxy();
    const engine = stealthLab(client);
    const route = { url: proxy.route };
    for (const { origin } of [secure, plain]) {
      expect(text(await engine.fetch(pageRequest(origin, { route })))).toBe('<p>Hello');
    }
    expect(proxy.log.map(({ url }) => url)).toEqual([
      `127.0.0.1:${secure.port}`,
      `127.0.0.1:${plain.port}`,
    ]);
    const blocked = engine.fetch(pageRequest('http://127.0.0.2/', { route }));
    expect((await failure(blocked)).code).toBe('BLOCKED_ADDRESS');
    const wrong = { url: proxy.route.replace('secret', 'guess') };
    const refused = engine.fetch(pageRequest(secure.origin, { route: wrong }));
    expect((await failure(refused)).code).toBe('PROXY_FAILED');
    expect(secure.log).toHaveLength(1);
  });

  test('pages of one visitor share a connection unless they want a fresh one, those of two do not', async () => {
    const server = await serveSecure();
    const engine = stealthLab(client);
    const visitor = {};
    await engine.fetch(pageRequest(server.origin, { visitor }));
    await engine.fetch(pageRequest(server.origin, { visitor }));
    await engine.fetch(pageRequest(server.origin, { visitor: {} }));
    await engine.fetch(pageRequest(server.origin, { visitor, freshConnection: true }));
    const [first, second, third, fresh] = server.log.map(({ port }) => port);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect([first, third]).not.toContain(fresh);
  });

  test('a connection that died while it lay idle is replaced', async () => {
    const server = await serveSecure();
    const engine = stealthLab(client);
    const visitor = {};
    await engine.fetch(pageRequest(server.origin, { visitor }));
    for (const socket of server.sockets) socket.destroy();
    const { statusCode } = await engine.fetch(pageRequest(server.origin, { visitor }));
    expect([statusCode, server.log.length]).toEqual([200, 2]);
  });

  test('over HTTP/2, an abort leaves no socket and a stream that ends early is told', async () => {
    const server = await serveSecure((request, response) => {
      if (request.url === '/hang') return;
      response.writeHead(200);
      (response as { write(text: string): void }).write('<p>Half a page');
      setTimeout(
        () => (response as unknown as { stream: { close(code: number): void } }).stream.close(2),
        50,
      );
    });
    const engine = stealthLab(client);
    const half = await engine.fetch(pageRequest(`${server.origin}/half`));
    expect(half.warnings.join()).toContain('The body ended early');
    const controller = new AbortController();
    const reason = new Error('enough');
    const fetched = engine.fetch(
      pageRequest(`${server.origin}/hang`, { signal: controller.signal }),
    );
    await until(() => server.log.length === 2);
    controller.abort(reason);
    await expect(fetched).rejects.toBe(reason);
    await engine.dispose?.();
    await until(() => server.sockets.size === 0);
  });

  test('over HTTP/2, headers over the limit are PROTOCOL_ERROR', async () => {
    const server = await serveSecure((_, response) => {
      response.setHeader('x-long', 'x'.repeat(10_000));
      response.writeHead(200);
      response.end();
    });
    const limited = pageRequest(server.origin, { limits: { headerBytes: 5_000 } });
    expect((await failure(stealthLab(client).fetch(limited))).code).toBe('PROTOCOL_ERROR');
  });
});

describe('the identity that got-scraping draws', () => {
  test.each(['1.1', '2'] as const)(
    'HTTP/%s headers come in the order of their browser',
    async (version) => {
      for (let count = 0; count < 20; count++) {
        const { family, headers } = await drawIdentity();
        const sent = headers(version, new URL('https://site.test/a?b'), {
          cookie: 'a=b',
          'x-own': '1',
        });
        const names = sent.map(([name]) => name.toLowerCase());
        const expected = orders[family].filter((name) => names.includes(name));
        expect(names.filter((name) => expected.includes(name))).toEqual(expected);
        if (version === '2') expect(names.slice(0, 4)).toEqual(pseudo[family]);
        else expect(sent.map(([name]) => name)).toContain('Host');
      }
    },
  );

  test('plain http gets neither client hints nor fetch metadata', async () => {
    const { headers } = await drawIdentity();
    const names = headers('1.1', new URL('http://site.test/'), {}).map(([name]) => name);
    expect(names.filter((name) => /^sec-/i.test(name))).toEqual([]);
  });
});

const pseudo = {
  chrome: [':method', ':authority', ':scheme', ':path'],
  firefox: [':method', ':path', ':authority', ':scheme'],
  safari: [':method', ':scheme', ':authority', ':path'],
};

/** As the browsers send them. */
const orders = {
  chrome: [
    'sec-ch-ua',
    'user-agent',
    'accept',
    'sec-fetch-site',
    'accept-encoding',
    'accept-language',
    'cookie',
  ],
  firefox: [
    'user-agent',
    'accept',
    'accept-language',
    'accept-encoding',
    'cookie',
    'sec-fetch-dest',
  ],
  safari: ['accept', 'user-agent', 'accept-encoding', 'accept-language', 'cookie'],
};

test('a browser that pretends to be another one is drawn again', async () => {
  const url = new URL('https://site.test/');
  for (let count = 0; count < 1500; count++) {
    const headers = new Map((await drawIdentity()).headers('2', url, {}));
    const version = /Chrome\/(\d+)/.exec(headers.get('user-agent') ?? '')?.[1];
    const hint = headers.get('sec-ch-ua');
    if (version === undefined) expect(hint).toBeUndefined();
    else expect(hint).toContain(`"Chromium";v="${version}"`);
    expect(hint ?? '').not.toContain('Headless');
  }
});
