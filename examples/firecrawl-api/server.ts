// The API over node:http: FIRECRAWL_API_KEYS=my-key-of-16-characters PORT=3002 node server.js
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { createClient } from 'pagewright';
import { firecrawlApi } from './handler.ts';

export function apiServer(api: (request: Request) => Promise<Response>): Server {
  const server = createServer((incoming, outgoing) => {
    const left = new AbortController();
    // A caller who leaves ends the call; jobs go on.
    outgoing.once('close', () => left.abort());
    const respond = async (): Promise<void> => {
      const response = await api(requestOf(incoming, left.signal));
      const answer = await response.text();
      // The rest of a body that is too long is not read.
      if (!incoming.complete) outgoing.setHeader('connection', 'close');
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(answer);
    };
    // What is no request for `fetch` either, such as a Host that is no host.
    respond().catch(() => outgoing.writeHead(400).end());
  });
  // The watcher of the SDK opens a WebSocket, and asks for the status at intervals once that is closed: it is, at once.
  server.on('upgrade', ({ headers }, socket) => {
    const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'; // RFC 6455, 1.3
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${guid}`);
    const protocol = headers['sec-websocket-protocol'];
    const lines = [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept.digest('base64')}`,
      ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
      '\r\n',
    ];
    const closing = Buffer.from([0x88, 2, 0x03, 0xe8]); // a frame that closes, with the code 1000
    socket.on('error', () => socket.destroy());
    socket.end(Buffer.concat([Buffer.from(lines.join('\r\n')), closing]));
    setTimeout(() => socket.destroy(), 1000).unref();
  });
  return server;
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers } = incoming;
  const own = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  // Whoever stops reading the body can still answer.
  const parts = incoming.iterator({ destroyOnReturn: false });
  const body = method === 'GET' || method === 'HEAD' ? null : Readable.toWeb(Readable.from(parts));
  const address = new URL(url, `http://${headers.host ?? 'localhost'}`);
  return new Request(address, {
    method,
    headers: own,
    body,
    signal,
    duplex: 'half',
  } as RequestInit);
}

// Only where this file is the program.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { FIRECRAWL_API_KEYS = '', ALLOWED_HOSTS = '', PUBLIC_URL, PORT } = process.env;
  const allow = ALLOWED_HOSTS.split(',').filter(Boolean);
  const client = createClient({ network: { allow } });
  const keys = FIRECRAWL_API_KEYS.split(',').filter(Boolean);
  const server = apiServer(firecrawlApi({ client, keys, publicUrl: PUBLIC_URL }));
  server.listen(Number(PORT ?? 3002), () => console.log('listening on', server.address()));
  process.once('SIGTERM', () => {
    server.close();
    server.closeIdleConnections();
    void client.close();
  });
}
