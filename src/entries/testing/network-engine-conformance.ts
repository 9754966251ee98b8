/** The conformance suite of engines that speak HTTP, beyond `engineConformance`: misbehaving servers, damaged bodies. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Engine } from '../../core/model/engine.ts';
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import {
  type Behaviour,
  drip,
  endless,
  garbage,
  gzipBomb,
  hang,
  huge,
  reset,
  truncated,
} from './behaviours.ts';
import type { ConformanceCase } from './conformance-case.ts';
import {
  type EngineMaker,
  fetchAs,
  fetchPage,
  fetchWith,
  hasBody,
  rejectsOnAbort,
  rejectsWith,
} from './engine-conformance.ts';
import { type FixtureServer, type LoggedRequest, serve, type SitePage } from './serve.ts';

/**
 * The suite; it complements `engineConformance`. The engine may contact `127.0.0.1` and
 * `localhost`, where the server is, and no other host. Proxies and TLS are not covered.
 */
export function networkEngineConformance(makeEngine: EngineMaker): readonly ConformanceCase[] {
  return Object.entries(cases).map(([name, check]) => ({
    name,
    run: async () => {
      const server = await serve(pages, { behaviours: behaviours() });
      const engine = await makeEngine(server.origin, pages);
      try {
        await check({ engine, server });
      } finally {
        await engine.dispose?.();
        await server.close();
      }
    },
  }));
}

const page = '<!DOCTYPE html><p>Squeezed and unpacked.</p>'.repeat(100);

function packed(encoding: string, body: Uint8Array): SitePage {
  return { headers: { 'content-type': 'text/html', 'content-encoding': encoding }, body };
}

const pages: Readonly<Record<string, SitePage>> = {
  '/': page,
  '/gzip': packed('gzip', gzipSync(page)),
  '/deflate': packed('deflate', deflateSync(page)),
  '/br': packed('br', brotliCompressSync(page)),
  '/not-gzip': packed('gzip', Buffer.from(page)),
  '/bad-gzip': packed('gzip', gzipSync(page).fill(0xff, 20, 60)),
  '/truncated': page,
  '/drip': page,
  '/late': { body: page, delay: 200 },
  '/hinted': page,
  '/no-content': { status: 204, headers: { 'content-encoding': 'gzip' } },
  '/out': { status: 302, headers: { location: 'http://127.0.0.2/' } },
  '/login': {
    status: 302,
    headers: { location: '/welcome', 'set-cookie': 'visit=first; Path=/; HttpOnly' },
  },
  '/welcome': page,
};

/** New for each server: some behaviours count requests. */
function behaviours(): Record<string, Behaviour> {
  return {
    '/bomb': gzipBomb({ bytes: 20_000_000 }),
    '/declared': huge({ bytes: 20_000_000 }),
    '/undeclared': huge({ bytes: 20_000_000, declared: false }),
    '/endless': endless(),
    '/hang': hang(),
    '/drip': drip({ bytesPerSecond: 100 }),
    '/truncated': truncated(),
    '/reset': reset(),
    '/reset-late': reset({ when: 'afterHeaders' }),
    '/garbage': garbage(),
    '/hinted': earlyHints,
    '/headers': longHeaders,
    '/leave': leave,
    '/moved': movedWithoutEnd,
  };
}

const earlyHints: Behaviour = async ({ response, page: plain, send }) => {
  response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
  send(await plain());
};

const longHeaders: Behaviour = ({ response }) => {
  response.writeHead(200, { 'x-long': 'x'.repeat(10_000) }).end('<p>Small');
};

/** Redirects to this server under another name, which is another site. */
const leave: Behaviour = ({ request, response }) => {
  const location = `http://localhost:${request.socket.localPort ?? 0}/welcome`;
  response.writeHead(302, { location }).end();
};

const movedWithoutEnd: Behaviour = (exchange) => {
  const { response } = exchange;
  const writeHead = response.writeHead.bind(response);
  response.writeHead = ((_: number, headers: Record<string, string>) =>
    writeHead(302, { ...headers, location: '/' })) as typeof response.writeHead;
  return endless()(exchange);
};

interface EngineCase {
  readonly engine: Engine;
  readonly server: FixtureServer;
}

