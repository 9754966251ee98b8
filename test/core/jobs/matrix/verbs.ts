/** The verbs of the matrix, each over the same site, and what they make of it. */
import type { Client, CrawlJob, Document, ExtractJob, PlainDocument } from 'pagewright';
import type { JobCounts } from '../../../../src/core/model/job.ts';
import type { JobSite } from './site.ts';

/** A crawl or a batch. */
export type PagesJob = CrawlJob<Document<readonly ['markdown']>>;
export type AnyJob = PagesJob | ExtractJob<{ readonly names: readonly string[] }, true>;

/** Options that mean the same to each verb. */
export interface JobOptions {
  readonly maxConcurrency?: number;
  readonly budget?: object;
  readonly webhook?:
    string | { readonly url: string; readonly secret?: string; readonly metadata?: object };
  readonly signal?: AbortSignal;
  readonly keepDocuments?: false;
  readonly zeroDataRetention?: boolean;
  /** The most pages that are kept. */
  readonly limit?: number;
  readonly since?: string;
}

export interface Verb {
  readonly name: 'crawl' | 'batchScrape' | 'extract';
  /** As events name it. */
  readonly source: string;
  start(client: Client, site: JobSite, options?: JobOptions): AnyJob;
  /** What comes of the site. */
  readonly expected: Pick<Outcome, 'pages' | 'counts' | 'failures' | 'skips' | 'creditsUsed'>;
  /** The pages that come once `/c1` alone fails, and then once none does. */
  readonly retried: readonly (readonly string[])[];
}

const crawled = ['/', '/a', '/c', '/d', '/a1', '/a2', '/c2'];
const below = ['/d1', '/d2', '/d3', '/d4', '/d5', '/d6'];
const given = ['/d', '/a1', '/b', '/a', '/c', '/c1', '/c2', '/a2', ...below, '/'];
const read = given.filter((path) => path !== '/b' && path !== '/c1');
const failures = ['/b HTTP_STATUS 500', '/c1 HTTP_STATUS 500'];
const urlsOf = (site: JobSite): string[] => given.map((path) => site.url(path));

const crawl: Verb = {
  name: 'crawl',
  source: 'crawl',
  start: (client, site, { zeroDataRetention, ...options } = {}) =>
    client.crawl(site.url('/'), {
      sitemap: 'skip',
      excludePaths: ['^/private/'],
      scrapeOptions: { retries: 0, ...(zeroDataRetention && { zeroDataRetention }) },
      ...options,
    }),
  expected: {
    pages: [...crawled, ...below],
    failures,
    skips: [
      'mailto:x@site.test PROTOCOL PROTOCOL',
      '/a/ DUPLICATE_URL /a',
      '/private/x EXCLUDE ^/private/',
      '/closed/x ROBOTS Disallow: /closed/',
      '/logo.png FILE_TYPE .png',
      'http://elsewhere.test/ EXTERNAL allowExternalLinks: false',
      '/twin DUPLICATE_CONTENT /a',
    ],
    counts: { discovered: 22, completed: 13, failed: 2, skipped: 7, pending: 0 },
    creditsUsed: 13,
  },
  retried: [
    ['/b', '/b1', '/b2', '/b1x'],
    ['/c1', '/c1x'],
  ],
};

const batchScrape: Verb = {
  name: 'batchScrape',
  source: 'batch_scrape',
  start: (client, site, { limit: _, since: __, ...options } = {}) =>
    client.batchScrape([...urlsOf(site), site.url('/a#part'), 'http://'], {
      retries: 0,
      ...options,
    }),
  expected: {
    pages: read,
    failures,
    skips: ['/a#part DUPLICATE_URL /a'],
    counts: { discovered: 16, completed: 13, failed: 2, skipped: 1, pending: 0 },
    creditsUsed: 13,
  },
  retried: [['/b'], ['/c1']],
};

const extract: Verb = {
  name: 'extract',
  source: 'extract',
  start: (
    client,
    site,
    { limit, budget, keepDocuments: _, since: __, zeroDataRetention, ...options } = {},
  ) =>
    client.extract({
      urls: [...urlsOf(site), 'http://'],
      schema: {
        type: 'object',
        properties: { names: { type: 'array', items: { type: 'string' }, 'x-selector': 'h1' } },
        required: ['names'],
      } as const,
      provenance: true,
      scrapeOptions: { retries: 0, ...(zeroDataRetention && { zeroDataRetention }) },
      ...options,
      ...((budget ?? limit) && { budget: { ...budget, ...(limit && { pages: limit }) } }),
    }),
  expected: {
    pages: read,
    failures,
    skips: [],
    counts: { discovered: 15, completed: 13, failed: 2, skipped: 0, pending: 0 },
    creditsUsed: 13,
  },
  retried: [],
};

