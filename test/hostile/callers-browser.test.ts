/**
 * Pages in a browser of the caller's that would like to reach a private address: by whatever a page can
 * start, its requests come by the policy proxy. Each way is tried in a browser without a policy too, where
 * it has to arrive: one that does not is no test.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import dgram from 'node:dgram';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/index.ts';
import type { BrowserChoice } from '../../src/browser/chromium/browser.ts';
import { findChromium } from '../../src/browser/chromium/open-browser.ts';
import { type Behaviour, type FixtureServer, serve } from '../../src/entries/testing/index.ts';
import { chromium } from 'playwright-core';
import { chromiumFlags, launchChromium } from '../support/chromium.ts';
import { rareTest, usualAnd } from '../support/deep.ts';

/** What a page has in it, by the way that it tries; `at` is a host with a port that is closed to it. */
const ways: Readonly<Record<string, (at: string) => string>> = {
  'an image': (at) => `<img src="http://${at}/">`,
  'a frame': (at) => `<iframe src="http://${at}/"></iframe>`,
  'a frame in a frame': (at) => `<iframe srcdoc="<iframe src='http://${at}/'></iframe>"></iframe>`,
  'a sandboxed frame': (at) =>
    `<iframe sandbox="allow-scripts" srcdoc="<script>fetch('http://${at}/', { mode: 'no-cors' })</script>"></iframe>`,
  'a sandboxed frame in a sandboxed frame': (at) =>
    `<iframe sandbox="allow-scripts" src="data:text/html,<iframe sandbox='allow-scripts' src='data:text/html,<img src=http://${at}/>'></iframe>"></iframe>`,
  'a frame of a blob': (at) =>
    script(`const frame = document.createElement('iframe');
      frame.src = URL.createObjectURL(new Blob(['<img src="http://${at}/">'], { type: 'text/html' }));
      document.body.append(frame);`),
  'an object': (at) => `<object data="http://${at}/"></object>`,
  'an embed': (at) => `<embed src="http://${at}/">`,
  'a style sheet': (at) => `<style>@import 'http://${at}/';</style>`,
  'a background': (at) => `<p style="background: url(http://${at}/)">x</p>`,
  'a script': (at) => `<script src="http://${at}/"></script>`,
  'a module': (at) => `<script type="module">import 'http://${at}/';</script>`,
  'a film': (at) => `<video src="http://${at}/" autoplay muted></video>`,
  fetch: (at) => script(`fetch('http://${at}/', { mode: 'no-cors' })`),
  'a fetch that outlives the page': (at) =>
    script(`addEventListener('pagehide', () => fetch('http://${at}/', { mode: 'no-cors', keepalive: true }));
      setTimeout(() => (location = '/empty'), 50)`),
  'a fetch of a decimal address': (at) =>
    script(`fetch('http://${at.replace('127.0.0.2', '2130706434')}/', { mode: 'no-cors' })`),
  XMLHttpRequest: (at) =>
    script(
      `const request = new XMLHttpRequest(); request.open('GET', 'http://${at}/'); request.send()`,
    ),
  EventSource: (at) => script(`new EventSource('http://${at}/')`),
  sendBeacon: (at) => script(`navigator.sendBeacon('http://${at}/', 'x')`),
  'a ping': (at) => `<a id="a" ping="http://${at}/" href="#x">a</a>${script('a.click()')}`,
  'a form': (at) =>
    `<iframe name="f"></iframe><form id="g" target="f" method="post" action="http://${at}/"></form>${script('g.submit()')}`,
  WebSocket: (at) => script(`new WebSocket('ws://${at}/')`),
  'a WebSocket of a worker': (at) => worker(`new WebSocket('ws://${at}/')`),
  'a WebSocket of a frame': (at) =>
    `<iframe sandbox="allow-scripts" srcdoc="<script>new WebSocket('ws://${at}/')</script>"></iframe>`,
  'a worker': (at) => worker(`fetch('http://${at}/', { mode: 'no-cors' })`),
  'a worker of a worker': (at) =>
    worker(
      `new Worker(URL.createObjectURL(new Blob(["fetch('http://${at}/', { mode: 'no-cors' })"])))`,
    ),
  'a script of a worker': (at) => worker(`importScripts('http://${at}/')`),
  'a shared worker': (at) =>
    script(
      `new SharedWorker(URL.createObjectURL(new Blob(["fetch('http://${at}/', { mode: 'no-cors' })"])))`,
    ),
  'a worklet': (at) => script(`CSS.paintWorklet.addModule('http://${at}/')`),
  'a popup': (at) => script(`open('http://${at}/')`),
  'a popup without an opener': (at) => script(`open('http://${at}/', 'x', 'noopener')`),
  'a popup that fetches': (at) => script(`open('').fetch('http://${at}/', { mode: 'no-cors' })`),
  'a link into a new window': (at) =>
    `<a id="a" target="_blank" href="http://${at}/">a</a>${script('a.click()')}`,
  'a navigation': (at) => script(`location = 'http://${at}/'`),
  'a refresh': (at) => `<meta http-equiv="refresh" content="0; url=http://${at}/">`,
  'speculation rules that prefetch': (at) => speculation('prefetch', `http://${at}/`),
  'speculation rules that prerender': (at) => speculation('prerender', `/to/${at}`),
  'a prefetch': (at) => `<link rel="prefetch" href="http://${at}/">`,
  'a preload': (at) => `<link rel="preload" as="fetch" crossorigin href="http://${at}/">`,
  FedCM: (at) =>
    script(`navigator.credentials.get({ identity: { providers:
      [{ configURL: 'http://${at}/fedcm.json', clientId: 'x' }] } }).catch(() => 0)`),
  'a payment manifest': (at) =>
    script(`new PaymentRequest([{ supportedMethods: 'https://${at}/pay' }],
      { total: { label: 'x', amount: { currency: 'EUR', value: '1' } } }).canMakePayment().catch(() => 0)`),
  WebTransport: (at) => script(`new WebTransport('https://${at}/').closed.catch(() => 0)`),
  'WebRTC over UDP': (at) => script(rtc(`stun:${at}`)),
  'WebRTC over TCP': (at) => script(rtc(`turn:${at}?transport=tcp`)),
  'WebRTC of a frame': (at) =>
    script(`const frame = document.createElement('iframe'); document.body.append(frame);
      const { RTCPeerConnection } = frame.contentWindow; ${rtc(`stun:${at}`)}`),
  'WebRTC of a popup': (at) =>
    script(`const { RTCPeerConnection } = open(''); ${rtc(`stun:${at}`)}`),
};

