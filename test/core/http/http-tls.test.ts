/** Authorities and client certificates of the http engine. */
import { createPrivateKey } from 'node:crypto';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { TlsConfig } from '../../../src/core/http/tls-config.ts';
import { httpEngine } from '../../../src/core/http/http-engine.ts';
import { stealthEngine } from '../../../src/core/http/stealth.ts';
import type { Engine } from '../../../src/core/model/engine.ts';
import { ValidationError } from '../../../src/core/runtime/errors.ts';
import { createClient } from '../../../src/index.ts';
import { createNetworkPolicy } from '../../../src/core/http/network/policy.ts';
import { serveHttpProxy } from './proxies/proxy-lab.ts';
import { failure, pageRequest, serveTls, text, until } from './http-lab.ts';
import {
  ca,
  clientCert,
  clientKey,
  clientPfx,
  lockedClientKey,
  passphrase,
  serverCert,
  serverKey,
} from './lab-authority.ts';
import { cert, key } from './self-signed.ts';

function engineWith(tls: TlsConfig): Engine {
  const policy = createNetworkPolicy({ allow: ['127.0.0.1', 'localhost'] });
  const engine = httpEngine(policy, 'lab/1.0', tls);
  onTestFinished(() => engine.dispose?.());
  return engine;
}

interface SecureLab {
  readonly port: number;
  /** The names in the client certificates that came; `none` for requests without one. */
  readonly visitors: string[];
}

