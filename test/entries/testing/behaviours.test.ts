import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import {
  type Behaviour,
  challenge,
  drip,
  emptyBody,
  endless,
  endlessHeaders,
  type FixtureServer,
  flaky,
  garbage,
  gzipBomb,
  hang,
  huge,
  latency,
  raw,
  redirectLoop,
  redirectTo,
  reset,
  serve,
  slowHeaders,
  status,
  truncated,
  wrongCharset,
} from 'pagewright/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawRequest } from './raw-client.ts';

const page = '<!DOCTYPE html><p>The page itself.</p>';
const behaviours: Readonly<Record<string, Behaviour>> = {
  '/hang': hang(),
  '/slow-headers': slowHeaders({ ms: 150 }),
  '/latency/*': latency({ min: 20, max: 420, seed: 7 }),
  '/drip': drip({ bytesPerSecond: 100 }),
  '/endless': endless(),
  '/huge': huge({ bytes: 3_000_000 }),
  '/huge-undeclared': huge({ bytes: 3_000_000, declared: false }),
  '/bomb': gzipBomb({ bytes: 10_000_000 }),
  '/reset': reset(),
  '/reset-late': reset({ when: 'afterHeaders' }),
  '/truncated': truncated({ missing: 7 }),
  '/loop': redirectLoop(),
  '/away': redirectTo({ location: 'https://other.test/?a=1' }),
  '/moved': redirectTo({ location: '../relative', status: 308 }),
  '/busy': status({ code: 503, retryAfter: 2 }),
  '/teapot': status({ code: 418 }),
  '/flaky': flaky({ failures: 2 }),
  '/limited': flaky({ failures: 1, status: 429 }),
  '/charset': wrongCharset(),
  '/empty': emptyBody(),
  '/garbage': garbage(),
  '/raw': raw({
    bytes: ['HTTP/1.1 200 OK\r\ncontent-len', Buffer.from('gth: 3\r\n\r\na\xffc', 'latin1')],
  }),
  '/raw-open': raw({ bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', keepOpen: true }),
  '/endless-headers': endlessHeaders(),
  '/challenge': challenge(),
};

let server: FixtureServer;
beforeAll(async () => {
  server = await serve(() => page, { behaviours });
});
afterAll(() => server.close());

const get = (path: string, options = {}): ReturnType<typeof rawRequest> =>
  rawRequest(server.url(path), options);

test('hang takes the request and never answers', async () => {
  const { status: code, failure } = await get('/hang', { stopAfter: 300 });
  expect([code, failure]).toEqual([undefined, 'aborted']);
  expect(server.log.at(-1)?.url).toBe('/hang');
});

test('slowHeaders sends nothing for its time, then the page', async () => {
  const { headTime, body } = await get('/slow-headers');
  expect(headTime).toBeGreaterThan(145);
  expect(body.toString()).toBe(page);
});

test('latency waits as long as the URL and the seed say, within its bounds', async () => {
  const paths = Array.from({ length: 8 }, (_, at) => `/latency/${at}`);
  const timesOf = async (): Promise<number[]> => {
    const answers = await Promise.all(paths.map((path) => get(path)));
    expect(answers.every(({ body }) => body.toString() === page)).toBe(true);
    return answers.map(({ headTime }) => headTime);
  };
  const [first, second] = [await timesOf(), await timesOf()];
  for (const [at, time] of first.entries()) {
    expect(time).toBeGreaterThan(19);
    expect(Math.abs(time - (second[at] ?? NaN))).toBeLessThan(150);
  }
  expect(Math.max(...first) - Math.min(...first)).toBeGreaterThan(160);
});

test('drip sends the head at once and the body at its speed', async () => {
  const { headTime, time, body } = await get('/drip');
  expect(headTime).toBeLessThan(250);
  expect(body.toString()).toBe(page);
  expect(time - headTime).toBeGreaterThan((page.length / 100) * 1000 * 0.8);
});

test('endless never stops, but does when the client leaves', async () => {
  const { body, failure, headers } = await get('/endless', { stopAt: 5_000_000 });
  expect(failure).toBe('aborted');
  expect(body.length).toBeGreaterThanOrEqual(5_000_000);
  expect(headers['content-length']).toBeUndefined();
});

test('huge has exactly its bytes, declared or not', async () => {
  const declared = await get('/huge');
  expect([declared.body.length, declared.headers['content-length']]).toEqual([
    3_000_000,
    '3000000',
  ]);
  const undeclared = await get('/huge-undeclared');
  expect(undeclared.body.length).toBe(3_000_000);
  expect(undeclared.headers['content-length']).toBeUndefined();
});

test('gzipBomb is small and unpacks to its bytes', async () => {
  const { body, headers } = await get('/bomb');
  expect(headers['content-encoding']).toBe('gzip');
  expect(body.length).toBeLessThan(100_000);
  expect(gunzipSync(body)).toHaveLength(10_000_000);
});

test('reset resets the connection, before or after the head', async () => {
  expect(await get('/reset')).toMatchObject({ status: undefined, failure: 'ECONNRESET' });
  const late = await get('/reset-late');
  expect(late).toMatchObject({ status: 200, failure: 'ECONNRESET' });
  expect(late.body.toString()).toContain('And then');
});

test('truncated promises more than it sends', async () => {
  const { status: code, headers, body, failure } = await get('/truncated');
  expect([code, headers['content-length']]).toEqual([200, String(page.length + 7)]);
  expect(body.toString()).toBe(page);
  expect(failure).toBe('ECONNRESET');
});

test('redirectLoop leads to itself, query included', async () => {
  expect(await get('/loop?a=1')).toMatchObject({ status: 302, headers: { location: '/loop?a=1' } });
});

test('redirectTo leads where it is told', async () => {
  const away = { status: 302, headers: { location: 'https://other.test/?a=1' } };
  expect(await get('/away')).toMatchObject(away);
  expect(await get('/moved')).toMatchObject({ status: 308, headers: { location: '../relative' } });
});

test('status answers with its code and name, and Retry-After if asked', async () => {
  const busy = await get('/busy');
  expect(busy).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
  expect(busy.body.toString()).toBe('503 Service Unavailable');
  expect((await get('/teapot')).headers['retry-after']).toBeUndefined();
});

test('flaky fails so many times, then never again', async () => {
  const codes = [];
  for (let time = 0; time < 5; time++) codes.push((await get('/flaky')).status);
  expect(codes).toEqual([503, 503, 200, 200, 200]);
  expect((await get('/limited')).status).toBe(429);
  expect((await get('/limited')).body.toString()).toBe(page);
});

test('wrongCharset names another charset and sends the same bytes', async () => {
  const { headers, body } = await get('/charset');
  expect(headers['content-type']).toBe('text/html; charset=windows-1251');
  expect(body.toString()).toBe(page);
});

test('emptyBody is 200 with nothing', async () => {
  const { status: code, headers, body, failure } = await get('/empty');
  expect([code, headers['content-length'], body.length]).toEqual([200, '0', 0]);
  expect(failure).toBeUndefined();
});

test('garbage is no HTTP', async () => {
  const { status: code, failure } = await get('/garbage');
  expect(code).toBeUndefined();
  expect(failure).toMatch(/^HPE_/);
});

test('a behaviour of one’s own gets the request, the page and a signal of the end', async () => {
  const events: string[] = [];
  const own: Behaviour = async ({ url, request, page: plain, send, signal }) => {
    signal.addEventListener('abort', () => events.push('over'));
    const { body, ...rest } = await plain();
    const tagged = Buffer.from(`${request.method} ${url}: ${Buffer.from(body).toString()}`);
    send({ ...rest, headers: {}, body: tagged });
  };
  await using other = await serve({ '/a': 'plain' }, { behaviours: { '/a': own } });
  const { body } = await rawRequest(other.url('/a?b'));
  expect(body.toString()).toBe('GET /a?b: plain');
  await sleep(20);
  expect(events).toEqual(['over']);
});

test('no connection is left when all clients have gone', async () => {
  for (let wait = 0; wait < 20 && server.openSockets > 0; wait++) await sleep(25);
  expect(server.openSockets).toBe(0);
});

test('raw sends its bytes, piece by piece', async () => {
  const { status: code, body } = await get('/raw');
  expect([code, body.toString('latin1')]).toEqual([200, 'a\u00ffc']);
});

test('raw closes the connection, unless it is to stay open', async () => {
  const { body, failure } = await get('/raw-open', { stopAfter: 300 });
  expect([body.toString(), failure]).toEqual(['half', 'aborted']);
});

test('endlessHeaders sends more headers than any client takes', async () => {
  const { status: code, failure } = await get('/endless-headers');
  expect([code, failure]).toEqual([undefined, 'HPE_HEADER_OVERFLOW']);
});

test('challenge answers 403 with the mark of a bot protection', async () => {
  const { status: code, headers, body } = await get('/challenge');
  expect([code, headers['cf-mitigated']]).toEqual([403, 'challenge']);
  expect(body.toString()).toContain('Just a moment');
});
