/** The browser engine is an engine like any other: the suites that users run on theirs. */
import { describe, test } from 'vitest';
import { engineConformance, networkEngineConformance, serve } from 'pagewright/testing';
import { browserEngine } from '../../../src/engines/browser.ts';
import type { Engine } from '../../../src/engines/engine.ts';
import { memoryStore } from '../../../src/storage/memory-store.ts';
import { createNetworkPolicy } from '../../../src/network/policy.ts';
import { fetchPage } from '../../../src/testing/engine-conformance.ts';

const policy = createNetworkPolicy({ allow: ['127.0.0.1', 'localhost'] });

/** Started already: the suites abort requests that a browser would not have begun by then. */
async function makeEngine(): Promise<Engine> {
  const engine = browserEngine({ policy, store: memoryStore() });
  await using server = await serve({ '/': 'warm' });
  await fetchPage(engine, server.url('/'));
  return engine;
}

describe('the browser engine conforms', { timeout: 60_000 }, () => {
  for (const { name, run } of engineConformance(makeEngine)) test(name, run);
  for (const { name, run } of networkEngineConformance(makeEngine)) test(name, run);
});
