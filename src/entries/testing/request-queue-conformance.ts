/** The conformance suite of every request queue storage. */
import assert from 'node:assert/strict';
import type {
  QueuedRequest,
  RequestQueueStorage,
} from '../../core/storage/request-queue-storage.ts';
import type { ConformanceCase } from './conformance-case.ts';

/** The suite. `makeQueue` returns an empty queue each time; it is dropped after the case. */
export function requestQueueConformance(
  makeQueue: () => RequestQueueStorage | Promise<RequestQueueStorage>,
): readonly ConformanceCase[] {
  return Object.entries(cases).map(([name, check]) => ({
    name,
    run: async () => {
      const queue = await makeQueue();
      try {
        await check(queue);
      } finally {
        await queue.drop();
      }
    },
  }));
}

const cases: Readonly<Record<string, (queue: RequestQueueStorage) => Promise<void>>> = {
  'requests come out in the order in which they went in': async (queue) => {
    await add(queue, 'c', 'a', 'b');
    await add(queue, 'e', 'd');
    assert.deepEqual(await take(queue), ['c', 'a', 'b', 'e', 'd']);
  },
  'a request comes back as it went in': async (queue) => {
    const userData = { depth: 2, parent: null, tags: ['x', 'ü'], nested: { deep: true } };
    const request = {
      url: 'https://site.test/a?b=1',
      uniqueKey: '/a?b=1',
      userData,
      retryCount: 3,
    };
    await queue.addBatchOfRequests([request]);
    assert.deepEqual(await queue.getRequest('/a?b=1'), request);
    assert.deepEqual(await queue.fetchNextRequest(), request);
    assert.deepEqual(await queue.getRequest('/a?b=1'), request);
    assert.equal(await queue.getRequest('/b'), undefined);
  },
  'a key is taken once, and the answer says so': async (queue) => {
    assert.deepEqual(await add(queue, 'a', 'b', 'a'), ['a new', 'b new', 'a present']);
    await queue.fetchNextRequest();
    assert.deepEqual(await add(queue, 'a'), ['a present']);
    await queue.markRequestAsHandled('a');
    assert.deepEqual(await add(queue, 'a', 'c'), ['a handled', 'c new']);
    assert.deepEqual(await take(queue), ['b', 'c']);
  },
  'an empty batch is none': async (queue) => {
    assert.deepEqual(await add(queue), []);
    assert.equal(await queue.fetchNextRequest(), undefined);
  },
  'a request added after the queue ran empty is served': async (queue) => {
    await add(queue, 'a');
    assert.deepEqual(await take(queue), ['a']);
    assert.equal(await queue.fetchNextRequest(), undefined);
    await add(queue, 'b');
    assert.deepEqual(await take(queue), ['b']);
  },
  'a fetched request belongs to its fetcher': async (queue) => {
    await add(queue, 'a', 'b', 'c', 'd');
    const fetched = await Promise.all(Array.from({ length: 6 }, () => queue.fetchNextRequest()));
    const keys = fetched.map((request) => request?.uniqueKey ?? '-').sort();
    assert.deepEqual(keys, ['-', '-', 'a', 'b', 'c', 'd']);
  },
  'empty means nothing is pending, finished that nothing is in progress either': async (queue) => {
    const state = async (): Promise<boolean[]> => [await queue.isEmpty(), await queue.isFinished()];
    assert.deepEqual(await state(), [true, true]);
    await add(queue, 'a');
    assert.deepEqual(await state(), [false, false]);
    await queue.fetchNextRequest();
    assert.deepEqual(await state(), [true, false]);
    await queue.markRequestAsHandled('a');
    assert.deepEqual(await state(), [true, true]);
  },
  'a handled request is never served again': async (queue) => {
    await add(queue, 'a', 'b');
    const request = await next(queue);
    await queue.markRequestAsHandled('a');
    await queue.reclaimRequest(request);
    await queue.reclaimRequest(request, { forefront: true });
    assert.deepEqual(await take(queue), ['b']);
  },
  'a request given back goes to the end': async (queue) => {
    await add(queue, 'a', 'b');
    await queue.reclaimRequest(await next(queue));
    assert.equal(await queue.isEmpty(), false);
    assert.deepEqual(await take(queue), ['b', 'a']);
  },
  'a request given back to the forefront is the next one': async (queue) => {
    await add(queue, 'a', 'b', 'c');
    const [first, second] = [await next(queue), await next(queue)];
    await queue.reclaimRequest(first, { forefront: true });
    await queue.reclaimRequest(second, { forefront: true });
    assert.deepEqual(await take(queue), ['b', 'a', 'c']);
    assert.equal(await queue.fetchNextRequest(), undefined);
  },
  'a request added to the forefront is the next one': async (queue) => {
    await add(queue, 'a', 'b');
    const request = { url: 'https://site.test/c', uniqueKey: 'c', userData: {}, retryCount: 0 };
    await queue.addBatchOfRequests([request], { forefront: true });
    await queue.addBatchOfRequests([{ ...request, uniqueKey: 'd' }], { forefront: true });
    assert.deepEqual(await take(queue), ['d', 'c', 'a', 'b']);
  },
  'a request given back keeps what was changed about it': async (queue) => {
    await add(queue, 'a');
    const request = await next(queue);
    await queue.reclaimRequest({ ...request, retryCount: 1, userData: { error: 'first try' } });
    const again = await next(queue);
    assert.deepEqual([again.retryCount, again.userData], [1, { error: 'first try' }]);
    assert.equal(await queue.fetchNextRequest(), undefined);
  },
  'a request given back is still known': async (queue) => {
    await add(queue, 'a');
    await queue.reclaimRequest(await next(queue));
    assert.deepEqual(await add(queue, 'a'), ['a present']);
    assert.deepEqual(await take(queue), ['a']);
  },
  'ten thousand requests keep their order': async (queue) => {
    const keys = Array.from({ length: 10_000 }, (_, at) => `page-${at}`);
    await add(queue, ...keys);
    const again = await add(queue, ...keys);
    assert.ok(again.every((answer) => answer.endsWith(' present')));
    for (const key of keys) {
      assert.equal((await next(queue)).uniqueKey, key);
      await queue.markRequestAsHandled(key);
    }
    assert.equal(await queue.isFinished(), true);
  },
  'a dropped queue knows nothing': async (queue) => {
    await add(queue, 'a', 'b', 'c');
    await queue.reclaimRequest(await next(queue), { forefront: true });
    await queue.markRequestAsHandled((await next(queue)).uniqueKey);
    await queue.drop();
    assert.equal(await queue.fetchNextRequest(), undefined);
    assert.equal(await queue.isFinished(), true);
    assert.deepEqual(await add(queue, 'a'), ['a new']);
    assert.deepEqual(await take(queue), ['a']);
  },
};

/** Adds requests with these keys; returns for each whether it is new, present or handled. */
async function add(queue: RequestQueueStorage, ...keys: readonly string[]): Promise<string[]> {
  const answers = await queue.addBatchOfRequests(
    keys.map((key) => ({
      url: `https://site.test/${key}`,
      uniqueKey: key,
      userData: {},
      retryCount: 0,
    })),
  );
  return answers.map(({ uniqueKey, wasAlreadyPresent, wasAlreadyHandled }) => {
    const state = wasAlreadyHandled ? 'handled' : 'present';
    return `${uniqueKey} ${wasAlreadyPresent ? state : 'new'}`;
  });
}

async function next(queue: RequestQueueStorage): Promise<QueuedRequest> {
  const request = await queue.fetchNextRequest();
  assert.ok(request, 'a request is pending');
  return request;
}

/** Fetches and handles all pending requests. */
async function take(queue: RequestQueueStorage): Promise<string[]> {
  const keys: string[] = [];
  for (;;) {
    const request = await queue.fetchNextRequest();
    if (request === undefined) return keys;
    keys.push(request.uniqueKey);
    await queue.markRequestAsHandled(request.uniqueKey);
  }
}
