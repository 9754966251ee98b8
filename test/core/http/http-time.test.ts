import { describe, expect, test } from 'vitest';
import type { Engine } from '../../../src/core/model/engine.ts';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import { startDeadline } from '../../../src/core/runtime/deadline.ts';
import {
  failure,
  type Lab,
  labEngine,
  pageRequest,
  serve,
  serveRaw,
  serveSilence,
  sleep,
  text,
  until,
} from './http-lab.ts';

/** Servers that stop answering at different moments. */
const stalls: [moment: string, open: () => Promise<Lab>][] = [
  ['before the TLS handshake', () => serveSilence('https')],
  ['before the headers', () => serveSilence()],
  ['inside the headers', () => serveRaw((socket) => socket.write('HTTP/1.1 200 OK\r\nX-'))],
  ['after an early hint', () => serve((_, response) => response.writeEarlyHints({ link: '</a>' }))],
  ['before the body', () => serve((_, response) => response.flushHeaders())],
  ['inside the body', () => serve((_, response) => response.write('begin'))],
  [
    'inside a gzipped body',
    () =>
      serve((_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.write(Buffer.from('1f8b0800000000000003', 'hex'));
      }),
  ],
  [
    'dripping bytes',
    () =>
      serve((_, response) => {
        const timer = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(timer));
      }),
  ],
  [
    'dripping headers',
    () =>
      serveRaw((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => socket.write('x: y\r\n'), 20);
        socket.on('close', () => clearInterval(timer));
      }),
  ],
  [
    'after a redirect',
    () =>
      serve((request, response) => {
        if (request.url === '/') response.writeHead(302, { location: '/next' }).end();
      }),
  ],
];

describe('a server that stops', () => {
  test.each(stalls)('%s is TIMEOUT at the deadline, its socket closed', async (_, open) => {
    const { origin, sockets } = await open();
    using deadline = startDeadline(400, [], 'Scraping');
    const start = performance.now();
    const error = await failure(
      labEngine().fetch(pageRequest(origin, { signal: deadline.signal })),
    );
    const elapsed = performance.now() - start;
    expect(error.code).toBe('TIMEOUT');
    expect(elapsed).toBeGreaterThan(380);
    expect(elapsed).toBeLessThan(600);
    await until(() => sockets.size === 0, 200);
  });

  test.each(stalls)('%s is left within 100 ms of an abort', async (_, open) => {
    const { origin, sockets } = await open();
    const controller = new AbortController();
    const reason = new PagewrightError('CANCELLED', 'enough');
    const work = failure(labEngine().fetch(pageRequest(origin, { signal: controller.signal })));
    await sleep(100);
    const start = performance.now();
    controller.abort(reason);
    expect(await work).toBe(reason);
    expect(performance.now() - start).toBeLessThan(100);
    await until(() => sockets.size === 0, 100);
  });
});

describe('an abort', () => {
  test('before the start sends nothing', async () => {
    const { origin, log, sockets } = await serve((_, response) => response.end());
    const reason = new PagewrightError('CANCELLED', 'never mind');
    const signal = AbortSignal.abort(reason);
    expect(await failure(labEngine().fetch(pageRequest(origin, { signal })))).toBe(reason);
    expect([log.length, sockets.size]).toEqual([0, 0]);
  });

  test('while the host name is looked up is at once', async () => {
    const { port, sockets } = await serve((_, response) => response.end());
    const controller = new AbortController();
    const reason = new PagewrightError('CANCELLED', 'too slow');
    const url = `http://localhost:${port}/`;
    const work = failure(labEngine().fetch(pageRequest(url, { signal: controller.signal })));
    await Promise.resolve();
    controller.abort(reason);
    expect(await work).toBe(reason);
    await until(() => sockets.size === 0, 100);
  });

  test('of one fetch leaves the others alone', async () => {
    const { origin } = await serve((_, response) => {
      setTimeout(() => response.end('whole'), 150);
    });
    const engine = labEngine();
    const controller = new AbortController();
    const others = [1, 2, 3].map(() => engine.fetch(pageRequest(origin)));
    const work = failure(engine.fetch(pageRequest(origin, { signal: controller.signal })));
    await sleep(50);
    controller.abort(new PagewrightError('CANCELLED', 'only me'));
    expect((await work).code).toBe('CANCELLED');
    for (const snapshot of await Promise.all(others)) expect(text(snapshot)).toBe('whole');
  });

  test('after the end changes nothing', async () => {
    const { origin, sockets } = await serve((_, response) => response.end('done'));
    const engine = labEngine();
    const controller = new AbortController();
    await engine.fetch(pageRequest(origin, { signal: controller.signal }));
    controller.abort(new PagewrightError('CANCELLED', 'late'));
    await sleep(20);
    expect(sockets.size).toBe(1);
    expect(text(await engine.fetch(pageRequest(origin)))).toBe('done');
  });
});