export const verbs = { crawl, batchScrape, extract } as const;

/** What became of a job, alike for all verbs, and the same in each run over the same pages. */
export interface Outcome {
  readonly status: string;
  readonly success: boolean;
  /** The paths of the documents, or of the pages that were read. */
  readonly pages: readonly string[];
  /** The documents, or the data, with all that is said of it. */
  readonly content: unknown;
  readonly counts: JobCounts;
  /** Such as `/b HTTP_STATUS 500`. */
  readonly failures: readonly string[];
  /** Such as `/x EXCLUDE ^/x`. */
  readonly skips: readonly string[];
  readonly creditsUsed: number;
  readonly requests: number;
  readonly bytes: number;
  readonly warning?: string | undefined;
}

export function hasPages(job: AnyJob): job is PagesJob {
  return 'explain' in job;
}

/** A job of which it is known that it has documents. */
export function pagesOf(job: AnyJob): PagesJob {
  if (!hasPages(job)) throw new TypeError('An extraction has no documents.');
  return job;
}

export const pathOf = (page: { readonly metadata: { readonly url: string } }): string =>
  new URL(page.metadata.url).pathname;

export async function outcomeOf(job: AnyJob, site: JobSite): Promise<Outcome> {
  const result = await job;
  const { status, success, creditsUsed, usage, warning, errors } = result;
  const skips = hasPages(job) ? job.skipped() : 'skipped' in result ? result.skipped : [];
  const counts = countsOf(job);
  const common = {
    status,
    success,
    counts,
    failures: site.named(errors.map(({ url, code, statusCode }) => `${url} ${code} ${statusCode}`)),
    skips: site.named(
      (skips as readonly { url: string; reason: string; rule: string }[]).map(
        ({ url, reason, rule }) => `${url} ${reason} ${rule}`,
      ),
    ),
    creditsUsed,
    requests: usage.requests,
    bytes: usage.bytes,
    warning: warning && site.named(warning),
  };
  if ('sources' in result) {
    const { data, sources, conflicts, notFound, invalidURLs, pages, provenance } = result;
    const content = site.named({
      data,
      sources,
      conflicts,
      notFound,
      invalidURLs,
      pages,
      provenance,
    });
    return { ...common, pages: content.pages.map(({ url }) => url), content };
  }
  const documents = result.data as unknown as readonly PlainDocument[];
  return { ...common, pages: documents.map(pathOf), content: site.named(documents.map(bare)) };
}

/** The numbers of a job, which add up at each moment. */
export function countsOf(job: AnyJob): JobCounts {
  const { discovered, completed, failed, skipped, pending } = hasPages(job)
    ? job.progress
    : job.counts;
  if (discovered !== completed + failed + skipped + pending)
    throw new Error('The accounts of the job do not add up.');
  return { discovered, completed, failed, skipped, pending };
}

/** A document without what no two scrapes have in common. */
export function bare({ metadata: { scrapeId: _, ...metadata }, ...rest }: PlainDocument): object {
  return { ...rest, metadata };
}

/** The events of a job as they come: `page /a`, `failed /b HTTP_STATUS`, `skipped /x EXCLUDE`, `completed`. */
export function eventsOf(job: AnyJob, site: JobSite): string[] {
  const events: string[] = [];
  const told = (text: string): void => void events.push(site.named(text));
  for (const name of ['started', 'completed', 'cancelled', 'failed'] as const) {
    (job.on as ExtractJob<never>['on']).call(job, name, () => told(name));
  }
  if (!hasPages(job)) return events;
  job.on('page', (page) => told(`page ${page.metadata.url}`));
  job.on('pageFailed', ({ url, code }) => told(`failed ${url} ${code}`));
  job.on('skipped', ({ url, reason }) => told(`skipped ${url} ${reason}`));
  return events;
}

/** The paths of the documents that a loop gets, which is left after the first `most`. */
export async function pathsRead(job: PagesJob, most = Infinity): Promise<string[]> {
  const paths: string[] = [];
  for await (const page of job) if (paths.push(pathOf(page)) >= most) break;
  return paths;
}
