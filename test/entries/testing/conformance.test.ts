/** The suites themselves: each notices what breaks the rule. */
import {
  type ConformanceCase,
  engineConformance,
  fixturesEngine,
  formatConformance,
  networkEngineConformance,
  requestQueueConformance,
  storeConformance,
} from 'pagewright/testing';
import { describe, expect, test } from 'vitest';
import type { Engine } from '../../../src/core/model/engine.ts';
import { defineFormat } from '../../../src/content/formats/format.ts';
import type { Snapshot } from '../../../src/core/model/snapshot.ts';
import {
  memoryRequestQueue,
  type RequestQueueStorage,
} from '../../../src/core/storage/request-queue-storage.ts';
import { memoryStore } from '../../../src/core/storage/memory-store.ts';
import type { Store } from '../../../src/core/storage/store.ts';
import { rareTest } from '../../support/deep.ts';

async function failing(suite: readonly ConformanceCase[]): Promise<string[]> {
  const names: string[] = [];
  for (const { name, run } of suite) {
    await run().catch(() => names.push(name));
  }
  return names;
}

describe('stores', () => {
  const broken = (change: (store: Store) => Partial<Store>): Promise<string[]> =>
    failing(
      storeConformance(() => {
        const store = memoryStore();
        return { ...store, ...change(store) };
      }),
    );

  test('one that keeps the caller’s bytes', async () => {
    const names = await broken((store) => {
      const values = new Map<string, Uint8Array>();
      return {
        get: async (key) => values.get(key) ?? (await store.get(key)),
        set: async (key, value, options) => {
          await store.set(key, value, options);
          if (value.length === 5) values.set(key, value);
        },
      };
    });
    expect(names).toEqual(['values are copies, going in and coming out']);
  });

  test('one that forgets the expiry', async () => {
    const names = await broken((store) => ({ set: (key, value) => store.set(key, value) }));
    expect(names).toEqual(['an expired value is gone from get and list']);
  });

  test('one that folds case, and one that does not sort', async () => {
    const folded = await broken((store) => ({
      get: (key) => store.get(key.toLowerCase()),
      set: (key, value, options) => store.set(key.toLowerCase(), value, options),
    }));
    expect(folded).toContain('any string is a key, and no two keys are one');
    const unsorted = await broken((store) => ({
      async *list(prefix) {
        const keys: string[] = [];
        for await (const key of store.list(prefix)) keys.push(key);
        yield* keys.reverse();
      },
    }));
    expect(unsorted).toContain('list gives the keys with the prefix, sorted by code unit');
  });

  test('each store is disposed of, also after a failure', async () => {
    let open = 0;
    const suite = storeConformance(() => {
      open++;
      const dispose = (): Promise<void> => Promise.resolve(void open--);
      return { ...memoryStore(), get: () => Promise.reject(new Error('no')), dispose };
    });
    expect(await failing(suite)).not.toEqual([]);
    expect(open).toBe(0);
  });
});

describe('request queues', () => {
  const broken = (
    change: (queue: RequestQueueStorage) => Partial<RequestQueueStorage>,
  ): Promise<string[]> =>
    failing(
      requestQueueConformance(() => {
        const queue = memoryRequestQueue();
        return { ...queue, ...change(queue) };
      }),
    );

  test('one that takes forefront for the end', async () => {
    const names = await broken((queue) => ({
      reclaimRequest: (request) => queue.reclaimRequest(request),
    }));
    expect(names).toEqual(['a request given back to the forefront is the next one']);
  });

  test('one that takes empty for finished', async () => {
    const names = await broken((queue) => ({ isFinished: () => queue.isEmpty() }));
    expect(names).toEqual([
      'empty means nothing is pending, finished that nothing is in progress either',
    ]);
  });

  test('one that does not say what it had', async () => {
    const names = await broken((queue) => ({
      addBatchOfRequests: async (requests, options) =>
        (await queue.addBatchOfRequests(requests, options)).map((added) => ({
          ...added,
          wasAlreadyHandled: false,
        })),
    }));
    expect(names).toEqual(['a key is taken once, and the answer says so']);
  });
});

describe('engines', () => {
  const docs = 'fixtures/sites/docs';
  const snapshot = (url: string): Snapshot => ({
    url,
    statusCode: 200,
    headers: { 'Content-Type': 'text/html' },
    body: new Uint8Array(),
    engine: 'idle',
    redirects: [],
    warnings: [],
    requests: 1,
    bytes: 0,
  });
  const idle: Engine = {
    name: 'idle',
    can: new Set(),
    cost: 1,
    fetch: ({ url }) => Promise.resolve(snapshot(url)),
  };

  rareTest('one that always answers the same fails nearly everything', async () => {
    const passing = async (suite: readonly ConformanceCase[]): Promise<string[]> => {
      const failed = await failing(suite);
      return suite.map(({ name }) => name).filter((name) => !failed.includes(name));
    };
    expect(await passing(engineConformance(() => idle))).toEqual([
      'it serves http URLs',
      'an empty body is empty',
    ]);
    expect(await passing(networkEngineConformance(() => idle))).toEqual([]);
  });

  test('no server is started without network', async () => {
    const origins: string[] = [];
    const suite = engineConformance(
      (origin) => {
        origins.push(origin);
        return fixturesEngine({ [origin]: docs });
      },
      { network: false },
    );
    await failing(suite);
    expect(new Set(origins)).toEqual(new Set(['http://conformance.test']));
  });
});

describe('formats', () => {
  test('one that does as it should, with options', async () => {
    const words = defineFormat({
      name: 'words',
      needs: 'content',
      parseOptions: ({ least }) => ({ least: Number(least) }),
      run: (page, { least }) => {
        const text = page.kind === 'html' ? page.root.textContent : page.markdown;
        return (text ?? '').split(/\s+/).filter((word) => word.length >= least);
      },
    });
    expect(await failing(formatConformance(words, { options: { least: 3 } }))).toEqual([]);
  });

  class Thing {
    readonly a = 1;
  }
  let calls = 0;

  test.each<[string, () => unknown, string]>([
    ['throws', () => structuredClone(() => 1), 'plain data'],
    ['gives a function', () => () => 1, 'plain data'],
    ['gives an object of a class', () => new Thing(), 'plain data'],
    ['counts its calls', () => ++calls, 'the same twice'],
  ])('one that %s', async (_, run, words) => {
    const names = await failing(
      formatConformance(defineFormat({ name: 'bad', needs: 'page', run })),
    );
    expect(names.join('\n')).toContain(words);
  });

  test('one that changes the page', async () => {
    const greedy = defineFormat({
      name: 'greedy',
      needs: 'page',
      run: (page) => page.kind === 'html' && page.root.querySelector('p')?.remove(),
    });
    expect(await failing(formatConformance(greedy))).toContain('greedy does not change an article');
  });
});
