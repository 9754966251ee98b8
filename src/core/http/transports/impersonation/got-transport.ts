/** Sends requests like a browser, with the browser data of got-scraping. */
import { Lazy, loadModule } from '../../../runtime/load-module.ts';
import { withSignal } from '../../../runtime/deadline.ts';
import type { NetworkPolicy } from '../../network/policy.ts';
import { BrowserConnections, browserExchange } from './browser-connections.ts';
import type { BrowserIdentity } from './browser-identity.ts';
import { readTlsConfig, type TlsConfig } from '../../tls-config.ts';
import { sendAgainIfDead, type Transport } from '../../transport.ts';
import { StealthSessions } from './sessions.ts';

/**
 * A transport with the headers, header order, TLS settings and HTTP/2 settings of a browser, drawn
 * by got-scraping for each visitor. The requests use Node's own clients: got-scraping's query a
 * host's protocol over their own sockets, past any policy, and share connections between visitors.
 *
 * A connection carries one request at a time, so that an abort can close it.
 */
export function gotTransport(policy: NetworkPolicy, tls?: TlsConfig): Transport {
  const connections = new BrowserConnections(policy, readTlsConfig(tls));
  const sessions = new StealthSessions(() => new Lazy(draw));
  return {
    async send(request) {
      const { url, headers, route, signal, skipTlsVerification, visitor } = request;
      signal.throwIfAborted();
      const { key: visitorKey, identity: drawn } = sessions.of(visitor);
      const identity = await withSignal(drawn.get(), signal);
      const target = { url, skipTlsVerification, route, visitorKey, identity };
      return await sendAgainIfDead({
        idle: request.freshConnection === true ? undefined : connections.take(target),
        open: () => connections.open(target, signal),
        send: async (connection) => {
          const sent = identity.headers(connection.version, url, headers);
          const result = await browserExchange(connection, sent, request);
          return { ...result, certificateError: connection.certificateError };
        },
      });
    },
    close: () => {
      connections.close();
      return Promise.resolve();
    },
  };
}

async function draw(): Promise<BrowserIdentity> {
  const { drawIdentity } = await loadModule(() => import('./browser-identity.ts'));
  return await drawIdentity();
}
