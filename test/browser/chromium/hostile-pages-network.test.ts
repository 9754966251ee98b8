/** What pages lead to: files, redirects, addresses that are closed to them. */
import { once } from 'node:events';
import dgram from 'node:dgram';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Behaviour, type FixtureServer, redirectTo } from 'pagewright/testing';
import {
  answer,
  type BrowserLab,
  browserLab,
  hostileSite,
  resultOf,
  script,
} from './hostile-lab.ts';
import { rareTest } from '../../support/deep.ts';

const file =
  (type: string, body: string, headers: Record<string, string> = {}): Behaviour =>
  ({ response }) =>
    void response.writeHead(200, { 'content-type': type, ...headers }).end(body);

/** Every way out of a page that there is, to servers that must not hear of it. */
const knocks = (closed: string, udp: number): string => `<!doctype html><p>Text.</p>
  <link rel="preconnect" href="http://${closed}"><link rel="dns-prefetch" href="//${closed}">
  <link rel="prefetch" href="http://${closed}/prefetch"><link rel="stylesheet" href="http://${closed}/css">
  <link rel="preload" as="fetch" href="http://${closed}/preload"><link rel="icon" href="http://${closed}/icon">
  <script type="speculationrules">{ "prefetch": [{ "source": "list", "eagerness": "immediate",
    "urls": ["http://${closed}/speculation"] }] }</script>
  <img src="http://${closed}/img"><iframe src="http://${closed}/frame"></iframe>
  <object data="http://${closed}/object"></object><video src="http://${closed}/video" autoplay></video>
  <iframe src="data:text/html,<script>fetch('http://${closed}/data')</script>"></iframe>
  <a ping="http://${closed}/ping" href="#here">A link</a>
  <form action="http://${closed}/form" method="post" target="frame"></form><iframe name="frame"></iframe>
  <script>
    const closed = 'http://${closed}';
    const addresses = [closed, closed.replace('127.0.0.2', '2130706434'), 'http://169.254.169.254'];
    for (const address of addresses) fetch(address + '/fetch', { mode: 'no-cors' }).catch(() => 0);
    new WebSocket('ws://${closed}/socket');
    new EventSource(closed + '/events');
    navigator.sendBeacon(closed + '/beacon', 'text');
    const source = "fetch('" + closed + "/worker').catch(() => 0); new WebSocket('ws://${closed}/worker')";
    new Worker(URL.createObjectURL(new Blob([source])));
    document.querySelector('form').submit();
    document.querySelector('a').click();
    const iceServers = [{ urls: ['stun:127.0.0.1:${udp}', 'stun:127.0.0.2:${udp}'] },
      { urls: 'turn:${closed}?transport=tcp', username: 'a', credential: 'b' }];
    const connection = new RTCPeerConnection({ iceServers });
    connection.createDataChannel('channel');
    connection.createOffer().then((offer) => connection.setLocalDescription(offer));
    connection.onicecandidate = ({ candidate }) => {
      if (candidate !== null) document.querySelector('p').append(' Candi' + 'date: ' + candidate.address);
    };
  </script>`;

describe('a page', { timeout: 60_000 }, () => {
  let site: FixtureServer;
  let lab: BrowserLab;
  const pages: Record<string, Behaviour> = {
    '/pdf': file('application/pdf', '%PDF-1.4'),
    '/json': file('application/json', '{"a":1}'),
    '/text': file('text/plain', '<p>plain'),
    '/picture': file('image/png', 'png'),
    '/attached': file('text/html', '<p>kept', { 'content-disposition': 'attachment' }),
    '/password': ({ response }) => {
      const headers = { 'content-type': 'text/html', 'www-authenticate': 'Basic realm="a"' };
      response.writeHead(401, headers).end('<p>Who are you?');
    },
    '/asks': script(`fetch('/password').then(({ status }) => document.body.append(status))`),
    '/leads-away': script("location = '/json'"),
    '/redirects*': ({ url, response }) => {
      const left = Number(url.split('?')[1]);
      if (left === 0) response.writeHead(200, { 'content-type': 'text/html' }).end('<p>There.');
      else response.writeHead(302, { location: `/redirects?${left - 1}` }).end();
    },
  };
  beforeAll(async () => {
    lab = browserLab({ idleTimeout: 60_000 });
    site = await hostileSite(pages);
  });
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
    await site.close();
  });

  rareTest('that is no HTML gives its bytes', async () => {
    const bodies = {
      '/pdf': '%PDF-1.4',
      '/json': '{"a":1}',
      '/text': '<p>plain',
      '/picture': 'png',
      '/attached': '<p>kept',
      '/leads-away': '{"a":1}',
    };
    for (const [path, body] of Object.entries(bodies)) {
      expect(await resultOf(lab.visit(site.url(path)))).toBe(body);
    }
  });

  test('that asks for a password is a page, and a script that is asked goes on', async () => {
    const { statusCode, text } = await lab.visit(site.url('/password'));
    expect([statusCode, text]).toEqual([401, expect.stringContaining('Who are you?')]);
    expect((await lab.visit(site.url('/asks'))).text).toContain('</script>401');
  });

  test('may redirect as often as the limit says', async () => {
    const url = site.url('/redirects?15');
    expect(await resultOf(lab.visit(url))).toBe('TOO_MANY_REDIRECTS');
    const limits = { redirects: 15 };
    expect(await resultOf(lab.visit(url, { limits }))).toContain('There.');
    expect(await resultOf(lab.visit(site.url('/redirects?100')))).toBe('TOO_MANY_REDIRECTS');
  });

  test.each([
    'file:///etc/passwd',
    'chrome://settings',
    'view-source:http://127.0.0.1/',
    'data:text/html,x',
    'blob:http://127.0.0.1/1',
    'javascript:alert(1)',
  ])('that redirects to %s is refused', async (location) => {
    await using redirecting = await hostileSite({ '/': redirectTo({ location }) });
    expect(await resultOf(lab.visit(redirecting.url('/')))).toBe('BAD_REDIRECT');
  });

  test('reaches nobody whom the network policy does not allow', async () => {
    const heard: string[] = [];
    const closed = net.createServer((socket) => {
      heard.push('a connection');
      socket.on('data', (bytes) => heard.push(String(bytes).split('\r\n')[0] ?? ''));
      socket.on('error', () => undefined);
    });
    const udp = dgram.createSocket('udp4').on('message', () => heard.push('a packet'));
    closed.listen(0, '127.0.0.2');
    udp.bind(0, '0.0.0.0');
    await Promise.all([once(closed, 'listening'), once(udp, 'listening')]);
    onTestFinished(() => {
      closed.close();
      udp.close();
    });
    const host = `127.0.0.2:${(closed.address() as AddressInfo).port}`;
    await using knocking = await hostileSite({
      '/': answer(knocks(host, udp.address().port)),
      '/leads': script(`location = 'http://${host}/leads'`),
      '/redirects': redirectTo({ location: `http://${host}/redirects` }),
    });
    const { text } = await lab.visit(knocking.url('/'), { rendering: { waitFor: 1_500 } });
    expect(text).toContain('Text.');
    expect(text).not.toContain('Candidate: ');
    expect(await resultOf(lab.visit(knocking.url('/redirects')))).toBe('BLOCKED_ADDRESS');
    await resultOf(lab.visit(knocking.url('/leads')));
    expect(heard).toEqual([]);
  });
});
