import { describe, expect, test } from 'vitest';
import type { IncomingMessage } from 'node:http';
import {
  failure,
  get,
  type Lab,
  labEngine,
  pageRequest,
  serve,
  serveRaw,
  serveTls,
  sleep,
  text,
} from './http-lab.ts';

/** Redirects along a table; every other path answers with what it got. */
function serveTable(table: Record<string, [status: number, location: string]>): Promise<Lab> {
  return serve((request, response) => {
    const [status, location] = table[request.url ?? ''] ?? [];
    if (status === undefined) response.end(`at ${request.url ?? ''}`);
    else response.writeHead(status, { location }).end('moved');
  });
}

const seen = ({ headers }: IncomingMessage): string =>
  JSON.stringify([headers.authorization, headers.cookie, headers['proxy-authorization']]);

const credentials = { authorization: 'A', cookie: 'c=1', 'proxy-authorization': 'P' };

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('of status %i is followed', async (status) => {
    const { origin, log } = await serveTable({ '/from': [status, '/to'] });
    const snapshot = await get(`${origin}/from`);
    expect(snapshot).toMatchObject({
      url: `${origin}/to`,
      statusCode: 200,
      redirects: [`${origin}/from`],
      requests: 2,
      bytes: 6,
    });
    expect(text(snapshot)).toBe('at /to');
    expect(log).toEqual(['/from', '/to']);
  });

  test.each([300, 304, 305, 306])('of status %i is not followed', async (status) => {
    const { origin } = await serveTable({ '/from': [status, '/to'] });
    expect(await get(`${origin}/from`)).toMatchObject({ statusCode: status, redirects: [] });
  });

  test.each([
    ['without Location', ''],
    ['with an empty Location', 'Location:\r\n'],
  ])('%s is a response', async (_, header) => {
    const { origin } = await serveRaw((socket) => {
      socket.end(`HTTP/1.1 302 Found\r\n${header}Content-Length: 4\r\n\r\nbody`);
    });
    const snapshot = await get(origin);
    expect(snapshot.statusCode).toBe(302);
    expect(text(snapshot)).toBe('body');
  });

  test.each([
    ['c', '/a/c'],
    ['../c', '/c'],
    ['?q=2', '/a/b?q=2'],
    ['/c#part', '/c'],
    ['  /c  ', '/c'],
    ['/sp ace', '/sp%20ace'],
    ['\\c', '/c'],
    ['/%e4%b8%ad', '/%e4%b8%ad'],
  ])('to %j leads to %s', async (location, path) => {
    const { origin } = await serveRaw((socket, count) => {
      socket.write(
        count === 1
          ? `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`
          : 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
      );
    });
    expect((await get(`${origin}/a/b?q=1`)).url).toBe(origin + path);
  });

  test('in raw UTF-8 or Latin-1 bytes leads to their letters', async () => {
    const paths: [bytes: Buffer, path: string][] = [
      [Buffer.from('/é', 'utf8'), '/%C3%A9'],
      [Buffer.from('/é', 'latin1'), '/%C3%A9'],
    ];
    for (const [bytes, path] of paths) {
      const { origin } = await serveRaw((socket, count) => {
        if (count > 1) return void socket.end('HTTP/1.1 200 OK\r\n\r\n');
        socket.write('HTTP/1.1 302 Found\r\nLocation: ');
        socket.write(bytes);
        socket.write('\r\nContent-Length: 0\r\n\r\n');
      });
      expect((await get(origin)).url).toBe(origin + path);
    }
  });

  test('without a scheme keeps that of the page', async () => {
    const other = await serve((_, response) => response.end('other'));
    const { origin } = await serveTable({ '/': [302, `//127.0.0.1:${other.port}/x`] });
    expect((await get(origin)).url).toBe(`${other.origin}/x`);
  });

  test.each([
    ['http://', 'to an invalid URL'],
    ['http://a b/', 'to an invalid URL'],
    ['http://127.0.0.1:99999/', 'to an invalid URL'],
    ['ftp://127.0.0.1/', 'to a URL that is not http or https'],
    ['javascript:alert(1)', 'to a URL that is not http or https'],
    ['data:text/html,hi', 'to a URL that is not http or https'],
    ['file:///etc/passwd', 'to a URL that is not http or https'],
    ['mailto:a@b.test', 'to a URL that is not http or https'],
  ])('to %j is BAD_REDIRECT', async (location, message) => {
    const { origin } = await serveTable({ '/': [302, location] });
    const error = await failure(get(origin));
    expect(error.code).toBe('BAD_REDIRECT');
    expect(error.message).toContain(`${origin}/ redirects ${message}: ${JSON.stringify(location)}`);
  });

  test('to two places is BAD_REDIRECT, twice to one place is not', async () => {
    const answer = (a: string, b: string): ReturnType<typeof serveRaw> =>
      serveRaw((socket, count) => {
        socket.end(
          count === 1
            ? `HTTP/1.1 302 Found\r\nLocation: ${a}\r\nLocation: ${b}\r\nContent-Length: 0\r\n\r\n`
            : 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
        );
      });
    expect((await failure(get((await answer('/a', '/b')).origin))).code).toBe('BAD_REDIRECT');
    expect((await get((await answer('/a', '/a')).origin)).statusCode).toBe(200);
  });

  test('does not wait for its body, nor keep the connection that would send it', async () => {
    const { origin, sockets } = await serve((request, response) => {
      if (request.url === '/to') return void response.end('there');
      response.writeHead(302, { location: '/to' }).write('a body that never ends');
    });
    const start = performance.now();
    expect(text(await get(`${origin}/from`))).toBe('there');
    expect(performance.now() - start).toBeLessThan(5000);
    await sleep(20);
    expect(sockets.size).toBeLessThanOrEqual(1);
  });

  test('with a small body keeps its connection', async () => {
    const { origin, sockets } = await serveTable({ '/from': [302, '/to'] });
    const engine = labEngine();
    await engine.fetch(pageRequest(`${origin}/from`));
    await engine.fetch(pageRequest(`${origin}/from`));
    expect(sockets.size).toBe(1);
  });
});

