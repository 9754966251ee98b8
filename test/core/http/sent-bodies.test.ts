/** Requests with a method and a body: as servers get them, over every client, and along redirects. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Engine } from '../../../src/core/model/engine.ts';
import type { PageRequest } from '../../../src/core/model/request.ts';
import { httpEngine } from '../../../src/core/http/http-engine.ts';
import { stealthEngine } from '../../../src/core/http/stealth.ts';
import { createNetworkPolicy } from '../../../src/core/http/network/policy.ts';
import { failure, labEngine, pageRequest, serve, serveRaw, text } from './http-lab.ts';
import { serveSecure } from './stealth-lab.ts';

const bytes = (of: string): Uint8Array => Buffer.from(of);

async function bodyOf(request: AsyncIterable<unknown>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString('latin1');
}

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly type: string | null;
  readonly length: string | null;
  readonly secret: string | string[] | null;
  readonly body: string;
}

/** Answers with what it got. */
async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.end(JSON.stringify(await seenIn(request)));
}

async function seenIn(request: IncomingMessage): Promise<Seen> {
  const { method, url, headers } = request;
  const { 'content-type': type, 'content-length': length, 'x-secret': secret } = headers;
  // JSON leaves out what is undefined.
  const some = { type: type ?? null, length: length ?? null, secret: secret ?? null };
  return { method, url, ...some, body: await bodyOf(request) };
}

const policy = createNetworkPolicy({ allow: ['127.0.0.1', 'localhost'] });

const engines: Readonly<Record<string, () => Engine>> = {
  http: () => httpEngine(policy, 'lab/1.0'),
  'http over HTTP/2': () => httpEngine(policy, 'lab/1.0', { http2: true }),
  'got-scraping': () => stealthEngine({ policy }),
  impit: () => stealthEngine({ policy, client: 'impit' }),
};

async function fetchAs(
  engine: Engine,
  url: string,
  request: Partial<Omit<PageRequest, 'limits'>>,
): Promise<Seen> {
  return JSON.parse(text(await engine.fetch(pageRequest(url, request)))) as Seen;
}

describe.each(Object.entries(engines))('%s sends', (name, make) => {
  const engine = (): Engine => {
    const made = make();
    onTestFinished(() => made.dispose?.());
    return made;
  };

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('%s with a body', async (method) => {
    const lab = await serve((request, response) => void echo(request, response));
    const secure = await serveSecure((request, response) => {
      void echo(request as IncomingMessage, response as ServerResponse);
    });
    const body = bytes('a=1&ö=\0'.repeat(30_000));
    for (const { origin } of [lab, secure]) {
      const seen = await fetchAs(engine(), `${origin}/search`, {
        method,
        body,
        headers: { 'content-type': 'text/x-own' },
        skipTlsVerification: true,
      });
      expect({ ...seen, body: seen.body.length }).toEqual({
        method,
        url: '/search',
        type: 'text/x-own',
        length: String(body.length),
        secret: null,
        body: body.length,
      });
    }
    const isHttp2 = name !== 'http';
    expect(secure.log.map(({ httpVersion }) => httpVersion)).toEqual([isHttp2 ? '2.0' : '1.1']);
  });

  test('a method without a body', async () => {
    const { origin } = await serve((request, response) => void echo(request, response));
    const shared = engine();
    for (const method of ['POST', 'DELETE', 'POST'] as const) {
      const seen = await fetchAs(shared, origin, { method });
      expect(seen).toMatchObject({ method, body: '' });
      expect(['0', null]).toContain(seen.length);
    }
    expect(await fetchAs(shared, origin, {})).toMatchObject({ method: 'GET', length: null });
  });

  test('a body once where the server ends a fresh connection, and its error', async () => {
    const lab = await serveRaw((socket, count) => {
      if (count === 1) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      else socket.resetAndDestroy();
    });
    const shared = engine();
    await shared.fetch(pageRequest(lab.origin));
    const request = { method: 'POST', freshConnection: true } as const;
    const error = await failure(shared.fetch(pageRequest(lab.origin, request)));
    expect(error.code).toBe('CONNECTION_RESET');
    expect(lab.log).toHaveLength(2);
  });
});