/** A server with a certificate of the lab's authority, which asks for one in return. */
async function serveAsking(options: https.ServerOptions = {}): Promise<SecureLab> {
  const visitors: string[] = [];
  const server = https.createServer(
    {
      key: serverKey,
      cert: serverCert,
      ca,
      requestCert: true,
      rejectUnauthorized: false,
      ...options,
    },
    (request, response) => {
      const shown = (request.socket as TLSSocket).getPeerX509Certificate();
      visitors.push(shown === undefined ? 'none' : shown.subject.replace('CN=', ''));
      if (request.url !== '/away') return void response.end('secret');
      const { port } = server.address() as AddressInfo;
      response.writeHead(302, { location: `https://127.0.0.1:${port}/` }).end();
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, visitors };
}

const strict = { skipTlsVerification: false };
const identity = { cert: clientCert, key: clientKey };

describe('an authority of the caller', () => {
  test.each<[string, TlsConfig['ca']]>([
    ['as text', ca],
    ['as bytes', Buffer.from(ca)],
    ['in a list', [cert, ca]],
  ])('%s makes its certificates verify', async (_, authority) => {
    const { port } = await serveAsking();
    const engine = engineWith({ ca: authority });
    for (const host of ['127.0.0.1', 'localhost']) {
      const snapshot = await engine.fetch(pageRequest(`https://${host}:${port}/`, strict));
      expect([text(snapshot), snapshot.warnings]).toEqual(['secret', []]);
    }
    const lenient = await engine.fetch(pageRequest(`https://127.0.0.1:${port}/`));
    expect(lenient.warnings).toEqual([]);
  });

  test('does not make others verify', async () => {
    const { origin, port } = await serveTls((_, response) => response.end());
    const engine = engineWith({ ca });
    expect((await failure(engine.fetch(pageRequest(origin, strict)))).code).toBe('TLS');
    expect((await engine.fetch(pageRequest(origin))).warnings).toEqual([
      `The certificate of 127.0.0.1:${port} does not verify (DEPTH_ZERO_SELF_SIGNED_CERT).`,
    ]);
  });

  test('does not make a certificate for another host verify', async () => {
    const { port } = await serveAsking();
    const policy = createNetworkPolicy({ allow: ['127.0.0.1', '*.localhost'] });
    const engine = httpEngine(policy, 'lab', { ca });
    onTestFinished(() => engine.dispose?.());
    const url = `https://sub.localhost:${port}/`;
    expect((await failure(engine.fetch(pageRequest(url, strict)))).code).toBe('TLS');
    expect((await engine.fetch(pageRequest(url))).warnings[0]).toContain('does not verify');
  });

  test('verifies through a proxy as well', async () => {
    const [site, proxy] = [await serveAsking(), await serveHttpProxy()];
    const route = { url: proxy.url };
    const request = pageRequest(`https://localhost:${site.port}/`, { ...strict, route });
    expect((await engineWith({ ca }).fetch(request)).warnings).toEqual([]);
    const untrusting = engineWith({});
    const before = proxy.sockets.size;
    expect((await failure(untrusting.fetch(request))).code).toBe('TLS');
    await until(() => proxy.sockets.size === before);
  });
});

describe('a client certificate', () => {
  test.each<[string, TlsConfig]>([
    ['with its key', identity],
    ['as bytes', { cert: Buffer.from(clientCert), key: new Uint8Array(Buffer.from(clientKey)) }],
    ['with a locked key', { cert: clientCert, key: lockedClientKey, passphrase }],
    ['as pfx', { pfx: clientPfx, passphrase }],
  ])('%s is shown to a server that asks', async (_, given) => {
    const { port, visitors } = await serveAsking({ rejectUnauthorized: true });
    const engine = engineWith({ ...given, ca, hosts: ['localhost'] });
    const snapshot = await engine.fetch(pageRequest(`https://localhost:${port}/`, strict));
    expect(text(snapshot)).toBe('secret');
    expect(visitors).toEqual(['lab visitor']);
  });

  test('is shown to no other host, also after a redirect', async () => {
    const { port, visitors } = await serveAsking();
    const engine = engineWith({ ...identity, hosts: ['localhost'] });
    await engine.fetch(pageRequest(`https://127.0.0.1:${port}/`));
    await engine.fetch(pageRequest(`https://localhost:${port}/away`));
    expect(visitors).toEqual(['none', 'lab visitor', 'none']);
  });

  test.each([[['*']], [['127.0.0.0/8']], [['127.0.0.1']]])('is shown to %j', async (hosts) => {
    const { port, visitors } = await serveAsking();
    await engineWith({ ...identity, hosts }).fetch(pageRequest(`https://127.0.0.1:${port}/`));
    expect(visitors).toEqual(['lab visitor']);
  });

  test('is shown through a tunnel, and never to the proxy', async () => {
    const site = await serveAsking();
    const proxy = await serveHttpProxy({ secure: true });
    const engine = engineWith({ ...identity, ca: [cert, ca], hosts: ['*'] });
    const route = { url: proxy.url };
    await engine.fetch(pageRequest(`https://localhost:${site.port}/`, { route }));
    expect(site.visitors).toEqual(['lab visitor']);
  });

  test('that a server misses is an error that says so', async () => {
    // With TLS 1.3 the handshake is over before Node's server looks, and it only hangs up.
    const site = { rejectUnauthorized: true, maxVersion: 'TLSv1.2' } as const;
    const { port, visitors } = await serveAsking(site);
    const error = await failure(engineWith({}).fetch(pageRequest(`https://localhost:${port}/`)));
    expect(error.code).toBe('TLS');
    expect(error.message).toContain('createClient({ tls: { cert, key, hosts } })');
    expect(visitors).toEqual([]);
  });
});

describe('what cannot be used is told by createClient, without any secret', () => {
  const lines = clientKey.split('\n');
  test.each<[string, unknown, string]>([
    ['a list', [], 'tls: expected an object'],
    ['an unknown option', { certificate: clientKey }, 'tls.certificate: unknown option'],
    [
      'a key that is an object',
      { ...identity, hosts: ['*'], key: { pem: clientKey } },
      'tls.key: expected',
    ],
    ['an authority that is none', { ca: clientKey }, 'tls.ca: expected a certificate in PEM'],
    ['one of several', { ca: [ca, 'x'] }, 'tls.ca[1]: expected a certificate in PEM'],
    ['a certificate without its key', { cert: clientCert, hosts: ['*'] }, 'tls.key: expected'],
    ['a key without its certificate', { key: clientKey }, 'tls.cert: expected'],
    ['a certificate for nobody', identity, 'tls.hosts: expected the hosts that may see'],
    ['hosts without a certificate', { hosts: ['*'] }, 'tls.cert: expected'],
    ['a host that is none', { ...identity, hosts: ['a/b'] }, 'tls.hosts[0]: expected a host name'],
    ['the key of another', { cert: clientCert, key, hosts: ['*'] }, 'key values mismatch'],
    ['a certificate that is none', { cert: 'x', key: clientKey, hosts: ['*'] }, 'tls.cert: '],
    ['a locked key', { cert: clientCert, key: lockedClientKey, hosts: ['*'] }, 'tls.cert: '],
    ['a wrong passphrase', { pfx: clientPfx, passphrase: 'hunter2', hosts: ['*'] }, 'tls.pfx: '],
    ['no boolean', { http2: 'yes' }, 'tls.http2: expected true or false'],
  ])('%s', (_, tls, message) => {
    const making = (): unknown => createClient({ tls: tls as TlsConfig });
    expect(making).toThrow(ValidationError);
    expect(making).toThrow(message);
    for (const secret of [lines[1] ?? '', 'hunter2']) expect(making).not.toThrow(secret);
  });

  test('what can be used is taken', async () => {
    expect(createPrivateKey(clientKey).type).toBe('private');
    await using client = createClient({ tls: { ...identity, ca, hosts: ['*'], http2: true } });
    expect(client).toBeDefined();
  });
});

test('a client with authority and certificate scrapes', async () => {
  const { port, visitors } = await serveAsking({ rejectUnauthorized: true });
  await using client = createClient({
    network: { allow: ['localhost'] },
    tls: { ...identity, ca, hosts: ['localhost'] },
  });
  const { markdown } = await client.scrape(`https://localhost:${port}/`, strict);
  expect(markdown.trim()).toBe('secret');
  expect(visitors).toEqual(['lab visitor']);
});

describe('the stealth engine', () => {
  const stealthWith = (tls?: TlsConfig): Engine => {
    const policy = createNetworkPolicy({ allow: ['127.0.0.1', 'localhost'] });
    const engine = stealthEngine({ policy, tls });
    onTestFinished(() => engine.dispose?.());
    return engine;
  };

  test("trusts the caller's authorities, and nobody else's without them", async () => {
    const { port } = await serveAsking();
    const request = pageRequest(`https://localhost:${port}/`, strict);
    expect(text(await stealthWith({ ca }).fetch(request))).toBe('secret');
    expect((await failure(stealthWith().fetch(request))).code).toBe('TLS');
  });

  test('shows the client certificate to the hosts that may see it', async () => {
    const { port, visitors } = await serveAsking();
    const engine = stealthWith({ ...identity, ca, hosts: ['localhost'] });
    await engine.fetch(pageRequest(`https://localhost:${port}/`, strict));
    await engine.fetch(pageRequest(`https://127.0.0.1:${port}/`));
    expect(visitors[0]).not.toBe('none');
    expect(visitors[1]).toBe('none');
  });
});
