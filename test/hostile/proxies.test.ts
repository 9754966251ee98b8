/** Proxies that refuse, lie, hang or are asked to lead where they must not. */
import { type ClientOptions, createClient } from '../../src/index.ts';
import {
  type ProxyLab,
  serveHttpProxy,
  serveOddProxy,
  serveSocksProxy,
} from '../core/http/proxies/proxy-lab.ts';
import { cert } from '../core/http/self-signed.ts';
import { runScenarios } from './run-scenarios.ts';
import type { Outcome, Scenario, Scene } from './scenario.ts';
import { secret } from './secret.ts';

/** Scrapes the site through a proxy: gives its markdown and what the proxy was asked for. */
async function through(
  scene: Scene,
  proxy: NonNullable<ClientOptions['proxy']>,
  lab?: ProxyLab,
  url: string = scene.site.url('/'),
  options: ClientOptions<readonly []> = {},
): Promise<unknown> {
  const network = { allow: ['127.0.0.1', 'localhost'] };
  await using client = createClient({ network, proxy, ...options });
  const { markdown } = await client.scrape(url, { retries: 0, timeout: 3000 });
  return { markdown, asked: lab?.asked.length };
}

function proxied(name: string, act: Scenario['act'], expect: Outcome): Scenario {
  return { name, site: { '/': '<p>There</p>' }, ...(act === undefined ? {} : { act }), expect };
}

const there = { value: { markdown: 'There', asked: 1 } };
const failed = (message: RegExp): Outcome => ({ code: 'PROXY_FAILED', message });

/** A proxy that answers with these bytes whatever it is asked. */
const answers = (bytes: string, message: RegExp, name: string): Scenario =>
  proxied(
    name,
    async (scene) => {
      const lab = await serveOddProxy('http', (socket) => void socket.end(bytes));
      return await through(scene, lab.url);
    },
    failed(message),
  );

