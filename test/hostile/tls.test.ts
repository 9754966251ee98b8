/** Certificates that do not verify, and servers that speak something else. */
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { once } from 'node:events';
import { createClient } from '../../src/index.ts';
import { cert } from '../core/http/self-signed.ts';
import { runScenarios } from './run-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { certificates, serveHttp2, serveSocket, serveTls } from './tls-lab.ts';

/** A certificate that is accepted with a warning, as by default, and refused when it has to verify. */
function certificate(kind: keyof typeof certificates, what: string, reason: RegExp): Scenario[] {
  return [
    {
      name: `${what} is accepted with a warning`,
      act: async (scene) => {
        const page = (await scene.scrape(await serveTls(scene, kind))) as Record<string, string>;
        const told = /certificate of 127\.0\.0\.1:\d+ does not verify/.test(page['warning'] ?? '');
        return [page['markdown'], told && reason.test(page['warning'] ?? '')];
      },
      expect: { value: ['Over TLS', true] },
    },
    {
      name: `${what} is refused with skipTlsVerification: false`,
      options: { skipTlsVerification: false },
      act: async (scene) => scene.scrape(await serveTls(scene, kind)),
      expect: { code: 'TLS', message: /skipTlsVerification: true accepts/ },
    },
  ];
}

runScenarios([
  ...certificate('selfSigned', 'a certificate that signed itself', /SELF_SIGNED/),
  ...certificate('expired', 'a certificate that has expired', /EXPIRED|SELF_SIGNED/),
  ...certificate('otherHost', 'a certificate of another host', /ALTNAME|SELF_SIGNED/),
  {
    name: 'a certificate of an authority that the caller trusts verifies',
    act: async (scene) => {
      const url = await serveTls(scene, 'selfSigned');
      await using client = createClient({ network: { allow: ['127.0.0.1'] }, tls: { ca: cert } });
      const page = await client.scrape(url, { skipTlsVerification: false });
      return [page.markdown, page.warning];
    },
    expect: { value: ['Over TLS', undefined] },
  },
  {
    name: 'plain HTTP on the port of TLS is refused',
    visit: ({ site }) => site.url('/').replace('http:', 'https:'),
    site: { '/': '<p>x</p>' },
    expect: { code: 'TLS', message: /Check that the server speaks TLS/ },
  },
  {
    name: 'TLS on the port of plain HTTP is refused',
    act: async (scene) => {
      const url = await serveTls(scene, 'selfSigned');
      return await scene.scrape(url.replace('https:', 'http:'));
    },
    expect: { code: 'CONNECTION_RESET', message: /Try again later/ },
  },
  {
    name: 'a server that closes during the handshake is an error',
    act: async (scene) => {
      const port = await serveSocket(scene, (socket) => socket.once('data', () => socket.end()));
      return await scene.scrape(`https://127.0.0.1:${port}/`);
    },
    expect: { code: 'CONNECTION_RESET', message: /Try again later/ },
  },
  {
    name: 'a server that is silent during the handshake ends with the deadline',
    options: { timeout: 1000 },
    act: async (scene) => {
      const port = await serveSocket(scene, () => undefined);
      return await scene.scrape(`https://127.0.0.1:${port}/`);
    },
    expect: { code: 'TIMEOUT', message: /Raise timeout/ },
  },
  {
    name: 'a server that sends garbage in the handshake is refused',
    act: async (scene) => {
      const port = await serveSocket(scene, (socket) => {
        socket.once('data', () => socket.end('\x16\x03\x01\x00\x05garbage of all kinds'));
      });
      return await scene.scrape(`https://127.0.0.1:${port}/`);
    },
    expect: { code: 'TLS', message: /Check that the server speaks TLS/ },
  },
  {
    name: 'a server of TLS 1.1 only is refused',
    act: async (scene) => {
      const url = await serveTls(scene, 'selfSigned', {
        minVersion: 'TLSv1',
        maxVersion: 'TLSv1.1',
      });
      return await scene.scrape(url);
    },
    expect: { code: 'TLS', message: /Check that the server speaks TLS/ },
  },
  {
    name: 'an abort during the handshake leaves nothing behind',
    act: async (scene) => {
      const port = await serveSocket(scene, () => undefined);
      return await scene.client.scrape(`https://127.0.0.1:${port}/`, {
        signal: AbortSignal.timeout(100),
      });
    },
    expect: { code: 'TIMEOUT', message: /stopped by the timeout of its signal/ },
  },
  {
    name: 'a server of HTTP/2 only is read where the caller offers HTTP/2',
    client: { network: { allow: ['127.0.0.1'] }, tls: { http2: true } },
    act: async (scene) => {
      const url = await serveHttp2(scene);
      const page = await scene.scrape(url);
      return (page as { markdown: string }).markdown;
    },
    expect: { value: 'Over HTTP/2' },
  },
  {
    name: 'credentials do not go from https to http',
    site: { '/plain': '<p>x</p>' },
    act: async (scene) => {
      const secure = tls.createServer(certificates.selfSigned, (socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => {
          socket.end(
            `HTTP/1.1 302 Found\r\nlocation: ${scene.site.url('/plain')}\r\ncontent-length: 0\r\n\r\n`,
          );
        });
      });
      secure.listen(0, '127.0.0.1');
      await once(secure, 'listening');
      scene.defer(() => secure.close());
      const { port } = secure.address() as AddressInfo;
      await scene.client.scrape(`https://127.0.0.1:${port}/`, {
        headers: { Authorization: 'Bearer x', Cookie: 'a=b' },
        skipTlsVerification: true,
      });
      return scene.site.log.map(({ headers }) => [headers['authorization'], headers['cookie']]);
    },
    expect: { value: [[undefined, undefined]] },
  },
  {
    name: 'a redirect from http to https is followed',
    act: async (scene) => {
      const secure = await serveTls(scene, 'selfSigned');
      const port = await serveSocket(scene, (socket) => {
        socket.once('data', () => {
          socket.end(`HTTP/1.1 301 X\r\nlocation: ${secure}\r\ncontent-length: 0\r\n\r\n`);
        });
      });
      const page = (await scene.scrape(`http://127.0.0.1:${port}/`)) as { markdown: string };
      return page.markdown;
    },
    expect: { value: 'Over TLS' },
  },
  {
    name: 'a server of HTTP/2 only is TLS, and the message says how to speak to it',
    act: async (scene) => scene.scrape(await serveHttp2(scene)),
    expect: { code: 'TLS', message: /http2: true/ },
  },
  {
    name: 'a certificate that does not verify is told, also when its server redirects elsewhere',
    site: { '/end': '<p>Elsewhere</p>' },
    act: async (scene) => {
      const location = scene.site.url('/end');
      const secure = await serveTls(scene, 'expired', {}, (response) => {
        response.writeHead(302, { location }).end();
      });
      const page = (await scene.scrape(secure)) as { markdown: string; warning?: string };
      return [page.markdown, /^The certificate of .* does not verify/.test(page.warning ?? '')];
    },
    expect: { value: ['Elsewhere', true] },
  },
]);
