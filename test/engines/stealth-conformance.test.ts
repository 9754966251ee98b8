import { engineConformance, networkEngineConformance } from 'pagewright/testing';
import { describe, test } from 'vitest';
import { type StealthClient, stealthEngine } from '../../src/engines/stealth.ts';
import { createNetworkPolicy } from '../../src/network/policy.ts';

const clients: readonly StealthClient[] = ['got-scraping', 'impit'];

describe.each(clients)('stealthEngine with %s conforms', (client) => {
  const policy = createNetworkPolicy({ allow: ['127.0.0.1'] });
  const makeEngine = () => stealthEngine({ policy, client });
  for (const { name, run } of engineConformance(makeEngine)) test(name, run);
  for (const { name, run } of networkEngineConformance(makeEngine)) test(name, run);
});