const script = (text: string): string => `<script>${text}</script>`;
const worker = (text: string): string =>
  script(`new Worker(URL.createObjectURL(new Blob([${JSON.stringify(text)}])))`);
const speculation = (kind: string, url: string): string =>
  `<script type="speculationrules">{ "${kind}": [{ "source": "list", "eagerness": "immediate", "urls": ["${url}"] }] }</script>`;
const rtc = (url: string): string =>
  `window.kept = new RTCPeerConnection({ iceServers: [{ urls: '${url}', username: 'a', credential: 'b' }] });
   kept.createDataChannel('x'); kept.createOffer().then((offer) => kept.setLocalDescription(offer));`;

/** A host with a port, of TCP and of UDP, that notes whether anybody comes. */
interface Door extends Disposable {
  readonly at: string;
  heard: number;
}

async function door(): Promise<Door> {
  const hear = (): void => void (opened.heard += 1);
  const tcp = net.createServer((socket) => {
    hear();
    socket.on('error', () => undefined).end();
  });
  tcp.listen(0, '127.0.0.2');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = dgram.createSocket('udp4').on('message', hear);
  udp.bind(port, '127.0.0.2');
  await once(udp, 'listening');
  const opened = {
    at: `127.0.0.2:${port}`,
    heard: 0,
    [Symbol.dispose]: () => {
      tcp.close();
      udp.close();
    },
  };
  return opened;
}

