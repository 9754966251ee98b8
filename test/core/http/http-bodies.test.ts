import { randomBytes } from 'node:crypto';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { PagewrightError } from '../../../src/core/runtime/errors.ts';
import {
  failure,
  get,
  type Lab,
  labEngine,
  pageRequest,
  serve,
  serveRaw,
  sleep,
  text,
  until,
} from './http-lab.ts';

const page = Buffer.from(`<!doctype html><p>${'Grüße, 世界. '.repeat(200)}`);

function serveEncoded(encoding: string, body: Buffer, chunkSize = body.length): Promise<Lab> {
  return serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': encoding });
    for (let at = 0; at < body.length; at += chunkSize) {
      response.write(body.subarray(at, at + chunkSize));
    }
    response.end();
  });
}

/** Sends these bytes and closes the connection, politely or not. */
function serveBytes(bytes: string | Buffer, end: 'fin' | 'reset' = 'fin'): Promise<Lab> {
  return serveRaw((socket) => {
    socket.write(bytes);
    if (end === 'fin') socket.end();
    else setTimeout(() => socket.resetAndDestroy(), 30);
  });
}

describe('an encoded body', () => {
  const encodings: [name: string, encoding: string, body: Buffer][] = [
    ['gzip', 'gzip', zlib.gzipSync(page)],
    ['gzip in capitals', 'GZIP', zlib.gzipSync(page)],
    ['x-gzip', 'x-gzip', zlib.gzipSync(page)],
    ['deflate as zlib', 'deflate', zlib.deflateSync(page)],
    ['deflate without a header', 'deflate', zlib.deflateRawSync(page)],
    ['br', 'br', zlib.brotliCompressSync(page)],
    ['gzip, then br', 'gzip, br', zlib.brotliCompressSync(zlib.gzipSync(page))],
    ['br, then gzip', 'br,gzip', zlib.gzipSync(zlib.brotliCompressSync(page))],
    ['gzip twice', 'gzip, gzip', zlib.gzipSync(zlib.gzipSync(page))],
    ['gzip and identity', 'identity, gzip', zlib.gzipSync(page)],
    [
      'gzip in two members',
      'gzip',
      Buffer.concat([page.subarray(0, 99), page.subarray(99)].map((part) => zlib.gzipSync(part))),
    ],
    ['gzip with a charset among the encodings', 'utf-8, gzip', zlib.gzipSync(page)],
    ['gzip, though with commas', ', gzip ,,', zlib.gzipSync(page)],
    [
      'gzip that is followed by zeros',
      'gzip',
      Buffer.concat([zlib.gzipSync(page), Buffer.alloc(99)]),
    ],
    [
      'deflate that is followed by anything',
      'deflate',
      Buffer.concat([zlib.deflateSync(page), page]),
    ],
    ['br that is followed by anything', 'br', Buffer.concat([zlib.brotliCompressSync(page), page])],
    ['identity', 'identity', page],
    ['its charset', 'UTF-8', page],
    ['none', 'none', page],
    ['nothing', '', page],
  ];
  test.each(encodings)('as %s is decoded', async (_, encoding, body) => {
    const snapshot = await get((await serveEncoded(encoding, body)).origin);
    expect(Buffer.from(snapshot.body).equals(page)).toBe(true);
    expect(snapshot).toMatchObject({ warnings: [], bytes: body.length });
  });

  test.each([
    ['gzip', zlib.gzipSync(page)],
    ['br', zlib.brotliCompressSync(page)],
    ['deflate', zlib.deflateRawSync(page)],
  ])('as %s may come byte by byte', async (encoding, body) => {
    const snapshot = await get((await serveEncoded(encoding, body, 1)).origin);
    expect(Buffer.from(snapshot.body).equals(page)).toBe(true);
  });

  test('of no bytes is empty', async () => {
    for (const encoding of ['gzip', 'deflate', 'br']) {
      const snapshot = await get((await serveEncoded(encoding, Buffer.alloc(0))).origin);
      expect(snapshot.body.length).toBe(0);
      expect(snapshot.warnings).toEqual([]);
    }
  });

  test('may be larger than the buffers on the way', async () => {
    const large = randomBytes(6_000_000);
    const twice = zlib.gzipSync(zlib.gzipSync(large, { level: 1 }), { level: 1 });
    const snapshot = await get((await serveEncoded('gzip, gzip', twice)).origin);
    expect(Buffer.from(snapshot.body).equals(large)).toBe(true);
  });

  test.each(['gzip', 'deflate', 'br', 'zstd', 'gzip, br'])(
    'that is only called %s is taken as it is, with a warning',
    async (encoding) => {
      const snapshot = await get((await serveEncoded(encoding, page)).origin);
      expect(Buffer.from(snapshot.body).equals(page)).toBe(true);
      expect(snapshot.warnings[0]).toMatch(
        /^The body is used as is: the server calls it \w+-encoded, which it is not\.$/,
      );
    },
  );

  test('gzipped once and called so twice is decoded once', async () => {
    const snapshot = await get((await serveEncoded('gzip, gzip', zlib.gzipSync(page))).origin);
    expect(Buffer.from(snapshot.body).equals(page)).toBe(true);
    expect(snapshot.warnings).toHaveLength(1);
  });

  test('shorter than any magic number is taken as it is', async () => {
    const snapshot = await get((await serveEncoded('gzip', Buffer.from('ok'))).origin);
    expect(text(snapshot)).toBe('ok');
  });

  test('in an unknown or endless list of encodings is taken as it is, with a warning', async () => {
    for (const encoding of ['rot13', 'gzip, rot13', Array(20).fill('gzip').join(',')]) {
      const snapshot = await get((await serveEncoded(encoding, page)).origin);
      expect(Buffer.from(snapshot.body).equals(page)).toBe(true);
      expect(snapshot.warnings).toEqual([
        `The body is used as is: its encoding, ${JSON.stringify(encoding)}, is unknown.`,
      ]);
    }
  });

  test('that is damaged is DECOMPRESSION', async () => {
    const broken = zlib.gzipSync(randomBytes(50_000));
    broken.fill(0x55, 20_000, 20_100);
    const error = await failure(get((await serveEncoded('gzip', broken)).origin));
    expect(error.code).toBe('DECOMPRESSION');
    expect(error.message).toContain("headers: { 'accept-encoding': 'identity' }");
    const noise = Buffer.concat([Buffer.from([0, 1, 2, 3]), randomBytes(5000)]);
    for (const encoding of ['br', 'deflate']) {
      expect((await failure(get((await serveEncoded(encoding, noise)).origin))).code).toBe(
        'DECOMPRESSION',
      );
    }
  });

  test('in gzip that is followed by text is DECOMPRESSION', async () => {
    const data = Buffer.concat([zlib.gzipSync(page), Buffer.from('<!-- served in 3 ms -->')]);
    expect((await failure(get((await serveEncoded('gzip', data)).origin))).code).toBe(
      'DECOMPRESSION',
    );
  });

  test('whose data stops early is there in part, with a warning', async () => {
    const random = randomBytes(90_000);
    const cut = zlib.gzipSync(random).subarray(0, 60_000);
    const snapshot = await get((await serveEncoded('gzip', cut)).origin);
    expect(snapshot.body.length).toBeGreaterThan(50_000);
    expect(random.subarray(0, snapshot.body.length).equals(snapshot.body)).toBe(true);
    expect(snapshot.warnings).toEqual([
      `The body ended early, after ${snapshot.body.length} bytes.`,
    ]);
  });

  test('of which only the header came is TRUNCATED_BODY', async () => {
    const { origin } = await serveEncoded('gzip', zlib.gzipSync(page).subarray(0, 10));
    expect((await failure(get(origin))).code).toBe('TRUNCATED_BODY');
  });
});

