import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import net, { type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type PolicyProxy,
  type PolicyProxyOptions,
  openPolicyProxy,
} from '../../../../src/core/http/proxies/policy-proxy.ts';
import { createNetworkPolicy } from '../../../../src/core/http/network/policy.ts';
import { serveRaw, until } from '../http-lab.ts';
import { listen, serveConnectProxy, servePlain } from '../stealth-lab.ts';

describe('a gate', () => {
  test('tunnels to a target that the policy allows, byte for byte', async () => {
    const { server, gate } = await echoLab();
    const client = await connect(gate, `127.0.0.1:${server.port}`);
    expect(client.answer).toMatch(/^HTTP\/1\.1 200 /);
    const bytes = Buffer.from([0, 255, 13, 10, 13, 10, 128]);
    client.socket.write(bytes);
    const [echo] = (await once(client.socket, 'data')) as [Buffer];
    expect(echo).toEqual(bytes);
    expect(gate.bytesRead).toBe(bytes.length);
  });

  test('refuses with 403 what the policy refuses, in all spellings, and connects to none', async () => {
    const failures: Error[] = [];
    const { server, gate } = await echoLab({ policy: createNetworkPolicy() }, failures);
    const hosts = ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::1]', '[::ffff:7f00:1]'];
    for (const host of hosts) {
      const { answer } = await connect(gate, `${host}:${server.port}`);
      expect(answer).toMatch(/^HTTP\/1\.1 403 /);
      const response = await ask(gate, `http://${host}:${server.port}/`);
      expect(response.statusCode).toBe(403);
    }
    expect(failures.map((error) => (error as NodeJS.ErrnoException).code)).toEqual(
      hosts.flatMap(() => ['BLOCKED_ADDRESS', 'BLOCKED_ADDRESS']),
    );
    expect(server.sockets.size).toBe(0);
  });

  test('asks the policy for a name once more at the socket', async () => {
    const policy = createNetworkPolicy({ allow: ['127.0.0.1'] });
    const lookup: typeof policy.lookup = (_, options, callback) =>
      policy.lookup('127.0.0.2', options, callback);
    const { gate } = await echoLab({ policy: { check: () => undefined, lookup } });
    expect((await connect(gate, 'name.test:80')).answer).toMatch(/^HTTP\/1\.1 403 /);
  });

  test('wants its own credentials', async () => {
    const { server, gate } = await echoLab();
    const stranger = { url: gate.url.replace(/:[0-9a-f]+@/, ':guess@') };
    const target = `127.0.0.1:${server.port}`;
    expect((await connect(stranger, target)).answer).toMatch(/^HTTP\/1\.1 407 /);
    expect((await ask(stranger, `http://${target}/`)).statusCode).toBe(407);
    expect(server.sockets.size).toBe(0);
    const other = await openPolicyProxy({ policy: createNetworkPolicy() });
    onTestFinished(() => other.close());
    expect(new URL(other.url).password).not.toBe(new URL(gate.url).password);
  });

  test('says 502 for a target that is not there, and why to its owner', async () => {
    const failures: Error[] = [];
    const { server, gate } = await echoLab({}, failures);
    await server.stop();
    expect((await connect(gate, `127.0.0.1:${server.port}`)).answer).toMatch(/^HTTP\/1\.1 502 /);
    expect((await ask(gate, `http://127.0.0.1:${server.port}/`)).statusCode).toBe(502);
    const codes = failures.map((error) => (error as NodeJS.ErrnoException).code);
    expect(codes).toEqual(['ECONNREFUSED', 'ECONNREFUSED']);
  });

  test('says 400 for what is no target', async () => {
    const { gate } = await echoLab();
    expect((await connect(gate, 'no target')).answer).toMatch(/^HTTP\/1\.1 400 /);
    expect((await ask(gate, 'ftp://127.0.0.1/')).statusCode).toBe(400);
    expect((await ask(gate, '/path')).statusCode).toBe(400);
  });

  test('hands a plain request on in its order and case, without what was for the gate', async () => {
    const lab = await serveRaw((socket) => {
      socket.end(
        'HTTP/1.1 200 Fine\r\nX-Two: b\r\nx-one: a\r\nX-Two: c\r\nContent-Length: 2\r\n\r\nok',
      );
    });
    const { gate } = await echoLab();
    const { hostname, port } = new URL(gate.url);
    const client = net.connect(Number(port), hostname);
    onTestFinished(() => void client.destroy());
    const host = `127.0.0.1:${lab.port}`;
    client.write(
      `GET ${lab.origin}/a?b HTTP/1.1\r\nHost: ${host}\r\nProxy-Connection: keep-alive\r\nsec-ch-ua: "x"\r\nProxy-Authorization: ${credentials(gate.url)}\r\nUser-Agent: U\r\naccept: */*\r\n\r\n`,
    );
    let answer = '';
    client.on('data', (chunk) => (answer += chunk.toString('latin1')));
    await until(() => answer.endsWith('ok'));
    expect(lab.log).toEqual([
      `GET /a?b HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive\r\nsec-ch-ua: "x"\r\nUser-Agent: U\r\naccept: */*\r\n\r\n`,
    ]);
    expect(answer).toMatch(
      /^HTTP\/1\.1 200 Fine\r\nX-Two: b\r\nx-one: a\r\nX-Two: c\r\nContent-Length: 2\r\n/,
    );
  });

  test('a request body goes along, and a long answer comes back', async () => {
    const server = await servePlain((request, response) => {
      (request as IncomingMessage).pipe(response as http.ServerResponse);
    });
    const { gate } = await echoLab();
    const body = 'x'.repeat(3_000_000);
    const response = await ask(gate, server.origin, {}, body);
    expect((await textOf(response)).length).toBe(body.length);
  });

  test('an answer that breaks off breaks off for the client too', async () => {
    const lab = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
      setTimeout(() => socket.destroy(), 20);
    });
    const failures: Error[] = [];
    const { gate } = await echoLab({}, failures);
    await expect(textOf(await ask(gate, lab.origin))).rejects.toThrow('aborted');
    await until(() => failures.length === 1);
  });

  test('limits the headers of requests and of answers', async () => {
    const lab = await serveRaw((socket) => {
      socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(5_000)}\r\n\r\n`);
    });
    const failures: Error[] = [];
    const { gate } = await echoLab({ headerBytes: 2_000 }, failures);
    expect((await ask(gate, lab.origin)).statusCode).toBe(502);
    expect((failures[0] as NodeJS.ErrnoException).code).toBe('HPE_HEADER_OVERFLOW');
    const long = await ask(gate, lab.origin, { x: 'y'.repeat(5_000) });
    expect(long.statusCode).toBe(431);
  });

  test('goes through a route, which gets the address that was checked', async () => {
    const proxy = await serveConnectProxy();
    const { server, gate } = await echoLab({ route: { url: proxy.route } });
    const client = await connect(gate, `localhost:${server.port}`);
    client.socket.write('through two');
    const [echo] = (await once(client.socket, 'data')) as [Buffer];
    expect(echo.toString()).toBe('through two');
    expect(proxy.log[0]?.url).toBe(`127.0.0.1:${server.port}`);
    expect((await connect(gate, '127.0.0.2:80')).answer).toMatch(/^HTTP\/1\.1 403 /);
  });

  test('a client that leaves takes its target along, and a target its client', async () => {
    const { server, gate } = await echoLab();
    const first = await connect(gate, `127.0.0.1:${server.port}`);
    expect(server.sockets.size).toBe(1);
    first.socket.destroy();
    await until(() => server.sockets.size === 0);
    const second = await connect(gate, `127.0.0.1:${server.port}`);
    for (const socket of server.sockets) socket.destroy();
    await once(second.socket, 'close');
  });

  test('close ends all connections and frees the port; so does the signal', async () => {
    const controller = new AbortController();
    const { server, gate } = await echoLab({ signal: controller.signal });
    const client = await connect(gate, `127.0.0.1:${server.port}`);
    const { port } = new URL(gate.url);
    const closed = once(client.socket, 'close');
    controller.abort();
    await closed;
    await until(() => server.sockets.size === 0);
    const [error] = (await once(net.connect(Number(port), '127.0.0.1'), 'error')) as [Error];
    expect((error as NodeJS.ErrnoException).code).toBe('ECONNREFUSED');
    await gate.close();
    await gate.close();
    await expect(
      openPolicyProxy({ policy: createNetworkPolicy(), signal: controller.signal }),
    ).rejects.toBe(controller.signal.reason);
  });

  test('a client that leaves while the target is being reached leaves no socket', async () => {
    const silent = net.createServer();
    const proxy = await listen(silent, 'http');
    const { gate } = await echoLab({ route: { url: proxy.origin } });
    const { hostname, port } = new URL(gate.url);
    const client = net.connect(Number(port), hostname);
    client.write(connectHead(gate, '127.0.0.1:2'));
    await until(() => proxy.sockets.size === 1);
    client.destroy();
    for (const socket of proxy.sockets) socket.resume();
    await until(() => proxy.sockets.size === 0);
  });
});

/** A gate that may contact this machine, and a server that sends back what it gets. */
async function echoLab(options: Partial<PolicyProxyOptions> = {}, failures: Error[] = []) {
  const echo = net.createServer((socket) => void socket.pipe(socket));
  const server = await listen(echo, 'http');
  const stop = (): Promise<void> => new Promise((resolve) => echo.close(() => resolve()));
  const policy = createNetworkPolicy({ allow: ['127.0.0.1', 'localhost'] });
  const onFailure = (error: Error): void => void failures.push(error);
  const gate = await openPolicyProxy({ policy, onFailure, ...options });
  onTestFinished(() => gate.close());
  return { server: { ...server, stop }, gate };
}

function connectHead({ url }: Pick<PolicyProxy, 'url'>, target: string): string {
  return `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nProxy-Authorization: ${credentials(url)}\r\n\r\n`;
}

async function connect(
  gate: Pick<PolicyProxy, 'url'>,
  target: string,
): Promise<{ socket: Socket; answer: string }> {
  const { hostname, port } = new URL(gate.url);
  const socket = net.connect(Number(port), hostname);
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write(connectHead(gate, target));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return { socket, answer: answer.toString('latin1') };
}

async function ask(
  gate: Pick<PolicyProxy, 'url'>,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(gate.url);
  const host = URL.canParse(url) ? { Host: new URL(url).host } : {};
  const request = http.request({
    agent: false,
    host: hostname,
    port,
    path: url,
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...host, 'Proxy-Authorization': credentials(gate.url), ...headers },
  });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

function credentials(url: string): string {
  const { username, password } = new URL(url);
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
