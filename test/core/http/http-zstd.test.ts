import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ZstdDecompressor, ZstdFrames } from '../../../src/core/http/zstd.ts';
import { failure, get, type Lab, serve } from './http-lab.ts';

const page = Buffer.from(`<!doctype html><p>${'Grüße, 世界. '.repeat(200)}`);
/** The page as `zstd -19 --check` and `zstd -3 --no-check` write it. */
const checked = Buffer.from(
  'KLUv/WRaDGUBADQCPCFkb2N0eXBlIGh0bWw+PHA+R3LDvMOfZSwg5LiW55WMLiABAKMp+fMJR0piWQ==',
  'base64',
);
const unchecked = Buffer.from(
  'KLUv/WBaDGUBADQCPCFkb2N0eXBlIGh0bWw+PHA+R3LDvMOfZSwg5LiW55WMLiABAKMp+fMJ',
  'base64',
);

const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** A frame with a window of 2 to the power of `log` bytes. */
function frame(blocks: readonly Buffer[], log = 17): Buffer {
  return Buffer.concat([magic, Buffer.of(0, (log - 10) << 3), ...blocks]);
}

function block(type: 0 | 1, size: number, content: Buffer, isLast = false): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((size << 3) | (type << 1) | (isLast ? 1 : 0), 0, 3);
  return Buffer.concat([header, content]);
}

const raw = (text: string, isLast = true): Buffer =>
  block(0, Buffer.byteLength(text), Buffer.from(text), isLast);
const run = (size: number, isLast = false): Buffer => block(1, size, Buffer.from('a'), isLast);
/** 128 KB of letters from 4 bytes. */
const fullRun = run(128 * 1024);

const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

function serveZstd(data: Buffer, chunkSize = data.length): Promise<Lab> {
  return serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'zstd' });
    for (let at = 0; at < data.length; at += chunkSize) {
      response.write(data.subarray(at, at + chunkSize));
    }
    response.end();
  });
}

/** Through fzstd, also where Node has a decoder of its own. */
async function decodeScripted(data: Buffer, chunkSize = data.length): Promise<string> {
  const stream = new ZstdDecompressor(false);
  for (let at = 0; at < data.length; at += chunkSize) {
    stream.write(data.subarray(at, at + chunkSize));
  }
  stream.end();
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const good: [name: string, data: Buffer, text: string][] = [
  ['with a checksum', checked, page.toString()],
  ['without a checksum', unchecked, page.toString()],
  ['of one short block', frame([raw('hi')]), 'hi'],
  ['of several blocks', frame([raw('one, ', false), run(3), raw(' two')]), 'one, aaa two'],
  ['of several frames', Buffer.concat([frame([raw('one, ')]), checked]), `one, ${page.toString()}`],
  ['with frames to skip', Buffer.concat([skippable, frame([raw('hi')]), skippable]), 'hi'],
  ['that is followed by anything', Buffer.concat([checked, page]), page.toString()],
  ['of nothing', frame([raw('')]), ''],
];

const bad: [name: string, data: Buffer][] = [
  ['with a block of an unknown type', frame([Buffer.from([0x07, 0, 0, 0, 0, 0])])],
  ['with a block of over 128 KB', frame([block(0, 200_000, Buffer.alloc(200_000), true)])],
  ['with a window of 16 MB', frame([raw('hi')], 24)],
  ['with a window of 2 GB', frame([raw('hi')], 31)],
  ['of one segment of 1 GB', Buffer.concat([magic, Buffer.of(0xa0, 0, 0, 0, 0x40), raw('hi')])],
  ['with a reserved bit', Buffer.concat([magic, Buffer.of(0x08, 0x38), raw('hi'), page])],
];

describe('a zstd body', () => {
  test.each(good)('%s is decoded', async (_, data, text) => {
    const snapshot = await get((await serveZstd(data)).origin);
    expect(Buffer.from(snapshot.body).toString()).toBe(text);
    expect(snapshot.warnings).toEqual([]);
  });

  test.each(bad)('%s is DECOMPRESSION', async (_, data) => {
    const error = await failure(get((await serveZstd(data)).origin));
    expect(error.code).toBe('DECOMPRESSION');
    expect(error.message).toMatch(/^The zstd data of .* is damaged \(.+\)\. /);
  });

  test('may come byte by byte', async () => {
    const snapshot = await get((await serveZstd(checked, 1)).origin);
    expect(Buffer.from(snapshot.body).equals(page)).toBe(true);
  });

  test('cut at any byte is an error or has a warning', async () => {
    const data = frame([raw('one, ', false), raw('two')]);
    for (const whole of [data, checked]) {
      for (let length = 1; length < whole.length; length++) {
        const outcome = await get((await serveZstd(whole.subarray(0, length))).origin).then(
          ({ warnings }) => warnings.length,
          (error: Error) => error.message,
        );
        expect([length, outcome]).not.toEqual([length, 0]);
      }
    }
  });

  test('that is a bomb ends at the limits', async () => {
    const bomb = frame(Array<Buffer>(10_000).fill(fullRun));
    const { origin } = await serveZstd(bomb);
    const before = process.memoryUsage().rss;
    const dense = await failure(get(origin));
    expect(dense.code).toBe('DECOMPRESSION');
    expect(dense.message).toContain('Raise limits.compressionRatio');
    const large = await failure(get(origin, { limits: { compressionRatio: 1e6 } }));
    expect(large.code).toBe('BODY_TOO_LARGE');
    expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000);
  });

  test('is asked for only where Node decodes it', async () => {
    let offered: string | undefined;
    const { origin } = await serve((request, response) => {
      offered = String(request.headers['accept-encoding']);
      response.end('ok');
    });
    await get(origin);
    expect(offered?.includes('zstd')).toBe('createZstdDecompress' in zlib);
  });
});

