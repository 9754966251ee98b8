/** A logger of a caller that throws or rejects. */
import { createClient, memoryStore } from 'pagewright';
import { serve } from 'pagewright/testing';
import { expect, it, onTestFinished } from 'vitest';
import { unhandledRejections } from '../support/unhandled-rejections.ts';

it.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('disk full');
    },
  ],
  ['rejects', () => Promise.reject(new Error('disk full'))],
])('a logger that %s harms no job, and ends no process', async (_, fail) => {
  const unhandled = unhandledRejections(onTestFinished);
  await using server = await serve({ '/': '<p>Hello</p>' });
  const told: string[] = [];
  const store = memoryStore();
  await using client = createClient({
    network: { allow: ['127.0.0.1'] },
    // What is left of expired jobs cannot be looked for, which the logger is told.
    storage: {
      ...store,
      list: () => {
        throw new Error('no list');
      },
    },
    logger: {
      warn: (_, message) => {
        told.push(message);
        return fail() as undefined;
      },
    },
  });
  const job = client.batchScrape([server.url('/')]);
  job.on('page', () => {
    throw new Error('a listener');
  });
  expect((await job).data).toHaveLength(1);
  await job.settled();
  expect(await unhandled()).toEqual([]);
  expect(told.join(' ')).toMatch(/no list.*a listener|a listener.*no list/);
});
