import { engineConformance, networkEngineConformance } from 'pagewright/testing';
import { describe, test } from 'vitest';
import type { Engine } from '../../../src/core/model/engine.ts';
import { httpEngine } from '../../../src/core/http/http-engine.ts';
import { createNetworkPolicy } from '../../../src/core/http/network/policy.ts';

const makeEngine = (): Engine => httpEngine(createNetworkPolicy({ allow: ['127.0.0.1'] }), 'test');

describe('httpEngine conforms', () => {
  for (const { name, run } of engineConformance(makeEngine)) test(name, run);
  for (const { name, run } of networkEngineConformance(makeEngine)) test(name, run);
});
