/** Fuzzes what servers answer: status lines, headers, framing, redirects. src/core/http. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { PagewrightError } from '../../src/core/runtime/errors.ts';
import { defaultLimits } from '../../src/core/model/limits.ts';
import { fuzzTest } from './fuzz-test.ts';
import { mutate, mutations } from './mutations.ts';
import { type Answer, generous, type Outcome, startRawServer } from './raw-responses.ts';

const server = await startRawServer();

/** Milliseconds for what may never end by itself. */
const timeout = 120;

/** The codes with which an engine may end a fetch of what a server sends. */
const codes = [
  'TIMEOUT',
  'CONNECTION_RESET',
  'TRUNCATED_BODY',
  'PROTOCOL_ERROR',
  'TOO_MANY_REDIRECTS',
  'BAD_REDIRECT',
  'BODY_TOO_LARGE',
  'DECOMPRESSION',
  'BLOCKED_ADDRESS',
];

const tokens = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  '\0',
  ' ',
  '\t',
  ':',
  ',',
  ';',
  '\xff',
  '%',
  '€',
  '\u202e',
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\n\r\n',
  'HTTP/0.9',
  'HTTP/1.0',
  'HTTP/2.0',
  'ICY 200 OK\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: -1\r\n',
  'content-length: 99999999999999999999\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'TE: trailers\r\n',
  'Content-Encoding: gzip\r\n',
  'Content-Encoding: br\r\n',
  'Content-Encoding: deflate\r\n',
  'Content-Encoding: zstd\r\n',
  'Content-Encoding: gzip, gzip, gzip\r\n',
  'Content-Encoding: x\r\n',
  'Location: /next\r\n',
  'Location: javascript:alert(1)\r\n',
  'Location: //[::1\r\n',
  'Location: \r\n',
  'Set-Cookie: a=b; Path=/\r\n',
  'Set-Cookie: =; Domain=com\r\n',
  'Set-Cookie: \r\n',
  'Refresh: 0\r\n',
  '__proto__: polluted\r\n',
  'constructor: x\r\n',
  ': nameless\r\n',
  ' folded: x\r\n',
  'X:\r\n',
  'Connection: close\r\n',
  'Connection: upgrade\r\nUpgrade: h2c\r\n',
  'Keep-Alive: timeout=0\r\n',
  '0\r\n\r\n',
  '5\r\nhello\r\n',
  '-1\r\n',
  'FFFFFFFFFFFFFFFF\r\n',
  '3;x="\r\nabc\r\n',
  '0\r\nX: y\r\n\r\n',
  `X-Long: ${'a'.repeat(70_000)}\r\n`,
  'X: y\r\n'.repeat(3_000),
];

const status = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('200 OK', '404 Not Found', '500 Oh', '206 Partial', '200'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('301 Moved', '302 Found', '303 See Other', '307 T', '308 P'),
  },
  { weight: 1, arbitrary: fc.constantFrom('204 Nothing', '304 Not Modified', '205 Reset') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('100 Go', '101 Switch', '103 Hint', '600 ?', '999 !', '0 x', '20 x'),
  },
);
const headerName = fc.constantFrom(
  ...['content-type', 'Location', 'Set-Cookie', 'Link', 'ETag', 'Retry-After', 'Content-Encoding'],
  ...['X-Anything', '__proto__', 'constructor', 'Vary', 'Content-Disposition', 'Trailer'],
);
const headerValue = fc.oneof(
  fc.constantFrom(
    'text/html',
    '/',
    '/next?x=1',
    'http://127.0.0.1:1/',
    'gzip',
    'br',
    'a=b',
    '',
    '"',
    ',',
  ),
  fc.string({ unit: 'binary-ascii', maxLength: 20 }).map((text) => text.replace(/[\r\n\0]/g, ' ')),
  fc.string({ maxLength: 10 }).map((text) => `${text}é€`.replace(/[\r\n\0]/g, ' ')),
);
const headers = fc.array(
  fc.tuple(headerName, headerValue).map((pair) => `${pair.join(': ')}\r\n`),
  { maxLength: 6 },
);

/** What starts like gzip is unpacked, also when no header says so. */
const plainBody = fc
  .uint8Array({ maxLength: 2_000 })
  .filter(([first, second = 0x8b]) => first !== 0x1f || second !== 0x8b)
  .map((bytes) => Buffer.from(bytes));

/** A body framed by its length, in chunks of any size, or by the end of the connection. */
const framed = fc.record({
  body: plainBody,
  framing: fc.constantFrom('length', 'chunked', 'close'),
  sizes: fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 8 }),
});
type Framed = typeof framed extends fc.Arbitrary<infer Value> ? Value : never;

