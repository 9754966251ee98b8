/** Holds the pages of a caller's browser to the network policy, or says why that cannot be done. */
import dgram from 'node:dgram';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import type { Browser, BrowserContext } from 'playwright-core';
import { PagewrightError } from '../../errors.ts';
import { openGate } from '../gate.ts';
import { gatherCandidates } from './in-page/gather-candidates.ts';

/** Milliseconds that the browser may take for each step of the check. */
const patience = 10_000;
/** Milliseconds that WebRTC may take to send its first packet, or to say that it has no way to. */
const packetPatience = 2_000;

/** What the contexts of a browser need beside their proxy. */
export interface Holding {
  /** Runs in each frame before its own scripts; undefined where nothing is needed. */
  readonly initScript: string | undefined;
}

/**
 * WebRTC opens sockets of its own, past every proxy, and only a flag of the browser's start could say
 * otherwise. Workers do not have it.
 */
const withoutWebRtc =
  "for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) delete globalThis[name];";

/**
 * Opens a context with a policy proxy, as for pages, and asks in it for an address of this machine: the
 * request has to come by the proxy, and no packet of WebRTC may come past it. Rejects with
 * `BROWSER_UNAVAILABLE` that says what to change.
 */
export async function holdBrowser(browser: Browser): Promise<Holding> {
  const asked = new Set<string>();
  const refuse = (): never => {
    throw new PagewrightError('BLOCKED_ADDRESS', 'The browser is checked, nothing is fetched.');
  };
  await using gate = await openGate({
    policy: { check: refuse, lookup: refuse },
    onFailure: (_, target) => void asked.add(target),
  });
  const { origin, username, password } = new URL(gate.url);
  const proxy = { server: origin, username, password, bypass: '<-loopback>' };
  const socket = dgram.createSocket('udp4').unref();
  socket.bind(0, '0.0.0.0');
  await once(socket, 'listening');
  const { port } = socket.address();
  let context: BrowserContext | undefined;
  try {
    context = await browser.newContext({ proxy, serviceWorkers: 'block' });
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (!asked.has(`127.0.0.1:${port}`)) throw unheld(unreached);
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
  // A socket of the network card does not reach 127.0.0.1, nor one of the loopback the other addresses.
  const addresses = Object.values(networkInterfaces()).flatMap((found = []) => found);
  const hosts = addresses.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
  const { port } = socket.address();
  const urls = [...new Set(['127.0.0.1', ...hosts])].map((host) => `stun:${host}:${port}`);
  const gathered = page.evaluate(gatherCandidates, { urls, time: packetPatience });
  try {
    // The last packet may be on its way still when the page says that it is done.
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
