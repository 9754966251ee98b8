import {
  type BatchJob,
  batchScrape,
  crawl,
  type CrawlChanges,
  type CrawlJob,
  type CrawlPlan,
  createClient,
  extract,
  type ExtractJob,
  type ExtractStatus,
  type JobEvents,
  type JobProgress,
  type JobUsage,
  type PageFailure,
  plan,
  type PlannedPage,
  type SkippedUrl,
  type Table,
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

export async function jobsOfAClientAreCrawlsBatchesAndExtractions(): Promise<void> {
  const client = createClient();
  for (const { id, verb } of await client.jobs.list()) {
    expectTypeOf(verb).toEqualTypeOf<'crawl' | 'batchScrape' | 'extract'>();
    const job = client.jobs.get(id);
    expectTypeOf(job.progress.usage).toEqualTypeOf<JobUsage>();
    expectTypeOf((await job.status()).id).toEqualTypeOf<string>();
    if ('add' in job) job.add(['https://example.com']);
    if ('explain' in job) expectTypeOf(job.skipped()).toEqualTypeOf<SkippedUrl[]>();
    else expectTypeOf(job).toEqualTypeOf<ExtractJob<unknown, boolean>>();
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

export async function eventsHaveTheirDocuments(): Promise<void> {
  const job = crawl('https://example.com', { scrapeOptions: { formats: ['tables'] } });
  job.on('page', (page) => {
    expectTypeOf(page.tables).toEqualTypeOf<Table[]>();
    // @ts-expect-error -- html was not asked for
    void page.html;
  });
  job.on('pageFailed', (failure) => expectTypeOf(failure).toEqualTypeOf<PageFailure>());
  job.on('skipped', (skipped) => expectTypeOf(skipped).toEqualTypeOf<SkippedUrl>());
  job.on('failed', ({ error }) => expectTypeOf(error).toEqualTypeOf<unknown>());
  for (const name of ['started', 'completed', 'cancelled'] as const) {
    job.on(name, ({ id }) => expectTypeOf(id).toEqualTypeOf<string>());
  }
  job.on('progress', ({ done, total, status }) => {
    expectTypeOf([done, total]).toEqualTypeOf<number[]>();
    expectTypeOf(status).toEqualTypeOf<JobProgress['status']>();
  });
  // @ts-expect-error -- no such event
  job.on('pages', () => undefined);
  expectTypeOf(job.on('page', () => undefined)).toEqualTypeOf<() => void>();

  const result = await job;
  expectTypeOf(result.data[0]?.tables).toEqualTypeOf<Table[] | undefined>();
  expectTypeOf(result.errors).toEqualTypeOf<PageFailure[]>();
  expectTypeOf(result.changes).toEqualTypeOf<CrawlChanges | undefined>();
  const page = await job.status({ skip: 1 });
  expectTypeOf(page.data[0]?.tables).toEqualTypeOf<Table[] | undefined>();
  // @ts-expect-error -- html was not asked for
  void page.data[0]?.html;
}

export async function routesMakeAllFieldsOptional(): Promise<void> {
  const { data, errors } = await crawl(
    { url: 'https://example.com', data: { customer: 17 } },
    {
      scrapeOptions: { formats: ['markdown'] },
      routes: [
        { match: '^/p/', label: 'product', scrapeOptions: { formats: ['tables'] } },
        { match: [/\.pdf$/, (url) => url.searchParams.has('pdf')], follow: false },
      ],
    },
  );
  expectTypeOf(data[0]?.tables).toEqualTypeOf<Table[] | undefined>();
  expectTypeOf(data[0]?.markdown).toEqualTypeOf<string | undefined>();
  expectTypeOf(data[0]?.metadata.label).toEqualTypeOf<string | undefined>();
  expectTypeOf(errors[0]?.data).toEqualTypeOf<unknown>();
  // @ts-expect-error -- no such option
  void crawl('https://example.com', { routes: [{ match: 'a', lable: 'x' }] });
  // @ts-expect-error -- a route has a pattern
  void crawl('https://example.com', { routes: [{ label: 'x' }] });
  const batch = await batchScrape([{ url: new URL('https://example.com'), data: 5 }], {
    formats: ['links'],
  });
  expectTypeOf(batch.data[0]?.links).toEqualTypeOf<string[] | undefined>();
  // @ts-expect-error -- no such field
  void batchScrape([{ url: 'https://example.com', dat: 5 }]);
}

export function jobsArePromises(): void {
  const extraction = extract({ urls: ['https://example.com'], schema: { type: 'string' } });
  const crawling: Promise<{ readonly data: { readonly markdown: string }[] }> =
    crawl('https://example.com');
  const extracting: Promise<{ readonly data: string }> = extraction;
  expectTypeOf(extraction.finally()).toExtend<Promise<{ readonly data: string }>>();
  const recovered = batchScrape([]).catch((error: unknown) => String(error));
  expectTypeOf(recovered).toExtend<Promise<string | { readonly completed: number }>>();
  const counts = (events: { readonly done: number; readonly total: number }): number =>
    events.done / events.total;
  extraction.on('progress', counts);
  // @ts-expect-error -- an extraction has no pages to give
  extraction.on('page', () => undefined);
  void [crawling, extracting];
}
