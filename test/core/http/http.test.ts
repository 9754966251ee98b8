import { describe, expect, test } from 'vitest';
import { get, labEngine, pageRequest, serve, serveRaw, text } from './http-lab.ts';

describe('a response', () => {
  test('becomes a snapshot', async () => {
    const { origin, log } = await serve((_, response) => {
      response.sendDate = false;
      response.writeHead(200, { 'content-type': 'text/html', 'X-Two': ['a', 'b'] });
      response.end('<p>hello');
    });
    const { body, ...snapshot } = await get(`${origin}/page?q=1#part`);
    expect(Buffer.from(body).toString()).toBe('<p>hello');
    expect(snapshot).toEqual({
      url: `${origin}/page?q=1`,
      statusCode: 200,
      headers: {
        'content-type': 'text/html',
        'x-two': 'a, b',
        connection: 'keep-alive',
        'keep-alive': 'timeout=5',
        'transfer-encoding': 'chunked',
      },
      engine: 'http',
      redirects: [],
      warnings: [],
      requests: 1,
      bytes: 8,
    });
    expect(log).toEqual(['/page?q=1']);
  });

  test.each([400, 401, 404, 429, 500, 503])('of status %i is a snapshot too', async (status) => {
    const { origin } = await serve((_, response) => response.writeHead(status).end('sorry'));
    const snapshot = await get(origin);
    expect(snapshot.statusCode).toBe(status);
    expect(text(snapshot)).toBe('sorry');
  });

  test.each([204, 205, 304])('of status %i has an empty body', async (status) => {
    const { origin } = await serve((_, response) => response.writeHead(status).end());
    const snapshot = await get(origin);
    expect(snapshot).toMatchObject({ statusCode: status, warnings: [], bytes: 0 });
    expect(snapshot.body.length).toBe(0);
  });

  test('may have no body at all', async () => {
    const { origin } = await serve((_, response) => response.end());
    const snapshot = await get(origin);
    expect(snapshot).toMatchObject({ statusCode: 200, warnings: [] });
    expect(snapshot.body.length).toBe(0);
  });

  test('of HTTP/1.0 ends with its connection', async () => {
    const { origin } = await serveRaw((socket) => {
      socket.end('HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nold but whole');
    });
    const snapshot = await get(origin);
    expect(text(snapshot)).toBe('old but whole');
    expect(snapshot.warnings).toEqual([]);
  });

  test('may come after early hints', async () => {
    const { origin } = await serve((_, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.end('after the hints');
    });
    expect(text(await get(origin))).toBe('after the hints');
  });

  test('may name a header that means something to JavaScript', async () => {
    const { origin } = await serveRaw((socket) => {
      socket.end(
        'HTTP/1.1 200 OK\r\n__proto__: a\r\n__proto__: b\r\nconstructor: c\r\nContent-Length: 2\r\n\r\nok',
      );
    });
    const { headers } = await get(origin);
    expect(Object.entries(headers)).toContainEqual(['__proto__', 'a, b']);
    expect(headers['constructor']).toBe('c');
  });
});

describe('a request', () => {
  const echo = (): ReturnType<typeof serve> =>
    serve((request, response) => response.end(JSON.stringify(request.headers)));

  test('has the headers of a browser and the name of the client', async () => {
    const { origin, port } = await echo();
    expect(JSON.parse(text(await get(origin)))).toEqual({
      host: `127.0.0.1:${port}`,
      connection: 'keep-alive',
      'user-agent': 'lab/1.0',
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'accept-language': 'en-US,en;q=0.9',
      'accept-encoding': expect.stringMatching(/^gzip, deflate, br(, zstd)?$/) as string,
    });
  });

  test("prefers the caller's headers in any case", async () => {
    const { origin } = await echo();
    const headers = { 'User-Agent': 'mine', ACCEPT: 'text/plain', 'x-more': '1' };
    const sent = JSON.parse(text(await get(origin, { headers }))) as Record<string, string>;
    expect(sent).toMatchObject({ 'user-agent': 'mine', accept: 'text/plain', 'x-more': '1' });
  });

  test('does not tell credentials that stand in the URL', async () => {
    const { origin } = await echo();
    const snapshot = await get(origin.replace('//', '//me:secret@'));
    expect(text(snapshot)).not.toContain('authorization');
    expect(snapshot.url).toBe(`${origin}/`);
  });

  test('goes over a connection that an earlier one left open', async () => {
    const { origin, sockets, log } = await echo();
    const engine = labEngine();
    for (const path of ['/1', '/2', '/3']) await engine.fetch(pageRequest(origin + path));
    expect(log).toEqual(['/1', '/2', '/3']);
    expect(sockets.size).toBe(1);
  });

  test('has a connection of its own while others are busy', async () => {
    const { origin, sockets } = await serve((_, response) => {
      setTimeout(() => response.end('slow'), 50);
    });
    const engine = labEngine();
    await Promise.all([1, 2, 3].map(() => engine.fetch(pageRequest(origin))));
    expect(sockets.size).toBe(3);
  });
});
