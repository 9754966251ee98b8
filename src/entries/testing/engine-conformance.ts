/** The conformance suite of every engine. */
import assert from 'node:assert/strict';
import type { Engine } from '../../core/model/engine.ts';
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { Limits } from '../../core/model/request-options.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import { defaultLimits } from '../../core/model/limits.ts';
import type { ConformanceCase } from './conformance-case.ts';
import { serve, type SitePage } from './serve.ts';

/**
 * Makes the engine of one case: it has to serve `pages` at `origin`, where a server may have them. The
 * path `/` has any query, other paths are 404, and `{{origin}}` in a header stands for `origin`.
 */
export type EngineMaker = (
  origin: string,
  pages: Readonly<Record<string, SitePage>>,
) => Engine | Promise<Engine>;

/**
 * The suite for all engines. With `network: false` no server is started: for engines that open no
 * socket. `networkEngineConformance` has more cases for engines with a network.
 */
export function engineConformance(
  makeEngine: EngineMaker,
  options: { readonly network?: boolean } = {},
): readonly ConformanceCase[] {
  return Object.entries(engineCases).map(([name, check]) => ({
    name,
    run: async () => {
      const server = options.network === false ? undefined : await serve(enginePages);
      const origin = server?.origin ?? 'http://conformance.test';
      const engine = await makeEngine(origin, enginePages);
      try {
        await check({ engine, origin });
      } finally {
        await engine.dispose?.();
        await server?.close();
      }
    },
  }));
}

const homePage = '<!DOCTYPE html><title>Home</title><p>Grüße, 世界 🦉</p>';

const allBytes = Uint8Array.from({ length: 1024 }, (_, at) => at % 256);

const statuses = [200, 201, 401, 403, 404, 410, 429, 451, 500, 503];

const enginePages: Readonly<Record<string, SitePage>> = {
  '/': homePage,
  '/bytes': { body: allBytes, headers: { 'Content-Type': 'image/x-test', 'X-Mixed-Case': 'Kept' } },
  '/empty': { body: '' },
  '/slow': { body: homePage, delay: 20_000 },
  '/list': 'first',
  '/list?page=2': 'second',
  '/a': { status: 301, headers: { location: '/b' } },
  '/b': { status: 302, headers: { location: '{{origin}}/c' } },
  '/c': { status: 307, headers: { location: '/?from=c' } },
  '/folder/sibling': { status: 303, headers: { location: 'page' } },
  '/folder/query': { status: 308, headers: { location: '?x=1' } },
  '/folder/query?x=1': 'with a query',
  '/folder/up': { status: 302, headers: { location: '../list' } },
  '/folder/page': 'in the folder',
  '/loop': { status: 302, headers: { location: '/loop' } },
  '/ping': { status: 302, headers: { location: '/pong' } },
  '/pong': { status: 302, headers: { location: '/ping' } },
  '/mail': { status: 302, headers: { location: 'mailto:someone@site.test' } },
  '/nowhere': { status: 302, headers: { location: 'http://:not a url' } },
  ...Object.fromEntries(
    statuses.map((status) => [`/status/${status}`, { status, body: `This is ${status}.` }]),
  ),
  ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`/number/${at}`, `number ${at}`])),
};

interface EngineBench {
  readonly engine: Engine;
  readonly origin: string;
}

