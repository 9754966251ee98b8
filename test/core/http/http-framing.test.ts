import { describe, expect, test } from 'vitest';
import type { PagewrightError } from '../../../src/core/runtime/errors.ts';
import { failure, get, type Lab, serve, serveRaw, text, until } from './http-lab.ts';

/** Answers every request with these bytes and closes. */
function serveBytes(...parts: readonly string[]): Promise<Lab> {
  return serveRaw((socket) => socket.end(Buffer.from(parts.join(''), 'latin1')));
}

const ok = 'HTTP/1.1 200 OK\r\n';

describe('a response without a body', () => {
  test.each([204, 205, 304])('of status %i is empty', async (status) => {
    const { origin } = await serve((_, response) => response.writeHead(status).end());
    const snapshot = await get(origin);
    expect(snapshot).toMatchObject({ statusCode: status, warnings: [], bytes: 0 });
    expect(snapshot.body.length).toBe(0);
  });

  test.each([204, 304])('of status %i may name the length that it would have', async (status) => {
    const { origin } = await serveBytes(
      `HTTP/1.1 ${status} X\r\nContent-Length: 5\r\nContent-Encoding: gzip\r\n\r\n`,
    );
    const snapshot = await get(origin);
    expect(snapshot).toMatchObject({ statusCode: status, warnings: [], bytes: 0 });
  });

  test('is not followed by what was sent all the same', async () => {
    const { origin } = await serveBytes('HTTP/1.1 204 No Content\r\n\r\nhello');
    expect((await get(origin)).body.length).toBe(0);
  });
});

describe('a part that nobody asked for', () => {
  const serveRange = (range: string | undefined): Promise<Lab> =>
    serve((_, response) => {
      response.writeHead(206, range === undefined ? {} : { 'content-range': range }).end('a part');
    });

  test.each(['bytes 0-5/100', 'bytes 94-99/100', 'bytes 0-5/*', 'nonsense'])(
    'is read with a warning: %s',
    async (range) => {
      const snapshot = await get((await serveRange(range)).origin);
      expect(text(snapshot)).toBe('a part');
      expect(snapshot.warnings).toEqual([`The server sent only a part of the page (${range}).`]);
    },
  );

  test('may not say which it is', async () => {
    expect((await get((await serveRange(undefined)).origin)).warnings).toEqual([
      'The server sent only a part of the page (it does not say which).',
    ]);
  });

  test('is no part when it is everything, or was asked for', async () => {
    expect((await get((await serveRange('bytes 0-5/6')).origin)).warnings).toEqual([]);
    const { origin } = await serveRange('bytes 0-5/100');
    expect((await get(origin, { headers: { range: 'bytes=0-5' } })).warnings).toEqual([]);
  });
});

describe('the length of a body', () => {
  const wrong: [name: string, headers: string, body: string][] = [
    ['twice, and different', 'Content-Length: 5\r\nContent-Length: 6\r\n', 'hello!'],
    ['as a list', 'Content-Length: 5, 6\r\n', 'hello!'],
    ['below zero', 'Content-Length: -5\r\n', 'hello'],
    ['with a sign', 'Content-Length: +5\r\n', 'hello'],
    ['in hexadecimal', 'Content-Length: 0x5\r\n', 'hello'],
    ['with a fraction', 'Content-Length: 5.0\r\n', 'hello'],
    ['beyond all numbers', 'Content-Length: 99999999999999999999999\r\n', 'hello'],
    ['as a word', 'Content-Length: many\r\n', 'hello'],
    [
      'beside chunks',
      'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
      '5\r\nhello\r\n0\r\n\r\n',
    ],
    [
      'beside chunks, after them',
      'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n',
      '5\r\nhello\r\n0\r\n\r\n',
    ],
  ];
  test.each(wrong)('given %s is PROTOCOL_ERROR', async (_, headers, body) => {
    const { origin } = await serveBytes(ok, headers, '\r\n', body);
    expect((await failure(get(origin))).code).toBe('PROTOCOL_ERROR');
  });

  test('may be given by the end of the connection', async () => {
    for (const head of ['HTTP/1.0 200 OK\r\n\r\n', `${ok}Connection: close\r\n\r\n`]) {
      const snapshot = await get((await serveBytes(head, '<p>hello')).origin);
      expect(text(snapshot)).toBe('<p>hello');
      expect(snapshot.warnings).toEqual([]);
    }
  });

  const chunks: [name: string, body: string, outcome: string][] = [
    ['with extensions', '5;a=b;c="d"\r\nhello\r\n0\r\n\r\n', 'hello'],
    ['with trailers', '5\r\nhello\r\n0\r\nX-After: yes\r\n\r\n', 'hello'],
    ['with leading zeros', '0005\r\nhello\r\n0\r\n\r\n', 'hello'],
    ['in capitals', 'A\r\nhellohello\r\n0\r\n\r\n', 'hellohello'],
    ['of no size', '\r\nhello\r\n0\r\n\r\n', 'PROTOCOL_ERROR'],
    ['of a size below zero', '-5\r\nhello\r\n0\r\n\r\n', 'PROTOCOL_ERROR'],
    ['of a size in words', 'five\r\nhello\r\n0\r\n\r\n', 'PROTOCOL_ERROR'],
    ['of a size beyond all numbers', 'fffffffffffffffff\r\nhello\r\n0\r\n\r\n', 'PROTOCOL_ERROR'],
    ['longer than they say', '3\r\nhello\r\n0\r\n\r\n', 'hel, warned'],
    ['shorter than they say', '9\r\nhello\r\n0\r\n\r\n', 'hello\r\n0\r, warned'],
  ];
  test.each(chunks)('in chunks %s', async (_, body, outcome) => {
    const { origin } = await serveBytes(ok, 'Transfer-Encoding: chunked\r\n\r\n', body);
    const seen = await get(origin).then(
      (snapshot) => text(snapshot) + (snapshot.warnings.length > 0 ? ', warned' : ''),
      (error: PagewrightError) => error.code,
    );
    expect(seen).toBe(outcome);
  });
});

