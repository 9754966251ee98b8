import type { LookupOptions } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import tls from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PagewrightError } from '../../../../src/core/runtime/errors.ts';
import type { ProxyRoute } from '../../../../src/core/model/request.ts';
import { createNetworkPolicy } from '../../../../src/core/http/network/policy.ts';
import { openTunnel, type TunnelOptions } from '../../../../src/core/http/proxies/tunnel.ts';
import { failure, serveRaw, until } from '../http-lab.ts';
import { cert } from '../self-signed.ts';
import { type Answer, serveHttpProxy, serveOddProxy, serveSocksProxy } from './proxy-lab.ts';

const secureContext = tls.createSecureContext({ ca: cert });
const { lookup } = createNetworkPolicy({ allow: ['127.0.0.0/8', 'localhost'] });

async function open(
  route: ProxyRoute,
  host: string,
  port: number,
  options: Partial<TunnelOptions> = {},
): Promise<Socket> {
  const signal = new AbortController().signal;
  const socket = await openTunnel(route, { host, port }, { lookup, signal, ...options });
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** A lookup that answers what it is told, one answer a call. */
function answering(...answers: readonly (readonly string[])[]): LookupFunction & { calls: number } {
  const fake = (_: string, __: LookupOptions, callback: Parameters<LookupFunction>[2]): void => {
    const addresses = answers[fake.calls++] ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  fake.calls = 0;
  return fake;
}

/** A target that answers any request head with the words it got. */
async function serveEcho(): ReturnType<typeof serveRaw> {
  return serveRaw((socket, _, request) => socket.write(`echo ${request}`));
}

async function ask(socket: Socket, words: string): Promise<string> {
  const answer = new Promise<string>((resolve, reject) => {
    socket.once('data', (chunk) => resolve(chunk.toString()));
    socket.once('close', () => reject(new Error('closed')));
  });
  socket.write(`${words}\r\n\r\n`);
  return answer;
}

const kinds = [
  ['an http proxy', () => serveHttpProxy({ login: 'ann:p@ss:w/rd' })],
  ['an https proxy', () => serveHttpProxy({ login: 'ann:p@ss:w/rd', secure: true })],
  ['a socks5 proxy', () => serveSocksProxy({ login: 'ann:p@ss:w/rd' })],
] as const;

describe.each(kinds)('through %s', (_, serve) => {
  test('bytes go to the target and back', async () => {
    const [proxy, target] = [await serve(), await serveEcho()];
    const url = proxy.as('ann', 'p@ss:w/rd');
    const socket = await open({ url }, '127.0.0.1', target.port, { secureContext });
    expect(await ask(socket, 'hello')).toBe('echo hello\r\n\r\n');
    expect(target.log).toEqual(['hello\r\n\r\n']);
    expect(proxy.asked).toEqual([`127.0.0.1:${target.port}`]);
  });

  test('a wrong password is PROXY_FAILED, and no message has it', async () => {
    const [proxy, target] = [await serve(), await serveEcho()];
    const url = proxy.as('ann', 'hunter2');
    const error = await failure(open({ url }, '127.0.0.1', target.port, { secureContext }));
    expect(error.code).toBe('PROXY_FAILED');
    expect(error.message).toContain(`The proxy ${proxy.url} did not connect to 127.0.0.1:`);
    expect(error.message).toContain('Check the user name and password');
    expect(JSON.stringify(error) + String(error.stack) + String(error.cause)).not.toContain(
      'hunter2',
    );
    expect(target.sockets.size).toBe(0);
    await until(() => proxy.sockets.size === 0);
  });

  test('without a login it is PROXY_FAILED too', async () => {
    const [proxy, target] = [await serve(), await serveEcho()];
    const work = open({ url: proxy.url }, '127.0.0.1', target.port, { secureContext });
    expect((await failure(work)).message).toContain('Check the user name and password');
  });

  test('the address asked for is the one that was checked, and it is looked up once', async () => {
    const [proxy, target] = [await serve(), await serveEcho()];
    const once = answering(['127.0.0.1'], ['127.0.0.66']);
    const url = proxy.as('ann', 'p@ss:w/rd');
    await open({ url }, 'rebinding.test', target.port, { secureContext, lookup: once });
    expect(proxy.asked).toEqual([`127.0.0.1:${target.port}`]);
    expect(once.calls).toBe(1);
  });

  test('a target that the policy refuses is BLOCKED_ADDRESS, and the proxy hears nothing', async () => {
    const proxy = await serve();
    const url = proxy.as('ann', 'p@ss:w/rd');
    const strict = createNetworkPolicy().lookup;
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '10.0.0.1', '::ffff:169.254.169.254']) {
      for (const dns of ['here', 'proxy'] as const) {
        if (dns === 'proxy' && host === 'localhost') continue;
        const error = await failure(
          open({ url, dns }, host, 80, { secureContext, lookup: strict }),
        );
        expect([host, error.code]).toEqual([host, 'BLOCKED_ADDRESS']);
      }
    }
    expect(proxy.heard).toEqual([]);
    expect(proxy.sockets.size).toBe(0);
  });

  test("with dns: 'proxy' the proxy gets the name, which is not looked up here", async () => {
    const [proxy, target] = [await serve(), await serveEcho()];
    const never = answering();
    const route = { url: proxy.as('ann', 'p@ss:w/rd'), dns: 'proxy' } as const;
    await open(route, 'localhost', target.port, { secureContext, lookup: never });
    expect(proxy.asked).toEqual([`localhost:${target.port}`]);
    expect(never.calls).toBe(0);
  });

  test('a target that refuses is PROXY_FAILED, after its other addresses', async () => {
    const proxy = await serve();
    const url = proxy.as('ann', 'p@ss:w/rd');
    const addresses = answering([
      '::1',
      '127.0.0.1',
      '127.0.0.2',
      '127.0.0.3',
      '127.0.0.4',
      '127.0.0.5',
    ]);
    const error = await failure(
      open({ url }, 'closed.test', 1, { secureContext, lookup: addresses }),
    );
    expect(error.code).toBe('PROXY_FAILED');
    expect(error.retryable).toBe(true);
    expect(error.message).toMatch(/closed\.test:1: it answered .*(502|connection refused)/);
    expect(proxy.asked).toEqual(['127.0.0.1:1', '127.0.0.2:1', '127.0.0.3:1', '127.0.0.4:1']);
  });

  test('the second address is used when the first refuses', async () => {
    const [proxy, target] = [await serve(), await serveEcho()];
    const url = proxy.as('ann', 'p@ss:w/rd');
    const addresses = answering(['127.0.0.9', '127.0.0.1']);
    const socket = await open({ url }, 'two.test', target.port, {
      secureContext,
      lookup: addresses,
    });
    expect(await ask(socket, 'hello')).toBe('echo hello\r\n\r\n');
    expect(proxy.asked).toEqual([`127.0.0.9:${target.port}`, `127.0.0.1:${target.port}`]);
  });
});