runScenarios([
  proxied(
    'an HTTP proxy leads to the page',
    async (scene) => {
      const lab = await serveHttpProxy();
      return await through(scene, lab.url, lab);
    },
    there,
  ),
  proxied(
    'a proxy over TLS leads to the page where its authority is trusted',
    async (scene) => {
      const lab = await serveHttpProxy({ secure: true });
      return await through(scene, lab.url, lab, scene.site.url('/'), { tls: { ca: cert } });
    },
    there,
  ),
  proxied(
    'a proxy over TLS whose certificate does not verify gets no request',
    async (scene) => {
      const lab = await serveHttpProxy({ secure: true });
      return await through(scene, lab.url, lab);
    },
    failed(/does not verify.*Name its authority in createClient\(\{ tls: \{ ca/),
  ),
  proxied(
    'a SOCKS proxy leads to the page',
    async (scene) => {
      const lab = await serveSocksProxy();
      return await through(scene, lab.url, lab);
    },
    there,
  ),
  proxied(
    'a proxy gets its password',
    async (scene) => {
      const lab = await serveHttpProxy({ login: `user:${secret}` });
      return await through(scene, lab.as('user', secret), lab);
    },
    there,
  ),
  proxied(
    'a SOCKS proxy gets its password',
    async (scene) => {
      const lab = await serveSocksProxy({ login: `user:${secret}` });
      return await through(scene, lab.as('user', secret), lab);
    },
    there,
  ),
  proxied(
    'a wrong password is told without it',
    async (scene) => {
      const lab = await serveHttpProxy({ login: 'user:other' });
      return await through(scene, lab.as('user', secret));
    },
    failed(/user|password|407/i),
  ),
  proxied(
    'a wrong password of a SOCKS proxy is told without it',
    async (scene) => {
      const lab = await serveSocksProxy({ login: 'user:other' });
      return await through(scene, lab.as('user', secret));
    },
    failed(/user|password|login/i),
  ),
  proxied(
    'a password in a URL that is none is told without it',
    (scene) => through(scene, `gopher://user:${secret}@127.0.0.1:1`),
    { code: 'BAD_REQUEST', message: /http|socks5/ },
  ),
  proxied(
    'a proxy on which nobody listens is told',
    async (scene) => {
      const port = new URL(scene.other.origin).port;
      await scene.other.close();
      return await through(scene, `http://127.0.0.2:${port}`);
    },
    failed(/./),
  ),
  proxied(
    'a proxy that refuses is told',
    async (scene) => {
      const lab = await serveHttpProxy({
        answer: (socket) => void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'),
      });
      return await through(scene, lab.url);
    },
    failed(/403/),
  ),
  proxied(
    'a SOCKS proxy that refuses is told',
    async (scene) => {
      const lab = await serveSocksProxy({ reply: () => 2 });
      return await through(scene, lab.url);
    },
    failed(/./),
  ),
  proxied(
    'a SOCKS proxy that speaks another version is told',
    async (scene) => {
      const lab = await serveSocksProxy({ greeting: Buffer.from([4, 0]) });
      return await through(scene, lab.url);
    },
    failed(/./),
  ),
  answers('', /./, 'a proxy that closes at once is told'),
  answers('garbage of all kinds\r\n\r\n', /./, 'a proxy that speaks no HTTP is told'),
  answers(
    `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(50_000)}`,
    /./,
    'a proxy whose headers do not end is told',
  ),
  answers(
    'HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\n\r\n',
    /302/,
    'a proxy that redirects is told, and not followed',
  ),
  proxied(
    'a proxy that is silent ends with the deadline',
    async (scene) => {
      const lab = await serveOddProxy('http', () => undefined);
      return await through(scene, lab.url);
    },
    { code: 'TIMEOUT', message: /Raise timeout/ },
  ),
  proxied(
    'a SOCKS proxy that is silent ends with the deadline',
    async (scene) => {
      const lab = await serveOddProxy('socks5', () => undefined);
      return await through(scene, lab.url);
    },
    { code: 'TIMEOUT', message: /Raise timeout/ },
  ),
  proxied(
    'a proxy is not asked for a refused address',
    async (scene) => {
      const lab = await serveHttpProxy();
      const code: unknown = await through(scene, lab.url, lab, 'http://169.254.169.254/').catch(
        (error: unknown) => (error as { code?: string }).code,
      );
      return [code, lab.asked.length];
    },
    { value: ['BLOCKED_ADDRESS', 0] },
  ),
  proxied(
    'a redirect behind a proxy to a refused address is not followed',
    async (scene) => {
      const lab = await serveHttpProxy({
        answer: (socket) => {
          socket.once('data', () => {
            socket.end(
              'HTTP/1.1 302 Found\r\nlocation: http://10.0.0.1/\r\ncontent-length: 0\r\n\r\n',
            );
          });
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
        },
      });
      const code: unknown = await through(scene, lab.url, lab).catch(
        (error: unknown) => (error as { code?: string }).code,
      );
      return [code, lab.asked.length];
    },
    { value: ['BLOCKED_ADDRESS', 1] },
  ),
  proxied(
    'a proxy that resolves names itself is asked for public names only',
    async () => {
      const lab = await serveSocksProxy();
      await using client = createClient({ proxy: { url: lab.url, dns: 'proxy' } });
      const code: unknown = await client
        .scrape('http://localhost/', { retries: 0 })
        .catch((error: unknown) => (error as { code?: string }).code);
      return [code, lab.asked.length];
    },
    { value: ['BLOCKED_ADDRESS', 0] },
  ),
  proxied(
    'a page behind a proxy never sees its password',
    async (scene) => {
      const lab = await serveHttpProxy({ login: `user:${secret}` });
      await through(scene, lab.as('user', secret), lab);
      return scene.site.log.map(({ headers }) => JSON.stringify(headers).includes('proxy-auth'));
    },
    { value: [false] },
  ),
  proxied(
    'a proxy that fails makes room for the next',
    async (scene) => {
      const lab = await serveHttpProxy();
      const port = new URL(scene.other.origin).port;
      await scene.other.close();
      await using client = createClient({
        network: { allow: ['127.0.0.1'] },
        proxy: [`http://127.0.0.2:${port}`, lab.url],
      });
      const { markdown } = await client.scrape(scene.site.url('/'), { retries: 2 });
      return markdown;
    },
    { value: 'There' },
  ),
]);
