/** undici as the transport: the fastest client, on connections of our own. */
import type { NetworkPolicy } from '../../../network/policy.ts';
import type { Connection } from './connection.ts';
import { ConnectionPool } from './connections.ts';
import { NoResponse } from './exchange.ts';
import { isDeadConnection } from '../failure.ts';
import { readTlsConfig, type TlsConfig } from '../tls-config.ts';
import type { Transport, TransportRequest, TransportResult } from '../transport.ts';

/**
 * A transport over HTTP/1.1, and HTTP/2 where that is on, with kept-alive connections. Throws
 * `ValidationError` for certificates and keys that cannot be used.
 */
export function undiciTransport(policy: NetworkPolicy, tls?: TlsConfig): Transport {
  const pool = new ConnectionPool({ lookup: policy.lookup, tls: readTlsConfig(tls) });
  return {
    async send(request) {
      const { url, headerBytes, skipTlsVerification, route, signal, freshConnection } = request;
      const target = { url, verifyTls: !skipTlsVerification, headerBytes, route };
      const connection = await (freshConnection === true
        ? pool.open(target, signal)
        : pool.take(target, signal));
      try {
        return await ask(connection, request, 1);
      } catch (error) {
        if (!(error instanceof NoResponse)) throw error;
        if (wantsHttp1(error.cause)) pool.avoidHttp2(url);
        else if (!connection.wasUsed || !isDeadConnection(error.cause)) throw error.cause;
      }
      try {
        return await ask(await pool.open(target, signal), request, 2);
      } catch (error) {
        throw error instanceof NoResponse ? error.cause : error;
      }
    },
    close: () => pool.close(),
  };
}

/** True when the server speaks HTTP/2, but not for this page (RFC 9113, 7). */
function wantsHttp1(error: unknown): boolean {
  return error instanceof Error && error.message.includes('NGHTTP2_HTTP_1_1_REQUIRED');
}

async function ask(
  connection: Connection,
  request: TransportRequest,
  requests: number,
): Promise<TransportResult> {
  const { head, cut } = await connection.ask(request);
  return { head, cut, requests, certificateError: connection.certificateError };
}
