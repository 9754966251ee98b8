/** Recordings as web archives: for the tools of others, and from them. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WARCParser, WARCRecord, WARCSerializer } from 'warcio';
import { createClient, type Engine } from 'pagewright';
import { openRecording, openReplay, serve } from 'pagewright/testing';
import { memoryWeb, pageOf } from '../../support/memory-web.ts';
import { plainRequest } from './plain-request.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pagewright-warc-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Read {
  readonly type: string;
  readonly url: string | null | undefined;
  readonly fields: Headers;
  readonly block: Buffer;
  readonly offset: number;
}

/** As the reader of another tool sees it. */
async function readByWarcio(path: string): Promise<Read[]> {
  const records: Read[] = [];
  const parser = new WARCParser(createReadStream(path), { parseHttp: false });
  for await (const record of parser) {
    const block = Buffer.from(await record.readFully());
    const { warcType: type, warcTargetURI: url } = record;
    const fields = record.warcHeaders.headers as Headers;
    records.push({ type, url, fields, block, offset: parser.offset });
  }
  return records;
}

describe.each(['run.warc', 'run.warc.gz'])('%s', (name) => {
  test('is read by another tool: types, lengths, digests, one gzip member a record', async () => {
    const path = join(folder, name);
    const body = '<p>Grüße</p>'.repeat(100);
    await using server = await serve({
      '/': {
        body: gzipSync(body),
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' },
      },
      '/old': { status: 302, headers: { location: '/' } },
    });
    const rendering: Engine = {
      ...memoryWeb({ 'http://app.test/': pageOf('App') }),
      name: 'app',
      can: new Set(['render']),
      handles: (url) => url.startsWith('http://app.test/'),
    };
    {
      await using recording = await openRecording(path);
      await using client = createClient({
        network: { allow: ['127.0.0.1'] },
        engines: (builtIn) => recording.engines([rendering, ...builtIn]),
      });
      await client.scrape(server.url('/old'));
      await client.scrape('http://app.test/');
      await client.scrape('http://127.0.0.1:2/', { retries: 0 }).catch(() => undefined);
    }
    const records = await readByWarcio(path);
    expect(records.map(({ type }) => type)).toEqual([
      'warcinfo',
      'metadata',
      'metadata',
      'metadata',
      'metadata',
      'request',
      'response',
      'metadata',
      'request',
      'resource',
      'metadata',
      'metadata',
    ]);
    for (const { fields, block } of records) {
      expect(fields.get('content-length')).toBe(String(block.length));
      const digest = createHash('sha256').update(block).digest('hex');
      expect(fields.get('warc-block-digest')).toBe(`sha256:${digest}`);
    }
    const [, response] = records.filter(({ type }) => /^(?:request|response)$/.test(type));
    expect(response?.url).toBe(server.url('/'));
    const [head, payload] = (response?.block.toString() ?? '').split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toContain(`content-length: ${Buffer.byteLength(body)}`);
    expect(head).not.toContain('content-encoding');
    expect(payload).toBe(body);
    const digest = createHash('sha256').update(body).digest('hex');
    expect(response?.fields.get('warc-payload-digest')).toBe(`sha256:${digest}`);
    if (name.endsWith('.gz')) {
      const bytes = await readFile(path);
      for (const { offset } of records) expect(bytes.readUInt16BE(offset)).toBe(0x1f8b);
      expect(gunzipSync(bytes).toString('latin1').split('WARC/1.1\r\n').length).toBe(
        records.length + 1,
      );
    }
    const replay = await openReplay(path);
    await using client = createClient({ engines: replay.engines });
    const { markdown, metadata } = await client.scrape(server.url('/old'));
    expect(markdown).toContain('Grüße');
    expect(metadata).toMatchObject({ url: server.url('/'), engine: 'http' });
    expect((await client.scrape('http://app.test/')).markdown).toContain('App');
    await expect(client.scrape('http://127.0.0.1:2/', { retries: 0 })).rejects.toMatchObject({
      code: 'CONNECTION_REFUSED',
    });
    expect(replay.unused()).toEqual([]);
  });
});

/** A response as a crawler keeps it. */
async function archived(
  url: string,
  body: Uint8Array | string,
  more: { status?: string; headers?: Record<string, string>; type?: 'response' | 'revisit' } = {},
): Promise<Uint8Array> {
  const { status = '200 OK', headers = { 'Content-Type': 'text/html' }, type = 'response' } = more;
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const record = WARCRecord.create(
    {
      url,
      type,
      httpHeaders: headers,
      statusline: `HTTP/1.1 ${status}`,
      date: '2026-01-01T00:00:00Z',
    },
    [bytes],
  );
  return WARCSerializer.serialize(record, { gzip: true });
}

async function archive(...records: readonly Uint8Array[]): Promise<string> {
  const path = join(folder, 'crawl.warc.gz');
  const information = WARCRecord.createWARCInfo(
    { filename: 'crawl.warc.gz' },
    { software: 'other' },
  );
  const first = await WARCSerializer.serialize(information, { gzip: true });
  await writeFile(path, Buffer.concat([first, ...records]));
  return path;
}