describe('a body over the limit', () => {
  test('ends a decompression bomb while it streams', async () => {
    const zeros = zlib.gzipSync(Buffer.alloc(20_000_000));
    let sent = 0;
    const { origin, sockets } = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const send = (): void => {
        if (response.destroyed) return;
        sent += zeros.length;
        response.write(zeros, () => setTimeout(send, 1));
      };
      send();
    });
    const before = process.memoryUsage().rss;
    const error = await failure(get(origin, { limits: { compressionRatio: 2000 } }));
    expect(error.code).toBe('BODY_TOO_LARGE');
    expect(error.message).toBe(
      `The body of ${origin}/ is larger than 52428800 bytes. Raise limits.bodyBytes to read it.`,
    );
    expect(sent).toBeLessThan(10_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
    await until(() => sockets.size === 0);
  });

  test('ends a bomb of two layers', async () => {
    const inner = zlib.gzipSync(Buffer.alloc(60_000_000), { level: 9 });
    const { origin } = await serveEncoded('gzip, br', zlib.brotliCompressSync(inner));
    const limits = { compressionRatio: 1_000_000_000 };
    expect((await failure(get(origin, { limits }))).code).toBe('BODY_TOO_LARGE');
  });

  test('stops 200 MB of chunks at 50 MB', async () => {
    const piece = Buffer.alloc(1_000_000, 'a');
    let sent = 0;
    const { origin, sockets } = await serve((_, response) => {
      const send = (): void => {
        if (sent >= 200_000_000 || response.destroyed) return void response.end();
        sent += piece.length;
        response.write(piece, () => setImmediate(send));
      };
      send();
    });
    expect((await failure(get(origin))).code).toBe('BODY_TOO_LARGE');
    expect(sent).toBeLessThan(70_000_000);
    await until(() => sockets.size === 0);
  });

  test('is refused by its Content-Length at once', async () => {
    const { origin, sockets } = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 52428801\r\n\r\n');
    });
    const start = performance.now();
    expect((await failure(get(origin))).code).toBe('BODY_TOO_LARGE');
    expect(performance.now() - start).toBeLessThan(500);
    await until(() => sockets.size === 0);
  });

  test('is a matter of one byte', async () => {
    const { origin } = await serve((_, response) => response.end('12345'));
    expect(text(await get(origin, { limits: { bodyBytes: 5 } }))).toBe('12345');
    expect((await failure(get(origin, { limits: { bodyBytes: 4 } }))).code).toBe('BODY_TOO_LARGE');
  });

  test('counts after decompression', async () => {
    const { origin } = await serveEncoded('gzip', zlib.gzipSync(Buffer.alloc(5000)));
    expect((await get(origin, { limits: { bodyBytes: 5000 } })).body.length).toBe(5000);
    expect((await failure(get(origin, { limits: { bodyBytes: 4999 } }))).code).toBe(
      'BODY_TOO_LARGE',
    );
  });
});