describe('the number of redirects', () => {
  const countdown = (): Promise<Lab> =>
    serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('done');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });

  test('may reach the limit', async () => {
    const { origin, log } = await countdown();
    expect((await get(`${origin}/10`)).redirects).toHaveLength(10);
    expect(log).toHaveLength(11);
  });

  test('may not go beyond it', async () => {
    const { origin, log } = await countdown();
    const error = await failure(get(`${origin}/11`));
    expect(error.code).toBe('TOO_MANY_REDIRECTS');
    expect(error.message).toBe(
      `${origin}/11 redirects more than 10 times, at last to ${origin}/1. Raise limits.redirects, or send the cookies that the site asks for.`,
    );
    expect(log).toHaveLength(11);
  });

  test('can be none', async () => {
    const { origin, log } = await countdown();
    const error = await failure(get(`${origin}/1`, { limits: { redirects: 0 } }));
    expect(error.code).toBe('TOO_MANY_REDIRECTS');
    expect(log).toEqual(['/1']);
    expect(text(await get(`${origin}/0`, { limits: { redirects: 0 } }))).toBe('done');
  });

  test('does not matter in a loop, which ends at its second round', async () => {
    const { origin, log } = await serveTable({ '/a': [302, '/b'], '/b': [302, '/a'] });
    const error = await failure(get(`${origin}/a`));
    expect(error.code).toBe('TOO_MANY_REDIRECTS');
    expect(error.message).toContain('redirects in a loop');
    expect(log).toEqual(['/a', '/b']);
  });

  test('is reached by a loop whose cookies change every time', async () => {
    let count = 0;
    const { origin, log } = await serve((_, response) => {
      response.writeHead(302, { location: '/', 'set-cookie': `n=${++count}` }).end();
    });
    expect((await failure(get(origin))).code).toBe('TOO_MANY_REDIRECTS');
    expect(log).toHaveLength(11);
  });
});

describe('cookies set on the way', () => {
  test('are sent on the next hop, and a page that needs them is reached', async () => {
    const { origin, log } = await serve((request, response) => {
      if (request.headers.cookie?.includes('pass=1')) return void response.end('welcome');
      response.writeHead(302, { location: '/', 'set-cookie': 'pass=1; Path=/; HttpOnly' }).end();
    });
    expect(text(await get(origin))).toBe('welcome');
    expect(log).toEqual(['/', '/']);
  });

  test("join the caller's and replace their namesakes", async () => {
    const { origin } = await serve((request, response) => {
      if (request.url === '/to') return void response.end(request.headers.cookie);
      const cookies = ['session=new; Path=/', 'theme=dark', 'other=1; Path=/elsewhere'];
      response.writeHead(302, { location: '/to', 'set-cookie': cookies }).end();
    });
    const headers = { cookie: 'session=old; mine=1' };
    expect(text(await get(`${origin}/from`, { headers }))).toBe('mine=1; session=new; theme=dark');
  });

  test('do not go to another host, nor to the next fetch', async () => {
    const other = await serve((request, response) => response.end(seen(request)));
    const { origin } = await serve((request, response) => {
      if (request.url === '/echo') return void response.end(seen(request));
      const location = `http://localhost:${other.port}/`;
      response.writeHead(302, { location, 'set-cookie': 'secret=1; Path=/' }).end();
    });
    const engine = labEngine();
    expect(text(await engine.fetch(pageRequest(origin)))).toBe('[null,null,null]');
    expect(text(await engine.fetch(pageRequest(`${origin}/echo`)))).toBe('[null,null,null]');
  });

  test('that a host may not set are ignored', async () => {
    const { origin } = await serve((request, response) => {
      if (request.url === '/to') return void response.end(request.headers.cookie ?? 'none');
      const cookies = ['a=1; Domain=example.com', 'b=2; Domain=com', ';;;', '='];
      response.writeHead(302, { location: '/to', 'set-cookie': cookies }).end();
    });
    expect(text(await get(origin))).toBe('none');
  });
});

