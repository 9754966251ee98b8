/**
 * The network of a tab: holds the requests of its page to the network policy, and records failures.
 */
import dgram from 'node:dgram';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  CDPSession,
  Page,
} from 'playwright-core';
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { ProxyRoute, RouteOf } from '../../core/model/request.ts';
import type { NetworkPolicy } from '../../core/http/network/policy.ts';
import { registrableDomain } from '../../core/url/registrable-domain.ts';
import { portOf } from '../../core/http/open-socket.ts';
import { openPolicyProxy } from '../../core/http/proxies/policy-proxy.ts';
import { gatherCandidates } from './in-page/gather-candidates.ts';
import type { ProxyCredentials } from './main-document.ts';

/** The network of one tab. */
export interface TabNetwork {
  /** The proxy of the tab's context. */
  readonly proxy: BrowserContextOptions['proxy'];
  /** The credentials for that proxy. */
  readonly credentials: ProxyCredentials | undefined;
  /** Bytes received so far. */
  readonly bytes: number;
  /** Why `host:port` was not reached since the last `disconnect`. */
  failureOf(target: string): Error | undefined;
  /** Starts before the page sends its first request. */
  attach(page: Page): Promise<void>;
  /** Closes all connections and forgets failures. */
  disconnect(): void;
  close(): Promise<void>;
}

/** Connects through our local proxy, which uses the address that was checked. */
export async function openProxiedNetwork(
  policy: NetworkPolicy,
  route: ProxyRoute | RouteOf | undefined,
): Promise<TabNetwork> {
  const failures = new Map<string, Error>();
  const onFailure = (error: Error, target: string): void => void failures.set(target, error);
  const policyProxy = await openPolicyProxy({ policy, route, onFailure });
  const { origin, username, password } = new URL(policyProxy.url);
  return {
    // By default Chromium bypasses proxies for this machine's own addresses.
    proxy: { server: origin, bypass: '<-loopback>' },
    credentials: { username, password },
    get bytes() {
      return policyProxy.bytesRead;
    },
    failureOf: (target) => failures.get(target),
    attach: () => Promise.resolve(),
    disconnect() {
      policyProxy.disconnect();
      failures.clear();
    },
    close: () => policyProxy.close(),
  };
}

/**
 * For a caller's browser whose own network is trusted: each request, redirects included, is paused until the
 * policy has checked its URL and the addresses of its host. The browser resolves DNS again by itself. Frames
 * of other sites are not loaded, because their requests would not pass here.
 */
export function guardedNetwork(
  policy: NetworkPolicy,
  route: ProxyRoute | RouteOf | undefined,
): TabNetwork {
  const failures = new Map<string, Error>();
  const refuse = async (href: string): Promise<boolean> => {
    const url = new URL(href.replace(/^ws/, 'http'));
    const failure = await refusalOf(policy, url);
    if (failure !== undefined) failures.set(`${url.hostname}:${portOf(url)}`, failure);
    return failure !== undefined;
  };
  let bytes = 0;
  return {
    // Routes of each host are refused for such a browser when the client is made.
    proxy: typeof route === 'object' ? proxyOf(route) : undefined,
    credentials: undefined,
    get bytes() {
      return bytes;
    },
    failureOf: (target) => failures.get(target),
    async attach(page) {
      const session = await page.context().newCDPSession(page);
      session.on('Network.dataReceived', ({ encodedDataLength }) => (bytes += encodedDataLength));
      await page.routeWebSocket(/./, async (socket) => {
        if (await refuse(socket.url())) await socket.close();
        else socket.connectToServer();
      });
      await holdRequests(session, page, refuse);
    },
    disconnect: () => failures.clear(),
    close: () => Promise.resolve(),
  };
}

async function holdRequests(
  session: CDPSession,
  page: Page,
  refuse: (url: string) => Promise<boolean>,
): Promise<void> {
  const { targetInfo } = await session.send('Target.getTargetInfo');
  const siteOf = (url: string): string => registrableDomain(new URL(url).hostname);
  let site = '';
  session.on('Fetch.requestPaused', ({ requestId, request: { url }, resourceType, frameId }) => {
    const answer = async (): Promise<void> => {
      if (/^https?:/i.test(url)) {
        if (resourceType === 'Document' && frameId === targetInfo.targetId) site = siteOf(url);
        const isForeignFrame = resourceType === 'Document' && siteOf(url) !== site;
        if (isForeignFrame || (await refuse(url))) {
          await session.send('Fetch.failRequest', { requestId, errorReason: 'AddressUnreachable' });
          return;
        }
      }
      await session.send('Fetch.continueRequest', { requestId });
    };
    // A command for a request that has ended is not a failure.
    void answer().catch(() => undefined);
  });
  await session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  page.on('popup', (popup) => void popup.close().catch(() => undefined));
}

