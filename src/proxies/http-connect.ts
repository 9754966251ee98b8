/** A tunnel through an HTTP proxy: CONNECT (RFC 9110, 9.3.6). */
import { isIPv6, type Socket } from 'node:net';
import type { ProxyAddress } from './proxy-address.ts';
import { readReply, type Reply } from './read-reply.ts';
import { checkAddress, checkCredentials, checkReach, TunnelFailure } from './tunnel-failure.ts';

/** Asks on an open connection to the proxy; when it resolves the socket leads to the target. */
export async function connectOverHttp(
  socket: Socket,
  { username, password }: ProxyAddress,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
  if (username !== '' || password !== '') {
    const credentials = Buffer.from(`${username}:${password}`).toString('base64');
    lines.push(`Proxy-Authorization: Basic ${credentials}`);
  }
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const status = await readReply(socket, parseStatus);
  if (status < 200 || status > 299) throw refusal(status);
}

/** The status of an answer that has come up to its empty line. A body belongs to the target. */
function parseStatus(received: Buffer): Reply<number> | undefined {
  const text = received.toString('latin1', 0, headLimit);
  const [head] = /^[^]*?\r?\n\r?\n/.exec(text) ?? [];
  if (head !== undefined) {
    const [, status] = /^HTTP\/1\.\d (\d{3})(?: |\r?\n)/.exec(head) ?? [];
    if (status === undefined) throw noHttp();
    return { value: Number(status), length: head.length };
  }
  if (!text.startsWith(httpStart.slice(0, text.length))) throw noHttp();
  if (received.length < headLimit) return undefined;
  throw new TunnelFailure(`its answer has more than ${headLimit} bytes of headers`, checkAddress);
}

/** Bytes; proxies answer CONNECT with a few lines. */
const headLimit = 16 * 1024;

const httpStart = 'HTTP/1.';

function noHttp(): TunnelFailure {
  return new TunnelFailure('it did not answer in HTTP/1.1', checkAddress);
}

function refusal(status: number): TunnelFailure {
  const reason = `it answered CONNECT with status ${status}`;
  if (status === 401 || status === 407) return new TunnelFailure(reason, checkCredentials);
  if (status === 403 || status === 405) return new TunnelFailure(reason, checkRules);
  return new TunnelFailure(reason, checkReach, { address: status >= 500 });
}

const checkRules =
  "Some proxies allow CONNECT to port 443 only, or not to addresses: dns: 'proxy' asks them for the name.";
