/** What every engine that speaks HTTP has to do beyond `engineConformance`: bad servers, bad bodies. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Engine } from '../engines/engine.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { defaultLimits } from '../network/limits.ts';
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
import { fetchPage, fetchWith, rejectsOnAbort, rejectsWith } from './engine-checks.ts';
import type { EngineMaker } from './engine-conformance.ts';
import { type FixtureServer, serve } from './serve.ts';
import type { SitePage } from './site-pages.ts';

/** The suite; it comes on top of `engineConformance`. Proxies and TLS are not part of it. */
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
};

/** Made anew for each server: some count. */
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
  };
}

interface Bench {
  readonly engine: Engine;
  readonly server: FixtureServer;
}

const cases: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  'gzip, deflate and br bodies are unpacked': async ({ engine, server }) => {
    for (const encoding of ['gzip', 'deflate', 'br']) {
      const { body, bytes } = await fetchPage(engine, server.url(`/${encoding}`));
      assert.equal(new TextDecoder().decode(body), page);
      assert.ok(bytes < page.length, `${bytes} bytes came over the wire`);
    }
  },
  'a body that cannot be unpacked is an error or has a warning': async ({ engine, server }) => {
    await isTold(fetchPage(engine, server.url('/not-gzip')), 'DECOMPRESSION');
    await isTold(fetchPage(engine, server.url('/bad-gzip')), 'DECOMPRESSION');
  },
  'no more than limits.bodyBytes is unpacked or read': async ({ engine, server }) => {
    for (const path of ['/bomb', '/declared', '/undeclared', '/endless']) {
      const fetched = fetchPage(engine, server.url(path), { bodyBytes: 100_000 });
      await rejectsWith(fetched, 'BODY_TOO_LARGE');
    }
    await assertSocketsClose(server);
  },
  'a body that ends early is an error or has a warning': async ({ engine, server }) => {
    await isTold(fetchPage(engine, server.url('/truncated')), 'TRUNCATED_BODY');
    await isTold(fetchPage(engine, server.url('/reset-late')), 'CONNECTION_RESET');
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
    await rejectsOnAbort(fetchWith(engine, server.url('/hang')), 100);
    await rejectsOnAbort(fetchWith(engine, server.url('/drip')), 300);
    assert.deepEqual(
      server.log.map(({ url }) => url),
      ['/hang', '/drip'],
    );
    await assertSocketsClose(server);
  },
  'the request carries the headers that were asked for': async ({ engine, server }) => {
    await engine.fetch({
      url: server.url('/'),
      headers: { 'x-test': 'yes', 'accept-language': 'fr' },
      limits: defaultLimits,
      skipTlsVerification: true,
      rendering: {},
      signal: new AbortController().signal,
    });
    const [request] = server.log;
    assert.ok(request);
    assert.equal(request.method, 'GET');
    assert.equal(request.headers['x-test'], 'yes');
    assert.equal(request.headers['accept-language'], 'fr');
  },
};

/** A body that is not as it should be may be of use, but does not come without a word. */
async function isTold(fetched: Promise<Snapshot>, code: string): Promise<void> {
  const hasWarning = await fetched.then(
    ({ warnings }) => warnings.length > 0,
    () => undefined,
  );
  if (hasWarning === undefined) await rejectsWith(fetched, code);
  else assert.ok(hasWarning, 'there is neither an error nor a warning');
}

/** Connections of fetches that failed are closed without being asked to. */
async function assertSocketsClose(server: FixtureServer): Promise<void> {
  for (let wait = 0; wait < 20 && server.openSockets > 0; wait++) await sleep(25);
  assert.equal(server.openSockets, 0, 'sockets left open');
}
