import { endless, engineConformance, networkEngineConformance, serve } from 'pagewright/testing';
import { describe, expect, test } from 'vitest';
import { type StealthClient, stealthEngine } from '../../../src/core/http/stealth.ts';
import { createNetworkPolicy } from '../../../src/core/http/network/policy.ts';
import { pageRequest } from './http-lab.ts';

const clients: readonly StealthClient[] = ['got-scraping', 'impit'];

describe.each(clients)('stealthEngine with %s conforms', (client) => {
  const policy = createNetworkPolicy({ allow: ['127.0.0.1'] });
  const makeEngine = () => stealthEngine({ policy, client });
  for (const { name, run } of engineConformance(makeEngine)) test(name, run);
  for (const { name, run } of networkEngineConformance(makeEngine)) test(name, run);

  test('of an endless body only the beginning is read where no more is wanted', async () => {
    const engine = makeEngine();
    const site = await serve({}, { behaviours: { '/robots.txt': endless() } });
    try {
      const limits = { bodyBytes: 100_000 };
      const request = pageRequest(site.url('/robots.txt'), { truncatesBody: true, limits });
      expect((await engine.fetch(request)).body).toHaveLength(100_000);
    } finally {
      await engine.dispose?.();
      await site.close();
    }
  });
});
