import { describe, expect, test } from 'vitest';
import { ValidationError } from '../../../../src/core/runtime/errors.ts';
import { createClient } from '../../../../src/index.ts';
import type { ProxyRoute } from '../../../../src/core/model/request.ts';
import {
  createProxy,
  type ProxyChoice,
  type ProxyTiers,
} from '../../../../src/core/http/proxies/create-proxy.ts';
import type { Proxy, ProxyRequest } from '../../../../src/core/http/proxies/proxy.ts';

const [a, b, c] = ['http://a.test:1', 'http://b.test:2', 'socks5://c.test:3'] as const;

/** The URLs that an adapter picks, one after the other. */
async function picks(
  proxy: Proxy,
  count: number,
  request: Partial<ProxyRequest> = {},
): Promise<(string | undefined)[]> {
  const urls: (string | undefined)[] = [];
  for (let index = 0; index < count; index++) {
    urls.push((await pick(proxy, request))?.url);
  }
  return urls;
}

async function pick(
  proxy: Proxy,
  request: Partial<ProxyRequest> = {},
): Promise<ProxyRoute | undefined> {
  return proxy.pick({ url: 'http://x.test/', tier: 'basic', ...request });
}

describe('one proxy', () => {
  test('is always taken, also after it failed', async () => {
    const proxy = createProxy(a);
    const route = await pick(proxy);
    expect(route).toEqual({ url: a });
    proxy.report?.(route ?? { url: '' }, 'failed');
    expect(await picks(proxy, 2, { tier: 'stealth' })).toEqual([a, a]);
  });

  test('may leave names to the proxy', async () => {
    expect(await pick(createProxy({ url: c, dns: 'proxy' }))).toEqual({ url: c, dns: 'proxy' });
  });
});

describe('a list', () => {
  test('takes turns', async () => {
    expect(await picks(createProxy([a, b, c]), 5)).toEqual([a, b, c, a, b]);
  });

  test('keeps one proxy for a visitor, and spreads visitors', async () => {
    const proxy = createProxy([a, b, c]);
    const [ann, ben] = [{}, {}];
    expect(await picks(proxy, 3, { visitor: ann })).toEqual([a, a, a]);
    expect(await picks(proxy, 2, { visitor: ben })).toEqual([b, b]);
    expect(await picks(proxy, 1, { visitor: ann })).toEqual([a]);
  });

  test('lets one rest that fails, and moves its visitor', async () => {
    let now = 0;
    const proxy = createProxy([a, b], { now: () => now });
    const visitor = {};
    const first = await pick(proxy, { visitor });
    expect(first?.url).toBe(a);
    proxy.report?.({ url: a }, 'failed');
    expect(await picks(proxy, 3, { visitor })).toEqual([b, b, b]);
    expect(await picks(proxy, 3)).toEqual([b, b, b]);
    now = 10_000;
    expect(await picks(proxy, 2)).toContain(a);
    expect(await picks(proxy, 1, { visitor })).toEqual([b]);
  });

  test('lets it rest longer each time, up to ten minutes, until it works again', async () => {
    let now = 0;
    const proxy = createProxy([a, b], { now: () => now });
    const rest = async (): Promise<number> => {
      proxy.report?.({ url: a }, 'failed');
      const start = now;
      for (; now - start <= 700_000; now += 5_000) {
        if ((await picks(proxy, 2)).includes(a)) break;
      }
      return now - start;
    };
    const rests: number[] = [];
    for (let count = 0; count < 8; count++) rests.push(await rest());
    expect(rests).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000, 600_000]);
    proxy.report?.({ url: a }, 'ok');
    expect(await rest()).toBe(10_000);
  });

  test('counts failures of requests that were under way together once', async () => {
    let now = 0;
    const proxy = createProxy([a, b], { now: () => now });
    for (let count = 0; count < 20; count++) proxy.report?.({ url: a }, 'failed');
    now = 10_000;
    expect(await picks(proxy, 2)).toContain(a);
  });

  test('when all rest takes the one whose rest ends first', async () => {
    let now = 0;
    const proxy = createProxy([a, b, c], { now: () => now });
    for (const url of [b, a, c]) {
      proxy.report?.({ url }, 'failed');
      now += 1_000;
    }
    expect(await picks(proxy, 2)).toEqual([b, b]);
  });
});

describe('tiers', () => {
  test('choose by tier', async () => {
    const proxy = createProxy({ basic: a, stealth: [b, c] });
    expect(await picks(proxy, 2)).toEqual([a, a]);
    expect(await picks(proxy, 2, { tier: 'stealth' })).toEqual([b, c]);
  });

  test('use basic for stealth when there is nothing else', async () => {
    const proxy = createProxy({ basic: a });
    expect(await picks(proxy, 1, { tier: 'stealth' })).toEqual([a]);
  });

  test('go directly where there is no proxy', async () => {
    const proxy = createProxy({ stealth: b });
    expect(await picks(proxy, 1)).toEqual([undefined]);
    expect(await picks(proxy, 1, { tier: 'stealth' })).toEqual([b]);
  });

  test('choose by country first, in any case', async () => {
    const proxy = createProxy({ basic: a, countries: { de: b, AT: { basic: c, stealth: b } } });
    expect(await picks(proxy, 1, { country: 'DE' })).toEqual([b]);
    expect(await picks(proxy, 1, { country: 'at' })).toEqual([c]);
    expect(await picks(proxy, 1, { country: 'AT', tier: 'stealth' })).toEqual([b]);
    expect(await picks(proxy, 1, { country: 'FR' })).toEqual([a]);
  });

  test('hand a report to the adapter that picked', async () => {
    const proxy = createProxy({ basic: [a, b], stealth: c });
    const route = await pick(proxy);
    proxy.report?.(route ?? { url: '' }, 'failed');
    expect(await picks(proxy, 3)).toEqual([b, b, b]);
  });
});

