/** The steps that the suites for engines are made of. */
import assert from 'node:assert/strict';
import type { Engine } from '../engines/engine.ts';
import { PagewrightError } from '../errors.ts';
import type { Limits } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { defaultLimits } from '../network/limits.ts';

/** Fetches `url` with the default limits, but for those given. */
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
  const shown = engine.can.has('render') ? textOf : (source: string): string => source;
  assert.equal(shown(new TextDecoder().decode(body)), shown(expected));
}

/** Without tags: a browser completes them. */
function textOf(html: string): string {
  return html.replace(/<[^>]*>/g, '');
}

/** A fetch that only lacks its signal. */
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