const engineCases: Readonly<Record<string, (bench: EngineBench) => Promise<void>>> = {
  'a page comes back with its status, final URL and bytes': async ({ engine, origin }) => {
    const snapshot = await fetchPage(engine, `${origin}/`);
    assert.equal(snapshot.statusCode, 200);
    assert.equal(snapshot.url, `${origin}/`);
    hasBody(engine, snapshot, homePage);
    assert.equal(snapshot.engine, engine.name);
    assert.deepEqual([snapshot.redirects, snapshot.warnings, snapshot.requests], [[], [], 1]);
  },
  'it serves http URLs': ({ engine, origin }) => {
    assert.notEqual(engine.handles?.(`${origin}/`), false);
    return Promise.resolve();
  },
  'any byte survives': async ({ engine, origin }) => {
    const { body, bytes } = await fetchPage(engine, `${origin}/bytes`);
    assert.ok(Buffer.from(body).equals(allBytes));
    assert.ok(bytes >= allBytes.length);
  },
  'header names are lower-case': async ({ engine, origin }) => {
    const { headers } = await fetchPage(engine, `${origin}/bytes`);
    assert.equal(headers['x-mixed-case'], 'Kept');
    assert.equal(headers['content-type'], 'image/x-test');
    assert.deepEqual(
      Object.keys(headers).filter((name) => name !== name.toLowerCase()),
      [],
    );
  },
  'the query is part of the page': async ({ engine, origin }) => {
    hasBody(engine, await fetchPage(engine, `${origin}/list`), 'first');
    const second = await fetchPage(engine, `${origin}/list?page=2`);
    hasBody(engine, second, 'second');
    assert.equal(second.url, `${origin}/list?page=2`);
  },
  'a page of any status is a snapshot with its body': async ({ engine, origin }) => {
    for (const status of statuses) {
      const snapshot = await fetchPage(engine, `${origin}/status/${status}`);
      assert.equal(snapshot.statusCode, status);
      hasBody(engine, snapshot, `This is ${status}.`);
    }
    assert.equal((await fetchPage(engine, `${origin}/not/there`)).statusCode, 404);
  },
  'an empty body is empty': async ({ engine, origin }) => {
    const { statusCode, body } = await fetchPage(engine, `${origin}/empty`);
    assert.deepEqual([statusCode, body.length], [200, 0]);
  },
  'redirects are followed and listed': async ({ engine, origin }) => {
    const snapshot = await fetchPage(engine, `${origin}/a`);
    assert.equal(snapshot.url, `${origin}/?from=c`);
    assert.equal(snapshot.statusCode, 200);
    hasBody(engine, snapshot, homePage);
    assert.deepEqual(snapshot.redirects, [`${origin}/a`, `${origin}/b`, `${origin}/c`]);
    assert.equal(snapshot.requests, 4);
  },
  'a relative Location is resolved against its own URL': async ({ engine, origin }) => {
    const sibling = await fetchPage(engine, `${origin}/folder/sibling`);
    assert.equal(sibling.url, `${origin}/folder/page`);
    const query = await fetchPage(engine, `${origin}/folder/query`);
    assert.equal(query.url, `${origin}/folder/query?x=1`);
    hasBody(engine, query, 'with a query');
    const up = await fetchPage(engine, `${origin}/folder/up`);
    assert.equal(up.url, `${origin}/list`);
  },
  'as many redirects as limits.redirects are followed': async ({ engine, origin }) => {
    const snapshot = await fetchPage(engine, `${origin}/a`, { redirects: 3 });
    assert.equal(snapshot.statusCode, 200);
    await rejectsWith(fetchPage(engine, `${origin}/a`, { redirects: 2 }), 'TOO_MANY_REDIRECTS');
    await rejectsWith(fetchPage(engine, `${origin}/a`, { redirects: 0 }), 'TOO_MANY_REDIRECTS');
  },
  'a redirect loop is TOO_MANY_REDIRECTS': async ({ engine, origin }) => {
    await rejectsWith(fetchPage(engine, `${origin}/loop`), 'TOO_MANY_REDIRECTS');
    await rejectsWith(fetchPage(engine, `${origin}/ping`), 'TOO_MANY_REDIRECTS');
  },
  'a redirect to no URL, or to none of http, is BAD_REDIRECT': async ({ engine, origin }) => {
    await rejectsWith(fetchPage(engine, `${origin}/nowhere`), 'BAD_REDIRECT');
    await rejectsWith(fetchPage(engine, `${origin}/mail`), 'BAD_REDIRECT');
  },
  'a body of limits.bodyBytes is read, one byte more is BODY_TOO_LARGE': async (bench) => {
    const { engine, origin } = bench;
    const limit = allBytes.length;
    const { body } = await fetchPage(engine, `${origin}/bytes`, { bodyBytes: limit });
    assert.equal(body.length, limit);
    const tooLarge = fetchPage(engine, `${origin}/bytes`, { bodyBytes: limit - 1 });
    await rejectsWith(tooLarge, 'BODY_TOO_LARGE');
  },
  'an abort rejects within 100 ms with its reason': async ({ engine, origin }) => {
    await rejectsOnAbort(fetchWith(engine, `${origin}/slow`), 50);
  },
  'a signal that is aborted before makes no request': async ({ engine, origin }) => {
    const reason = new PagewrightError('CANCELLED', 'Cancelled before it began.');
    const fetched = fetchPage(engine, `${origin}/slow`, {}, AbortSignal.abort(reason));
    await assert.rejects(fetched, (error) => error === reason);
  },
  'fetches at the same time do not mix': async ({ engine, origin }) => {
    const numbers = Array.from({ length: 20 }, (_, at) => at);
    const snapshots = await Promise.all(
      numbers.map((at) => fetchPage(engine, `${origin}/number/${at}`)),
    );
    for (const [at, snapshot] of snapshots.entries()) hasBody(engine, snapshot, `number ${at}`);
  },
};

