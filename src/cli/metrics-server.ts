/** Serves the metrics of a worker: `GET /metrics`, for Prometheus. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { messageOf, PagewrightError } from '../errors.ts';

/** Where the metrics are served. */
export interface MetricsAddress {
  /** 0 for a free one. */
  readonly port: number;
  readonly host: string;
}

/** A server that runs until it is disposed of. */
export interface MetricsServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts the server. Rejects with `BAD_REQUEST` when it cannot have the address. */
export async function serveMetrics(
  { port, host }: MetricsAddress,
  read: () => Promise<string>,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end('GET /metrics\n');
      return;
    }
    read().then(
      (text) => response.writeHead(200, { 'content-type': textFormat }).end(text),
      (error: unknown) => response.writeHead(503).end(`${messageOf(error)}\n`),
    );
  });
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    const message = `--metrics ${port}: cannot listen on ${host}: ${messageOf(error)}`;
    throw new PagewrightError('BAD_REQUEST', message, { cause: error });
  }
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}/metrics`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const textFormat = 'text/plain; version=0.0.4; charset=utf-8';
