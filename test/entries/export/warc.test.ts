import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, deflateRawSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { WARCParser, WARCRecord, WARCSerializer } from 'warcio';
import { readWarc, writeWarc } from '../../../src/entries/export/index.ts';
import { parse } from '../../../src/index.ts';
import { broken, emptyFolder, filesIn, gather, page } from './documents.ts';

const html = (url: string): string => `<title>T</title><h1>Größe ${url}</h1><p>東京</p>`;
const rawPage = (url: string, facts = {}): ReturnType<typeof page> =>
  page(url, { rawHtml: html(url) }, facts);

/** A record as another program writes it. */
function record(
  block: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const bytes = Buffer.from(block);
  const all = {
    'WARC-Type': 'response',
    'WARC-Target-URI': 'https://docs.test/',
    'WARC-Date': '2020-01-02T03:04:05Z',
    'Content-Length': String(bytes.length),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`WARC/1.0\r\n${lines.join('')}\r\n`),
    bytes,
    Buffer.from('\r\n\r\n'),
  ]);
}
const http = (headers: string, body: Uint8Array | string): Buffer =>
  Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${headers}\r\n`), Buffer.from(body)]);

function fileOf(...parts: readonly Uint8Array[]): string {
  const file = join(emptyFolder(), 'a.warc');
  writeFileSync(file, Buffer.concat(parts));
  return file;
}

describe.each(['site.warc', 'site.warc.gz'])('%s', (name) => {
  test('holds pages as they were received, with status, type and date', async () => {
    const file = join(emptyFolder(), name);
    const before = Date.now();
    const documents = [
      rawPage('https://docs.test/', { cachedAt: '2021-05-06T07:08:09.123Z' }),
      rawPage('https://docs.test/ö?a=1', { statusCode: 404, contentType: 'application/xhtml+xml' }),
    ];
    expect(await writeWarc(documents, file)).toBe(2);
    const [first, second] = await gather(readWarc(file));
    expect(first).toEqual({
      url: 'https://docs.test/',
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: Buffer.from(html('https://docs.test/')),
      date: new Date('2021-05-06T07:08:09.123Z'),
    });
    expect(second).toMatchObject({ url: 'https://docs.test/%C3%B6?a=1', status: 404 });
    expect(second?.date.getTime()).toBeGreaterThanOrEqual(before);
  });

  test('is read by another program, record by record', async () => {
    const file = join(emptyFolder(), name);
    await writeWarc([rawPage('https://docs.test/a')], file);
    const records: { type: string; url: unknown; text: string; status: unknown }[] = [];
    for await (const one of new WARCParser([readFileSync(file)])) {
      const text = await one.contentText();
      records.push({
        type: one.warcType,
        url: one.warcTargetURI,
        text,
        status: one.httpHeaders?.statusCode,
      });
      expect(one.warcHeader('WARC-Record-ID')).toMatch(/^<urn:uuid:[0-9a-f-]{36}>$/);
      expect(one.warcBlockDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
    }
    expect(records).toEqual([
      { type: 'warcinfo', url: undefined, text: expect.stringContaining('software: pagewright'), status: undefined },
      { type: 'response', url: 'https://docs.test/a', text: html('https://docs.test/a'), status: 200 },
      { type: 'conversion', url: 'https://docs.test/a', text: '# https://docs.test/a\n', status: undefined },
    ].map((one) => ({ ...one, url: one.url ?? records[0]?.url }))); // prettier-ignore
    // Each record is a gzip file of its own, so that it can be read from its offset.
    if (name.endsWith('.gz')) {
      const bytes = readFileSync(file);
      const second = bytes.indexOf(Buffer.from('1f8b08', 'hex'), 1);
      expect(gunzipSync(bytes.subarray(second)).toString()).toMatch(
        /^WARC\/1\.1\r\nWARC-Type: response/,
      );
    }
  });

  test('of another program is read', async () => {
    const make = (url: string): WARCRecord =>
      WARCRecord.create(
        { url, type: 'response', date: '2020-01-02T03:04:05Z', httpHeaders: { 'Content-Type': 'text/html', 'X-A': '1' }, statusline: 'HTTP/1.1 201 Created' },
        [Buffer.from('<p>'), Buffer.from('hi')],
      ); // prettier-ignore
    const info = WARCRecord.createWARCInfo({ filename: name }, { software: 'x' });
    const parts: Uint8Array[] = [];
    for (const one of [info, make('https://docs.test/a'), make('https://docs.test/b')]) {
      parts.push(await WARCSerializer.serialize(one, { gzip: name.endsWith('.gz') }));
    }
    const read = await gather(readWarc(fileOf(...parts)));
    expect(read.map(({ url }) => url)).toEqual(['https://docs.test/a', 'https://docs.test/b']);
    expect(read[0]).toMatchObject({
      status: 201,
      headers: { 'content-type': 'text/html', 'x-a': '1' },
      body: Buffer.from('<p>hi'),
      date: new Date('2020-01-02T03:04:05Z'),
    });
  });

  test('is parsed as a page of the web is', async () => {
    const file = join(emptyFolder(), name);
    await writeWarc([rawPage('https://docs.test/a')], file);
    for await (const { url, headers, body } of readWarc(file)) {
      const document = await parse(Buffer.from(body), {
        url,
        contentType: headers['content-type'],
      });
      expect(document.markdown).toContain('# Größe https://docs.test/a\n\n東京');
      expect(document.metadata.url).toBe('https://docs.test/a');
    }
  });
});

describe('records of every shape', () => {
  const body = '<p>Hello</p>'.repeat(100);
  const chunked = `5\r\n${body.slice(0, 5)}\r\n${(body.length - 5).toString(16)};x=y\r\n${body.slice(5)}\r\n0\r\n\r\n`;
  test.each([
    ['plain', http('Content-Length: 5\r\n', body)],
    ['chunked', http('Transfer-Encoding: chunked\r\n', chunked)],
    ['said to be chunked', http('Transfer-Encoding: chunked\r\n', body)],
    ['gzip', http('Content-Encoding: gzip\r\n', gzipSync(body))],
    ['brotli', http('content-encoding: br\r\n', brotliCompressSync(body))],
    ['deflate', http('Content-Encoding: deflate\r\n', deflateSync(body))],
    ['raw deflate', http('Content-Encoding: deflate\r\n', deflateRawSync(body))],
    ['said to be gzip', http('Content-Encoding: gzip\r\n', body)],
    ['cut in its packed data', http('Content-Encoding: gzip\r\n', gzipSync(body).subarray(0, -8))],
  ])('a body that is %s', async (_, block) => {
    const [read] = await gather(readWarc(fileOf(record(block))));
    expect(Buffer.from(read?.body ?? []).toString()).toBe(body);
    expect(read?.headers).toEqual({});
  });

  test('packed data that is damaged stays as it is, with its header, and the next page comes', async () => {
    const bytes = gzipSync(body);
    bytes.fill(0xff, 12, 20);
    const file = fileOf(record(http('Content-Encoding: gzip\r\n', bytes)), record(http('', body)));
    const [first, second] = await gather(readWarc(file));
    expect(first).toMatchObject({ headers: { 'content-encoding': 'gzip' }, body: bytes });
    expect(Buffer.from(second?.body ?? []).toString()).toBe(body);
  });

  test('others than pages are passed over', async () => {
    const file = fileOf(
      record('a: b\r\n', { 'WARC-Type': 'warcinfo' }),
      record(http('', 'x'), { 'WARC-Type': 'revisit' }),
      record('GET / HTTP/1.1\r\n\r\n', { 'WARC-Type': 'request' }),
      record('example.com. 60 IN A 1.2.3.4', { 'WARC-Target-URI': 'dns:example.com' }),
      record('no http at all'),
      record('<p>', { 'WARC-Type': 'resource', 'Content-Type': 'text/html' }),
      record(http('A: 1\r\na: 2\r\nbroken\r\n', 'x'), {
        'WARC-Target-URI': '<https://docs.test/b>',
      }),
    );
    const read = await gather(readWarc(file));
    expect(read.map(({ url, headers }) => [url, headers])).toEqual([
      ['https://docs.test/', { 'content-type': 'text/html' }],
      ['https://docs.test/b', { a: '1, 2' }],
    ]);
  });

  test('binary content, of which rawHtml has nothing, is marked as missing', async () => {
    const file = join(emptyFolder(), 'a.warc');
    await writeWarc(
      [page('https://docs.test/x.pdf', { rawHtml: '' }, { contentType: 'application/pdf' })],
      file,
    );
    expect(readFileSync(file, 'utf8')).toContain('\r\nWARC-Truncated: unspecified\r\n');
    const [read] = await gather(readWarc(file));
    expect(read?.body).toHaveLength(0);
  });
});

describe('what is damaged or hostile', () => {
  const whole = [record(http('', 'first')), record(http('', 'second'))];

  test('a cut file gives what is whole, then STORAGE', async () => {
    for (const packed of [false, true]) {
      const parts = packed ? whole.map((part) => gzipSync(part)) : whole;
      const bytes = Buffer.concat(parts);
      const urls: string[] = [];
      const all = async (): Promise<void> => {
        for await (const { url } of readWarc(fileOf(bytes.subarray(0, -15)))) urls.push(url);
      };
      await expect(all()).rejects.toMatchObject({
        code: 'STORAGE',
        message: expect.stringMatching(/record 2 is cut off: \d+ of \d+ bytes/),
      });
      expect(urls).toHaveLength(1);
    }
  });

  test.each([
    ['text', 'hello'],
    ['HTML', '<!doctype html>'.repeat(50_000)],
    ['a head without an end', `WARC/1.0\r\n${'a: b\r\n'.repeat(100_000)}`],
    ['no length', 'WARC/1.0\r\nWARC-Type: response\r\n\r\n'],
    ['a length below 0', 'WARC/1.0\r\nContent-Length: -1\r\n\r\n'],
  ])('%s is no WARC', async (_, text) => {
    await expect(gather(readWarc(fileOf(Buffer.from(text))))).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringMatching(/record 1 is not a WARC record/),
    });
  });

  test('a body that is too large, or becomes so, says which option to raise', async () => {
    const bomb = http('Content-Encoding: gzip\r\n', gzipSync(Buffer.alloc(5_000_000)));
    for (const block of [bomb, http('', Buffer.alloc(5_000_000))]) {
      const file = fileOf(record(block));
      await expect(gather(readWarc(file, { maxBodyBytes: 1_000_000 }))).rejects.toMatchObject({
        code: 'BODY_TOO_LARGE',
        message: expect.stringMatching(/more than 1000000 bytes\. Raise maxBodyBytes/),
      });
      expect(await gather(readWarc(file))).toHaveLength(1);
    }
  });

  test('no fact of a page adds a header', async () => {
    const file = join(emptyFolder(), 'a.warc');
    const contentType = 'text/html\r\nSet-Cookie: a=b\r\n\r\n<script>';
    await writeWarc([rawPage('https://docs.test/', { contentType, statusCode: 1e9 })], file);
    const [read] = await gather(readWarc(file));
    expect(read).toMatchObject({ status: 200, body: Buffer.from(html('https://docs.test/')) });
    expect(Object.keys(read?.headers ?? {})).toEqual(['content-type']);
  });

  test('documents without rawHtml are refused, and nothing is left', async () => {
    const folder = emptyFolder();
    const file = join(folder, 'a.warc.gz');
    await expect(writeWarc([page('https://docs.test/')], file)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining("formats: ['rawHtml']"),
    });
    await expect(writeWarc(broken(0), file)).rejects.toThrow('the source broke');
    expect(filesIn(folder)).toEqual([]);
    await expect(gather(readWarc(file))).rejects.toMatchObject({ code: 'STORAGE' });
  });
});
