import {
  type BatchJob,
  batchScrape,
  type CrawlJob,
  type CrawlPlan,
  createClient,
  extract,
  type ExtractJob,
  type ExtractStatus,
  type JobEvents,
  type JobProgress,
  type JobUsage,
  plan,
  type PlannedPage,
  type SkippedUrl,
} from 'pagewright';
import { expectTypeOf } from 'vitest';

export async function batchPagesAreTypedByTheirFormats(): Promise<void> {
  const byDefault = await batchScrape(['https://example.com']);
  expectTypeOf(byDefault.data[0]?.markdown).toEqualTypeOf<string | undefined>();
  const job = batchScrape([new URL('https://example.com')], {
    formats: ['links'],
    maxConcurrency: 4,
    budget: { seconds: 30, bytes: 1e6, credits: 5, tokens: 1000 },
  });
  expectTypeOf(job.invalidURLs).toEqualTypeOf<readonly string[]>();
  job.add(['https://example.com/b', new URL('https://example.com/c')]);
  for await (const page of job) {
    expectTypeOf(page.links).toEqualTypeOf<string[]>();
    // @ts-expect-error -- markdown was not asked for
    void page.markdown;
  }
  // @ts-expect-error -- a list of URLs
  void batchScrape('https://example.com');
  // @ts-expect-error -- no such budget
  void batchScrape([], { budget: { pages: 3 } });
}

export async function plansAreLists(): Promise<void> {
  const planned = await plan('https://example.com', {
    limit: 5,
    scrapeOptions: { formats: ['links'] },
  });
  expectTypeOf(planned).toEqualTypeOf<CrawlPlan>();
  expectTypeOf(planned.pages).toEqualTypeOf<readonly PlannedPage[]>();
  expectTypeOf(planned.pages[0]?.parent).toEqualTypeOf<string | undefined>();
}

export async function extractionsTellWhatTheyUsed(): Promise<void> {
  const job = extract({
    urls: ['https://example.com'],
    prompt: 'its name',
    budget: { seconds: 30, bytes: 1e6, credits: 5, tokens: 1000, cost: 0.5, pages: 3 },
  });
  const { usage, skipped, data } = await job;
  expectTypeOf(usage).toEqualTypeOf<JobUsage>();
  expectTypeOf(skipped).toEqualTypeOf<readonly SkippedUrl[]>();
  expectTypeOf(data).toEqualTypeOf<unknown>();
  const planned = await plan('https://example.com', {
    strategy: { type: 'bestFirst', query: 'lamps', by: 'embedding' },
  });
  expectTypeOf(planned.usage).toEqualTypeOf<JobUsage>();
  // @ts-expect-error -- no such way to compare
  void plan('https://example.com', { strategy: { type: 'bestFirst', query: 'lamps', by: 'it' } });
}

export function jobsOfAClientAreCrawlsAndBatches(): void {
  const client = createClient();
  for (const job of client.jobs()) {
    expectTypeOf(job.progress.usage).toEqualTypeOf<JobUsage>();
    if ('add' in job) job.add(['https://example.com']);
  }
  expectTypeOf(client.batchScrape([])).toExtend<CrawlJob<unknown>>();
  expectTypeOf(client.batchScrape([])).toExtend<BatchJob<unknown>>();
}

export function whatAJobHandsOutHasNames(): void {
  const job = batchScrape([]);
  const progress: JobProgress = job.progress;
  const listener = ({ code, url }: JobEvents<unknown>['pageFailed']): string => code + url;
  job.on('pageFailed', listener);
  const status = (extraction: ExtractJob<unknown>): ExtractStatus => extraction.status();
  void [progress, status];
}