const cases: Readonly<Record<string, (bench: EngineCase) => Promise<void>>> = {
  'gzip, deflate and br bodies are unpacked': async ({ engine, server }) => {
    for (const encoding of ['gzip', 'deflate', 'br']) {
      const snapshot = await fetchPage(engine, server.url(`/${encoding}`));
      hasBody(engine, snapshot, page);
      assert.ok(snapshot.bytes < page.length, `${snapshot.bytes} bytes came over the wire`);
    }
  },
  'a body that cannot be unpacked is an error or has a warning': async ({ engine, server }) => {
    await isReported(fetchPage(engine, server.url('/not-gzip')), 'DECOMPRESSION');
    await isReported(fetchPage(engine, server.url('/bad-gzip')), 'DECOMPRESSION');
  },
  'no more than limits.bodyBytes is unpacked or read': async ({ engine, server }) => {
    for (const path of ['/bomb', '/declared', '/undeclared', '/endless']) {
      const fetched = fetchPage(engine, server.url(path), { bodyBytes: 100_000 });
      await rejectsWith(fetched, 'BODY_TOO_LARGE');
    }
    await assertSocketsClose(server);
  },
  'a body that ends early is an error or has a warning': async ({ engine, server }) => {
    // The number of bytes that a client reads before the end depends on timing, and so does the code.
    const codes = ['TRUNCATED_BODY', 'CONNECTION_RESET'];
    await isReported(fetchPage(engine, server.url('/truncated')), ...codes);
    await isReported(fetchPage(engine, server.url('/reset-late')), ...codes);
  },
  'a connection that is reset before the answer is CONNECTION_RESET': async (bench) => {
    await rejectsWith(fetchPage(bench.engine, bench.server.url('/reset')), 'CONNECTION_RESET');
  },
  'a port where nobody listens is CONNECTION_REFUSED': async ({ engine, server }) => {
    await server.close();
    await rejectsWith(fetchPage(engine, server.url('/')), 'CONNECTION_REFUSED');
  },
  'an answer that is not HTTP is PROTOCOL_ERROR': async ({ engine, server }) => {
    await rejectsWith(fetchPage(engine, server.url('/garbage')), 'PROTOCOL_ERROR');
  },
  'an abort while waiting or reading leaves no socket': async ({ engine, server }) => {
    await rejectsOnAbort(fetchWith(engine, server.url('/hang')), 50, () => arrived(server, 1));
    await rejectsOnAbort(fetchWith(engine, server.url('/drip')), 250, () => arrived(server, 2));
    assert.deepEqual(
      server.log.map(({ url }) => url),
      ['/hang', '/drip'],
    );
    await assertSocketsClose(server);
  },
  'an abort of one fetch does not disturb others': async ({ engine, server }) => {
    const others = Promise.all(
      Array.from({ length: 5 }, () => fetchPage(engine, server.url('/late'))),
    );
    // The fetches are awaited below, unless the assertion fails first.
    others.catch(() => undefined);
    await rejectsOnAbort(fetchWith(engine, server.url('/hang')), 50);
    for (const snapshot of await others) hasBody(engine, snapshot, page);
  },
  'headers over limits.headerBytes are PROTOCOL_ERROR': async ({ engine, server }) => {
    const { headers } = await fetchPage(engine, server.url('/headers'), { headerBytes: 20_000 });
    assert.equal(headers['x-long']?.length, 10_000);
    const limited = fetchPage(engine, server.url('/headers'), { headerBytes: 5_000 });
    await rejectsWith(limited, 'PROTOCOL_ERROR');
  },
  'early hints are no answer': async ({ engine, server }) => {
    const snapshot = await fetchPage(engine, server.url('/hinted'));
    assert.equal(snapshot.statusCode, 200);
    hasBody(engine, snapshot, page);
  },
  'an answer without a body has none, whatever its headers say': async ({ engine, server }) => {
    const { statusCode, body } = await fetchPage(engine, server.url('/no-content'));
    assert.deepEqual([statusCode, body.length], [204, 0]);
  },
  'a redirect to a host that may not be contacted is BLOCKED_ADDRESS': async (bench) => {
    await rejectsWith(fetchPage(bench.engine, bench.server.url('/out')), 'BLOCKED_ADDRESS');
  },
  'the body of a redirect is not read, and leaves no socket': async ({ engine, server }) => {
    const { url, bytes } = await fetchPage(engine, server.url('/moved'));
    assert.equal(url, server.url('/'));
    // A browser buffers some of the body in sockets.
    assert.ok(bytes < (engine.can.has('render') ? 20_000_000 : 1_000_000), `${bytes} were read`);
    await engine.dispose?.();
    await assertSocketsClose(server);
  },
  'cookies that a redirect sets go along, and no further than the fetch': async (bench) => {
    const { engine, server } = bench;
    await fetchAs(engine, server.url('/login'), { cookie: 'theme=dark' });
    assert.equal(lastRequest(server).url, '/welcome');
    assert.equal(lastRequest(server).headers['cookie'], 'theme=dark; visit=first');
    await fetchPage(engine, server.url('/welcome'));
    assert.equal(lastRequest(server).headers['cookie'], undefined);
  },
  'the headers of the caller stay behind when a redirect leaves the origin': async (bench) => {
    const { engine, server } = bench;
    const headers = { authorization: 'Basic dTpw', cookie: 'id=1', 'x-test': 'own' };
    const { url } = await fetchAs(engine, server.url('/leave'), headers);
    assert.match(url, /^http:\/\/localhost:/);
    const [first] = server.log;
    assert.deepEqual(
      [first?.headers['authorization'], first?.headers['cookie']],
      ['Basic dTpw', 'id=1'],
    );
    const last = lastRequest(server).headers;
    const names = ['authorization', 'cookie', 'x-test'];
    assert.deepEqual(
      names.filter((name) => last[name] !== undefined),
      [],
    );
  },
  'the request carries the headers that were asked for': async ({ engine, server }) => {
    await fetchAs(engine, server.url('/'), { 'x-test': 'yes', 'accept-language': 'fr' });
    const { method, headers } = lastRequest(server);
    assert.equal(method, 'GET');
    assert.equal(headers['x-test'], 'yes');
    assert.equal(headers['accept-language'], 'fr');
  },
  'a header that frames the message is BAD_REQUEST': async ({ engine, server }) => {
    const fetched = fetchAs(engine, server.url('/'), { 'transfer-encoding': 'chunked' });
    await rejectsWith(fetched, 'BAD_REQUEST');
    await rejectsWith(fetchAs(engine, server.url('/'), { 'x-test': 'a\r\nb: c' }), 'BAD_REQUEST');
    assert.deepEqual(server.log, []);
  },
  'dispose ends what is in flight with CANCELLED and closes all sockets': async (bench) => {
    const { engine, server } = bench;
    await fetchPage(engine, server.url('/'));
    const hanging = fetchPage(engine, server.url('/hang'));
    const rejected = rejectsWith(hanging, 'CANCELLED');
    // The promise is awaited below, unless the assertion fails first.
    rejected.catch(() => undefined);
    await arrived(server, 2);
    assert.equal(server.log.length, 2, 'the second request did not arrive');
    await engine.dispose?.();
    await rejected;
    await rejectsWith(fetchPage(engine, server.url('/')), 'CANCELLED');
    await assertSocketsClose(server);
  },
};

/** Resolves after that many requests have arrived, or after 10 s: a browser starts later than a socket. */
async function arrived(server: FixtureServer, times: number): Promise<void> {
  for (let wait = 0; wait < 2_000 && server.log.length < times; wait++) await sleep(5);
}

function lastRequest(server: FixtureServer): LoggedRequest {
  const request = server.log.at(-1);
  assert.ok(request, 'no request arrived');
  return request;
}

/** A faulty body may be of use, but must come with an error or a warning. */
async function isReported(fetched: Promise<Snapshot>, ...codes: readonly string[]): Promise<void> {
  try {
    const { warnings } = await fetched;
    assert.ok(warnings.length > 0, 'there is neither an error nor a warning');
  } catch (error) {
    if (!(error instanceof PagewrightError)) throw error;
    assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`);
  }
}

/** Passes if the connections of failed fetches close by themselves. */
async function assertSocketsClose(server: FixtureServer): Promise<void> {
  for (let wait = 0; wait < 20 && server.openSockets > 0; wait++) await sleep(25);
  assert.equal(server.openSockets, 0, 'sockets left open');
}