describe('a body of which only the beginning is wanted', () => {
  const limit = 100_000;
  const beginning = (origin: string): ReturnType<typeof get> =>
    get(origin, { truncatesBody: true, limits: { bodyBytes: limit } });

  test('is read up to the limit, and an endless one is closed there', async () => {
    let sent = 0;
    const { origin, sockets } = await serve((_, response) => {
      const send = (): void => {
        while (!response.destroyed) {
          sent += 10_000;
          if (!response.write('0123456789'.repeat(1_000))) break;
        }
        response.once('drain', send);
      };
      send();
    });
    const snapshot = await beginning(origin);
    expect(text(snapshot)).toBe('0123456789'.repeat(limit / 10));
    expect(snapshot).toMatchObject({ statusCode: 200, requests: 1 });
    expect(snapshot.isCut).toBeUndefined();
    await until(() => sockets.size === 0);
    // What lies in the buffers of two sockets was sent in vain.
    expect(sent).toBeLessThan(30_000_000);
  });

  const large = Buffer.alloc(5_000_000, 'page ');
  test.each([
    ['that names its length', {}, large],
    ['in gzip', { 'content-encoding': 'gzip' }, zlib.gzipSync(large)],
    [
      'in br and gzip',
      { 'content-encoding': 'br, gzip' },
      zlib.gzipSync(zlib.brotliCompressSync(large)),
    ],
  ])('%s is read up to the limit', async (_, headers, body) => {
    const { origin } = await serve((_, response) => {
      response.writeHead(200, { ...headers, 'content-length': body.length });
      response.end(body);
    });
    expect(text(await beginning(origin))).toBe('page '.repeat(limit / 5));
  });

  test('is whole where it is not larger', async () => {
    for (const length of [limit - 1, limit]) {
      const { origin } = await serve((_, response) => void response.end(large.subarray(0, length)));
      expect((await beginning(origin)).body).toHaveLength(length);
    }
  });
});

describe('the compression ratio', () => {
  const dense = Buffer.alloc(12_000_000, 'a');

  test.each([
    ['gzip', zlib.gzipSync(dense)],
    ['br', zlib.brotliCompressSync(dense)],
    ['deflate', zlib.deflateSync(dense)],
  ])('of %s data over 10 MB is limited', async (encoding, body) => {
    const { origin } = await serveEncoded(encoding, body);
    const error = await failure(get(origin));
    expect(error.code).toBe('DECOMPRESSION');
    expect(error.message).toBe(
      `The body of ${origin}/ unpacks to over 1000 times what was sent. Raise limits.compressionRatio to read it.`,
    );
    const { body: read } = await get(origin, { limits: { compressionRatio: 1_000_000 } });
    expect(read.length).toBe(dense.length);
  });

  test('does not matter for less', async () => {
    const { origin } = await serveEncoded('br', zlib.brotliCompressSync(Buffer.alloc(9_900_000)));
    expect((await get(origin)).body.length).toBe(9_900_000);
  });

  test('is that of all layers together', async () => {
    const inner = zlib.gzipSync(dense);
    const { origin } = await serveEncoded('gzip, gzip', zlib.gzipSync(inner));
    expect((await failure(get(origin))).code).toBe('DECOMPRESSION');
  });

  test('is that of each layer, though nothing comes out at the end', async () => {
    // Empty gzip members: 20 bytes each, and no byte of content.
    const members = Buffer.alloc(12_000_000, zlib.gzipSync(''));
    const { origin } = await serveEncoded('gzip, br', zlib.brotliCompressSync(members));
    expect((await failure(get(origin))).code).toBe('DECOMPRESSION');
  });
});