test('a name that DNS does not know fails as DNS does', async () => {
  const proxy = await serveHttpProxy();
  const signal = new AbortController().signal;
  const target = { host: 'no-such-host.invalid', port: 80 };
  await expect(openTunnel({ url: proxy.url }, target, { lookup, signal })).rejects.toMatchObject({
    syscall: 'getaddrinfo',
  });
  expect(proxy.sockets.size).toBe(0);
});

test('socks5h: leaves names to the proxy', async () => {
  const [proxy, target] = [await serveSocksProxy(), await serveEcho()];
  const url = proxy.url.replace('socks5:', 'socks5h:');
  await open({ url }, 'localhost', target.port);
  expect(proxy.asked).toEqual([`localhost:${target.port}`]);
});

test('IPv6 targets are asked for in their brackets or bytes', async () => {
  const anything: LookupFunction = answering(['2001:db8::1'], ['2001:db8::1']);
  const http = await serveHttpProxy({ answer: (socket) => socket.end('HTTP/1.1 502 x\r\n\r\n') });
  const socks = await serveSocksProxy({ reply: () => 3 });
  await failure(open({ url: http.url }, '[2001:db8::1]', 80, { lookup: anything }));
  await failure(open({ url: socks.url }, '[2001:db8::1]', 80, { lookup: anything }));
  expect(http.asked).toEqual(['[2001:db8::1]:80']);
  expect(socks.asked).toEqual(['[2001:db8:0:0:0:0:0:1]:80']);
});

