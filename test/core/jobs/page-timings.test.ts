/** The fetches that a job knows of, and the call that started it. */
import assert from 'node:assert/strict';
import { createClient, memoryStore } from 'pagewright';
import { serve } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { PageTimings } from '../../../src/core/jobs/page-timings.ts';
import { pageOf } from '../../support/memory-web.ts';

const open = (storage = memoryStore()) =>
  createClient({
    cache: false,
    storage,
    network: { allow: ['127.0.0.1'] },
    logger: { warn: () => undefined },
  });
const options = { sitemap: 'skip', scrapeOptions: { retries: 0 } } as const;
const site = () => serve({ '/': pageOf('start', ['/a', '/gone']), '/a': pageOf('a') });

describe('the timings of a job', () => {
  it('are in parts for a store, in their order', () => {
    const timings = new PageTimings();
    for (let index = 0; index < 20_000; index += 1) {
      timings.add(`https://site.test/${index}`, { at: index, durationMs: index % 7, bytes: 1 });
    }
    const parts = [...timings.parts()];
    expect(parts.length).toBeGreaterThan(1);
    const again = new PageTimings();
    for (const part of parts) again.load(part);
    expect([...again.list()]).toEqual([...timings.list()]);
  });
});

describe('the call that started a job', () => {
  it('is known to every client, without what is secret or cannot be JSON', async () => {
    await using server = await site();
    const storage = memoryStore();
    await using client = open(storage);
    const job = client.crawl(server.origin, {
      ...options,
      limit: 1,
      includePaths: [/^\/a/],
      hooks: { transformLink: ({ url }) => url },
      scrapeOptions: { headers: { Authorization: 'Bearer hunter2', Accept: 'text/html' } },
    });
    expect(job.input).toEqual({
      verb: 'crawl',
      url: `${server.origin}/`,
      options: {
        sitemap: 'skip',
        limit: 1,
        includePaths: ['/^\\/a/'],
        hooks: { transformLink: '(function)' },
        scrapeOptions: { headers: { Authorization: '(secret)', Accept: 'text/html' } },
      },
    });
    await job;
    await using other = open(storage);
    const stored = other.jobs.get(job.id);
    await stored.settled();
    assert('timings' in stored);
    expect(stored.input).toEqual(job.input);
  });
});
