/** Proxies on loopback that behave, or misbehave as told; closed after each test. */
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import tls from 'node:tls';
import { onTestFinished } from 'vitest';
import { cert, key } from '../self-signed.ts';

export interface ProxyLab {
  /** Without credentials: `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly port: number;
  /** The same with a user name and a password. */
  as(username: string, password: string): string;
  /** `host:port` of every target it was asked for. */
  readonly asked: string[];
  /** What it received as plain text before and in place of a tunnel. */
  readonly heard: string[];
  /** Open sockets from clients. */
  readonly sockets: ReadonlySet<Socket>;
}

/** What a proxy does when it is asked: `through` opens the tunnel, which is the default. */
export type Answer = (socket: Socket, target: string, through: () => void) => void;

export interface HttpProxyOptions {
  readonly secure?: boolean;
  /** `user:password` */
  readonly login?: string;
  readonly answer?: Answer;
}

/** An HTTP proxy that knows CONNECT only. */
export async function serveHttpProxy(options: HttpProxyOptions = {}): Promise<ProxyLab> {
  const { secure = false, login, answer } = options;
  const asked: string[] = [];
  const heard: string[] = [];
  const onSocket = (socket: Socket): void => {
    let head = '';
    socket.on('error', () => undefined);
    const listener = (chunk: Buffer): void => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      socket.off('data', listener);
      heard.push(head);
      const target = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(head)?.[1];
      if (target === undefined) return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      asked.push(target);
      const sent = /^Proxy-Authorization: Basic (\S+)\r$/im.exec(head)?.[1] ?? '';
      if (login !== undefined && Buffer.from(sent, 'base64').toString() !== login) {
        return void socket.end('HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\n\r\n');
      }
      const refused = 'HTTP/1.1 502 Bad Gateway\r\n\r\n';
      const through = (): void => {
        join(socket, target, 'HTTP/1.1 200 Connection established\r\nVia: lab\r\n\r\n', refused);
      };
      if (answer === undefined) through();
      else answer(socket, target, through);
    };
    socket.on('data', listener);
  };
  const server = secure ? tls.createServer({ key, cert }, onSocket) : net.createServer(onSocket);
  return listen(server, secure ? 'https' : 'http', asked, heard);
}

export interface SocksProxyOptions {
  /** `user:password` */
  readonly login?: string;
  /** The reply code of RFC 1928; 0 opens the tunnel. */
  readonly reply?: (target: string) => number;
  /** Bytes in place of the answer to the greeting. */
  readonly greeting?: Buffer;
}

/** A SOCKS5 proxy. */
export async function serveSocksProxy(options: SocksProxyOptions = {}): Promise<ProxyLab> {
  const { login, reply = () => 0, greeting } = options;
  const asked: string[] = [];
  const heard: string[] = [];
  const onSocket = (socket: Socket): void => {
    let stage: 'greeting' | 'login' | 'request' = 'greeting';
    socket.on('error', () => undefined);
    const listener = (chunk: Buffer): void => {
      heard.push(chunk.toString('latin1'));
      if (stage === 'greeting') {
        if (greeting !== undefined) return void socket.write(greeting);
        const offersLogin = chunk.subarray(2).includes(2);
        if (login !== undefined && !offersLogin) return void socket.end(Buffer.from([5, 0xff]));
        stage = login === undefined ? 'request' : 'login';
        socket.write(Buffer.from([5, login === undefined ? 0 : 2]));
      } else if (stage === 'login') {
        const length = chunk[1] ?? 0;
        const user = chunk.subarray(2, 2 + length).toString();
        const password = chunk.subarray(3 + length).toString();
        const isRight = `${user}:${password}` === login;
        stage = 'request';
        socket.write(Buffer.from([1, isRight ? 0 : 1]));
        if (!isRight) socket.end();
      } else {
        socket.off('data', listener);
        const target = socksTarget(chunk);
        asked.push(target);
        const answer = (code: number): Buffer => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
        const code = reply(target);
        if (code === 0) join(socket, target, answer(0), answer(5));
        else socket.end(answer(code));
      }
    };
    socket.on('data', listener);
  };
  return listen(net.createServer(onSocket), 'socks5', asked, heard);
}

/** Accepts connections and answers whatever comes with these bytes, or not at all. */
export async function serveOddProxy(
  scheme: string,
  onData: (socket: Socket) => void,
): Promise<ProxyLab> {
  const heard: string[] = [];
  const server = net.createServer((socket) => {
    socket.on('data', (chunk) => {
      heard.push(chunk.toString('latin1'));
      onData(socket);
    });
  });
  return listen(server, scheme, [], heard);
}

function socksTarget(request: Buffer): string {
  const kind = request[3];
  const port = request.readUInt16BE(request.length - 2);
  const host = request.subarray(4, -2);
  if (kind === 1) return `${host.join('.')}:${port}`;
  if (kind === 3) return `${host.subarray(1).toString()}:${port}`;
  const words = Array.from({ length: 8 }, (_, index) => host.readUInt16BE(index * 2).toString(16));
  return `[${words.join(':')}]:${port}`;
}

function join(
  client: Socket,
  target: string,
  opened: string | Buffer,
  refused: string | Buffer,
): void {
  const { hostname, port } = new URL(`http://${target}`);
  const upstream = net.connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 80),
  });
  const refuse = (): void => void client.end(refused);
  upstream.once('connect', () => {
    upstream.off('error', refuse).once('error', () => client.destroy());
    client.write(opened);
    client.pipe(upstream).pipe(client);
  });
  upstream.once('error', refuse);
  upstream.once('close', () => client.destroy());
  client.once('close', () => upstream.destroy());
}

async function listen(
  server: Server,
  scheme: string,
  asked: string[],
  heard: string[],
): Promise<ProxyLab> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const as = (username: string, password: string): string =>
    `${scheme}://${encodeURIComponent(username)}:${encodeURIComponent(password)}@127.0.0.1:${port}`;
  return { url: `${scheme}://127.0.0.1:${port}`, port, as, asked, heard, sockets };
}
