/** Fuzzes encoded bodies: any stack of codings, cut or damaged anywhere. src/core/http. */
import { setImmediate } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect } from 'vitest';
import { PagewrightError } from '../../src/core/runtime/errors.ts';
import { fuzzTest } from './fuzz-test.ts';
import { mutate, mutations } from './mutations.ts';
import { startRawServer } from './raw-responses.ts';

const server = await startRawServer();

interface Coding {
  /** As Content-Encoding says it. */
  readonly label: string;
  readonly encode: (bytes: Buffer) => Buffer;
  /** Damaged data cannot pass for good data. */
  readonly hasChecksum: boolean;
}

const codings: readonly Coding[] = [
  { label: 'gzip', encode: (bytes) => gzipSync(bytes), hasChecksum: true },
  { label: 'x-gzip', encode: (bytes) => gzipSync(bytes, { level: 1 }), hasChecksum: true },
  // Its first byte tells it from raw deflate data, which has none.
  { label: 'deflate', encode: (bytes) => deflateSync(bytes), hasChecksum: false },
  { label: 'DEFLATE', encode: (bytes) => deflateRawSync(bytes), hasChecksum: false },
  { label: 'br', encode: (bytes) => brotliCompressSync(bytes), hasChecksum: false },
];

const original = fc
  .oneof(
    fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: 'grapheme', maxLength: 200 }).map((text) => Buffer.from(text)),
    fc.tuple(fc.nat(255), fc.nat(50_000)).map(([byte, length]) => Buffer.alloc(length, byte)),
  )
  .filter((bytes) => bytes.length > 0);
const stack = fc.array(fc.constantFrom(...codings), { minLength: 1, maxLength: 4 });

interface Received {
  readonly body: Buffer;
  readonly warnings: readonly string[];
  /** Undefined when there was a snapshot. */
  readonly code: string | undefined;
}

async function receive(
  sent: Buffer,
  codings: readonly Coding[],
  bodyBytes = 1e6,
): Promise<Received> {
  const label = codings.map((coding) => coding.label).join(', ');
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${label}\r\nContent-Length: ${sent.length}\r\n\r\n`;
  const packets = [Buffer.concat([Buffer.from(head), sent.subarray(0, 700)]), sent.subarray(700)];
  const { snapshot, error } = await server.fetch({ packets, then: 'stay' }, { bodyBytes });
  if (snapshot !== undefined) {
    const { body, warnings } = snapshot;
    expect(body.length).toBeLessThanOrEqual(bodyBytes);
    return { body: Buffer.from(body), warnings, code: undefined };
  }
  expect(error).toBeInstanceOf(PagewrightError);
  const { code } = error as PagewrightError;
  expect(['DECOMPRESSION', 'BODY_TOO_LARGE', 'TRUNCATED_BODY']).toContain(code);
  return { body: Buffer.alloc(0), warnings: [], code };
}

/** With a turn of the event loop after each coding: the watch is for what decodes. */
async function encode(bytes: Buffer, codings: readonly Coding[]): Promise<Buffer> {
  let encoded = bytes;
  for (const coding of codings) {
    encoded = coding.encode(encoded);
    await setImmediate();
  }
  return encoded;
}

fuzzTest(
  'a body comes out of any stack of codings as it went in',
  { runs: 150, share: 4 },
  fc.asyncProperty(original, stack, async (bytes, codings) => {
    const { body, warnings, code } = await receive(await encode(bytes, codings), codings);
    expect({ code, warnings }).toEqual({ code: undefined, warnings: [] });
    expect(body.equals(bytes)).toBe(true);
  }),
);

fuzzTest(
  'an encoded body that was cut is its beginning with a warning, or an error',
  { runs: 150, share: 4 },
  fc.asyncProperty(original, stack, fc.nat(9_999), async (bytes, codings, at) => {
    const encoded = await encode(bytes, codings);
    const cut = encoded.subarray(0, Math.floor((at / 10_000) * encoded.length));
    const { body, warnings, code } = await receive(cut, codings);
    if (code !== undefined) return;
    if (cut.length === 0) {
      expect(body).toHaveLength(0);
      return;
    }
    expect(warnings).not.toEqual([]);
    // Two or three bytes do not show whether they were encoded at all.
    if (!warnings.join().includes('used as is')) {
      expect(body.equals(bytes.subarray(0, body.length))).toBe(true);
    }
  }),
);

fuzzTest(
  'damage is told where the coding can tell, and ends in a body or an error everywhere',
  { runs: 200, share: 4 },
  fc.asyncProperty(
    original,
    stack,
    mutations(['\0', 'text', '\x1f\x8b'], 3),
    async (bytes, codings, changes) => {
      const encoded = await encode(bytes, codings);
      const { body, warnings, code } = await receive(mutate(encoded, changes), codings, 100_000);
      const isSilent = code === undefined && warnings.length === 0;
      if (isSilent && body.length > 0 && codings.at(-1)?.hasChecksum === true) {
        // What was repeated may be a second gzip member, which is as good as the first.
        expect(body.subarray(0, bytes.length).equals(bytes)).toBe(true);
      }
    },
  ),
);

fuzzTest(
  'no body is larger than the limit, however small it was on its way',
  { runs: 60, share: 1 },
  fc.asyncProperty(
    fc.nat(2_000_000),
    fc.integer({ min: 1, max: 300_000 }),
    stack,
    async (size, limit, codings) => {
      const plain = Buffer.alloc(size, 'a');
      const { body, code } = await receive(await encode(plain, codings), codings, limit);
      // What one coding gives the next to undo counts, too.
      let largest = 0;
      for (const count of codings.keys()) {
        largest = Math.max(largest, (await encode(plain, codings.slice(0, count))).length);
      }
      if (largest > limit) expect(code).toBe('BODY_TOO_LARGE');
      else expect(body).toHaveLength(size);
    },
  ),
);