describe('headers', () => {
  test('folded over lines are PROTOCOL_ERROR', async () => {
    const { origin } = await serveBytes(ok, 'X-Long: one\r\n two\r\nContent-Length: 2\r\n\r\nok');
    expect((await failure(get(origin))).code).toBe('PROTOCOL_ERROR');
  });

  test.each([
    ['a zero byte', 'X-Bad: a\0b\r\n'],
    ['a zero byte in a name', 'X\0Bad: a\r\n'],
    ['a carriage return alone', 'X-Bad: a\rb\r\n'],
  ])('with %s are PROTOCOL_ERROR', async (_, header) => {
    const { origin } = await serveBytes(ok, header, 'Content-Length: 2\r\n\r\nok');
    expect((await failure(get(origin))).code).toBe('PROTOCOL_ERROR');
  });

  test('by the ten thousand are refused by their size', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `X-${index}: y\r\n`).join('');
    const { origin } = await serveBytes(ok, many, 'Content-Length: 2\r\n\r\nok');
    const error = await failure(get(origin));
    expect(error.code).toBe('PROTOCOL_ERROR');
    expect(error.message).toContain('limits.headerBytes');
    expect(text(await get(origin, { limits: { headerBytes: 1_000_000 } }))).toBe('ok');
  });

  test('that never end are refused by their size', async () => {
    const { origin, sockets } = await serveRaw((socket) => {
      socket.write(ok);
      const more = (): void => {
        if (!socket.destroyed)
          socket.write(`X-More: ${'a'.repeat(1000)}\r\n`, () => setImmediate(more));
      };
      more();
    });
    expect((await failure(get(origin))).message).toContain('limits.headerBytes');
    await until(() => sockets.size === 0);
  });

  test('of HTTP/0.9, which has none, are PROTOCOL_ERROR', async () => {
    const { origin } = await serveBytes('<html><p>hello</html>');
    expect((await failure(get(origin))).code).toBe('PROTOCOL_ERROR');
  });
});

describe('responses before the response', () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n';

  test('are passed over', async () => {
    const { origin } = await serveBytes(hints, hints, `${ok}Content-Length: 2\r\n\r\nok`);
    const snapshot = await get(origin);
    expect(text(snapshot)).toBe('ok');
    expect(snapshot.headers['link']).toBeUndefined();
  });

  test('without end are PROTOCOL_ERROR, and leave no socket', async () => {
    const { origin, sockets } = await serveRaw((socket) => {
      const more = (): void => {
        if (!socket.destroyed) socket.write(hints, () => setTimeout(more, 1));
      };
      more();
    });
    const error = await failure(get(origin));
    expect(error.code).toBe('PROTOCOL_ERROR');
    expect(error.message).toContain('more than 20 interim responses (1xx) and no final one');
    await until(() => sockets.size === 0);
  });
});
