/** Records written are records read, however their bytes arrive; what is cut is told from what is damaged. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ByteQueue,
  CutFile,
  DamagedFile,
  fileBytes,
} from '../../../../src/entries/export/warc/byte-queue.ts';
import { readRecordHead, responseIn } from '../../../../src/entries/export/warc/read-record.ts';
import {
  informationRecord,
  recordBytes,
  requestRecord,
  responseRecord,
  warcRecord,
} from '../../../../src/entries/export/warc/write-record.ts';

/** In pieces of so many bytes. */
async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
  }
}

/** Type and block of each; blocks of other types than `kept` are passed over. */
async function readAll(queue: ByteQueue, kept = /./): Promise<(readonly [string, string])[]> {
  const records: (readonly [string, string])[] = [];
  for (let number = 1; ; number += 1) {
    const head = await readRecordHead(queue, number);
    if (head === undefined) return records;
    const { type, length } = head;
    if (!kept.test(type)) expect(await queue.skip(length)).toBe(length);
    else records.push([type, (await queue.take(length)).toString()]);
  }
}

const url = 'https://docs.test/ö';
const records = [
  informationRecord({ more: '1' }),
  requestRecord({ url, headers: { accept: '*/*' } }, { 'WARC-Concurrent-To': '<a>' }),
  requestRecord({ url, method: 'POST', headers: {} }, {}),
  responseRecord({ url, statusCode: 200, headers: { a: '1' }, body: Buffer.from('Grüße\n\n') }),
  warcRecord({ type: 'metadata', contentType: 'text/plain', block: '' }),
];
const expected = [
  ['warcinfo', 'software: pagewright\r\nformat: WARC File Format 1.1\r\nmore: 1\r\n'],
  ['request', 'GET /%C3%B6 HTTP/1.1\r\nhost: docs.test\r\naccept: */*\r\n\r\n'],
  ['request', 'POST /%C3%B6 HTTP/1.1\r\nhost: docs.test\r\n\r\n'],
  ['response', 'HTTP/1.1 200 OK\r\na: 1\r\ncontent-length: 9\r\n\r\nGrüße\n\n'],
  ['metadata', ''],
];

let folder: string;
let plain: Uint8Array;
let packed: Uint8Array;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pagewright-warc-'));
  plain = await recordBytes(false, ...records);
  packed = await recordBytes(true, ...records);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('what is written', () => {
  test.each([1, 2, 3, 7, 64, 1000, 100_000])('is read in pieces of %i bytes', async (size) => {
    expect(await readAll(new ByteQueue(pieces(plain, size)))).toEqual(expected);
    const some = expected.filter(([type]) => type === 'response');
    expect(await readAll(new ByteQueue(pieces(plain, size)), /^response$/)).toEqual(some);
  });

  test.each([true, false])('is read from a file, packed: %s', async (isPacked) => {
    const file = join(folder, `${isPacked}`);
    writeFileSync(file, isPacked ? packed : plain);
    expect(gunzipSync(packed).equals(plain)).toBe(true);
    expect(await readAll(new ByteQueue(fileBytes(file)))).toEqual(expected);
  });

  test('has no header that a value or a name of another could make', async () => {
    const headers = {
      'x-a': 'one\r\nx-b: two\r\n\r\n<script>\0\u0085',
      'x c': 'a name that is none',
      'x:d': 'another',
      'content-encoding': 'gzip',
      'transfer-encoding': 'chunked',
      'content-length': '9',
    };
    const response = responseRecord({ url: '/a\r\nb: c', statusCode: 1e9, headers, body: Buffer.from('1') }); // prettier-ignore
    const queue = new ByteQueue(pieces(response.bytes, 1000));
    const head = await readRecordHead(queue, 1);
    expect(head).toMatchObject({ type: 'response', url: '/a b: c' });
    const message = head && responseIn(head, await queue.take(head.length));
    expect(message).toEqual({
      statusCode: 200,
      headers: { 'x-a': 'one x-b: two <script>', 'content-length': '1' },
      body: Buffer.from('1'),
    });
  });
});

describe('what is not whole', () => {
  test('is cut, wherever it breaks off, or ends at the end of a record', async () => {
    const { bytes } = warcRecord({ type: 'metadata', contentType: 'text/plain', block: 'block' });
    const headLength = bytes.length - 'block\r\n\r\n'.length;
    for (let length = 0; length < bytes.length; length += 1) {
      const queue = new ByteQueue(pieces(bytes.slice(0, length), 50));
      const reading = readRecordHead(queue, 1);
      if (length > 0 && length < headLength) await expect(reading).rejects.toThrow(CutFile);
      else if (length === 0) expect(await reading).toBeUndefined();
      else {
        expect(await reading).toMatchObject({ length: 5 });
        expect(await queue.take(5)).toHaveLength(Math.min(5, length - headLength));
      }
    }
  });

  test.each([
    ['text', 'hello\n'],
    ['eleven empty lines', `${'\r\n'.repeat(11)}WARC/1.0\r\n`],
    ['a long head', `WARC/1.0\r\n${`a: ${'b'.repeat(60_000)}\r\n`.repeat(6)}`],
    ['many lines', `WARC/1.0\r\n${'a: b\r\n'.repeat(300)}`],
    ['a long line', 'x'.repeat(70_000)],
    ['two lengths', 'WARC/1.0\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n'],
  ])('is damaged and not cut: %s', async (_, text) => {
    const error: unknown = await readRecordHead(
      new ByteQueue(pieces(Buffer.from(text), 1000)),
      1,
    ).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DamagedFile);
    expect(error).not.toBeInstanceOf(CutFile);
  });

  test('is damaged when it is more than allowed, and nothing of it is held', async () => {
    const endless = (async function* () {
      for (;;) yield await Promise.resolve(new Uint8Array(1000));
    })();
    await expect(new ByteQueue(endless, 10_000).take(1e12)).rejects.toThrow(/10000 bytes/);
    const queue = new ByteQueue(pieces(new Uint8Array(50_000), 1000), 100_000);
    expect(await queue.skip(1e12)).toBe(50_000);
    expect(await queue.peek()).toBeUndefined();
  });
});
