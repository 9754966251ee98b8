/** A tunnel through a SOCKS5 proxy (RFC 1928, 1929). */
import { isIPv4, isIPv6, type Socket } from 'node:net';
import type { ProxyAddress } from './proxy-address.ts';
import { readReply, type Reply } from './read-reply.ts';
import { checkAddress, checkCredentials, checkReach, TunnelFailure } from './tunnel-failure.ts';

/** Asks on an open connection to the proxy; when it resolves the socket leads to the target. */
export async function connectOverSocks(
  socket: Socket,
  { username, password }: ProxyAddress,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  const destination = destinationBytes(host);
  const hasLogin = username !== '' || password !== '';
  socket.write(Uint8Array.from(hasLogin ? [5, 2, noLogin, byPassword] : [5, 1, noLogin]));
  const method = await readReply(socket, parseMethod);
  if (method === byPassword && hasLogin) {
    const [name, secret] = [Buffer.from(username), Buffer.from(password)];
    socket.write(Uint8Array.from([1, name.length, ...name, secret.length, ...secret]));
    if ((await readReply(socket, parseLogin)) !== 0) throw loginRefused();
  } else if (method !== noLogin) {
    throw loginRefused();
  }
  socket.write(Uint8Array.from([5, 1, 0, ...destination, port >> 8, port & 0xff]));
  const code = await readReply(socket, parseAnswer);
  if (code !== 0) throw refusal(code);
}

const noLogin = 0;
const byPassword = 2;
const [ipv4, name, ipv6] = [1, 3, 4];

/** The kind of the address and its bytes. */
function destinationBytes(host: string): readonly number[] {
  if (isIPv4(host)) return [ipv4, ...host.split('.').map(Number)];
  if (isIPv6(host)) return [ipv6, ...ipv6Bytes(host)];
  const bytes = Buffer.from(host);
  if (bytes.length <= 255) return [name, bytes.length, ...bytes];
  throw new TunnelFailure('SOCKS5 has no room for so long a host name', 'Shorten it.');
}

function ipv6Bytes(host: string): readonly number[] {
  // URLs write IPv6 in hexadecimal words only, also where DNS ends in an IPv4 address.
  const text = new URL(`http://[${host}]`).hostname.slice(1, -1);
  const [before = [], after = []] = text.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].flatMap((word) => {
    const value = Number.parseInt(word, 16);
    return [value >> 8, value & 0xff];
  });
}

function parseMethod(received: Buffer): Reply<number> | undefined {
  const [version, method] = received;
  if (version !== 5) throw noSocks();
  return method === undefined ? undefined : { value: method, length: 2 };
}

function parseLogin([, status]: Buffer): Reply<number> | undefined {
  return status === undefined ? undefined : { value: status, length: 2 };
}

/** The reply code. A success ends with the address that the proxy connects from. */
function parseAnswer(received: Buffer): Reply<number> | undefined {
  const [version, code, , kind, size] = received;
  if (version !== 5) throw noSocks();
  if (code !== undefined && code !== 0) return { value: code, length: 2 };
  if (code === undefined || kind === undefined || size === undefined) return undefined;
  const lengths = new Map([
    [ipv4, 10],
    [name, 7 + size],
    [ipv6, 22],
  ]);
  const length = lengths.get(kind);
  if (length === undefined) throw noSocks();
  return received.length < length ? undefined : { value: 0, length };
}

function loginRefused(): TunnelFailure {
  return new TunnelFailure('it did not accept the login', checkCredentials);
}

function noSocks(): TunnelFailure {
  return new TunnelFailure('it did not answer in SOCKS5', checkAddress);
}

function refusal(code: number): TunnelFailure {
  const reason = `it answered ${replies[code] ?? 'with an unknown code'} (${code})`;
  return new TunnelFailure(reason, checkReach, { address: code !== 2 && code !== 7 });
}

/** RFC 1928, 6. */
const replies = [
  'success',
  'general failure',
  'not allowed by its rules',
  'network unreachable',
  'host unreachable',
  'connection refused',
  'TTL expired',
  'command not supported',
  'address type not supported',
];