test('an https proxy whose certificate does not verify gets no password', async () => {
  const proxy = await serveHttpProxy({ secure: true });
  const error = await failure(open({ url: proxy.as('ann', 'hunter2') }, '127.0.0.1', 1));
  expect(error.code).toBe('PROXY_FAILED');
  expect(error.message).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
  expect(proxy.heard).toEqual([]);
});

test('bytes that come with the answer belong to the target', async () => {
  const answer: Answer = (socket) => socket.write('HTTP/1.0 200 OK\r\n\r\nhello');
  const proxy = await serveHttpProxy({ answer });
  const socket = await open({ url: proxy.url }, '127.0.0.1', 80);
  expect(await ask(socket, '')).toBe('hello');
});

describe('an http proxy that', () => {
  test.each<[string, RegExp, Answer]>([
    ['answers 407', /status 407\. Check the user name/, (s) => s.end('HTTP/1.1 407 x\r\n\r\n')],
    ['answers 403', /status 403\. Some proxies allow/, (s) => s.end('HTTP/1.1 403 x\r\n\r\n')],
    ['answers 502', /status 502\. Check that the proxy/, (s) => s.end('HTTP/1.1 502 x\r\n\r\n')],
    ['answers 302', /status 302/, (s) => s.end('HTTP/1.1 302 x\r\nLocation: /\r\n\r\n')],
    ['answers 100', /status 100/, (s) => s.end('HTTP/1.1 100 Continue\r\n\r\n')],
    ['hangs up', /closed the connection without/, (s) => s.end()],
    ['hangs up in its headers', /closed the connection/, (s) => s.end('HTTP/1.1 200 OK\r\nVia:')],
    ['resets', /the connection failed \(ECONNRESET\)/, (s) => s.resetAndDestroy()],
    ['talks garbage', /did not answer in HTTP/, (s) => s.write('SSH-2.0-OpenSSH_9.2\r\n')],
    ['has no status', /did not answer in HTTP/, (s) => s.write('HTTP/1.1 abc\r\n\r\n')],
    ['speaks HTTP/2', /did not answer in HTTP/, (s) => s.write('HTTP/2 200\r\n\r\n')],
    ['never ends its headers', /more than 16384 bytes/, (s) => drip(s, 'x'.repeat(2048), 0)],
    ['drips its headers', /did not open a tunnel within 300 ms/, (s) => drip(s, 'x', 5)],
    ['says nothing', /did not open a tunnel within 300 ms/, () => undefined],
  ])('%s is PROXY_FAILED', async (_, message, answer) => {
    const proxy = await serveHttpProxy({ answer });
    const error = await failure(open({ url: proxy.url }, '127.0.0.1', 80, { timeout: 300 }));
    expect(error.code).toBe('PROXY_FAILED');
    expect(error.message).toMatch(message);
    await until(() => proxy.sockets.size === 0);
  });
});