// Steps that the suites for engines share.

/** Fetches `url` with the default limits, except the given ones. */
export function fetchPage(
  engine: Engine,
  url: string,
  limits: Partial<Limits> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Snapshot> {
  const headers = {};
  const allLimits = { ...defaultLimits, ...limits };
  const request = { url, headers, limits: allLimits, skipTlsVerification: true, rendering: {} };
  return engine.fetch({ ...request, signal });
}

/** Fetches `url` with headers of the caller. */
export function fetchAs(
  engine: Engine,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Snapshot> {
  const { signal } = new AbortController();
  const request = { url, headers, limits: defaultLimits, skipTlsVerification: true, rendering: {} };
  return engine.fetch({ ...request, signal });
}

/** Rejects unless `work` rejects with an error of this code. */
export async function rejectsWith(work: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof PagewrightError, `${String(error)} is no PagewrightError`);
    assert.equal(error.code, code, error.message);
    return true;
  });
}

/** Rejects unless the body is `expected`; for an engine that renders, unless it has the same text. */
export function hasBody(engine: Engine, { body }: Snapshot, expected: string): void {
  const visibleText = engine.can.has('render') ? textOf : (source: string): string => source;
  assert.equal(visibleText(new TextDecoder().decode(body)), visibleText(expected));
}

/** The text without tags, since a browser completes tags. */
function textOf(html: string): string {
  return html.replace(/<[^>]*>/g, '');
}

/** A fetch that needs only its signal. */
export function fetchWith(engine: Engine, url: string): (signal: AbortSignal) => Promise<Snapshot> {
  return (signal) => fetchPage(engine, url, {}, signal);
}

/**
 * Aborts `wait` ms after `begun` resolves, and rejects unless the fetch then rejects within 100 ms with
 * the reason.
 */
export async function rejectsOnAbort(
  fetch: (signal: AbortSignal) => Promise<Snapshot>,
  wait: number,
  begun: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const controller = new AbortController();
  const reason = new PagewrightError('TIMEOUT', 'Took too long.');
  let aborted = Infinity;
  const abort = (): void => {
    aborted = performance.now();
    controller.abort(reason);
  };
  void Promise.resolve()
    .then(begun)
    .finally(() => setTimeout(abort, wait));
  await assert.rejects(fetch(controller.signal), (error) => error === reason);
  const elapsed = performance.now() - aborted;
  assert.ok(elapsed < 100, `rejected ${elapsed} ms after the abort`);
}