describe('gzip that no header declares', () => {
  const told = 'The body was gzip-encoded once more than the server says; it was decoded.';
  const serveAs = (
    type: string | undefined,
    body: Buffer,
    more: Record<string, string> = {},
  ): Promise<Lab> =>
    serve((_, response) => {
      response.writeHead(200, { ...(type === undefined ? {} : { 'content-type': type }), ...more });
      // Byte by byte: the beginning has to be waited for.
      for (const byte of body.subarray(0, 5)) response.write(Buffer.of(byte));
      response.end(body.subarray(5));
    });

  test.each([
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'text/plain',
    'application/xhtml+xml',
    'application/xml',
    'application/rss+xml',
    'application/json',
    'application/ld+json',
    'image/svg+xml',
    undefined,
  ])('is undone in %s, with a warning', async (type) => {
    const snapshot = await get((await serveAs(type, zlib.gzipSync(page))).origin);
    expect(Buffer.from(snapshot.body).equals(page)).toBe(true);
    expect(snapshot.warnings).toEqual([told]);
  });

  test.each([
    'application/gzip',
    'application/x-gzip',
    'application/octet-stream',
    'application/x-tar',
    'image/png',
  ])('is a file in %s', async (type) => {
    const file = zlib.gzipSync(page);
    const snapshot = await get((await serveAs(type, file)).origin);
    expect(Buffer.from(snapshot.body).equals(file)).toBe(true);
    expect(snapshot.warnings).toEqual([]);
  });

  test('is a file where nothing but its name says what it is', async () => {
    const file = zlib.gzipSync(page);
    const { origin } = await serveAs(undefined, file);
    expect((await get(`${origin}/dump.sql.gz?x`)).body.length).toBe(file.length);
    expect((await get(`${origin}/site.tgz`)).body.length).toBe(file.length);
    expect((await get(`${origin}/page`)).body.length).toBe(page.length);
  });

  test('is undone beneath gzip that is declared', async () => {
    const twice = zlib.gzipSync(zlib.gzipSync(page));
    const { origin } = await serveAs('text/html', twice, { 'content-encoding': 'gzip' });
    const snapshot = await get(origin);
    expect(Buffer.from(snapshot.body).equals(page)).toBe(true);
    expect(snapshot.warnings).toEqual([told]);
  });

  test('is undone once', async () => {
    const once = zlib.gzipSync(page);
    const snapshot = await get((await serveAs('text/html', zlib.gzipSync(once))).origin);
    expect(Buffer.from(snapshot.body).equals(once)).toBe(true);
  });

  test('obeys the limits, and may be cut', async () => {
    const zeros = await serveAs('text/html', zlib.gzipSync(Buffer.alloc(5000)));
    expect((await failure(get(zeros.origin, { limits: { bodyBytes: 4999 } }))).code).toBe(
      'BODY_TOO_LARGE',
    );
    const cut = await serveAs('text/html', zlib.gzipSync(randomBytes(50_000)).subarray(0, 20_000));
    const snapshot = await get(cut.origin);
    expect(snapshot.warnings).toEqual([
      told,
      `The body ended early, after ${snapshot.body.length} bytes.`,
    ]);
  });
});