describe('a socks5 proxy that', () => {
  test.each<[string, RegExp, Buffer]>([
    [
      'is an HTTP server',
      /did not answer in SOCKS5/,
      Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
    ],
    ['wants a login', /did not accept the login/, Buffer.from([5, 0xff])],
    ['wants an unknown login', /did not accept the login/, Buffer.from([5, 9])],
    ['says nothing', /did not open a tunnel within 300 ms/, Buffer.alloc(0)],
  ])('%s is PROXY_FAILED', async (_, message, greeting) => {
    const proxy = await serveSocksProxy({ greeting });
    const error = await failure(open({ url: proxy.url }, '127.0.0.1', 80, { timeout: 300 }));
    expect(error.code).toBe('PROXY_FAILED');
    expect(error.message).toMatch(message);
    await until(() => proxy.sockets.size === 0);
  });

  test.each([
    [1, /answered general failure \(1\)/],
    [2, /not allowed by its rules/],
    [3, /network unreachable/],
    [4, /host unreachable/],
    [5, /connection refused/],
    [8, /address type not supported/],
    [99, /unknown code \(99\)/],
  ])('replies %i is PROXY_FAILED', async (code, message) => {
    const proxy = await serveSocksProxy({ reply: () => code });
    const error = await failure(open({ url: proxy.url }, '127.0.0.1', 80));
    expect(error.code).toBe('PROXY_FAILED');
    expect(error.message).toMatch(message);
  });

  test('hangs up is PROXY_FAILED', async () => {
    const proxy = await serveOddProxy('socks5', (socket) => socket.end());
    const error = await failure(open({ url: proxy.url }, '127.0.0.1', 80));
    expect(error.message).toContain('closed the connection without an answer');
  });

  test('gets no name that is longer than the protocol has room for', async () => {
    const proxy = await serveSocksProxy();
    const route = { url: proxy.url, dns: 'proxy' } as const;
    const error = await failure(open(route, `${'a.'.repeat(150)}test`, 80));
    expect(error.code).toBe('PROXY_FAILED');
  });
});

test.each(['http', 'https', 'socks5'])(
  'a %s proxy that nobody runs is PROXY_FAILED',
  async (scheme) => {
    const error = await failure(
      open({ url: `${scheme}://ann:hunter2@127.0.0.1:1` }, '127.0.0.1', 80),
    );
    expect(error.code).toBe('PROXY_FAILED');
    expect(error.message).toBe(
      `The proxy ${scheme}://127.0.0.1:1 did not connect to 127.0.0.1:80: the connection failed (ECONNREFUSED). Check the host, port and scheme of the proxy, and that it runs.`,
    );
  },
);

test('a proxy whose name does not exist is PROXY_FAILED, not DNS', async () => {
  const error = await failure(open({ url: 'http://no-such-proxy.invalid:80' }, '127.0.0.1', 80));
  expect(error.code).toBe('PROXY_FAILED');
});

test('a URL that is none is BAD_REQUEST and not repeated', async () => {
  const error = await failure(open({ url: 'ann:hunter2@proxy' }, '127.0.0.1', 80));
  expect(error.code).toBe('BAD_REQUEST');
  expect(error.message).not.toContain('hunter2');
});

describe('aborting', () => {
  const reason = new PagewrightError('CANCELLED', 'enough');

  test.each(['http', 'https', 'socks5'])(
    'while a %s proxy is silent rejects with the reason and leaves no socket',
    async (scheme) => {
      const proxy = await serveOddProxy(scheme, () => undefined);
      const controller = new AbortController();
      const { signal } = controller;
      const work = open({ url: proxy.url }, '127.0.0.1', 80, { signal });
      const settled = work.catch((error: unknown) => error);
      await until(() => proxy.heard.length > 0);
      controller.abort(reason);
      expect(await settled).toBe(reason);
      await until(() => proxy.sockets.size === 0);
    },
  );

  test('while DNS is asked rejects at once', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const never: LookupFunction = () => undefined;
    const work = open({ url: 'http://127.0.0.1:1' }, 'slow.test', 80, { signal, lookup: never });
    controller.abort(reason);
    await expect(work).rejects.toBe(reason);
  });

  test('before the start connects nowhere', async () => {
    const proxy = await serveHttpProxy();
    const signal = AbortSignal.abort(reason);
    await expect(open({ url: proxy.url }, '127.0.0.1', 80, { signal })).rejects.toBe(reason);
    expect(proxy.heard).toEqual([]);
  });
});

function drip(socket: Socket, text: string, gap: number): void {
  socket.write('HTTP/1.1 200 OK\r\nX-Long: ');
  const timer = setInterval(() => socket.write(text), gap);
  socket.once('close', () => clearInterval(timer));
}