/** Answers the first request of each connection and treats a second one as told. */
function serveOncePerConnection(second: (count: number) => 'close' | 'reset'): Promise<Lab> {
  const answered = new WeakSet();
  let seconds = 0;
  return serveRaw((socket) => {
    if (!answered.has(socket)) {
      answered.add(socket);
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    } else if (second(++seconds) === 'close') {
      socket.destroy();
    } else {
      socket.resetAndDestroy();
    }
  });
}

describe('a kept-alive connection', () => {
  const fetchTwice = async (engine: Engine, url: string): Promise<number> => {
    await engine.fetch(pageRequest(url));
    await sleep(10);
    const { requests } = await engine.fetch(pageRequest(url));
    return requests;
  };

  test.each(['close', 'reset'] as const)(
    'that the server ends by a %s just then costs one more request, not an error',
    async (how) => {
      const { origin, log } = await serveOncePerConnection(() => how);
      expect(await fetchTwice(labEngine(), origin)).toBe(2);
      expect(log).toHaveLength(3);
    },
  );

  test('that is dead is not followed by another dead one', async () => {
    const { origin } = await serveOncePerConnection(() => 'close');
    const engine = labEngine();
    await Promise.all([1, 2, 3, 4].map(() => engine.fetch(pageRequest(origin))));
    const { requests } = await engine.fetch(pageRequest(origin));
    expect(requests).toBe(2);
  });

  test('is tried again once only', async () => {
    let connections = 0;
    const first = new WeakSet();
    const { origin, log } = await serveRaw((socket, count) => {
      if (count === 1) {
        connections += 1;
        first.add(socket);
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      } else socket.destroy();
    });
    const engine = labEngine();
    await engine.fetch(pageRequest(origin));
    await sleep(10);
    expect((await failure(engine.fetch(pageRequest(origin)))).code).toBe('CONNECTION_RESET');
    expect([connections, log.length]).toEqual([1, 3]);
  });

  test('that broke inside the headers is not tried again', async () => {
    const { origin, log } = await serveRaw((socket, count) => {
      if (count === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      else socket.end('HTTP/1.1 2');
    });
    const engine = labEngine();
    await engine.fetch(pageRequest(origin));
    await sleep(10);
    expect((await failure(engine.fetch(pageRequest(origin)))).code).toBe('CONNECTION_RESET');
    expect(log).toHaveLength(2);
  });

  test('that was closed while idle is replaced without a retry', async () => {
    const { origin, sockets, log } = await serve((_, response) => response.end('ok'));
    const engine = labEngine();
    await engine.fetch(pageRequest(origin));
    for (const socket of sockets) socket.destroy();
    await sleep(20);
    expect((await engine.fetch(pageRequest(origin))).requests).toBe(1);
    expect(log).toHaveLength(2);
  });

  test('does not outlive "Connection: close"', async () => {
    const { origin, sockets } = await serve((_, response) => {
      response.writeHead(200, { connection: 'close' }).end('ok');
    });
    const engine = labEngine();
    for (let round = 0; round < 3; round++) {
      expect((await engine.fetch(pageRequest(origin))).requests).toBe(1);
    }
    await until(() => sockets.size === 0);
  });

  test('does not keep the process alive', async () => {
    const active = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    const before = active();
    const { origin, sockets } = await serve((request, response) => {
      request.socket.unref();
      response.end('ok');
    });
    const engine = labEngine();
    await Promise.all([1, 2, 3].map(() => engine.fetch(pageRequest(origin))));
    await sleep(20);
    expect(sockets.size).toBe(3);
    expect(active()).toBe(before);
  });
});

describe('dispose', () => {
  test('closes idle connections', async () => {
    const { origin, sockets } = await serve((_, response) => response.end('ok'));
    const engine = labEngine();
    await Promise.all([1, 2, 3].map(() => engine.fetch(pageRequest(origin))));
    await engine.dispose?.();
    await until(() => sockets.size === 0);
  });

  test('ends fetches in flight with CANCELLED, wherever they are', async () => {
    for (const [, open] of stalls) {
      const { origin, sockets } = await open();
      const engine = labEngine();
      const work = failure(engine.fetch(pageRequest(origin)));
      await sleep(50);
      await engine.dispose?.();
      expect((await work).code).toBe('CANCELLED');
      await until(() => sockets.size === 0);
    }
  });

  test('is final, and may come before anything was fetched', async () => {
    const { origin, sockets } = await serve((_, response) => response.end('ok'));
    const engine = labEngine();
    await engine.dispose?.();
    expect((await failure(engine.fetch(pageRequest(origin)))).code).toBe('CANCELLED');
    expect(sockets.size).toBe(0);
  });
});
