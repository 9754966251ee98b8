import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { hang, serve, status } from 'pagewright/testing';
import { describe, expect, test } from 'vitest';
import { rawRequest } from './raw-client.ts';

async function text(url: string): Promise<string> {
  const { status: code, body } = await rawRequest(url);
  return `${code} ${body.toString()}`;
}

test('a folder is served, with its own origin in the links', async () => {
  await using server = await serve('fixtures/sites/docs');
  expect(await text(server.url('/robots.txt'))).toContain(`${server.origin}/`);
  const moved = await rawRequest(server.url('/docs/concepts/glossary?x'));
  expect(moved).toMatchObject({ status: 301, headers: { location: '/docs/concepts/glossary/?x' } });
  expect((await rawRequest(server.url('/docs/v1/'))).status).toBe(410);
  expect((await rawRequest(server.url('/../site.json'))).status).toBe(404);
});

test('the delay of site.json is waited for', async () => {
  await using server = await serve('fixtures/sites/docs');
  const { headTime } = await rawRequest(server.url('/docs/reference/cheatsheet.txt'));
  expect(headTime).toBeGreaterThan(190);
});

describe('pages in memory', () => {
  test('texts, answers and functions, by path or by path and query', async () => {
    await using server = await serve({
      '/': '<p>home of {{origin}}</p>',
      '/list': 'all',
      '/list?page=2': 'second',
      '/gone': { status: 410, body: 'gone' },
      '/bytes': { body: new Uint8Array([0, 255]) },
      '/map.xml': '<urlset/>',
      '/echo': ({ method, url, headers }) => `${method} ${url} ${headers['x-test']}`,
      '/later': async () => Promise.resolve({ status: 201, headers: { Location: '{{origin}}/x' } }),
      '/nothing': () => undefined,
    });
    expect(await text(server.url('/'))).toBe(`200 <p>home of ${server.origin}</p>`);
    expect(await text(server.url('/list?page=1'))).toBe('200 all');
    expect(await text(server.url('/list?page=2'))).toBe('200 second');
    expect(await text(server.url('/gone'))).toBe('410 gone');
    expect(await text(server.url('/nothing'))).toBe('404 404 Not Found');
    expect(await text(server.url('/toString'))).toBe('404 404 Not Found');
    expect([...(await rawRequest(server.url('/bytes'))).body]).toEqual([0, 255]);
    const typeOf = async (path: string): Promise<unknown> =>
      (await rawRequest(server.url(path))).headers['content-type'];
    expect(await typeOf('/')).toBe('text/html; charset=utf-8');
    expect(await typeOf('/map.xml')).toBe('application/xml');
    expect(await typeOf('/bytes')).toBe('application/octet-stream');
    const echo = await rawRequest(server.url('/echo?a'), { headers: { 'X-Test': 'yes' } });
    expect(echo.body.toString()).toBe('GET /echo?a yes');
    const later = await rawRequest(server.url('/later'));
    expect(later).toMatchObject({ status: 201, headers: { location: `${server.origin}/x` } });
  });

  test('one function may answer everything', async () => {
    await using server = await serve(({ url }) => (url === '/no' ? undefined : `this is ${url}`));
    expect(await text(server.url('/a?b=c'))).toBe('200 this is /a?b=c');
    expect(await text(server.url('/no'))).toBe('404 404 Not Found');
  });

  test('a record may be changed while it is served', async () => {
    const pages: Record<string, string> = { '/': 'one' };
    await using server = await serve(pages);
    expect(await text(server.url('/'))).toBe('200 one');
    pages['/'] = 'two';
    expect(await text(server.url('/'))).toBe('200 two');
  });

  test('a page function that throws is told to the client', async () => {
    await using server = await serve(() => {
      throw new Error('oh no');
    });
    expect(await text(server.url('/'))).toMatch(/^500 The test site failed: Error: oh no/);
  });
});

test('the log has what was asked, in order', async () => {
  await using server = await serve(() => 'x');
  // The clock of the machine may be set while the tests run; this one goes on.
  const now = (): number => performance.timeOrigin + performance.now();
  const before = now();
  await rawRequest(server.url('/a?b=1'), { headers: { Host: 'other.test', 'X-Test': 'yes' } });
  await rawRequest(server.url('/hook'), { method: 'POST', send: 'päyload' });
  const [first, second, ...others] = server.log;
  expect(others).toEqual([]);
  expect(first).toMatchObject({ method: 'GET', url: '/a?b=1', host: 'other.test' });
  expect(first?.headers['x-test']).toBe('yes');
  expect(second).toMatchObject({ method: 'POST', url: '/hook', host: new URL(server.origin).host });
  expect(Buffer.from(second?.body ?? []).toString()).toBe('päyload');
  expect(first?.time).toBeGreaterThanOrEqual(before);
  expect(second?.time).toBeGreaterThanOrEqual(first?.time ?? Infinity);
  expect(second?.time).toBeLessThanOrEqual(now());
  server.clearLog();
  expect(server.log).toEqual([]);
});

test('behaviours are found by query, by path and by the longest start', async () => {
  await using server = await serve(() => 'plain', {
    behaviours: {
      '/a?x=1': status({ code: 401 }),
      '/a': status({ code: 402 }),
      '/*': status({ code: 403 }),
      '/a/*': status({ code: 404 }),
    },
  });
  const codes = ['/a?x=1', '/a?x=2', '/a', '/a/b', '/b'].map(async (path) => {
    return (await rawRequest(server.url(path))).status;
  });
  expect(await Promise.all(codes)).toEqual([401, 402, 402, 404, 403]);
});

test('close breaks what is open, frees the port and may be called twice', async () => {
  const server = await serve({}, { behaviours: { '*': hang() } });
  const pending = rawRequest(server.url('/'));
  const { port } = new URL(server.origin);
  const idle = connect(Number(port), '127.0.0.1');
  idle.on('error', () => undefined);
  while (server.openSockets < 2) await sleep(5);
  const closed = once(idle, 'close');
  await server.close();
  await closed;
  expect((await pending).failure).toBe('ECONNRESET');
  expect(server.openSockets).toBe(0);
  await server.close();
  await using again = await serve({}, { port: Number(port) });
  expect(again.origin).toBe(server.origin);
});

test('a port that is taken is an error', async () => {
  await using server = await serve({});
  await expect(serve({}, { port: Number(new URL(server.origin).port) })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});
