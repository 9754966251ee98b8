/** The browser engine is an engine like any other: the suites that users run on theirs. */
import { afterAll, describe, test } from 'vitest';
import {
  type ConformanceCase,
  engineConformance,
  type EngineMaker,
  networkEngineConformance,
  serve,
} from 'pagewright/testing';
import { browserEngine } from '../../../src/browser/chromium/browser.ts';
import type { Engine } from '../../../src/core/model/engine.ts';
import { memoryStore } from '../../../src/core/storage/memory-store.ts';
import { createNetworkPolicy } from '../../../src/core/http/network/policy.ts';
import { fetchPage } from '../../../src/entries/testing/engine-conformance.ts';
import { rareTest } from '../../support/deep.ts';

const policy = createNetworkPolicy({ allow: ['127.0.0.1', 'localhost'] });

/** Started already: the suites abort requests that a browser would not have begun by then. */
async function makeEngine(): Promise<Engine> {
  const engine = browserEngine({ policy, store: memoryStore() });
  await using server = await serve({ '/': 'warm' });
  await fetchPage(engine, server.url('/'));
  return engine;
}

let shared: Engine | undefined;
afterAll(() => shared?.dispose?.());

/** The engine that most cases share, which no case ends. */
async function shareEngine(): Promise<Engine> {
  shared ??= await makeEngine();
  return { ...shared, fetch: shared.fetch.bind(shared), dispose: () => Promise.resolve() };
}

/** Cases that end their engine themselves. */
const ending = [
  'the body of a redirect is not read, and leaves no socket',
  'dispose ends what is in flight with CANCELLED and closes all sockets',
];

/** Cases that open so many pages that they take ten seconds. */
const slow = [
  'fetches at the same time do not mix',
  'a body that ends early is an error or has a warning',
];

describe('the browser engine conforms', { timeout: 60_000 }, () => {
  const cases = (make: EngineMaker): ConformanceCase[] => [
    ...engineConformance(make),
    ...networkEngineConformance(make),
  ];
  for (const { name, run } of cases(makeEngine)) {
    if (ending.includes(name)) test(name, run);
    else rareTest(`${name}, in a browser of its own`, run);
  }
  for (const { name, run } of cases(shareEngine)) {
    if (ending.includes(name)) continue;
    if (slow.includes(name)) rareTest(name, run);
    else test(name, run);
  }
});