describe('the decoder for older versions of Node', () => {
  test.each(good)('decodes data %s', async (_, data, text) => {
    expect(await decodeScripted(data)).toBe(text);
    expect(await decodeScripted(data, 1)).toBe(text);
    expect(await decodeScripted(data, 7)).toBe(text);
  });

  test.each(bad)('refuses data %s', async (_, data) => {
    await expect(decodeScripted(data)).rejects.toThrow();
  });

  test('refuses many blocks with a large window, which would be work without end', async () => {
    const stream = new ZstdDecompressor(false);
    stream.resume();
    const failed = new Promise<Error>((resolve) => stream.on('error', resolve));
    stream.end(frame(Array<Buffer>(5_000).fill(run(1)), 23));
    expect((await failed).message).toBe('its blocks are too small for its window');
  }, 30_000);

  test('lets other work run, and stops when it is destroyed', async () => {
    const stream = new ZstdDecompressor(false);
    let received = 0;
    stream.on('data', (chunk: Buffer) => (received += chunk.length));
    stream.write(frame(Array<Buffer>(50_000).fill(fullRun)));
    await new Promise((resolve) => setTimeout(resolve, 50));
    stream.destroy();
    const atEnd = received;
    expect(atEnd).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(received).toBe(atEnd);
  });

  test('waits while nobody reads', async () => {
    const stream = new ZstdDecompressor(false);
    stream.write(frame(Array<Buffer>(1_000).fill(fullRun)));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(stream.readableLength).toBeLessThan(1_000_000);
    stream.destroy();
  });
});

describe('the frames of zstd data', () => {
  test('end where the data may end', () => {
    const data = Buffer.concat([skippable, checked, unchecked]);
    const ends: number[] = [];
    const frames = new ZstdFrames();
    for (let at = 0; at < data.length; at++) {
      frames.push(data.subarray(at, at + 1));
      if (frames.isComplete) ends.push(at + 1);
    }
    const first = skippable.length;
    expect(ends).toEqual([first, first + checked.length, data.length]);
  });
});