/** A Chromium with an endpoint, as a caller would start one. */
async function startChromium(
  flags: readonly string[],
): Promise<AsyncDisposable & { readonly endpoint: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'pagewright-callers-'));
  const child = spawn(await findChromium(), [
    ...chromiumFlags,
    '--headless',
    '--remote-debugging-port=0',
    `--user-data-dir=${folder}`,
    ...flags,
    'about:blank',
  ]);
  let port = '';
  for (let wait = 0; wait < 400 && port === '' && child.exitCode === null; wait++) {
    await sleep(50);
    const text = await readFile(join(folder, 'DevToolsActivePort'), 'utf8').catch(() => '');
    [port = ''] = text.split('\n');
  }
  return {
    endpoint: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const names = Object.keys(ways);
/** Rules that hold for a whole page; all other ways are in a frame of one page. */
const pages = names.filter((name) => name.startsWith('speculation'));
const leaving = 'a fetch that outlives the page';
const frames = names.filter((name) => !pages.includes(name) && name !== leaving);

/** Milliseconds for what a page has started to arrive. */
const patience = 1_500;
const popups = ['--disable-popup-blocking'];
const keptToProxies = ['--force-webrtc-ip-handling-policy=disable_non_proxied_udp'];

let site: FixtureServer;
const doors = new Map<string, Door>();
/** Ways by which somebody came. */
const heard = (): string[] => names.filter((name) => (doors.get(name)?.heard ?? 0) > 0);
const paths = ['/all', '/rules', `/way/${names.indexOf(leaving)}`];

beforeAll(async () => {
  for (const name of names) doors.set(name, await door());
  const send =
    (body: string): Behaviour =>
    ({ response }) =>
      void response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<!doctype html><title>A page</title><p>Some text of the page.</p>${body}`);
  const all = frames.map((name) => `<iframe src="/way/${names.indexOf(name)}"></iframe>`);
  const rules = pages.map((name) => ways[name]?.(doors.get(name)?.at ?? ''));
  site = await serve(
    {},
    {
      behaviours: {
        '/all': send(all.join('')),
        '/rules': send(rules.join('')),
        '/empty': send(''),
        '/way/*': (exchange) => {
          const name = names[Number(exchange.url.split('/').at(-1))] ?? '';
          return send(ways[name]?.(doors.get(name)?.at ?? '') ?? '')(exchange);
        },
        '/to/*': ({ url, response }) =>
          void response.writeHead(302, { location: `http://${url.slice(4)}/` }).end(),
      },
    },
  );
});

afterAll(async () => {
  await site.close();
  for (const one of doors.values()) one[Symbol.dispose]();
});

/** Renders the pages in this browser; gives their text. */
async function visitAll(
  browser: BrowserChoice,
  network: object = {},
  visited: readonly string[] = paths,
): Promise<string> {
  await using client = createClient({
    network: { allow: ['127.0.0.1'], ...network },
    browser,
    logger: { warn: () => undefined },
  });
  const options = { engine: 'browser', retries: 0, waitFor: patience, maxAge: 0 } as const;
  const documents = [];
  for (const path of visited) documents.push(await client.scrape(site.url(path), options));
  return documents.map(({ markdown }) => markdown).join('\n');
}

/** The first one is not ours; the client's own is held in the same way. */
const browsers: Readonly<Record<string, () => Promise<string>>> = {
  'by an endpoint': async () => {
    await using started = await startChromium(popups);
    return await visitAll({ endpoint: started.endpoint });
  },
  'in the browser that the client starts': () => visitAll({ args: popups }),
  'by an endpoint whose WebRTC keeps to proxies': async () => {
    await using started = await startChromium([...popups, ...keptToProxies]);
    return await visitAll({ endpoint: started.endpoint });
  },
  'in a browser of Playwright': async () => {
    const browser = await launchChromium();
    try {
      return await visitAll({ browser });
    } finally {
      await browser.close();
    }
  },
};

