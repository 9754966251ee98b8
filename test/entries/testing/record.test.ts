/** What a recording holds, and what it leaves out. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createClient,
  type Engine,
  type OpenPage,
  type PageRequest,
  PagewrightError,
} from 'pagewright';
import { engineConformance, openRecording, openReplay, serve } from 'pagewright/testing';
import { httpEngine } from '../../../src/core/http/http-engine.ts';
import { createNetworkPolicy } from '../../../src/core/http/network/policy.ts';
import { memoryWeb, pageOf } from '../../support/memory-web.ts';
import { plainRequest } from './plain-request.ts';

const network = { allow: ['127.0.0.1'] };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pagewright-record-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function ownHttp(): Engine {
  return httpEngine(createNetworkPolicy(network), 'test');
}

async function linesOf(path: string): Promise<Record<string, never>[]> {
  const text = await readFile(path, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, never>);
}

async function unpacked(path: string): Promise<Buffer> {
  const bytes = await readFile(path);
  return bytes[0] === 0x1f ? gunzipSync(bytes) : bytes;
}

describe('a recorded engine', () => {
  for (const { name, run } of engineConformance(async () => {
    const recording = await openRecording(join(folder, 'run.jsonl'));
    const [engine] = recording.engines([ownHttp()]);
    if (engine === undefined) throw new Error('no engine');
    return {
      ...engine,
      dispose: () => Promise.all([engine.dispose?.(), recording.close()]).then(() => undefined),
    };
  })) {
    test(`is as the engine itself: ${name}`, run);
  }

  test('keeps its name, its abilities, its cost and its URLs', async () => {
    await using recording = await openRecording(join(folder, 'run.jsonl'));
    const web = { ...memoryWeb({}), handles: (url: string) => url.startsWith('http://mine.test/') };
    const [engine] = recording.engines([web]);
    expect(engine).toMatchObject({ name: 'memory-web', can: new Set(), cost: 0 });
    expect(engine?.handles?.('http://mine.test/a')).toBe(true);
    expect(engine?.handles?.('http://other.test/a')).toBe(false);
    expect(recording.engines([ownHttp()])[0]?.handles).toBe(undefined);
  });
});

test('keeps pages open under a recording, and does not record them', async () => {
  const web = memoryWeb({ 'http://a.test/': pageOf('Open') });
  const open = (request: PageRequest): Promise<OpenPage> =>
    Promise.resolve({
      url: request.url,
      ended: new Promise(() => undefined),
      fetch: (asked) => web.fetch(asked),
      read: (asked) => web.fetch(asked),
      cookies: () => Promise.resolve([]),
      close: () => Promise.resolve([]),
    });
  const path = join(folder, 'run.jsonl');
  {
    await using recording = await openRecording(path);
    const engine: Engine = { ...web, can: new Set(['render']), open };
    await using client = createClient({ engines: () => recording.engines([engine]) });
    await using session = await client.open('http://a.test/');
    expect((await session.scrape()).markdown).toContain('Open');
  }
  const replay = await openReplay(path);
  expect(replay.unused()).toEqual([]);
  await using client = createClient({ engines: replay.engines });
  await expect(client.open('http://a.test/')).rejects.toMatchObject({
    code: 'BROWSER_UNAVAILABLE',
  });
});

describe('the file', () => {
  test('is JSON lines that a person can read: text as text, other bytes as base64', async () => {
    const path = join(folder, 'run.jsonl');
    await using server = await serve({
      '/': '<!doctype html><p>Grüße 🦉 \u2028',
      '/bytes': { body: Uint8Array.of(0, 255, 128), headers: { 'content-type': 'image/png' } },
    });
    {
      await using recording = await openRecording(path);
      await using client = createClient({ network, engines: recording.engines, browser: false });
      await client.scrape(server.url('/'), { formats: ['rawHtml'] });
      await client.scrape(server.url('/bytes'), { formats: ['rawHtml'] }).catch(() => undefined);
    }
    const [header, ...rest] = await linesOf(path);
    expect(header).toEqual({ pagewright: 'recording', version: 1 });
    expect(rest.slice(0, 2)).toEqual([
      { engine: { name: 'http', can: ['method'], cost: 10, isForSome: false } },
      { engine: { name: 'stealth', can: ['stealth', 'method'], cost: 20, isForSome: false } },
    ]);
    expect(rest[2]).toMatchObject({
      request: { engine: 'http', url: server.url('/'), rendering: {} },
      response: { statusCode: 200, body: '<!doctype html><p>Grüße 🦉 \u2028', requests: 1 },
      started: 0,
    });
    expect(rest[3]).toMatchObject({ response: { body: { base64: 'AP+A' } } });
  });

  test('has large bodies packed, and they come back byte for byte', async () => {
    const path = join(folder, 'run.jsonl');
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * at) % 251));
    await using server = await serve({ '/large': { body: bytes } });
    const request = { ...plainRequest(server.url('/large')) };
    {
      await using recording = await openRecording(path);
      await recording.engines([ownHttp()])[0]?.fetch(request);
    }
    expect((await readFile(path)).length).toBeLessThan(100_000);
    const [engine] = (await openReplay(path)).engines();
    const snapshot = await engine?.fetch(request);
    expect(bytes.equals(snapshot?.body ?? Buffer.alloc(0))).toBe(true);
  });

  test.each(['run.jsonl', 'run.warc', 'run.warc.gz'])('%s holds no secret', async (name) => {
    const path = join(folder, name);
    await using server = await serve({
      '/': { body: '<p>In</p>', headers: { 'set-cookie': 'session=S3CRET; Path=/' } },
    });
    const headers = { authorization: 'Bearer S3CRET', cookie: 'a=S3CRET', 'x-plain': 'kept' };
    const ask = async (options: { secrets?: 'keep' }): Promise<string> => {
      const recording = await openRecording(path, options);
      await using client = createClient({ network, engines: recording.engines, browser: false });
      await client
        .scrape(server.url('/').replace('//', '//user:S3CRET@'), { headers })
        .catch(() => undefined);
      await client.scrape(server.url('/'), { headers });
      await recording.close();
      const replay = await openReplay(path);
      expect(replay.unused().length).toBeGreaterThan(0);
      return (await unpacked(path)).toString('latin1');
    };
    const plain = await ask({});
    expect(plain).not.toContain('S3CRET');
    expect(plain).toContain('[redacted]');
    expect(plain).toContain('kept');
    expect(await ask({ secrets: 'keep' })).toContain('Bearer S3CRET');
  });

  test('holds what went wrong, as it was thrown', async () => {
    const path = join(folder, 'run.jsonl');
    const failures = [
      new PagewrightError('CONNECTION_RESET', 'Reset.', { url: 'http://a.test/', retryAfter: 5 }),
      new TypeError('of the caller'),
    ];
    const engine: Engine = {
      name: 'failing',
      can: new Set(),
      cost: 1,
      fetch: () => Promise.reject(failures.shift() ?? new Error('none left')),
    };
    const request = plainRequest('http://a.test/');
    {
      await using recording = await openRecording(path);
      const [recorded] = recording.engines([engine]);
      await expect(recorded?.fetch(request)).rejects.toThrow('Reset.');
      await expect(recorded?.fetch(request)).rejects.toThrow('of the caller');
    }
    const [replayed] = (await openReplay(path)).engines();
    const first = await replayed?.fetch(request).catch((error: unknown) => error);
    expect(first).toBeInstanceOf(PagewrightError);
    expect(first).toMatchObject({ code: 'CONNECTION_RESET', retryAfter: 5, retryable: true });
    const second = await replayed?.fetch(request).catch((error: unknown) => error);
    expect(second).not.toBeInstanceOf(PagewrightError);
    expect(second).toMatchObject({ message: 'of the caller' });
  });

  test('has every exchange before its page goes on, so that a killed run leaves what it had', async () => {
    const pages = Object.fromEntries(
      [1, 2, 3].map((at) => [`http://a.test/${at}`, pageOf(`${at}`)]),
    );
    for (const name of ['run.jsonl', 'run.warc', 'run.warc.gz']) {
      const path = join(folder, name);
      // Not closed before it is read, as a run that is killed closes nothing.
      await using recording = await openRecording(path);
      const [engine] = recording.engines([memoryWeb(pages)]);
      for (const url of Object.keys(pages)) await engine?.fetch(plainRequest(url));
      const replay = await openReplay(path);
      expect(replay.unused().map(({ url }) => url)).toEqual(Object.keys(pages));
    }
  });

  test('cannot be made in a folder that is not there: STORAGE', async () => {
    const opening = openRecording(join(folder, 'none', 'run.jsonl'));
    await expect(opening).rejects.toMatchObject({ code: 'STORAGE' });
    await expect(openRecording('run.jsonl.gz')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  test('on a disk that is full: the run goes on, and close tells it', async () => {
    const recording = await openRecording('/dev/full');
    const [engine] = recording.engines([memoryWeb({ 'http://a.test/': pageOf('A') })]);
    const snapshot = await engine?.fetch(plainRequest('http://a.test/'));
    expect(snapshot?.statusCode).toBe(200);
    await expect(recording.close()).rejects.toMatchObject({ code: 'STORAGE' });
  });
});