function frame({ body, framing, sizes }: Framed): { header: string; bytes: Buffer } {
  if (framing === 'length') return { header: `Content-Length: ${body.length}\r\n`, bytes: body };
  if (framing === 'close') return { header: 'Connection: close\r\n', bytes: body };
  const chunks = slices(body, sizes).flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ]);
  const bytes = Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
  return { header: 'Transfer-Encoding: chunked\r\n', bytes };
}

function slices(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0, count = 0; start < bytes.length; count += 1) {
    const size = sizes[count % sizes.length] ?? 1;
    parts.push(bytes.subarray(start, start + size));
    start += size;
  }
  return parts;
}

const ending = fc.constantFrom<Answer['then']>('end', 'end', 'reset', 'stay');
const packetSizes = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 4 });

fuzzTest(
  'a valid response arrives byte for byte, however it is framed and cut into packets',
  { runs: 150, share: 4 },
  fc.asyncProperty(framed, packetSizes, async (content, sizes) => {
    const { header, bytes } = frame(content);
    const response = Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${header}\r\n`), bytes]);
    const then = content.framing === 'close' ? 'end' : 'stay';
    const { snapshot, error } = await server.fetch({ packets: slices(response, sizes), then });
    expect(error).toBeUndefined();
    expect(Buffer.from(snapshot?.body ?? []).equals(content.body)).toBe(true);
    expect(snapshot?.warnings).toEqual([]);
  }),
);

fuzzTest(
  'a response that was cut is an error, or the beginning of the body with a warning',
  { runs: 150, share: 4 },
  fc.asyncProperty(
    framed.filter(({ framing }) => framing !== 'close'),
    fc.nat(9_999),
    fc.constantFrom<Answer['then']>('end', 'reset'),
    async (content, at, then) => {
      const { header, bytes } = frame(content);
      const response = Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${header}\r\n`), bytes]);
      const cut = response.subarray(0, Math.floor((at / 10_000) * response.length));
      const outcome = await server.fetch({ packets: [cut], then });
      expectOutcome(outcome);
      if (outcome.snapshot === undefined) return;
      const { body, warnings } = outcome.snapshot;
      expect(Buffer.from(body).equals(content.body.subarray(0, body.length))).toBe(true);
      expect(warnings.join()).toContain('ended early');
    },
  ),
);

fuzzTest(
  'any response ends in a snapshot or an error of the table, in time, and leaves no socket',
  { runs: 300, share: 12 },
  fc.asyncProperty(
    fc.record({
      version: fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2'),
      status,
      headers,
      framed,
      changes: mutations(tokens),
      sizes: packetSizes,
      then: ending,
    }),
    async ({ version, status, headers, framed: content, changes, sizes, then }) => {
      const { header, bytes } = frame(content);
      const head = Buffer.from(
        `${version} ${status}\r\n${headers.join('')}${header}\r\n`,
        'latin1',
      );
      const packets = slices(mutate(Buffer.concat([head, bytes]), changes), sizes);
      const bodyBytes = 1_000;
      const answer = { packets: packets.slice(0, 200), then };
      expectOutcome(await server.fetch(answer, { bodyBytes, timeout }), bodyBytes);
    },
  ),
);

fuzzTest(
  'random bytes end in a snapshot or an error of the table',
  { runs: 60, share: 2 },
  fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), ending, async (bytes, then) => {
    expectOutcome(await server.fetch({ packets: [Buffer.from(bytes)], then }, { timeout }));
  }),
);

function expectOutcome({ snapshot, error, time }: Outcome, limit = defaultLimits.bodyBytes): void {
  expect(time).toBeLessThan(generous + 1_500);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  if (snapshot === undefined) {
    expect(error).toBeInstanceOf(PagewrightError);
    expect(codes).toContain((error as PagewrightError).code);
    expect((error as PagewrightError).message).not.toBe('');
    return;
  }
  expect(snapshot.url.startsWith(`${server.origin}/`)).toBe(true);
  expect(snapshot.statusCode).toBeGreaterThanOrEqual(200);
  expect(snapshot.body.length).toBeLessThanOrEqual(limit);
  expect(snapshot.redirects.length).toBeLessThanOrEqual(10);
  expect(Object.getPrototypeOf(snapshot.headers)).toBe(Object.prototype);
  for (const [name, value] of Object.entries(snapshot.headers)) {
    expect(name).toBe(name.toLowerCase());
    expect(typeof value).toBe('string');
  }
}