describe('data cut at any byte', () => {
  const small = Buffer.from('<!doctype html><title>x</title><p>Grüße.');

  test.each([
    ['gzip', zlib.gzipSync(small)],
    ['deflate', zlib.deflateSync(small)],
    ['deflate', zlib.deflateRawSync(small)],
    ['br', zlib.brotliCompressSync(small)],
  ])('of %s is an error or has a warning', async (encoding, data) => {
    const { origin } = await serve((request, response) => {
      const length = Number((request.url ?? '').slice(1));
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': encoding });
      response.end(data.subarray(0, length));
    });
    const engine = labEngine();
    for (let length = 1; length <= data.length; length++) {
      const outcome = await engine.fetch(pageRequest(`${origin}/${length}`)).then(
        ({ body, warnings }) => ({ body: Buffer.from(body), told: warnings.length > 0 }),
        (error: PagewrightError) => ({ body: undefined, told: error.code === 'TRUNCATED_BODY' }),
      );
      const isWhole = outcome.body?.equals(small) === true;
      expect([length, outcome.told || (isWhole && length === data.length)]).toEqual([length, true]);
    }
  });

  test('is an error or has a warning with a length, in chunks, and in the head', async () => {
    const parts: string[] = [
      `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<p>some words`,
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\na\r\nsome words\r\n0\r\n\r\n`,
    ];
    for (const whole of parts) {
      const { origin } = await serveRaw((socket, _, request) => {
        socket.end(whole.slice(0, Number(/\/(\d+)/.exec(request)?.[1])));
      });
      for (let length = 1; length < whole.length; length++) {
        const outcome = await get(`${origin}/${length}`).then(
          ({ warnings }) => warnings.join(),
          (error: PagewrightError) => error.code,
        );
        expect([length, outcome]).toEqual([
          length,
          expect.stringMatching(
            /^(?:CONNECTION_RESET|TRUNCATED_BODY|PROTOCOL_ERROR|The body ended early, after \d+ bytes\.)$/,
          ),
        ]);
      }
      expect((await get(`${origin}/${whole.length}`)).warnings).toEqual([]);
    }
  });
});

describe('a body that ends early', () => {
  const head = 'HTTP/1.1 200 OK\r\n';
  const partial: [name: string, bytes: string, end: 'fin' | 'reset'][] = [
    ['before its Content-Length', `${head}Content-Length: 100\r\n\r\nonly this`, 'fin'],
    ['before its Content-Length, reset', `${head}Content-Length: 100\r\n\r\nonly this`, 'reset'],
    [
      'before its Content-Length on a closing connection',
      `${head}Connection: close\r\nContent-Length: 100\r\n\r\nonly this`,
      'fin',
    ],
    ['between chunks', `${head}Transfer-Encoding: chunked\r\n\r\n9\r\nonly this\r\n`, 'fin'],
    ['inside a chunk', `${head}Transfer-Encoding: chunked\r\n\r\n64\r\nonly this`, 'fin'],
    ['inside a chunk, reset', `${head}Transfer-Encoding: chunked\r\n\r\n64\r\nonly this`, 'reset'],
    [
      'in garbage where a chunk should start',
      `${head}Transfer-Encoding: chunked\r\n\r\n9\r\nonly this\r\nzzz\r\n`,
      'fin',
    ],
    ['with a reset where the close would be its end', `${head}\r\nonly this`, 'reset'],
    [
      'with HTTP/1.0 and its Content-Length',
      'HTTP/1.0 200 OK\r\nContent-Length: 100\r\n\r\nonly this',
      'fin',
    ],
  ];
  test.each(partial)('%s is there in part, with a warning', async (_, bytes, end) => {
    const snapshot = await get((await serveBytes(bytes, end)).origin);
    expect(text(snapshot)).toBe('only this');
    expect(snapshot.warnings).toEqual(['The body ended early, after 9 bytes.']);
    expect(snapshot.bytes).toBe(9);
  });

  const nothing: [name: string, bytes: string, code: string][] = [
    ['a Content-Length', `${head}Content-Length: 100\r\n\r\n`, 'TRUNCATED_BODY'],
    ['chunks', `${head}Transfer-Encoding: chunked\r\n\r\n`, 'TRUNCATED_BODY'],
    [
      'chunks on a closing connection',
      `${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n`,
      'TRUNCATED_BODY',
    ],
    ['chunk garbage', `${head}Transfer-Encoding: chunked\r\n\r\nzzz\r\n`, 'PROTOCOL_ERROR'],
  ];
  test.each(nothing)('after %s without a byte is an error', async (_, bytes, code) => {
    const error = await failure(get((await serveBytes(bytes)).origin));
    expect(error.code).toBe(code);
  });

  test('with more bytes than its Content-Length loses those, and the connection', async () => {
    const { origin, sockets } = await serveRaw((socket) => {
      socket.write(`${head}Content-Length: 4\r\n\r\ngood and more`);
    });
    const snapshot = await get(origin);
    expect(text(snapshot)).toBe('good');
    await sleep(20);
    await until(() => sockets.size === 0);
  });
});