describe('an archive of another tool', () => {
  test('is crawled: redirects followed, chunks and codings undone, what is not there a miss', async () => {
    const chunked = Buffer.from('5\r\n<p>In\r\n8; x=y\r\n pieces.\r\n0\r\n\r\n');
    const html = { 'Content-Type': 'text/html' };
    const path = await archive(
      await archived('http://old.test/robots.txt', 'no', { status: '404 Not Found' }),
      await archived(
        'http://old.test/',
        `${pageOf('Home', ['/moved', '/packed', '/chunked', '/gone'])}`,
      ),
      await archived('http://old.test/moved', '', {
        status: '301 Moved',
        headers: { Location: '/there' },
      }),
      await archived('http://old.test/there', pageOf('There')),
      await archived('http://old.test/packed', brotliCompressSync(pageOf('Packed')), {
        headers: { ...html, 'Content-Encoding': 'br' },
      }),
      await archived('<http://old.test/chunked>', chunked, {
        headers: { ...html, 'Transfer-Encoding': 'chunked' },
      }),
      await archived('dns:old.test', 'old.test 1 A 127.0.0.1'),
    );
    const replay = await openReplay(path);
    await using client = createClient({ engines: replay.engines });
    const job = client.crawl('http://old.test/', { sitemap: 'skip' });
    const pages: Record<string, string> = {};
    for await (const { metadata, markdown } of job) pages[metadata.url] = markdown;
    expect(Object.keys(pages).map((url) => new URL(url).pathname)).toEqual([
      '/',
      '/there',
      '/packed',
      '/chunked',
    ]);
    expect(pages['http://old.test/packed']).toContain('the page about Packed');
    expect(pages['http://old.test/chunked']).toContain('In pieces.');
    expect(job.errors()).toMatchObject([{ url: 'http://old.test/gone', code: 'CACHE_MISS' }]);
    expect(replay.warnings).toEqual([]);
  });

  test('has the body of a revisit where it was stored first', async () => {
    const first = await archived('http://a.test/1', pageOf('Once'));
    const digest = /WARC-Payload-Digest: (\S+)/i.exec(gunzipSync(first).toString())?.[1] ?? '';
    const revisit = WARCRecord.create(
      {
        url: 'http://a.test/2',
        type: 'revisit',
        httpHeaders: { 'Content-Type': 'text/html' },
        warcHeaders: { 'WARC-Payload-Digest': digest },
      },
      [],
    );
    const unknown = WARCRecord.create({ url: 'http://a.test/3', type: 'revisit' }, []);
    const serialize = (record: WARCRecord): Promise<Uint8Array> =>
      WARCSerializer.serialize(record, { gzip: true });
    const path = await archive(first, await serialize(revisit), await serialize(unknown));
    const replay = await openReplay(path);
    const [engine] = replay.engines();
    const snapshot = await engine?.fetch(plainRequest('http://a.test/2'));
    expect(Buffer.from(snapshot?.body ?? []).toString()).toBe(pageOf('Once'));
    expect(replay.warnings).toEqual([expect.stringContaining('http://a.test/3')]);
  });

  test('that breaks off is an error, or served up to there', async () => {
    const path = await archive(
      await archived('http://a.test/1', pageOf('One')),
      await archived('http://a.test/2', pageOf('Two')),
    );
    const bytes = await readFile(path);
    await writeFile(path, bytes.subarray(0, -30));
    await expect(openReplay(path)).rejects.toMatchObject({ code: 'STORAGE' });
    const replay = await openReplay(path, { acceptCut: true });
    expect(replay.unused().map(({ url }) => url)).toEqual(['http://a.test/1']);
    expect(replay.warnings).toHaveLength(1);
  });

  const head = 'WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\n';
  test.each([
    [
      'a length beyond the end',
      `${head}Content-Length: 5000\r\n\r\nshort`,
      /length of that is wrong/,
    ],
    [
      'a length beyond all',
      `${head}Content-Length: 999999999999\r\n\r\nshort`,
      /length of that is wrong/,
    ],
    [
      'a length of many digits',
      `${head}Content-Length: 9e99\r\n\r\nshort`,
      /Content-Length in record 1/,
    ],
    ['no length', `${head}\r\nshort`, /Content-Length in record 1/],
    [
      'a length that is too short',
      `${head}Content-Length: 2\r\n\r\nlonger\r\n\r\n`,
      /beginning of record 2/,
    ],
    ['an endless line', `${head}X: ${'x'.repeat(200_000)}`, /line of more than/],
    ['endless lines', head + 'X: y\r\n'.repeat(10_000), /lines in the head of record 1/],
    [
      'a bomb',
      gzipSync(`${head}Content-Length: 60000000\r\n\r\n${' '.repeat(60_000_000)}`),
      /more than 2000000 bytes/,
    ],
  ])('with %s is STORAGE', async (_, content, message) => {
    const path = join(folder, 'hostile.warc');
    await writeFile(path, content);
    const opening = openReplay(path, { maxBytes: 2_000_000 });
    await expect(opening).rejects.toMatchObject({ code: 'STORAGE' });
    await expect(opening).rejects.toThrow(message);
  });

  test('with a response that is none leaves it out, and a body that is a bomb fails its page', async () => {
    const bomb = gzipSync(Buffer.alloc(60_000_000));
    const path = await archive(
      await archived('http://a.test/bomb', bomb, { headers: { 'Content-Encoding': 'gzip' } }),
      await archived('http://a.test/loop', '', {
        status: '302 Found',
        headers: { Location: '/loop' },
      }),
      await archived('http://a.test/none', 'x', { status: 'no status at all' }),
    );
    const replay = await openReplay(path);
    const [engine] = replay.engines();
    expect(replay.warnings).toEqual([expect.stringContaining('http://a.test/none')]);
    const bombed = engine?.fetch(plainRequest('http://a.test/bomb'));
    await expect(bombed).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
    const looped = engine?.fetch(plainRequest('http://a.test/loop'));
    await expect(looped).rejects.toMatchObject({ code: 'TOO_MANY_REDIRECTS' });
  });
});
