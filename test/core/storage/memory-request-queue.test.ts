import { requestQueueConformance } from 'pagewright/testing';
import { describe, expect, test } from 'vitest';
import { memoryRequestQueue } from '../../../src/core/storage/request-queue-storage.ts';
import { cpuTime } from '../../support/cpu-time.ts';

describe('memoryRequestQueue conforms', () => {
  for (const { name, run } of requestQueueConformance(memoryRequestQueue)) test(name, run);
});

test('its time does not grow with the square of its length', async () => {
  const queue = memoryRequestQueue();
  const requests = Array.from({ length: 200_000 }, (_, at) => ({
    url: `https://site.test/${at}`,
    uniqueKey: String(at),
    userData: {},
    retryCount: 0,
  }));
  await queue.addBatchOfRequests(requests);
  const start = cpuTime();
  for (const { uniqueKey } of requests) {
    await queue.fetchNextRequest();
    await queue.markRequestAsHandled(uniqueKey);
  }
  expect(await queue.isFinished()).toBe(true);
  expect(cpuTime() - start).toBeLessThan(2000);
});