rareTest(
  'a page reaches a private address in each of these ways where nobody looks',
  { timeout: 60_000 },
  async () => {
    await using started = await startChromium(popups);
    const browser = await chromium.connectOverCDP(started.endpoint);
    const context = await browser.newContext();
    for (const path of paths) {
      const page = await context.newPage();
      await page.goto(site.url(path));
    }
    for (let wait = 0; wait < 300 && heard().length < names.length; wait++) await sleep(100);
    await browser.close();
    expect(names.filter((name) => !heard().includes(name))).toEqual([]);
  },
);

describe.each(usualAnd(1, Object.keys(browsers)))('a page that is rendered %s', (kind) => {
  let found: string[] = [];
  beforeAll(async () => {
    for (const one of doors.values()) one.heard = 0;
    const text = await browsers[kind]?.();
    found = heard();
    expect(text?.match(/Some text of the page\./g)?.length).toBeGreaterThanOrEqual(paths.length);
  }, 120_000);
  test.each(names)('does not reach a private address by %s', (name) => {
    expect(found).not.toContain(name);
  });
});

/** The error of a page that is to be rendered in this browser. */
async function refusal(browser: BrowserChoice, network: object = {}): Promise<unknown> {
  const visited = ['an image', 'fetch'].map((name) => `/way/${names.indexOf(name)}`);
  return visitAll(browser, network, visited).then(
    () => 'rendered',
    (error: unknown) => error,
  );
}

describe('a browser whose pages cannot be held', { timeout: 60_000 }, () => {
  test('is refused where it does not reach the policy proxy', async () => {
    // As on another machine, its 127.0.0.1 is not that of this process.
    const flags = ['--host-resolver-rules=MAP 127.0.0.1 127.0.0.9'];
    await using started = await startChromium(flags);
    expect(await refusal({ endpoint: started.endpoint })).toMatchObject({
      code: 'BROWSER_UNAVAILABLE',
      message: expect.stringMatching(
        /does not go through the policy proxy.*network: \{ trustBrowser: true \}/,
      ) as string,
    });
  });

  test('is refused where WebRTC goes past the proxy and cannot be taken away', async () => {
    const browser = await launchChromium();
    // A driver that cannot add scripts to all frames.
    const newContext = browser.newContext.bind(browser);
    browser.newContext = async (options) => {
      const context = await newContext(options);
      context.addInitScript = () => Promise.resolve({ dispose: () => Promise.resolve() } as never);
      return context;
    };
    const refused = await refusal({ browser });
    await browser.close();
    expect(refused).toMatchObject({
      code: 'BROWSER_UNAVAILABLE',
      message: expect.stringContaining('--force-webrtc-ip-handling-policy') as string,
    });
  });

  test('is refused where it is a context, before anything is opened', async () => {
    const browser = await launchChromium();
    const context = await browser.newContext();
    expect(() => createClient({ browser: { context } })).toThrow(
      /network: \{ trustBrowser: true \}/,
    );
    await browser.close();
  });

  test.each(usualAnd(1, ['endpoint', 'browser', 'context'] as const))(
    'is used where it is trusted (%s), and asked about what a page requests itself',
    async (kind) => {
      await using started = await startChromium([]);
      const browser = await chromium.connectOverCDP(started.endpoint);
      const context = await browser.newContext();
      const choice = {
        endpoint: { endpoint: started.endpoint },
        browser: { browser },
        context: { context },
      };
      for (const one of doors.values()) one.heard = 0;
      expect(await refusal(choice[kind], { trustBrowser: true })).toBe('rendered');
      expect(heard()).not.toContain('an image');
      expect(heard()).not.toContain('fetch');
      await browser.close();
    },
  );
});
