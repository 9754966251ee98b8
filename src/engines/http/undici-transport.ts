/** undici as the transport: the fastest client, on connections of our own. */
import type { NetworkPolicy } from '../../network/policy.ts';
import { type Connection, ConnectionPool } from './connections.ts';
import { exchange, NoResponse } from './exchange.ts';
import type { Transport, TransportRequest, TransportResult } from './transport.ts';

/** A transport over HTTP/1.1 with kept-alive connections. */
export function undiciTransport(policy: NetworkPolicy): Transport {
  const pool = new ConnectionPool(policy.lookup);
  return {
    async send(request) {
      const { url, headerBytes, skipTlsVerification } = request;
      const target = { url, verifyTls: !skipTlsVerification, headerBytes };
      const connection = await pool.take(target);
      try {
        return await ask(connection, request, 1);
      } catch (error) {
        if (!(error instanceof NoResponse)) throw error;
        if (!connection.wasUsed || !isDeadConnection(error.cause)) throw error.cause;
        return await ask(await pool.open(target), request, 2);
      }
    },
    close: () => pool.close(),
  };
}

/** True when the server had closed the connection before it saw the request. */
function isDeadConnection(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
}

async function ask(
  connection: Connection,
  request: TransportRequest,
  requests: number,
): Promise<TransportResult> {
  const { head, cut } = await exchange(connection, request);
  return { head, cut, requests, certificateError: connection.certificateError };
}