describe('credentials', () => {
  test('stay on the same host with same-site', async () => {
    const other = await serve((request, response) => response.end(seen(request)));
    const { origin } = await serveTable({ '/': [302, `${other.origin}/`] });
    expect(
      text(await get(origin, { headers: credentials, redirectCredentials: 'same-site' })),
    ).toBe('["A","c=1","P"]');
  });

  test('stay behind when the site changes, and do not come back', async () => {
    const second = await serve((request, response) => {
      if (request.url === '/end') return void response.end(seen(request));
      response.writeHead(302, { location: `${first.origin}/back`, 'x-seen': seen(request) }).end();
    });
    const first = await serve((request, response) => {
      if (request.url === '/back') return void response.end(seen(request));
      response.writeHead(302, { location: `http://localhost:${second.port}/` }).end();
    });
    expect(text(await get(first.origin, { headers: credentials }))).toBe('[null,null,null]');
    const toOther = await serveTable({ '/': [302, `http://localhost:${second.port}/end`] });
    expect(text(await get(toOther.origin, { headers: credentials }))).toBe('[null,null,null]');
  });

  test('stay behind when the connection loses its encryption', async () => {
    const plain = await serve((request, response) => response.end(seen(request)));
    const { origin } = await serveTls((_, response) => {
      response.writeHead(302, { location: `${plain.origin}/` }).end();
    });
    expect(text(await get(origin, { headers: credentials }))).toBe('[null,null,null]');
  });

  test('go along when the connection becomes encrypted', async () => {
    const secure = await serveTls((request, response) => response.end(seen(request)));
    const { origin } = await serveTable({ '/': [302, `${secure.origin}/`] });
    expect(text(await get(origin, { headers: credentials }))).toBe('["A","c=1","P"]');
  });

  test('in a Location are dropped, and other headers go along', async () => {
    const { origin } = await serve((request, response) => {
      if (request.url === '/to') return void response.end(JSON.stringify(request.headers));
      const location = `http://user:pass@${request.headers.host ?? ''}/to`;
      response.writeHead(302, { location }).end();
    });
    const snapshot = await get(origin, { headers: { 'x-own': '1' } });
    expect(snapshot.url).toBe(`${origin}/to`);
    expect(JSON.parse(text(snapshot))).toMatchObject({ 'x-own': '1' });
    expect(text(snapshot)).not.toContain('authorization');
  });

  test('of a virtual host: a Host header does not follow to another origin', async () => {
    const other = await serve((request, response) => response.end(request.headers.host));
    const { origin } = await serve((request, response) => {
      response
        .writeHead(302, { location: `${other.origin}/`, 'x-host': request.headers.host })
        .end();
    });
    const snapshot = await get(origin, { headers: { host: 'virtual.test' } });
    expect(text(snapshot)).toBe(`127.0.0.1:${other.port}`);
  });
});

describe('the network policy', () => {
  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://10.0.0.1/',
    'http://0x7f.0.0.2/',
    'http://[::ffff:10.0.0.1]/',
  ])('is asked before a redirect to %s', async (location) => {
    const { origin, log } = await serveTable({ '/': [302, location] });
    const error = await failure(labEngine(['127.0.0.1']).fetch(pageRequest(origin)));
    expect(error.code).toBe('BLOCKED_ADDRESS');
    expect(log).toEqual(['/']);
  });

  test('is asked about what a name resolves to', async () => {
    const target = await serve((_, response) => response.end('secret'));
    const { origin } = await serveTable({ '/': [302, `http://localhost:${target.port}/`] });
    const { origin: blocked } = await serveTable({});
    const engine = labEngine(['127.0.0.1']);
    expect(text(await engine.fetch(pageRequest(origin)))).toBe('secret');
    const strict = labEngine(['203.0.113.1']);
    expect((await failure(strict.fetch(pageRequest(blocked)))).code).toBe('BLOCKED_ADDRESS');
    expect(
      (await failure(strict.fetch(pageRequest(`http://localhost:${target.port}/`)))).message,
    ).toContain("allow: ['127.0.0.1']");
    expect(target.log).toEqual(['/']);
  });
});
