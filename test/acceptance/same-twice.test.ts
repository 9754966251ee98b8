/** A crawl is the same however fast its pages come, and however many there are. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/index.ts';
import { type Behaviour, linkedSite, serve } from '../../src/entries/testing/index.ts';
import { isDeep } from '../support/deep.ts';

const loopback = { network: { allow: ['127.0.0.1'] } };

describe('crawl 3: the same twice', () => {
  const { site } = linkedSite({ pages: 150, seed: 21, failing: 0.1, sections: 4 });
  const late: Behaviour = async ({ page, send }) => {
    const answer = await page();
    await sleep(Math.random() * 80);
    send(answer);
  };

  it('gives each time the same JSONL with random latency and eight pages at a time', async () => {
    await using server = await serve(site, { behaviours: { '*': late } });
    const runs: string[] = [];
    for (let run = 0; run < (isDeep('the same JSONL ten times') ? 10 : 3); run += 1) {
      await using client = createClient(loopback);
      const lines: string[] = [];
      const job = client.crawl(server.url('/'), {
        limit: 60,
        maxConcurrency: 8,
        scrapeOptions: { formats: ['markdown', 'links'], retries: 0 },
      });
      for await (const { metadata, ...rest } of job) {
        // The one thing that is new each time.
        lines.push(JSON.stringify({ ...rest, metadata: { ...metadata, scrapeId: '' } }));
      }
      for (const skip of job.skipped()) lines.push(JSON.stringify(skip));
      for (const { url, code } of job.errors()) lines.push(JSON.stringify({ url, code }));
      runs.push(lines.join('\n'));
    }
    expect(runs[0]?.split('\n').length).toBeGreaterThan(60);
    for (const run of runs) expect(run).toBe(runs[0]);
  }, 120_000);
});

const many = isDeep('a site of 10,000 pages') ? 10_000 : 500;

describe(`a site of ${many} pages`, () => {
  it('is crawled whole, each page once and by depth, with all accounts closed', async () => {
    const { site, depths } = linkedSite({ pages: many, seed: 5, links: 2 });
    await using server = await serve(site);
    await using client = createClient(loopback);
    const job = client.crawl(server.url('/'), {
      keepDocuments: false,
      maxConcurrency: 16,
      sitemap: 'skip',
      scrapeOptions: { formats: [], retries: 0 },
    });
    const met: { url: string; depth: number | undefined }[] = [];
    for await (const { metadata } of job) met.push({ url: metadata.url, depth: metadata.depth });
    expect(new Set(met.map(({ url }) => url)).size).toBe(met.length);
    expect(met).toHaveLength(many);
    expect(met.map(({ depth }) => depth)).toEqual(
      met.map(({ depth }) => depth ?? 0).sort((a, b) => a - b),
    );
    for (const { url, depth } of met) expect(depth).toBe(depths.get(new URL(url).pathname));
    expect(job.progress).toMatchObject({ completed: many, failed: 0, pending: 0 });
    expect(job.progress.discovered).toBe(many + job.progress.skipped);
  }, 240_000);
});