async function refusalOf(policy: NetworkPolicy, url: URL): Promise<Error | undefined> {
  try {
    policy.check(url);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    await promisify(policy.lookup)(host, { all: true });
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

function proxyOf({ url }: ProxyRoute): BrowserContextOptions['proxy'] {
  const { protocol, host, username, password } = new URL(url);
  return {
    server: `${protocol}//${host}`,
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
}

// Holds the pages of a caller's browser to the network policy, or reports why it cannot.

const stepPatience = 10_000; // milliseconds for each step of the check
const packetPatience = 2_000; // milliseconds for WebRTC's first packet, or for no candidate

/** Settings for the contexts of a browser besides their proxy. */
export interface Holding {
  /** Runs in each frame before its own scripts; undefined if none is needed. */
  readonly initScript: string | undefined;
}

/**
 * WebRTC opens its own sockets, past every proxy, and only a flag at the browser's start prevents that.
 * Workers do not have it.
 */
const withoutWebRtc =
  "for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) delete globalThis[name];";

/**
 * Opens a context with a policy proxy, as for pages, and requests an address of this machine in it:
 * the request has to come through the proxy, and no packet of WebRTC may bypass it. Rejects with a
 * `BROWSER_UNAVAILABLE` that says what to change.
 */
export async function holdBrowser(browser: Browser): Promise<Holding> {
  const requested = new Set<string>();
  const refuse = (): never => {
    throw new PagewrightError('BLOCKED_ADDRESS', 'The browser is checked, nothing is fetched.');
  };
  await using policyProxy = await openPolicyProxy({
    policy: { check: refuse, lookup: refuse },
    onFailure: (_, target) => void requested.add(target),
  });
  const { origin, username, password } = new URL(policyProxy.url);
  const proxy = { server: origin, username, password, bypass: '<-loopback>' };
  const socket = dgram.createSocket('udp4').unref();
  socket.bind(0, '0.0.0.0');
  await once(socket, 'listening');
  const { port } = socket.address();
  let context: BrowserContext | undefined;
  try {
    context = await browser.newContext({ proxy, serviceWorkers: 'block' });
    context.setDefaultTimeout(stepPatience);
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (!requested.has(`127.0.0.1:${port}`)) throw unheld(unreached);
    if (!(await sendsPackets(context, socket))) return { initScript: undefined };
    await context.addInitScript(withoutWebRtc);
    if (await sendsPackets(context, socket)) throw unheld(packets);
    return { initScript: withoutWebRtc };
  } finally {
    socket.close();
    await context?.close().catch(() => undefined);
  }
}

/** True when a frame of a page reaches a UDP port of this machine. */
async function sendsPackets(context: BrowserContext, socket: dgram.Socket): Promise<boolean> {
  const ended = new AbortController();
  const heard = once(socket, 'message', { signal: ended.signal }).then(
    () => true,
    () => false,
  );
  const page = await context.newPage();
  // A socket on the network card does not reach 127.0.0.1, nor one on the loopback the other
  // addresses.
  const addresses = Object.values(networkInterfaces()).flatMap((found = []) => found);
  const hosts = addresses.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
  const { port } = socket.address();
  const urls = [...new Set(['127.0.0.1', ...hosts])].map((host) => `stun:${host}:${port}`);
  const gathered = page.evaluate(gatherCandidates, { urls, time: packetPatience });
  try {
    // The last packet may still be in flight when the page reports that it is done.
    const isOver = gathered.then(() => new Promise((resolve) => setImmediate(resolve, false)));
    return (await Promise.race([heard, isOver])) === true;
  } finally {
    ended.abort();
    await gathered.catch(() => undefined);
    await page.close();
  }
}

const unreached =
  'The browser does not go through the policy proxy of this process, as one on this machine would: ' +
  'what its pages contact cannot be checked. Use a browser of this machine';

const packets =
  'WebRTC in the browser sends packets past the policy proxy. Start the browser with ' +
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp';

function unheld(why: string): PagewrightError {
  return new PagewrightError(
    'BROWSER_UNAVAILABLE',
    `${why}, or trust its network: createClient({ network: { trustBrowser: true } }).`,
  );
}