describe('an adapter of the caller', () => {
  test.each<[string, Proxy['report']]>([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('whose report %s harms nobody', async (_, report) => {
    const proxy = createProxy({ pick: () => ({ url: a }), ...(report && { report }) });
    expect(() => proxy.report?.({ url: a }, 'failed')).not.toThrow();
    // An unhandled rejection would fail the run.
    await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test('is asked and told', async () => {
    const told: unknown[] = [];
    const adapter: Proxy = {
      pick: ({ tier }) => (tier === 'stealth' ? { url: a } : undefined),
      report: (route, outcome) => void told.push([route.url, outcome]),
    };
    const proxy = createProxy(adapter);
    expect(await pick(proxy)).toBeUndefined();
    const route = await pick(proxy, { tier: 'stealth' });
    proxy.report?.(route ?? { url: '' }, 'failed');
    expect(told).toEqual([[a, 'failed']]);
  });

  test.each([
    ['no URL', { url: 'hunter2' }],
    ['no route', 'http://ann:hunter2@a.test:1'],
  ])('that answers %s is HOOK_FAILED without the answer', async (_, answer) => {
    const proxy = createProxy({ pick: () => answer as ProxyRoute });
    const error: unknown = await pick(proxy).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'HOOK_FAILED' });
    expect(String(error)).not.toContain('hunter2');
  });

  test('that throws is HOOK_FAILED', async () => {
    const proxy = createProxy({
      pick: () => {
        throw new TypeError('oops');
      },
    });
    await expect(pick(proxy)).rejects.toMatchObject({
      code: 'HOOK_FAILED',
      message: 'The proxy adapter threw for http://x.test/: oops',
    });
  });
});

describe('what is wrong is told by entry and without the password', () => {
  test.each<[string, unknown, string]>([
    ['no URL', 'hunter2', 'expected a URL such as'],
    ['no scheme', 'hunter2:x@a.test', 'expected the scheme http:'],
    ['another scheme', 'ftp://ann:hunter2@a.test', 'expected the scheme http:'],
    ['socks4', 'socks4://ann:hunter2@a.test', 'expected the scheme http:'],
    ['a path', 'http://ann:hunter2@a.test/path', 'expected a URL that ends after the port'],
    ['a query', 'http://ann:hunter2@a.test?x', 'expected a URL that ends after the port'],
    ['no host', 'socks5://', 'expected a host'],
    ['a long password', `http://ann:${'hunter2'.repeat(40)}@a.test`, 'at most 255 bytes'],
    ['an entry of a list', [a, 'hunter2'], 'proxy[1]: expected a URL'],
    ['an empty list', [], 'expected at least one proxy'],
    ['a number in a list', [7], 'proxy[0]: expected the URL of a proxy'],
    ['a number', 7, 'expected the URL of a proxy, a list'],
    ['null', null, 'expected the URL of a proxy, a list'],
    ['an empty object', {}, 'expected basic, stealth or countries'],
    ['an unknown tier', { basic: a, gold: 'hunter2' }, 'proxy.gold: unknown option'],
    ['a tier', { stealth: ['http://ann:hunter2@'] }, 'proxy.stealth[0]: expected'],
    [
      'a country that is none',
      { countries: { Germany: a } },
      'proxy.countries.Germany: expected an ISO 3166-1 alpha-2 code, such as "DE", got "Germany"; did you mean "DE"?',
    ],
    ['another code of a country', { countries: { UK: a } }, 'got "UK"; did you mean "GB"?'],
    [
      'the proxy of a country',
      { countries: { DE: { basic: 'hunter2' } } },
      'proxy.countries.DE.basic: expected',
    ],
    ['who resolves names', { url: a, dns: 'hunter2' }, "proxy.dns: expected 'here' or 'proxy'"],
    [
      'an unknown part of a route',
      { url: a, password: 'hunter2' },
      'proxy.password: unknown option',
    ],
    ['an adapter without pick()', { pick: 'hunter2' }, 'proxy.pick: expected a function'],
  ])('%s', (_, proxy, message) => {
    const given = proxy as ProxyChoice | ProxyTiers;
    const making = (): unknown => createClient({ proxy: given });
    expect(making).toThrow(ValidationError);
    expect(making).toThrow(message);
    expect(making).not.toThrow('hunter2');
    expect(() => createProxy(given)).toThrow(ValidationError);
  });
});
