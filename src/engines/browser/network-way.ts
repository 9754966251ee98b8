/** How the requests of a tab reach the network: under the policy, and with an account of what failed. */
import { promisify } from 'node:util';
import type { BrowserContextOptions, CDPSession, Page } from 'playwright-core';
import type { ProxyRoute } from '../../model/request.ts';
import type { NetworkPolicy } from '../../network/policy.ts';
import { registrableDomain } from '../../url/registrable-domain.ts';
import { openGate } from '../gate.ts';
import { portOf } from '../http/dial.ts';
import type { ProxyCredentials } from './main-document.ts';

/** The way of one tab. */
export interface NetworkWay {
  /** For the tab's context. */
  readonly proxy: BrowserContextOptions['proxy'];
  /** What that proxy asks for. */
  readonly credentials: ProxyCredentials | undefined;
  /** Bytes that came so far. */
  readonly bytes: number;
  /** Why `host:port` was not reached since the last `disconnect`. */
  failureOf(target: string): Error | undefined;
  /** Begins, before the page asks for anything. */
  attach(page: Page): Promise<void>;
  /** Ends all connections and forgets failures. */
  disconnect(): void;
  close(): Promise<void>;
}

/** Through a proxy of ours on this machine, which connects to the address that was checked. */
export async function gatedWay(
  policy: NetworkPolicy,
  route: ProxyRoute | undefined,
): Promise<NetworkWay> {
  const failures = new Map<string, Error>();
  const onFailure = (error: Error, target: string): void => void failures.set(target, error);
  const gate = await openGate({ policy, route, onFailure });
  const { origin, username, password } = new URL(gate.url);
  return {
    // Chromium leaves proxies out for this machine's own addresses unless it is told not to.
    proxy: { server: origin, bypass: '<-loopback>' },
    credentials: { username, password },
    get bytes() {
      return gate.bytesRead;
    },
    failureOf: (target) => failures.get(target),
    attach: () => Promise.resolve(),
    disconnect() {
      gate.disconnect();
      failures.clear();
    },
    close: () => gate.close(),
  };
}

/**
 * For a browser of the caller's whose own network is trusted: each request, redirects included, waits
 * until the policy has looked at its URL and at the addresses of its host. The browser asks DNS again
 * by itself. Frames of other sites are not loaded, since what they ask for would not come by here.
 */
export function guardedWay(policy: NetworkPolicy, route: ProxyRoute | undefined): NetworkWay {
  const failures = new Map<string, Error>();
  const refuse = async (href: string): Promise<boolean> => {
    const url = new URL(href.replace(/^ws/, 'http'));
    const failure = await refusalOf(policy, url);
    if (failure !== undefined) failures.set(`${url.hostname}:${portOf(url)}`, failure);
    return failure !== undefined;
  };
  let bytes = 0;
  return {
    proxy: route === undefined ? undefined : proxyOf(route),
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
    // A request that is gone by now is no failure.
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
