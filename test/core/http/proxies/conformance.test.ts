/** What holds for the http engine holds through any proxy. */
import { engineConformance, networkEngineConformance } from 'pagewright/testing';
import { describe, test } from 'vitest';
import type { Engine } from '../../../../src/core/model/engine.ts';
import { httpEngine } from '../../../../src/core/http/http-engine.ts';
import { createNetworkPolicy } from '../../../../src/core/http/network/policy.ts';
import { cert } from '../self-signed.ts';
import { serveHttpProxy, serveSocksProxy } from './proxy-lab.ts';

/** Cases for direct connections: who refuses, only the proxy knows; an abort after 100 ms finds it asking. */
const direct = /CONNECTION_REFUSED|an abort while waiting/;

describe.each([
  ['an http proxy', () => serveHttpProxy()],
  ['an https proxy', () => serveHttpProxy({ secure: true })],
  ['a socks5 proxy', () => serveSocksProxy()],
])('httpEngine conforms through %s', (_, serveProxy) => {
  const makeEngine = async (): Promise<Engine> => {
    const policy = createNetworkPolicy({ allow: ['127.0.0.1'] });
    const engine = httpEngine(policy, 'test', { ca: cert });
    const route = { url: (await serveProxy()).url };
    return { ...engine, fetch: (request) => engine.fetch({ ...request, route }) };
  };
  for (const { name, run } of engineConformance(makeEngine)) test(name, run);
  for (const { name, run } of networkEngineConformance(makeEngine)) {
    if (!direct.test(name)) test(name, run);
  }
});