describe('a redirect', () => {
  const moved = (status: number, to: () => string) =>
    serve((request, response) => {
      if (request.url !== '/from') return void echo(request, response);
      request.resume();
      response.writeHead(status, { location: to() }).end();
    });
  const request = {
    body: bytes('a=1'),
    headers: { 'content-type': 'text/x-own', 'content-language': 'de', 'x-secret': 's' },
  };

  test.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [301, 'PUT', 'PUT'],
    [302, 'PATCH', 'PATCH'],
    [302, 'DELETE', 'DELETE'],
    [307, 'POST', 'POST'],
    [308, 'POST', 'POST'],
  ] as const)('%i of a %s leads to a %s', async (status, method, after) => {
    const { origin } = await moved(status, () => '/to');
    const seen = await fetchAs(labEngine(), `${origin}/from`, { ...request, method });
    const kept = { type: 'text/x-own', length: '3', body: 'a=1' };
    const dropped = { type: null, length: null, body: '' };
    const expected = after === 'GET' ? dropped : kept;
    expect(seen).toEqual({ method: after, url: '/to', secret: 's', ...expected });
  });

  test('to the same URL is none in a loop where the method changes', async () => {
    const { origin } = await serve((request, response) => {
      if (request.method === 'GET') return void echo(request, response);
      request.resume();
      response.writeHead(303, { location: '/form' }).end();
    });
    const seen = await fetchAs(labEngine(), `${origin}/form`, { ...request, method: 'POST' });
    expect(seen).toMatchObject({ method: 'GET', url: '/form' });
    const loop = await serve((_, response) => {
      response.writeHead(307, { location: '/form' }).end();
    });
    const endless = pageRequest(`${loop.origin}/form`, { ...request, method: 'POST' });
    expect((await failure(labEngine().fetch(endless))).code).toBe('TOO_MANY_REDIRECTS');
  });

  test.each([307, 308])('%i to another origin does not get the body', async (status) => {
    const other = await serve((asked, response) => void echo(asked, response));
    const { origin, log } = await moved(status, () => `${other.origin}/to`);
    const sent = pageRequest(`${origin}/from`, { ...request, method: 'POST' });
    const error = await failure(labEngine().fetch(sent));
    expect(error).toMatchObject({ code: 'BAD_REDIRECT', statusCode: status });
    expect(error.message).toContain(`redirects the POST to ${other.origin}/to, another origin`);
    expect(error.message).not.toContain('a=1');
    expect(log).toEqual(['/from']);
    expect(other.log).toEqual([]);
  });

  test('to another origin gets it with redirectCredentials for its site', async () => {
    const other = await serve((asked, response) => void echo(asked, response));
    const { origin } = await moved(307, () => `${other.origin}/to`);
    const seen = await fetchAs(labEngine(), `${origin}/from`, {
      ...request,
      method: 'POST',
      redirectCredentials: 'same-site',
    });
    expect(seen).toMatchObject({ method: 'POST', body: 'a=1', secret: 's' });
  });

  test('that makes it a GET goes to another origin, without headers about the body', async () => {
    const other = await serve((asked, response) => {
      response.end(JSON.stringify(asked.headers));
    });
    const { origin } = await moved(302, () => `${other.origin}/to`);
    const sent = pageRequest(`${origin}/from`, { ...request, method: 'POST' });
    const headers = JSON.parse(text(await labEngine().fetch(sent))) as object;
    const names = ['content-type', 'content-length', 'content-language', 'x-secret'];
    expect(Object.keys(headers).filter((one) => names.includes(one))).toEqual([]);
  });

  test('to a host that may not be contacted is BLOCKED_ADDRESS', async () => {
    const { origin } = await moved(307, () => 'http://127.0.0.2/');
    const engine = labEngine(['127.0.0.1']);
    const sent = pageRequest(`${origin}/from`, { ...request, method: 'POST', body: undefined });
    expect((await failure(engine.fetch(sent))).code).toBe('BLOCKED_ADDRESS');
  });

  test('by a refresh of the page is a GET', async () => {
    const { origin } = await serve((asked, response) => {
      if (asked.url === '/to') return void echo(asked, response);
      response.setHeader('content-type', 'text/html');
      response.end('<meta http-equiv="refresh" content="0;url=/to">');
    });
    const seen = await fetchAs(labEngine(), `${origin}/from`, { ...request, method: 'PUT' });
    expect(seen).toMatchObject({ method: 'GET', url: '/to', body: '', type: null });
  });
});
